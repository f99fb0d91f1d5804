/**
 * Many items, one after another or at a pace. A failure does not stop the rest; a refused token, an interruption and
 * three items in a row without a clear answer do. One summary, and one rule for the exit status.
 */
import { CliError, type ErrorCode, errorTable, isInterruption } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { type IdType, idAs } from '../model/id.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Pace, Turn } from './pace.ts';
import { waitAsked } from './retry.ts';

/** `end`: what the action resolved to; undefined for an item that was not tried. */
export type ItemEnd<T, E> = { item: T; end: E | undefined };

/** In the order of the items. `stopped`: why the last ones were not tried. */
export type Batch<T, E> = { ends: ItemEnd<T, E>[]; stopped: CliError | undefined };

/** `kept`: not an error of the service; the item was skipped because it changed since it was chosen. */
export type ItemFailure = { id: string; error: CliError; kept?: boolean };

/** Items in a row without a clear answer, after which the service counts as away. */
const unclearAtMost = 3;

/** After these no further request can succeed. */
const final: ReadonlySet<ErrorCode> = new Set(['token_refused', 'not_logged_in', 'interrupted', 'terminated']);

type BatchHost = Pick<Host, 'interrupted'> & Partial<Pick<Host, 'log'>>;

/** Calls `act` for one item after another. Rejects with what `act` throws: a failure of one item is part of its result. */
export async function inBatch<T, E extends { error?: CliError | undefined }>(
  items: Iterable<T>,
  host: BatchHost,
  act: (item: T) => Promise<E>,
): Promise<Batch<T, E>> {
  const batch = new RunningBatch<T, E>(items, host);
  for (let next = batch.take(); next; next = batch.take()) batch.end(next, await act(next.item));
  return batch.whole();
}

/**
 * The same at a pace that finds its level, group after group: `act` may be called again for an item that failed. An item is tried
 * again after a 429, and where the pace says that fewer requests at a time may be carried out. `cause`: the failure, where `error` tells
 * what it means for the item. `ended` is told each item's last end. After
 * an error that `act` throws no further item begins, and it rejects once those in flight have ended.
 */
export async function inPacedBatch<T, E extends { error?: CliError | undefined; cause?: CliError | undefined }>(
  groups: Iterable<Iterable<T>>,
  host: BatchHost & Pick<Host, 'now'>,
  act: (item: T) => Promise<E>,
  { pace, most, ended }: { pace: Pace; most: number; ended(item: T, end: E): void },
): Promise<Batch<T, E>> {
  const batch = new RunningBatch<T, E>([], host);
  const one = async (turn: Turn) => {
    const next = batch.take();
    if (!next) return false;
    const end = await act(next.item);
    if (isAgain(end.cause ?? end.error, turn)) batch.again(next, end);
    else {
      ended(next.item, end);
      batch.end(next, end);
    }
    return true;
  };
  const isAgain = (error: CliError | undefined, turn: Turn): boolean => {
    if (error?.code === 'rate_limited') {
      pace.slowDown(turn, waitAsked(error.retryAfter, host.now()));
      return !pace.closed;
    }
    if (error && isUnclear(error)) return pace.failed(turn);
    pace.went(turn);
    return false;
  };
  const work = async () => {
    try {
      while (await pace.turn(one));
    } catch (error) {
      // It was waiting for its turn.
      if (!host.interrupted.aborted || error !== host.interrupted.reason) batch.fail(error);
    }
  };
  for (const items of groups) {
    batch.begin(items);
    await Promise.all(Array.from({ length: most }, work));
    if (batch.failed) throw batch.failed.by;
  }
  for (const { item, end } of batch.given()) if (end) ended(item, end);
  return batch.whole();
}

type TakenItem<T> = { item: T; at: number };

/** What of a batch has ended, and why it stopped. */
class RunningBatch<T, E extends { error?: CliError | undefined }> {
  readonly #host: BatchHost;
  #items: Iterator<T>;
  readonly #ends: ItemEnd<T, E>[] = [];
  readonly #again: TakenItem<T>[] = [];
  #stopped: CliError | undefined;
  #failed: { by: unknown } | undefined;
  #unclear = 0;

  constructor(items: Iterable<T>, host: BatchHost) {
    this.#items = items[Symbol.iterator]();
    this.#host = host;
  }

  /** The items from now on, those before being taken. */
  begin(items: Iterable<T>) {
    while (this.#next());
    this.#items = items[Symbol.iterator]();
  }

  /** The next item to try; undefined if there is none, or the batch has stopped. */
  take(): TakenItem<T> | undefined {
    if (this.#stopped || this.#failed) return undefined;
    const { interrupted } = this.#host;
    const next = (interrupted.aborted ? undefined : this.#again.shift()) ?? this.#next();
    if (!next || !interrupted.aborted) return next;
    this.#stop(interrupted.reason as CliError);
    return undefined;
  }

  /** An error that does not concern a single item: none is taken any more. */
  fail(by: unknown) {
    this.#failed ??= { by };
  }

  /** The first of these errors. */
  get failed(): { by: unknown } | undefined {
    return this.#failed;
  }

  /** The item is tried again; if the batch stops first, this is its end. */
  again(taken: TakenItem<T>, end: E) {
    this.#ends[taken.at] = { item: taken.item, end };
    this.#again.push(taken);
    if (end.error) this.#host.log?.({ event: 'resend', requests: 1, reason: end.error.code, status: end.error.status ?? null });
  }

  /** The items that were to be tried again, when the batch had stopped. */
  given(): ItemEnd<T, E>[] {
    return this.#again.flatMap(({ at }) => this.#ends[at] ?? []);
  }

  end({ item, at }: TakenItem<T>, end: E) {
    this.#ends[at] = { item, end };
    const { error } = end;
    this.#unclear = error && isUnclear(error) ? this.#unclear + 1 : 0;
    if (error && !this.#stopped && (final.has(error.code) || this.#unclear === unclearAtMost)) this.#stop(error);
  }

  /** All items in order, those that were not tried as well. */
  whole(): Batch<T, E> {
    const { interrupted } = this.#host;
    if (interrupted.aborted && !this.#stopped && (this.#again.length > 0 || this.#next())) this.#stop(interrupted.reason as CliError);
    while (this.#next());
    return { ends: this.#ends, stopped: this.#stopped };
  }

  #next(): TakenItem<T> | undefined {
    const { done, value } = this.#items.next();
    if (done) return undefined;
    const at = this.#ends.length;
    this.#ends.push({ item: value, end: undefined });
    return { item: value, at };
  }

  #stop(error: CliError) {
    this.#stopped = error;
    this.#host.log?.({ event: 'stop', reason: error.code, status: error.status ?? null });
  }
}

/** Whether the service may simply be unavailable. */
function isUnclear({ code, exit }: CliError): boolean {
  return exit === errorTable.unavailable.exit || code === 'outcome_unknown';
}

export type BatchEnd = {
  done: number;
  all: number;
  untried: number;
  failures: readonly ItemFailure[];
  stopped: CliError | undefined;
  /** The command did something else before the batch, and that stays done. */
  follows?: boolean | undefined;
};

/**
 * The error code of a batch that is not completely done, the first that applies: interruption; unknown outcome;
 * refused token; the common failure, if nothing was done; `partly_done`.
 */
function batchCode({ done, failures, stopped, follows = false }: BatchEnd): ErrorCode {
  if (stopped && isInterruption(stopped)) return stopped.code;
  const unknown = failures.find(({ error }) => error.code === 'outcome_unknown');
  if (unknown) return 'outcome_unknown';
  if (stopped && final.has(stopped.code)) return stopped.code;
  const [first] = failures;
  const alike = first && failures.every(({ error, kept = false }) => !kept && error.exit === first.error.exit);
  return done === 0 && !follows && alike ? first.error.code : 'partly_done';
}

/** `did`: such as "deleted". `idType`: the JSON type of the IDs. `hint`: replaces that of the decisive failure. */
type BatchWords = { did: string; idType: IdType | undefined; hint?: Sentence | undefined };

/** The error of a batch; undefined if all is done. */
export function batchFailure(batch: BatchEnd, { did, idType, hint }: BatchWords): CliError | undefined {
  const { done, all, untried, failures, stopped } = batch;
  const [first] = failures;
  if (!stopped && !first) return undefined;
  const code = batchCode(batch);
  const kept = failures.filter((failure) => failure.kept).length;
  const failed = failures.length - kept;
  const counts = [`${done} of ${all} ${did}`];
  if (kept > 0) counts.push(`${kept} kept`);
  if (failed > 0) counts.push(`${failed} failed`);
  if (untried > 0) counts.push(`${untried} not tried`);
  const why = stopped ?? (failures.length === 1 ? first?.error : undefined);
  const decisive = stopped?.code === code ? stopped : failures.find(({ error }) => error.code === code)?.error;
  return new CliError(code, sentence`${counts.join(', ')}${why ? `: ${why.message}` : '.'}`, {
    // With the same token the rest would end in the same way.
    hint:
      code === 'token_refused' && decisive && hint ? sentence`${decisive.hint} ${hint}` : (hint ?? decisive?.hint ?? errorTable[code].hint),
    items: failures.map(({ id, error }) => ({ id: idAs(id, idType), code: error.code, message: error.message })),
  });
}
