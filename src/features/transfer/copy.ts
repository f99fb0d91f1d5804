/** The students of an exam in its clone: each is created there once, with the window of their own moved along by the clocks of the zone. */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import { count } from '../../model/count.ts';
import { firstInLine } from '../../model/first-of.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { formatTime, instantOf, movedEnd } from '../../model/time.ts';
import { readStudents, type Step } from '../../runs-before/index.ts';
import { sentence } from '../../text/sentence.ts';
import { knownId } from '../listed-sessions.ts';
import { warnOfWindows } from '../student-windows.ts';
import { bodyOf, openingOf } from './moving.ts';

/** Of the exam and its clone, milliseconds since 1970; undefined where one of them shows no end. `zone`: whose clocks count. */
export type CopyTimes = { start: number; newStart: number; end: number | undefined; newEnd: number | undefined; zone: string };

/** `opens`, `closes`: the window in the new exam, where the student has one of their own. */
export type Copied = { id: string; source: JsonObject; email: string; opens: Json | undefined; closes: Json | undefined };

/**
 * The students with an address, each once, and their new windows. Throws `invalid_input` for a session without an address, and for a time
 * that cannot be moved.
 */
export async function studentsToCopy(context: Context, exam: string, times: CopyTimes): Promise<readonly Copied[]> {
  const client = await context.client();
  const found = new Map<string, Copied>();
  const nameless: string[] = [];
  const twice: string[] = [];
  const { sessions } = await readStudents(context, exam);
  for (const session of sessions) {
    const { email, data: source } = session;
    const id = knownId(session, exam, client);
    if (email === undefined) nameless.push(id);
    else if (found.has(addressKey(email))) twice.push(id);
    else found.set(addressKey(email), { id, source, email, ...movedTimes(id, source, times, client) });
  }
  if (nameless.length > 0)
    throw new CliError(
      'invalid_input',
      sentence`${count(nameless.length, 'session')} of exam ${exam} cannot be copied (${firstInLine(nameless, (id) => id, 20)}): the list shows no address.`,
      { hint: 'Nothing was sent. Clone the exam without --with-students, and import its students.' },
    );
  if (twice.length > 0)
    context.warn(
      sentence`warning: ${count(twice.length, 'session')} of exam ${exam} will not be copied (${firstInLine(twice, (id) => id, 20)}): another session has the same address.`,
    );
  const copied = [...found.values()];
  // The old window may have been outside its exam as well.
  const windows = copied.map(({ id, email, opens, closes }) => ({
    ...{ opens: instantOf(opens), closes: instantOf(closes), granted: true },
    who: sentence`the copy of session ${id}, ${email}`,
    exam: { starts: times.newStart, ends: times.newEnd },
  }));
  warnOfWindows(context, windows);
  return copied;
}

/** An open_time keeps its distance to the start of the exam, and a close_time that to its end. */
function movedTimes(
  id: string,
  source: JsonObject,
  { start, newStart, end, newEnd, zone }: CopyTimes,
  { dialect }: Client,
): Pick<Copied, 'opens' | 'closes'> {
  const moved: Pick<Copied, 'opens' | 'closes'> = { opens: undefined, closes: undefined };
  const closing = end === undefined || newEnd === undefined ? ([start, newStart] as const) : ([end, newEnd] as const);
  const anchors = { open_time: [start, newStart], close_time: closing } as const;
  let opens = newStart;
  for (const field of ['open_time', 'close_time'] as const) {
    const old = source[field] ?? null;
    if (old === null) continue;
    const at = instantOf(old);
    const [from, to] = anchors[field];
    try {
      if (at === undefined) throw new InvalidValue(sentence`"${JSON.stringify(old)}" is not a time.`);
      const time = movedEnd({ start: from, end: at }, to, zone);
      if (field === 'open_time') opens = time;
      else if (time <= opens) throw new InvalidValue(sentence`The student could not take the new exam: it is too short for this window.`);
      moved[field === 'open_time' ? 'opens' : 'closes'] = formatTime(time, dialect.timeFormat);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      throw new CliError('invalid_input', sentence`The ${field} of session ${id} cannot be moved along: ${error.message}`, {
        hint: 'Nothing was sent. Clone the exam without --with-students, and import its students.',
      });
    }
  }
  return moved;
}

/** The requests that create the students in the exam that step `by` creates. `first`: the index of the first of them in the plan. */
export function copySteps(copied: readonly Copied[], by: number, first: number, client: Client): Step[] {
  const steps: Step[] = [];
  for (const { source, email, opens, closes } of copied) {
    const index = first + steps.length;
    const body = bodyOf(source, closes, client);
    steps.push({ operation: operations.createSession, params: {}, made: { param: 'exam_id', by }, email, body });
    if (opens !== undefined) steps.push(openingOf({ by: index, email, opens }));
  }
  return steps;
}
