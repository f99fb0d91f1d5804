/**
 * `sessions watch`: polls an exam and yields the differences each time. The watch survives network failures; it
 * ends if the exam is deleted.
 */
import type { Client } from '../../api/client.ts';
import type { Context, Live, Result, Row } from '../../command.ts';
import { CliError, type ErrorCode } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { durationInWords } from '../../model/duration.ts';
import { clockDifference, examClock } from '../../model/exam-clock.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { looking } from '../exam-now.ts';
import { alarmOf } from './alarm.ts';
import { changeColumns, type WatchChange } from './changes.ts';
import { countStatuses } from './counts.ts';
import { type Poll, pollExam } from './poll.ts';
import { problemInWords } from './problems.ts';
import { Rhythm } from './rhythm.ts';
import type { WatchMoment } from './snapshot.ts';
import { allFinished, type Until } from './until.ts';
import { WatchState } from './watch-state.ts';

export type WatchRequest = {
  exam: string;
  /** Milliseconds between two polls. */
  interval: number;
  /** Milliseconds after its start after which an exam that is not started is a problem. */
  late: number;
  until: Until;
  bell: boolean;
  exec: string | undefined;
};

const namedAtMost = 10;

/** Temporary failures. */
const transientErrors: ReadonlySet<ErrorCode> = new Set(['network', 'timeout', 'unavailable', 'rate_limited', 'bad_answer', 'redirected']);

export async function watchExam(context: Context, request: WatchRequest): Promise<Result> {
  const leave = new AbortController();
  return looking(context, request.exam, async (client) => {
    const live: Live<WatchMoment> = {
      kind: 'live',
      moments: moments(context, client, request, leave.signal),
      columns: changeColumns,
      drawing: () => import('./exam-screen.ts'),
      stop: () => leave.abort(),
    };
    return { ...live, id: 'session' };
  });
}

async function* moments(context: Context, client: Client, request: WatchRequest, leave: AbortSignal): AsyncGenerator<WatchMoment> {
  const { host } = context;
  const { exam, interval, late, until, bell, exec } = request;
  const alarm = alarmOf(host, { exam, bell, command: exec, signal: leave });
  const rhythm = new Rhythm(interval);
  const state = new WatchState(
    await pollExam(client, exam, host, { once: true }),
    { origin: client.origin, profile: context.settings().profile },
    late,
  );
  let wait = rhythm.went();
  let lostAt: number | undefined;
  yield { rows: [], notes: greeting(state, interval), snapshot: state.snapshot(host.now() + wait) };

  while (!isEnough(until, state.poll, host.now())) {
    await host.sleep(Math.min(wait, timeLeft(until, host.now())), leave).catch(unless(leave));
    if (leave.aborted) return;
    if (timeLeft(until, host.now()) <= 0) break;
    const seen = await pollExam(client, exam, host, { once: true }).catch((error: unknown) => transientFailure(error, exam));
    if (seen instanceof CliError) {
      const now = host.now();
      wait = rhythm.failed(seen, now);
      const notes = lostAt === undefined ? [sentence`${seen.message} Retrying until the service answers.`] : [];
      lostAt ??= now;
      yield { rows: [], notes, snapshot: state.snapshot(now + wait, seen.message) };
      continue;
    }
    const { changes, arisen } = state.saw(seen);
    wait = rhythm.went();
    const notes = lostAt === undefined ? [] : [sentence`The service answers again after ${durationInWords(seen.at - lostAt)}.`];
    lostAt = undefined;
    const nextAt = host.now() + wait;
    const executing = exec !== undefined && arisen.length > 0 ? { executing: true as const } : {};
    yield { rows: changes.map((change) => rowOf(change, seen.at)), notes, snapshot: { ...state.snapshot(nextAt), ...executing } };
    const trouble = await alarm(arisen, seen.at);
    yield { rows: [], notes: trouble === undefined ? [] : [trouble], snapshot: state.snapshot(nextAt, trouble) };
    // The time of the --exec command is part of the wait.
    wait = Math.max(0, nextAt - host.now());
  }
  yield { rows: [], notes: [sentence`Watch finished: ${inNumbers(state.poll)}.`], snapshot: state.snapshot(host.now()) };
}

function isEnough(until: Until, poll: Poll, now: number): boolean {
  return until === 'all-finished' ? allFinished(poll) : timeLeft(until, now) <= 0;
}

function timeLeft(until: Until, now: number): number {
  return typeof until === 'object' ? until.time - now : Number.POSITIVE_INFINITY;
}

/** Ignores work that a signal has ended. */
function unless(signal: AbortSignal) {
  return (error: unknown) => {
    if (!signal.aborted) throw error;
  };
}

/** A temporary failure; any other is thrown. */
function transientFailure(error: unknown, exam: string): CliError {
  if (!(error instanceof CliError)) throw error;
  if (transientErrors.has(error.code)) return error;
  if (error.code !== 'not_found') throw error;
  throw new CliError('not_found', sentence`Exam ${exam} no longer exists: it was deleted during the watch.`, {
    hint: 'List the exams with: proctor-cli exams list',
    status: 404,
    cause: error,
  });
}

function rowOf({ session, email, name, field, from, to }: WatchChange, at: number): Row {
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
function inNumbers({ students }: Poll): string {
  const counts = countStatuses(students).filter(({ count }) => count > 0);
  return [count(students.length, 'student'), counts.map(({ status, count }) => `${status ?? 'no status'} ${count}`).join(', ')]
    .filter((part) => part !== '')
    .join(': ');
}
