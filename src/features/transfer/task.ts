/** A student who is to join another exam: what is sent there, and what keeps the student where they are. */
import { type Client, examOf } from '../../api/client.ts';
import { addressKey } from '../../model/address-key.ts';
import { booleanIn } from '../../model/boolean.ts';
import type { JsonObject } from '../../model/json.ts';
import { phaseOf } from '../../model/status.ts';
import { isTimeValue, type Move, type TimeValue } from '../changes/index.ts';
import { addressOf } from './students.ts';

/** `stays`: the session remains in its exam, because the student is copied. */
export type TransferTask = {
  number: number;
  session: string;
  from: string | undefined;
  to: string;
  stays: boolean;
  /** The address that the session showed when it was chosen; absent in a task from a journal, which has no addresses. */
  email?: string;
  /** The window in the other exam; absent where the student has none of their own there. */
  opens?: TimeValue;
  closes?: TimeValue;
  /** The session there, as an earlier run has recorded it. */
  made?: string;
  /** That session was there before any request: its own window is only widened. */
  found?: true;
  /** A read has shown that session to be the student's. */
  proven?: true;
  /** An earlier request may have created one. */
  uncertain: boolean;
};

/** The task of a move in a journal. */
export function taskOf({ number, id, exam, fields, made, proven, set, requested }: Move, stays: boolean): TransferTask {
  const { exam: to, open_time: opens, close_time: closes } = fields;
  return {
    number,
    session: id,
    from: exam,
    to: String(to?.new ?? ''),
    stays,
    ...(opens ? { opens: opens.new } : {}),
    ...(closes ? { closes: closes.new } : {}),
    ...(made === undefined ? {} : { made, ...(requested ? {} : { found: true as const }), ...(proven ? { proven } : {}) }),
    uncertain: requested === true && set !== 'failed',
  };
}

/** The body that creates the student there (specification 4.5: POST sets close_time and skip_requirements, not open_time). */
export function bodyOf(session: JsonObject, { closes }: { closes?: TimeValue }, { dialect }: Client): JsonObject {
  const name = session[dialect.sessionNameKey];
  return {
    email: addressOf(session),
    ...(typeof name === 'string' && name !== '' ? { [dialect.sessionNameKey]: name } : {}),
    ...(closes === undefined ? {} : { close_time: closes }),
    ...(booleanIn(session.skip_requirements) === true ? { skip_requirements: true } : {}),
  };
}

/** Why a student cannot leave an exam, as a continuation of "Session 21 is not moved: "; undefined where they can. */
export function whyStays(
  session: JsonObject,
  { from, to, email }: { from?: string | undefined; to: string; email?: string },
  client: Client,
): string | undefined {
  const phase = phaseOf(session.status);
  const own = addressOf(session);
  const exam = examOf(session, client);
  if (phase === 'finished') return 'its student has finished the exam';
  if (phase === 'writing') return 'its student has started the exam';
  if (phase === 'checking') return 'its student has started the check';
  if (phase === undefined)
    return `its status is ${JSON.stringify(session.status ?? null)}, which does not show whether its student has started`;
  if (own === null) return 'it shows no address, so it could not be found in the other exam';
  if (email !== undefined && addressKey(own) !== addressKey(email)) return 'it belongs to another address by now';
  if (exam === to) return `it is in exam ${to} already`;
  if (from !== undefined && exam !== undefined && exam !== from) return `it is in exam ${exam} by now`;
  return undefined;
}

/** A time as the service shows it, for a window that is carried over; undefined where there is none or it cannot be read. */
export function ownTime(session: JsonObject, field: 'open_time' | 'close_time'): TimeValue | undefined {
  const shown = session[field] ?? null;
  return shown !== null && isTimeValue(shown) ? shown : undefined;
}
