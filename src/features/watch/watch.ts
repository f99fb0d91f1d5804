/** `sessions watch` of one exam: polls it and yields the differences each time. It ends if the exam is deleted. */
import type { Client } from '../../api/client.ts';
import type { Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { durationInWords } from '../../model/duration.ts';
import { clockDifference, examClock } from '../../model/exam-clock.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { looking } from '../exam-now.ts';
import { countStatuses } from './counts.ts';
import { liveOf, type Watched, type WatchOptions } from './follow.ts';
import { type Poll, pollExam } from './poll.ts';
import { problemInWords } from './problems.ts';
import type { WatchMoment } from './snapshot.ts';
import { changeColumns, type WatchChange } from './status-changes.ts';
import { allFinished } from './until.ts';
import { WatchState } from './watch-state.ts';

export type WatchRequest = WatchOptions & { exam: string };

export const namedAtMost = 10;

export async function watchExam(context: Context, request: WatchRequest): Promise<Result> {
  return looking(context, request.exam, async (client) => {
    const how = { drawing: () => import('./exam-screen.ts'), columns: changeColumns };
    return { ...liveOf(context, request, () => oneExam(context, client, request), how), id: 'session' };
  });
}

async function oneExam({ host, settings }: Context, client: Client, { exam, late, interval }: WatchRequest): Promise<Watched<WatchMoment>> {
  const poll = () => pollExam(client, exam, host, { quiet: true });
  const state = new WatchState(await poll(), { origin: client.origin, profile: settings().profile }, late);
  return {
    async poll() {
      const seen = await poll().catch((error: unknown) => {
        throw deletedDuringWatch(exam, error) ?? error;
      });
      const { changes, arisen } = state.saw(seen);
      return {
        at: seen.at,
        rows: changes.map((change) => rowOf(change, seen.at)),
        arisen: arisen.map((problem) => ({ ...problem, exam })),
      };
    },
    greeting: () => greeting(state, interval),
    inNumbers: () => inNumbers(state.poll),
    isFinished: () => allFinished(state.poll),
    picture: ({ nextAt, trouble, executing }) => ({
      snapshot: { ...state.snapshot(nextAt, trouble), ...(executing ? { executing } : {}) },
    }),
  };
}

/** The error for an exam that is gone; undefined for any other error. */
export function deletedDuringWatch(exam: string, error: unknown): CliError | undefined {
  if (!(error instanceof CliError) || error.code !== 'not_found') return undefined;
  return new CliError('not_found', sentence`Exam ${exam} no longer exists: it was deleted during the watch.`, {
    hint: 'List the exams with: proctor-cli exams list',
    status: 404,
    cause: error,
  });
}

export function rowOf({ session, email, name, field, from, to }: WatchChange, at: number): Row {
  return { at: new Date(at).toISOString(), session, field, from, to, email, name };
}

/** The subject of the watch, for output without a screen. */
function greeting({ poll, problems }: WatchState, interval: number): Sentence[] {
  const { id, name } = poll.exam;
  const { clockOffset } = poll;
  return [
    sentence`Watching exam ${id}${name === undefined ? '' : `, ${name}`}, which ${examClock(poll.exam, poll.at + clockOffset)}: ${inNumbers(poll)}. Updated every ${durationInWords(interval)}.`,
    ...(clockOffset === 0 ? [] : [clockDifference(clockOffset)]),
    ...problems.slice(0, namedAtMost).map((problem) => sentence`Problem: ${problemInWords(problem)}.`),
    ...(problems.length > namedAtMost ? [sentence`… and ${problems.length - namedAtMost} more problems.`] : []),
  ];
}

/** "12 students: mail_sent 2, exam_started 10". */
export function inNumbers({ students }: Pick<Poll, 'students'>): string {
  const counts = countStatuses(students).filter(({ count }) => count > 0);
  return [count(students.length, 'student'), counts.map(({ status, count }) => `${status ?? 'no status'} ${count}`).join(', ')]
    .filter((part) => part !== '')
    .join(': ');
}
