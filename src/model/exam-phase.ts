/** Whether an exam runs: by its times, the statuses of its students, and their own windows. */
import { type Sentence, sentence } from '../text/sentence.ts';
import { students } from './count.ts';
import { examClock } from './describe.ts';
import type { JsonObject } from './json.ts';
import { phaseOf } from './status.ts';
import { instantOf, showTime } from './time.ts';

/** So long before its start an exam counts as running. Milliseconds. */
const halfAnHour = 30 * 60_000;

/** How an exam runs, in words; undefined where it does not. `sessions`: of the students concerned. */
export function phaseIn(exam: JsonObject, sessions: readonly JsonObject[], now: number, zone: string): Sentence | undefined {
  const { opens, closes } = timesOf(exam);
  const counted = takingInWords(sessions);
  const isOpen = sessions.some((session) => isOpenFor(session, exam, now));
  const own = isOpen ? ", but a student's own window is open or about to open" : '';
  const runsForSome = counted !== '' || isOpen;
  if (opens === undefined || closes === undefined) {
    return runsForSome ? sentence`shows no times that can be read${own}${counted}` : undefined;
  }
  const clock = examClock({ start: instantOf(exam.start_time), end: instantOf(exam.end_time) }, now);
  const last = Math.max(closes, ...sessions.map(({ close_time }) => instantOf(close_time) ?? 0));
  // Once all windows have closed, nobody takes it, whatever status the service still shows.
  if (now > last) return undefined;
  if (now > closes) return sentence`${clock}, and a student's window is open until ${showTime(last, zone)}${counted}`;
  if (now >= opens - halfAnHour) return sentence`${clock}${counted}`;
  return runsForSome ? sentence`${clock}${own}${counted}` : undefined;
}

function takingInWords(sessions: readonly JsonObject[]): string {
  const phases = sessions.map(({ status }) => phaseOf(status));
  const writing = phases.filter((phase) => phase === 'writing').length;
  const checking = phases.filter((phase) => phase === 'checking').length;
  if (writing + checking === 0) return '';
  const taking = writing > 0 ? students(writing) : 'no student';
  return `, with ${taking} taking it${checking > 0 ? ` and ${checking} in the check` : ''}`;
}

/** Before a student has started, an own window counts in place of the exam's. */
export function runsFor(session: JsonObject, exam: JsonObject, now: number, zone: string): boolean {
  if (phaseOf(session.status) === 'waiting' && isOpenFor(session, exam, now) === false) return false;
  return phaseIn(exam, [session], now, zone) !== undefined;
}

/** Whether an own window is open, or soon is; undefined for who has none. */
function isOpenFor({ open_time, close_time }: JsonObject, exam: JsonObject, now: number): boolean | undefined {
  const [open, close] = [instantOf(open_time), instantOf(close_time)];
  if (open === undefined && close === undefined) return undefined;
  const { opens = Number.NEGATIVE_INFINITY, closes = Number.POSITIVE_INFINITY } = timesOf(exam);
  const [from, to] = [open ?? opens, close ?? closes];
  return now >= Math.min(from, to) - halfAnHour && now <= Math.max(from, to);
}

/** The earlier and the later of its times; neither where one cannot be read. */
function timesOf({ start_time, end_time }: JsonObject): { opens: number | undefined; closes: number | undefined } {
  const [start, end] = [instantOf(start_time), instantOf(end_time)];
  if (start === undefined || end === undefined) return { opens: undefined, closes: undefined };
  return { opens: Math.min(start, end), closes: Math.max(start, end) };
}
