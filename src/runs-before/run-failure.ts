/**
 * The error with which a run ends, and its exit status: an interruption, then what is unknown (10), what is done in part (9), a refused
 * token (4), a running exam (12), what is there or was changed (11), what was rejected or not applied (7), the network (8), what is gone (6).
 */
import { filled } from '../api/operations.ts';
import { CliError, type ErrorCode, errorTable, isInterruption } from '../errors.ts';
import { type IdType, idAs } from '../model/id.ts';
import { capitalised, inARow, type Sentence, sentence } from '../text/sentence.ts';
import type { Book, Outcome } from './book.ts';
import { isGood, stepStates } from './step-states.ts';

/** Of several failures the first in this order decides. */
const order: readonly number[] = [130, 143, 10, 9, 4, 12, 11, 7, 8, 6];

export type AlsoFailed = { id: string; error: CliError };

export type FailureWords = {
  /** What was done, such as "deleted". */
  did: string;
  idType: IdType | undefined;
  /** Replaces the hint of the decisive failure. */
  hint?: Sentence | undefined;
  /** Something that was done by the command beside these steps stays done. */
  follows?: boolean | undefined;
  /** Failures beside the steps, such as of a subject that could not be planned; counted among all. */
  also?: readonly AlsoFailed[] | undefined;
  /** One outcome for each subject, where several steps are about one. */
  of?: readonly Outcome[] | undefined;
};

/** Undefined where every step came to a good end and nothing stopped the run. */
export function runFailure(book: Book, stopped: CliError | undefined, words: FailureWords): CliError | undefined {
  const { did, idType, follows = false, also = [], of } = words;
  const failures: { outcome: Outcome; error: CliError }[] = [];
  let [done, untried, wrote] = [0, 0, follows];
  for (const outcome of of ?? book.outcomes()) {
    const { state, sentNow, error } = outcome;
    if (sentNow && isGood(state)) wrote = true;
    if (isGood(state)) done += 1;
    else if (state === 'planned' && !error) untried += 1;
    else failures.push({ outcome, error: error ?? unsaid(outcome) });
  }
  const all = (of?.length ?? book.steps.length) + also.length;
  const [only] = failures;
  if (failures.length + also.length + untried === 0 && !stopped) return undefined;
  if (failures.length === 1 && all === 1 && only && !stopped && !follows) return single(only.outcome, only.error, words);
  const code = codeOf(failures, stopped, { wrote: wrote || failures.some(({ outcome }) => mayHaveWritten(outcome)), done, also });
  const decisive =
    [stopped, ...[...failures, ...also].map(({ error }) => error)].find((error) => error?.code === code) ??
    stopped ??
    only?.error ??
    also[0]?.error;
  const counts = [`${done} of ${all} ${did}`];
  const failed = failures.length + also.length;
  if (failed > 0) counts.push(`${failed} failed`);
  if (untried > 0) counts.push(`${untried} not tried`);
  const why = stopped ?? (failed === 1 ? (only?.error ?? also[0]?.error) : undefined);
  const { hint } = words;
  return new CliError(code, sentence`${counts.join(', ')}${why ? `: ${why.message}` : '.'}`, {
    hint: code === 'token_refused' && decisive && hint ? inARow([decisive.hint, hint]) : (hint ?? decisive?.hint ?? errorTable[code].hint),
    ...(decisive?.status === undefined ? {} : { status: decisive.status }),
    items: [...failures.map(({ outcome, error }) => ({ id: outcome.id ?? `step ${outcome.index + 1}`, error })), ...also].map(
      ({ id, error }) => ({ id: idAs(id, idType), code: error.code, message: error.message }),
    ),
  });
}

/** The error of the only step of a run. */
function single({ state }: Outcome, error: CliError, { hint }: FailureWords): CliError {
  const code = state === 'unknown' || state === 'confirmed' || state === 'absent' ? 'outcome_unknown' : error.code;
  if (code === error.code && hint === undefined) return error;
  return new CliError(code, error.message, { hint: hint ?? error.hint, ...(error.status === undefined ? {} : { status: error.status }) });
}

function mayHaveWritten({ state }: Outcome): boolean {
  return ['different', 'duplicate', 'unknown', 'confirmed'].includes(state);
}

function codeOf(
  failures: readonly { outcome: Outcome; error: CliError }[],
  stopped: CliError | undefined,
  { wrote, done, also }: { wrote: boolean; done: number; also: readonly AlsoFailed[] },
): ErrorCode {
  if (stopped && isInterruption(stopped)) return stopped.code;
  if (failures.some(({ outcome }) => ['unknown', 'confirmed', 'absent'].includes(outcome.state))) return 'outcome_unknown';
  if (also.some(({ error }) => error.code === 'outcome_unknown')) return 'outcome_unknown';
  const codes = [...(stopped ? [stopped] : []), ...[...failures, ...also].map(({ error }) => error)].map(({ code }) => code);
  if (wrote || done > 0) return 'partly_done';
  const [first = 'partly_done', ...others] = codes;
  if (others.every((code) => errorTable[code].exit === errorTable[first].exit)) return first;
  return codes.toSorted((a, b) => order.indexOf(errorTable[a].exit) - order.indexOf(errorTable[b].exit))[0] ?? 'partly_done';
}

/** Of a step whose reason only an earlier process has known. */
function unsaid({ step, state }: Outcome): CliError {
  return new CliError('not_applied', sentence`${capitalised(filled(step.operation.does, step.params))}: ${stepStates[state].means}.`);
}
