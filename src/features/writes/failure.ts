/**
 * The one error with which a command that writes ends, and the way on. Of several failures one decides: an interruption, what is unknown
 * (10), what is done in part (9), then by the order of the exit statuses.
 */
import { filled } from '../../api/operations.ts';
import { CliError, type ErrorCode, errorTable, isInterruption } from '../../errors.ts';
import { type IdType, idAs } from '../../model/id.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { type Ended, type Item, isOpen, isTriedAgain, isUnknown, isWritten, kindOf, meaningOf } from '../../runs/index.ts';
import { capitalised, inARow, type Sentence, sentence } from '../../text/sentence.ts';

const order: readonly number[] = [130, 143, 10, 9, 4, 12, 11, 7, 8, 6, 3];

/** `did`: what was done, such as "deleted". `also`: what was asked for and is no step, such as a line that was held back; what it is `called`. */
export type Wording = { did: string; idType: IdType | undefined; also?: readonly Also[]; called?: string };
export type Also = { id: string; error: CliError };

/** Undefined where every step came to a good end, and nothing stopped the run or is missing. */
export function failureOf(ended: Ended, { did, idType, also = [], called = 'left out' }: Wording): CliError | undefined {
  const { stopped, items } = ended;
  const of = items.filter(({ reason }) => reason !== 'given_up');
  const failed = of.filter(({ state, error }) => state !== 'done' && (state !== 'planned' || error !== undefined));
  const untried = of.filter(({ state, error }) => state === 'planned' && error === undefined).length;
  const errors = [...failed.map(errorOf), ...also.map(({ error }) => error)];
  const [only] = errors;
  // Requests without a clear answer stop a run, and a look may show that all of it was carried out.
  if (!only && untried === 0 && (!stopped || errorTable[stopped.code].exit === 8)) return undefined;
  const wayOn = wayOnAfter(ended, of);
  if (only && of.length + also.length === 1 && !stopped) {
    const code = failed.some(isUnknown) ? 'outcome_unknown' : only.code;
    return new CliError(code, only.message, { hint: wayOn ?? only.hint, status: only.status });
  }
  const done = of.filter(({ state }) => state === 'done').length;
  const code = codeOf(ended, of, errors);
  const decisive = [stopped, ...errors].find((error) => error?.code === code) ?? stopped ?? only;
  const counts = [`${done} of ${of.length + also.length} ${did}`];
  const unknown = failed.filter(isUnknown).length;
  if (failed.length > unknown) counts.push(`${failed.length - unknown} failed`);
  if (unknown > 0) counts.push(`${unknown} unknown`);
  if (also.length > 0) counts.push(`${also.length} ${called}`);
  if (untried > 0) counts.push(`${untried} not tried`);
  const why = stopped ?? (errors.length === 1 && also.length === 0 ? only : undefined);
  const first = stopped && ['token_refused', 'not_logged_in', 'bad_answer'].includes(stopped.code) ? [stopped.hint] : [];
  const next = wayOn ? inARow([...first, wayOn]) : decisive?.hint;
  return new CliError(code, sentence`${counts.join(', ')}${why ? `: ${why.message}` : '.'}`, {
    ...(next === undefined ? {} : { hint: next }),
    status: decisive?.status,
    items: [...failed.map((item) => ({ id: idAs(item.id ?? `step ${item.index + 1}`, idType), error: errorOf(item) })), ...also].map(
      ({ id, error: { code: why, message } }) => ({ id, code: why, message }),
    ),
  });
}

function codeOf({ stopped }: Ended, of: readonly Item[], errors: readonly CliError[]): ErrorCode {
  if (stopped && isInterruption(stopped)) return stopped.code;
  if (of.some(isUnknown) || errors.some(({ code }) => code === 'outcome_unknown')) return 'outcome_unknown';
  if (of.some((item) => isWritten(item) || item.reason === 'different' || item.reason === 'duplicate')) return 'partly_done';
  const codes = [...(stopped ? [stopped] : []), ...errors].map(({ code }) => code);
  const [first] = codes.toSorted((a, b) => order.indexOf(errorTable[a].exit) - order.indexOf(errorTable[b].exit));
  return first ?? 'partly_done';
}

/** The command that goes on, where one does. Mails are not sent again by it. */
function wayOnAfter({ run, again, stopped }: Ended, of: readonly Item[]): Sentence | undefined {
  if (run === undefined) return undefined;
  const [resume, close] = ['resume', 'close'].map((verb) => typedCommand(`runs ${verb}`, [run]));
  const unknown = of.filter(isUnknown);
  if (unknown.some(({ step }) => kindOf(step) === 'mails')) return undefined;
  if (unknown.length > 0 && !stopped) return sentence`To look it up again: proctor-cli ${resume}; to end it as it is: proctor-cli ${close}`;
  if (of.some(isOpen)) {
    if (again === 'resume') return sentence`To go on: proctor-cli ${resume}`;
    return of.length === 1 && !stopped ? undefined : sentence`Run the same command again: it goes on.`;
  }
  const isPart = of.some(isWritten) && of.some(isTriedAgain);
  return isPart ? sentence`To try the rest again: proctor-cli ${resume}` : undefined;
}

/** Of a step whose reason only an earlier process has known, its state says it. */
function errorOf({ error, step, state, reason }: Item): CliError {
  const what = sentence`${capitalised(filled(step.operation.does, step.params))}: ${meaningOf(state, reason)}.`;
  return error ?? new CliError(isUnknown({ state }) ? 'outcome_unknown' : 'not_applied', what);
}
