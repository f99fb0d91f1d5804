/** The students of an exam as a watch needs them: their identity and the fields that may change. */
import type { Dialect } from '../../api/dialect.ts';
import { shownId } from '../../model/id.ts';
import { type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import { statusText } from '../../model/status.ts';

export type WatchedStudent = {
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
export function studentOf(session: JsonObject, { sessionNameKey }: Dialect): WatchedStudent {
  return {
    session: shownId(session.id),
    email: text(session.email),
    name: text(session[sessionNameKey]),
    status: statusText(session.status) ?? text(session.status),
    level_of_suspicion: typeof session.level_of_suspicion === 'number' ? session.level_of_suspicion : null,
    open_time: moment(session.open_time),
    close_time: moment(session.close_time),
  };
}

/** A text, whatever the service has in its place. */
function text(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : stringifyJson(value);
}

function moment(value: Json | undefined): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
