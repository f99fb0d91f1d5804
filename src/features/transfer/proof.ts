/**
 * What a read must show of a session in another exam before its student counts as being there: the student, the exam,
 * and all that was to be carried over. What the service lacks is set once, and then read again.
 */
import { type Client, examOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { perform } from '../../api/perform.ts';
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import { booleanIn } from '../../model/boolean.ts';
import type { JsonObject } from '../../model/json.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { phaseOf } from '../../model/status.ts';
import { instantOf } from '../../model/time.ts';
import { sentence } from '../../text/sentence.ts';
import { readResource, shows, type TimeValue } from '../changes/index.ts';
import { addressOf } from './students.ts';
import type { TransferTask } from './task.ts';

/** What the session there is to have. `kept`: the session was there before, and its own window is never narrowed. */
export type Carried = { opens?: TimeValue; closes?: TimeValue; skip: boolean; kept: boolean };

/** Throws `outcome_unknown` unless the session is shown as this student's, in the exam, and as another one than the source. */
export function provenIdentity(client: Client, { session, to }: TransferTask, made: string, email: string, shown: JsonObject) {
  const [address, exam] = [addressOf(shown), examOf(shown, client)];
  const ofStudent = address !== null && addressKey(address) === addressKey(email);
  if (made !== session && ofStudent && (exam === undefined || exam === to)) return;
  const why =
    made === session
      ? `session ${made} is the present one`
      : ofStudent
        ? `session ${made} is shown in exam ${exam}`
        : `session ${made} is shown ${address === null ? 'without an address' : `as ${address}`}`;
  throw unproven(email, to, made, why);
}

/** The service has named a session as the new one, and no read has shown that it is. */
export function unproven(email: string, to: string, made: string, why: string): CliError {
  return new CliError('outcome_unknown', sentence`It is unknown whether ${email} is in exam ${to}: ${why}.`, {
    hint: sentence`Check with: proctor-cli ${typedCommand('sessions get', [made])}; proctor-cli sessions list ${typedOption('--exam', to)}`,
  });
}

/** Sets what the session lacks, and reads it again. Throws `not_applied`, with what differs, where it still lacks something. */
export async function provenWindow(client: Client, task: TransferTask, made: string, wanted: Carried, first: JsonObject): Promise<void> {
  const limits = wanted.kept ? await client.get(operations.getExam, { params: { id: task.to } }) : {};
  const lacking = missingTimes(first, wanted, limits);
  const why = wanted.kept && Object.keys(lacking).length > 0 ? unsettable(first) : undefined;
  if (why === undefined && Object.keys(lacking).length > 0)
    await perform(client, operations.patchSession, { params: { id: made }, body: lacking });
  const shown = Object.keys(lacking).length === 0 ? first : await client.get(operations.getSession, { params: { id: made } });
  const left = Object.entries(missingTimes(shown, wanted, limits)).map(([field, value]) => sentence`${field} is not ${String(value)}`);
  const skip = wanted.skip && booleanIn(shown.skip_requirements) !== true ? ['skip_requirements is not true'] : [];
  const different = [...left, ...skip];
  if (different.length === 0) return;
  throw new CliError(
    'not_applied',
    sentence`Session ${made} differs from session ${task.session}: ${different.join(', ')}${why === undefined ? '' : `; it cannot be set, because ${why}`}.`,
  );
}

/** The times that a session which was there already is to get, as it stands now: for `--dry-run`. */
export async function widening(client: Client, { to }: TransferTask, there: string, times: Omit<Carried, 'kept' | 'skip'>) {
  const shown = await readResource(client, 'session', there);
  const limits = await readResource(client, 'exam', to);
  if (shown instanceof CliError || limits instanceof CliError || unsettable(shown) !== undefined) return {};
  return missingTimes(shown, { ...times, skip: false, kept: true }, limits);
}

/** The times of a session that was there already are set only before its student has started. */
function unsettable({ status }: JsonObject): string | undefined {
  return phaseOf(status) === 'waiting' ? undefined : `its status is ${JSON.stringify(status ?? null)}`;
}

/** The times that are to be set. `limits`: the exam, whose times hold where a session that was there has none of its own. */
function missingTimes(shown: JsonObject, { opens, closes, kept }: Carried, limits: JsonObject): { [field: string]: TimeValue } {
  const earlier = (a: number, b: number) => a <= b;
  const later = (a: number, b: number) => a >= b;
  const has = (own: unknown, limit: unknown, wanted: TimeValue, wider: (a: number, b: number) => boolean) => {
    if (shows(own, wanted)) return true;
    const [there, here] = [instantOf(own ?? limit), instantOf(wanted)];
    return kept && there !== undefined && here !== undefined && wider(there, here);
  };
  return {
    ...(opens === undefined || has(shown.open_time, limits.start_time, opens, earlier) ? {} : { open_time: opens }),
    ...(closes === undefined || has(shown.close_time, limits.end_time, closes, later) ? {} : { close_time: closes }),
  };
}
