/** The proctor pool of an exam: requests that name proctors, and what it shows. */
import { isJsonObject, type Json, type JsonObject, parseJson, textOfJson } from './json.ts';
import { addressKey } from './listing.ts';

type PoolSettings = { proctorsKey: string; proctorValues: string };

export function poolBody(proctors: readonly string[], { proctorsKey, proctorValues }: PoolSettings): JsonObject {
  const isNumber = (proctor: string) => proctorValues === 'auto' && /^(0|[1-9]\d*)$/.test(proctor);
  return { [proctorsKey]: proctors.map((proctor) => (isNumber(proctor) ? parseJson(proctor) : proctor)) };
}

export function proctorsIn(body: JsonObject | undefined, { proctorsKey }: Pick<PoolSettings, 'proctorsKey'>): Json[] {
  return [body?.[proctorsKey] ?? []].flat();
}

/** All values of a proctor as texts: the specification leaves its fields open. */
export function valuesIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(valuesIn);
  return isJsonObject(value) ? Object.values(value).flatMap(valuesIn) : [addressKey(textOfJson(value))];
}
