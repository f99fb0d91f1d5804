/** The pool of the proctors of an exam: requests that name some of them, and what it shows. */
import { addressKey } from '../model/address-key.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, textOfJson } from '../model/json.ts';
import type { Client } from './client.ts';
import type { Dialect } from './dialect.ts';
import { type Operation, operations } from './operations.ts';

/** The body that names proctors, for adding them to a pool and for removing them. */
export function poolBody(proctors: readonly string[], { proctorsKey, proctorValues }: Dialect): JsonObject {
  const isNumber = (proctor: string) => proctorValues === 'auto' && /^(0|[1-9]\d*)$/.test(proctor);
  return { [proctorsKey]: proctors.map((proctor) => (isNumber(proctor) ? parseJson(proctor) : proctor)) };
}

export function proctorsIn(body: JsonObject | undefined, { proctorsKey }: Dialect): Json[] {
  return [body?.[proctorsKey] ?? []].flat();
}

/** The proctors of a request that the pool does not show as they have to be. */
export async function poolLacks(
  { operation, params, body }: { operation: Operation; params: Readonly<Record<string, string>>; body?: JsonObject | undefined },
  client: Client,
): Promise<string[]> {
  const wanted = proctorsIn(body, client.dialect).map(textOfJson);
  const pool = await client.list(operations.listProctors, { params: { ...params } });
  const shown = new Set(pool.flatMap(valuesIn));
  return wanted.filter((proctor) => shown.has(addressKey(proctor)) === (operation.method === 'DELETE'));
}

/** All values of a proctor, whose fields the specification leaves open. */
export function valuesIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(valuesIn);
  return isJsonObject(value) ? Object.values(value).flatMap(valuesIn) : [addressKey(textOfJson(value))];
}
