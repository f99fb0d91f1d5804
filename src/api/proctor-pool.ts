/** The body that names proctors, for adding them to a pool and for removing them. */
import { type JsonObject, parseJson } from '../model/json.ts';
import type { Dialect } from './dialect.ts';

export function poolBody(proctors: readonly string[], dialect: Dialect): JsonObject {
  const written = proctors.map((proctor) =>
    dialect.proctorValues === 'auto' && /^(0|[1-9]\d*)$/.test(proctor) ? parseJson(proctor) : proctor,
  );
  return { [dialect.proctorsKey]: written };
}
