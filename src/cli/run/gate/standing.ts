/**
 * Whether an exam runs: from half an hour before its start until the last student's window has closed, by the
 * service's clock; before that, while a student is in the check or has started. An exam whose times do not tell
 * may be running.
 */

import type { Dialect } from '../../../api/dialect.ts';
import type { Shown } from '../../../api/gate.ts';
import { examInWords } from '../../../api/in-words.ts';
import { students } from '../../../model/count.ts';
import { clockOffset, examClock } from '../../../model/exam-clock.ts';
import type { JsonObject } from '../../../model/json.ts';
import { phaseOf } from '../../../model/status.ts';
import { instantOf, showTime } from '../../../model/time.ts';
import { type Sentence, sentence } from '../../../text/sentence.ts';

export type Standing = {
  id: string;
  is: 'idle' | 'running' | 'unreadable';
  /** An exam that shows no start may have started. */
  started: boolean;
  /** It has started, or a student has begun the check. */
  checked: boolean;
  /** By the service's clock: milliseconds since 1970. */
  now: number;
  /** The exam, and where in its time it is. */
  named: Sentence;
  clock: Sentence;
  /** While one of these students may be working, the exam is running. None may once all windows have closed, whatever status the service shows. */
  list: ListStudents;
};

/** Lists the students of an exam, once. */
export type ListStudents = () => Promise<readonly JsonObject[]>;

const halfAnHour = 30 * 60_000;

type Words = { dialect: Dialect; zone: string };

/** `now`: this machine's. `list` is called only where the exam's end has passed. */
export async function standingOf({ id, data, ...when }: Shown, now: number, list: ListStudents, words: Words): Promise<Standing> {
  const there = now + clockOffset(when.date, when);
  const [start, end] = [instantOf(data.start_time), instantOf(data.end_time)];
  const inverted = start !== undefined && end !== undefined && end < start;
  const [opens, closes] = inverted ? [end, start] : [start, end];
  const started = opens === undefined || there >= opens;
  const made = (is: Standing['is'], clock: Sentence): Standing => ({
    id,
    is,
    started,
    checked: started,
    now: there,
    named: examInWords(id, data, words, words.zone),
    clock,
    list,
  });
  const clock = sentence`${examClock({ start, end }, there)}`;
  if (opens !== undefined && there < opens - halfAnHour) return made('idle', clock);
  if (closes !== undefined && there > closes) {
    let last = 0;
    for (const { close_time } of await list()) {
      const close = (close_time ?? null) === null ? 0 : instantOf(close_time);
      if (close === undefined)
        return made('unreadable', sentence`${clock}, but a close time of its students cannot be read, so it may be running`);
      last = Math.max(last, close);
    }
    return last < there
      ? { ...made('idle', clock), list: async () => [] }
      : made('running', sentence`${clock}, and a student's window is open until ${showTime(last, words.zone)}`);
  }
  if (opens === undefined || closes === undefined)
    return made('unreadable', sentence`shows no times that can be read, so it may be running`);
  return made('running', clock);
}

/** The standing by its times and its students. Lists them where they can still make a difference to what is asked. */
export async function withStudents(standing: Standing, once: 'started' | 'checked' | undefined): Promise<Standing> {
  if (standing.is !== 'idle' && (once === undefined || standing[once])) return standing;
  const phases = (await standing.list()).map(({ status }) => phaseOf(status));
  const writing = phases.includes('writing');
  if (!writing && !phases.includes('checking')) return standing;
  return { ...standing, is: standing.is === 'idle' ? 'running' : standing.is, started: standing.started || writing, checked: true };
}

/** ", with 5 students taking it and 2 in the check". */
export function takingIt(listed: readonly JsonObject[]): Sentence {
  const phases = listed.map(({ status }) => phaseOf(status));
  const [writing, checking] = (['writing', 'checking'] as const).map((phase) => phases.filter((each) => each === phase).length);
  const check = checking ? ` and ${checking} in the check` : '';
  return sentence`, with ${writing ? students(writing) : 'no student'} taking it${check}`;
}

export function standingInWords({ named, clock }: Standing, counted: Sentence): Sentence {
  return sentence`${named} ${clock}${counted}`;
}
