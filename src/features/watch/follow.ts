/**
 * The loop of a watch, whatever is watched: it is read again and again, and each difference is yielded. The watch
 * survives failures that last some minutes.
 */
import { backoff, tries } from '../../api/pacer.ts';
import type { Context, Live, Moment, Row } from '../../command.ts';
import { CliError, type ErrorCode } from '../../errors.ts';
import { durationInWords } from '../../model/duration.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

export type WatchOptions = {
  /** Milliseconds between two polls. */
  interval: number;
  /** Milliseconds after its start after which an exam that is not started is a problem. */
  late: number;
  untilFinished: boolean;
  /** Rings the terminal's bell on new problems. */
  bell: boolean;
};

/** What is watched: one exam, or several. */
export type Watched<M extends Moment> = {
  /** Reads it again. Throws the client's errors. */
  poll(): Promise<Seen>;
  /** The subject of the watch, for output without a screen. */
  greeting(): Sentence[];
  /** "12 students: mail_sent 2, exam_started 10". */
  inNumbers(): string;
  /** Whether every student has finished, or can neither start nor write any more. */
  isFinished(): boolean;
  /** What a screen shows. */
  picture(shown: Shown): Omit<M, keyof Moment>;
};

type Shown = { nextAt: number; trouble?: string };

/** What has changed, when it was seen, and what a person should know of it. */
export type Seen = { at: number; rows: readonly Row[]; notes?: readonly Sentence[] };

/** Failures that may pass; a token is refused for a while where the service is deployed anew. */
const transientErrors: ReadonlySet<ErrorCode> = new Set([
  'network',
  'timeout',
  'unavailable',
  'rate_limited',
  'bad_answer',
  'redirected',
  'token_refused',
]);
/** Waits that come to this, all after failures, are enough. Milliseconds. */
const awayAtMost = 15 * 60_000;

/** A watch as a live result. `begin` reads what is watched for the first time. */
export function liveOf<M extends Moment>(
  context: Context,
  options: WatchOptions,
  begin: () => Promise<Watched<M>>,
  { drawing, columns }: Pick<Live<M>, 'drawing' | 'columns'>,
): Live<M> {
  const leave = new AbortController();
  const watching = untilCtrlC(context.host, moments(context, begin, options, leave.signal));
  return { kind: 'live', moments: watching, columns, drawing, stop: () => leave.abort() };
}

/** Ctrl-C is how a person ends a watch: what was seen by then is its result. */
async function* untilCtrlC<M extends Moment>({ interrupted }: Context['host'], watching: AsyncIterable<M>): AsyncGenerator<M> {
  let last: M | undefined;
  try {
    for await (const each of watching) {
      last = each;
      yield each;
    }
  } catch (error) {
    if (error !== interrupted.reason || (error as CliError).code !== 'interrupted') throw error;
    if (last) yield { ...last, rows: [], notes: [] };
  }
}

async function* moments<M extends Moment>(
  context: Context,
  begin: () => Promise<Watched<M>>,
  { interval, untilFinished, bell }: WatchOptions,
  leave: AbortSignal,
): AsyncGenerator<M> {
  const { host } = context;
  const watched = await begin();
  const moment = (rows: readonly Row[], notes: readonly Sentence[], shown: Shown) => ({ rows, notes, ...watched.picture(shown) }) as M;
  let wait = interval;
  let lostAt: number | undefined;
  let [failures, away] = [0, 0];
  yield moment([], watched.greeting(), { nextAt: host.now() + wait });

  while (!(untilFinished && watched.isFinished())) {
    await host.sleep(wait, leave).catch(unless(leave));
    if (leave.aborted) return;
    const seen = await watched.poll().catch(transientFailure);
    if (seen instanceof CliError) {
      const now = host.now();
      if (away >= awayAtMost) throw seen;
      failures += 1;
      // What all requests wait for is waited for here, where the end of the watch and the person who leaves it end the wait.
      const { pause } = (await context.client()).pacer;
      wait = Math.max(pause, Math.min(interval, backoff(tries + failures)));
      away += wait;
      const notes = lostAt === undefined ? [sentence`${seen.message} Retrying until the service answers.`] : [];
      lostAt ??= now;
      yield moment([], notes, { nextAt: now + wait, trouble: seen.message });
      continue;
    }
    const { at, rows, notes: news = [] } = seen;
    wait = interval;
    [failures, away] = [0, 0];
    const again = lostAt === undefined ? [] : [sentence`The service answers again after ${durationInWords(at - lostAt)}.`];
    lostAt = undefined;
    yield moment(rows, [...again, ...news], { nextAt: host.now() + wait });
    if (bell && host.stderr.isTTY && rows.some(isNewProblem)) await host.stderr.write('\u0007');
  }
  yield moment([], [sentence`Watch finished: ${watched.inNumbers()}.`], { nextAt: host.now() });
}

function isNewProblem({ field, from }: Row): boolean {
  return field === 'problem' && from === null;
}

/** Ignores work that a signal has ended. */
function unless(signal: AbortSignal) {
  return (error: unknown) => {
    if (!signal.aborted) throw error;
  };
}

/** A temporary failure; any other is thrown. */
function transientFailure(error: unknown): CliError {
  if (error instanceof CliError && transientErrors.has(error.code)) return error;
  throw error;
}
