/** The students of an exam as a watch needs them: who they are, and what may change about them. */
import type { Dialect } from '../api/dialect.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';

export type Student = {
  /** As the service shows it; `null` where it shows none: such a student is counted, and cannot be followed. */
  session: string | number | bigint | null;
  email: string | null;
  name: string | null;
  status: string | null;
  level_of_suspicion: number | null;
  open_time: string | number | null;
  close_time: string | number | null;
};

/** Takes a session of the listing, which has been checked against its model. */
export function studentOf(session: JsonObject, { idKey, sessionNameKey }: Dialect): Student {
  const id = session[idKey];
  return {
    session: typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint' ? id : null,
    email: shown(session.email),
    name: shown(session[sessionNameKey]),
    status: shown(session.status),
    level_of_suspicion: shown(session.level_of_suspicion),
    open_time: shown(session.open_time),
    close_time: shown(session.close_time),
  };
}

function shown<T extends string | number>(value: Json | undefined): T | null {
  if (value === undefined || Array.isArray(value) || isJsonObject(value)) return null;
  return value as T | null;
}
