/** The sessions of an exam with times of their own. A time that cannot be read is refused by name: it could not be moved along. */
import type { Client } from '../../api/client.ts';
import { CliError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Phase, phaseOf, statusOf } from '../../model/status.ts';
import { instantOf } from '../../model/time.ts';
import type { Reading } from '../../runs-before/index.ts';
import { sentence } from '../../text/sentence.ts';
import { knownId, wholeSession } from '../listed-sessions.ts';
import { isTimeValue, type TimeValue } from '../moved-times/index.ts';

/** A time as the service shows it, and the instant that it is. */
export type ShownTime = { shown: TimeValue; at: number };

/** A session that has not finished. `opens` and `closes`: its own times, undefined where it has none. */
export type OpenSession = { id: string; email: string | undefined; phase: Phase | undefined; opens?: ShownTime; closes?: ShownTime };

/** `all`: sessions of the exam; `finished`: those that are never changed; `mailed`: students who know the times and have not started. */
export type ExamSessions = { open: OpenSession[]; all: number; finished: number; mailed: number };

/** A session of which the reading shows no times is read. Throws `bad_answer` for a session without an ID, `invalid_input` for a time that cannot be read. */
export async function sessionsOf(client: Client, { exam, sessions }: Reading): Promise<ExamSessions> {
  const found: ExamSessions = { open: [], all: sessions.length, finished: 0, mailed: 0 };
  for (const listed of sessions) {
    const { email } = listed;
    const id = knownId(listed, exam, client);
    const session = await wholeSession(client, id, listed.data);
    if (statusOf(session.status) === 'mail_sent') found.mailed += 1;
    const phase = phaseOf(session.status);
    if (phase === 'finished') {
      found.finished += 1;
      continue;
    }
    const [opens, closes] = [shownTime(session, 'open_time', `session ${id}`), shownTime(session, 'close_time', `session ${id}`)];
    found.open.push({ id, email, phase, ...(opens ? { opens } : {}), ...(closes ? { closes } : {}) });
  }
  return found;
}

/** A time of an exam or a session; undefined where it has none. Throws `invalid_input` for one that cannot be read. */
export function shownTime(resource: JsonObject, field: string, subject: string): ShownTime | undefined {
  const shown = resource[field] ?? null;
  if (shown === null) return undefined;
  const at = instantOf(shown);
  if (at !== undefined && isTimeValue(shown)) return { shown, at };
  throw new CliError(
    'invalid_input',
    sentence`The ${field} of ${subject} is ${JSON.stringify(shown)}, which is not a time that can be read.`,
    {
      hint: 'Nothing was sent. Set that time, then run the command again.',
    },
  );
}
