/** The proctor pool of an exam: requests that name proctors, and what it shows. */
import { fieldAt, idOf, isJsonObject, type Json, type JsonObject, parseJson, textOfJson } from './json.ts';
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

/** `named`: its ID and address, or else all values. `values`: the ID first; without that of its exam, which may be the ID of another proctor. */
export function proctorIn(shown: JsonObject, { userEmailKey, sessionExamKey }: { userEmailKey: string; sessionExamKey: string }) {
  const { [sessionExamKey.split('.')[0] ?? '']: _, ...own } = shown;
  const id = idOf(shown) ?? [];
  const values = valuesIn([id, own]);
  const named = valuesIn([id, fieldAt(shown, userEmailKey) ?? []]);
  return { named: named.length > 0 ? named : values, values };
}
