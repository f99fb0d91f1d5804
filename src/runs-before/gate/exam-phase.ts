/**
 * Whether an exam runs, by the service's clock: from half an hour before its start to the last close time of its students. A
 * session whose own window is open counts as well, and so does a student in the check or later. An exam without times that can be
 * read runs if one of its students is in the check or later.
 */
import type { Shown } from '../../api/known.ts';
import { students } from '../../model/count.ts';
import { clockOffset, examClock } from '../../model/exam-clock.ts';
import type { JsonObject } from '../../model/json.ts';
import { phaseOf } from '../../model/status.ts';
import { instantOf, showTime } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

/** `why`: the exam's place in its time, in words; undefined where it does not run. */
export type ExamPhase = { running: false } | { running: true; why: Sentence };

const halfAnHour = 30 * 60_000;
const idle: ExamPhase = { running: false };

/** Now, by the service's clock. `now`: this machine's. Milliseconds since 1970. */
export function serviceTime({ date, sent, received }: Pick<Shown, 'date' | 'sent' | 'received'>, now: number): number {
  return now + clockOffset(date, { sent, received });
}

/** `sessions`: its students, or the only one who is concerned. */
export function examPhase(exam: JsonObject, sessions: readonly JsonObject[], now: number, zone: string): ExamPhase {
  const [start, end] = [instantOf(exam.start_time), instantOf(exam.end_time)];
  const inverted = start !== undefined && end !== undefined && end < start;
  const [opens, closes] = inverted ? [end, start] : [start, end];
  const active = sessions.some(({ status }) => ['checking', 'writing'].includes(phaseOf(status) ?? ''));
  const counted = counts(sessions);
  if (opens === undefined || closes === undefined) {
    return active ? { running: true, why: sentence`shows no times that can be read${counted}` } : idle;
  }
  const clock = examClock({ start, end }, now);
  const last = Math.max(closes, ...sessions.map(({ close_time }) => instantOf(close_time) ?? 0));
  // Once all windows have closed, nobody takes it, whatever status the service still shows.
  if (now > last) return idle;
  if (now > closes)
    return { running: true, why: sentence`${clock}, and a student's window is open until ${showTime(last, zone)}${counted}` };
  if (now >= opens - halfAnHour) return { running: true, why: sentence`${clock}${counted}` };
  const open = sessions.find(({ open_time }) => (instantOf(open_time) ?? Number.POSITIVE_INFINITY) <= now);
  if (open) return { running: true, why: sentence`${clock}, but a student's own window is open${counted}` };
  return active ? { running: true, why: sentence`${clock}${counted}` } : idle;
}

/** ", with 5 students taking it and 2 in the check". */
function counts(sessions: readonly JsonObject[]): string {
  const phases = sessions.map(({ status }) => phaseOf(status));
  const number = (phase: string) => phases.filter((each) => each === phase).length;
  const [writing, checking] = [number('writing'), number('checking')];
  if (writing + checking === 0) return '';
  const check = checking > 0 ? ` and ${checking} in the check` : '';
  return `, with ${writing > 0 ? students(writing) : 'no student'} taking it${check}`;
}
