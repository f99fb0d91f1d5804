/**
 * Many items, one after another or as many at a time as the pacer allows. A failure does not stop the rest; a refused token, an
 * interruption and three items in a row without a clear answer do. One summary, and one rule for the exit status.
 */
import { CliError, type ErrorCode, errorTable, isInterruption } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { type IdType, idAs } from '../model/id.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Pacer } from './pacer.ts';

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
type Ended = { error?: CliError | undefined };

/** Calls `act` for one item after another. Rejects with what `act` throws: a failure of one item is part of its result. */
export async function inBatch<T, E extends Ended>(items: Iterable<T>, host: BatchHost, act: (item: T) => Promise<E>): Promise<Batch<T, E>> {
  const batch = new RunningBatch<T, E>(host);
  for (const next of batch.begin(items)) batch.end(next, await act(next.item));
  return batch;
}

/**
 * The same for as many items at a time as the pacer's window allows, and at most `most`, group after group. Rejects with what `act` throws, once the
 * items in flight have ended.
 */
export async function inPacedBatch<T, E extends Ended>(
  groups: Iterable<Iterable<T>>,
  host: BatchHost,
  act: (item: T) => Promise<E>,
  { pacer, most }: { pacer: Pick<Pacer, 'each'>; most?: number },
): Promise<Batch<T, E>> {
  const batch = new RunningBatch<T, E>(host);
  for (const items of groups) await pacer.each(batch.begin(items), async (next) => batch.end(next, await act(next.item)), most);
  return batch;
}

type BegunItem<T> = { item: T; at: number };

/** What of a batch has ended, and why it stopped. */
class RunningBatch<T, E extends Ended> implements Batch<T, E> {
  readonly ends: ItemEnd<T, E>[] = [];
  stopped: CliError | undefined;
  readonly #host: BatchHost;
  #unclear = 0;
  /** Items before this item were in flight when an unclear end was counted; their own unclear ends do not count again. */
  #counted = 0;

  constructor(host: BatchHost) {
    this.#host = host;
  }

  /** The items that may begin; the others, once the batch has stopped, are noted as not tried. */
  *begin(items: Iterable<T>): Generator<BegunItem<T>> {
    const { interrupted } = this.#host;
    for (const item of items) {
      const at = this.ends.push({ item, end: undefined }) - 1;
      if (interrupted.aborted) this.#stop(interrupted.reason as CliError);
      if (!this.stopped) yield { item, at };
    }
  }

  end({ item, at }: BegunItem<T>, end: E) {
    this.ends[at] = { item, end };
    const { error } = end;
    if (!error || !isUnclear(error)) this.#unclear = 0;
    else if (at >= this.#counted) {
      this.#unclear += 1;
      this.#counted = this.ends.length;
    }
    if (error && (final.has(error.code) || this.#unclear === unclearAtMost)) this.#stop(error);
  }

  #stop(error: CliError) {
    if (this.stopped) return;
    this.stopped = error;
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
