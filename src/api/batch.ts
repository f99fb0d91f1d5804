/**
 * Many items, one after another. A failure does not stop the rest; a refused token, an interruption and
 * three items in a row without a clear answer do. One summary, and one rule for the exit status.
 */
import { CliError, type ErrorCode, errorTable } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { type IdType, idAs } from '../model/id.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

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

/** Calls `act` for one item after another. Rejects with what `act` throws: a failure of one item is part of its result. */
export async function inBatch<T, E extends { error?: CliError | undefined }>(
  items: Iterable<T>,
  { interrupted, log }: Pick<Host, 'interrupted' | 'log'>,
  act: (item: T) => Promise<E>,
): Promise<Batch<T, E>> {
  const ends: ItemEnd<T, E>[] = [];
  let stopped: CliError | undefined;
  let unclear = 0;
  const stop = (error: CliError) => {
    stopped = error;
    log?.({ event: 'stop', reason: error.code, status: error.status ?? null });
  };
  for (const item of items) {
    if (interrupted.aborted && !stopped) stop(interrupted.reason as CliError);
    if (stopped) {
      ends.push({ item, end: undefined });
      continue;
    }
    const end = await act(item);
    ends.push({ item, end });
    const { error } = end;
    unclear = error && isUnclear(error) ? unclear + 1 : 0;
    if (error && (final.has(error.code) || unclear === unclearAtMost)) stop(error);
  }
  return { ends, stopped };
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
 * The error code of a batch that is not completely done, the first that applies: refused token or interruption;
 * unknown outcome; the common failure, if nothing was done; `partly_done`.
 */
function batchCode({ done, failures, stopped, follows = false }: BatchEnd): ErrorCode {
  if (stopped && final.has(stopped.code)) return stopped.code;
  const unknown = failures.find(({ error }) => error.code === 'outcome_unknown');
  if (unknown) return 'outcome_unknown';
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
    hint: hint ?? decisive?.hint ?? errorTable[code].hint,
    items: failures.map(({ id, error }) => ({ id: idAs(id, idType), code: error.code, message: error.message })),
  });
}
