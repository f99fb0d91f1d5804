/**
 * The one error with which a command that writes ends, and the way on. Of several failures one decides:
 * an interruption, what is unknown (10), what is done in part (9), then the order of the exit statuses.
 */
import { filled } from '../../api/operations.ts';
import { CliError, type ErrorCode, errorTable, isInterruption } from '../../errors.ts';
import { type IdType, idAs } from '../../model/json.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import {
  type Ended,
  type Execution,
  isOpen,
  isRefusedAsThere,
  isUnknown,
  isWritten,
  lookAt,
  mailingCommand,
  meaningOf,
  nothingShows,
  operationOf,
  resourceOf,
  retryable,
  rulesOf,
  undoHint,
} from '../../runs/index.ts';
import { capitalised, inARow, type Sentence, sentence } from '../../text/sentence.ts';

const order: readonly (number | ErrorCode)[] = [130, 143, 10, 9, 4, 12, 'list_in_doubt', 11, 7, 8, 6, 3];

/** `did`: such as "deleted". `also`: what is no step, such as a line that was held back (`called`). */
export type Wording = { did: string; idType?: IdType | undefined; also?: readonly Also[]; called?: string };
export type Also = { id: string | number | bigint; error: CliError };

export function failureOf(ended: Ended, { did, idType, called = 'left out', ...more }: Wording): CliError | undefined {
  const { stopped, there } = ended;
  const { also = there?.is === 'mailed' ? there.partly : [] } = more;
  const items = ended.items.filter(({ reason }) => reason !== 'given_up');
  const isUntried = ({ state, error }: Execution) => state === 'planned' && error === undefined;
  const untried = items.filter(isUntried).length;
  const failed = items.filter((item) => item.state !== 'done' && !isUntried(item));
  const ofSteps = failed.map((item) => ({ id: idAs(item.id ?? `step ${item.step.number}`, idType), error: errorOf(item) }));
  const told = [...ofSteps, ...also];
  const errors = told.map(({ error }) => error);
  const [only] = errors;
  // Requests without a clear answer stop a run, and a look may show that all of it was carried out.
  if (!only && untried === 0 && (!stopped || errorTable[stopped.code].exit === 8)) return undefined;
  if (stopped && items.length + also.length === 0) return stopped;
  const wayOn = wayOnAfter(ended, items);
  const unknown = failed.filter(isUnknown).length;
  const total = items.length + also.length;
  if (only && total === 1 && !stopped) {
    const code = unknown > 0 ? 'outcome_unknown' : only.code;
    return new CliError(code, only.message, { hint: wayOn ?? only.hint, status: only.status });
  }
  const code = codeOf(ended, items, errors);
  const decisive = [stopped, ...errors].find((error) => error?.code === code) ?? stopped ?? only;
  const done = items.filter(({ state }) => state === 'done').length;
  const all = {
    failed: failed.length - unknown,
    unknown,
    [called]: also.length,
    'not tried': untried,
  };
  const others = Object.entries(all).filter(([, number]) => number > 0);
  const counts = [`${done} of ${total} ${did}`, ...others.map(([what, number]) => `${number} ${what}`)];
  // What holds up a step is the error of the step before it.
  const causes = failed.filter(({ reason }) => reason !== 'after_failed').map(errorOf);
  const why = stopped ?? (causes.length === 1 && also.length === 0 ? causes[0] : undefined);
  const first = stopped && ['token_refused', 'not_logged_in', 'bad_answer', 'list_in_doubt'].includes(stopped.code) ? [stopped.hint] : [];
  const hint = inARow([...new Set([...first, wayOn ?? decisive?.hint ?? []].flat())]);
  return new CliError(code, sentence`${counts.join(', ')}${why ? `: ${why.message}` : '.'}`, {
    // What refused one of several was worded for a command of its own.
    hint: items.some(isWritten) ? sentence`${hint.replace(/^Nothing was sent\. /, '')}` : hint,
    status: decisive?.status,
    items: told.map(({ id, error: { code, message } }) => ({ id, code, message })),
  });
}

function codeOf({ stopped }: Ended, items: readonly Execution[], errors: readonly CliError[]): ErrorCode {
  if (stopped && isInterruption(stopped)) return stopped.code;
  if (items.some(isUnknown) || errors.some(({ code }) => code === 'outcome_unknown')) return 'outcome_unknown';
  if (items.some(isWritten)) return 'partly_done';
  const rank = (code: ErrorCode) => order.findIndex((each) => each === code || each === errorTable[code].exit);
  const codes = [...(stopped ? [stopped] : []), ...errors].map(({ code }) => code);
  return codes.toSorted((a, b) => rank(a) - rank(b))[0] ?? 'partly_done';
}

/** The command that goes on, where one does: it sends no mails again. */
function wayOnAfter({ run, rerun: again, stopped }: Ended, items: readonly Execution[]): Sentence | undefined {
  if (run === undefined) return undefined;
  const resume = typedCommand('runs resume', [run]);
  const close = typedCommand('runs close', [run]);
  const unknown = items.filter(isUnknown);
  // No run sends them again.
  const isOfMails = ({ step }: Execution) => rulesOf(step).refusalIsFinal;
  if (unknown.some(({ step }) => !rulesOf(step).isVerifiable)) return nothingShows(close);
  const maybeMailed = unknown.filter(isOfMails).flatMap(({ exam }) => exam ?? []);
  // Each consent to mails is for one request: no run sends them again, and the same command would mail all.
  const mailing = mailingCommand(items);
  if (mailing !== undefined && items.some(isWritten)) {
    const others = sentence`To mail the others: proctor-cli ${mailing}`;
    const repeated = typedCommand('exams send-emails', maybeMailed, '--resend');
    return maybeMailed.length === 0 ? others : sentence`${others}; to mail all again where the outcome is unknown: proctor-cli ${repeated}`;
  }
  if (maybeMailed.length > 0) return undefined;
  if (unknown.length > 0 && !stopped) return sentence`To look it up again: proctor-cli ${resume}; to end it as it is: proctor-cli ${close}`;
  if (items.some(isOpen)) {
    if (again === 'resume') return sentence`To go on: proctor-cli ${resume}`;
    return items.length === 1 && !stopped ? undefined : sentence`Run the same command again: it goes on.`;
  }
  if (!items.some(isWritten)) return undefined;
  if (retryable(items).length > 0) return sentence`To try the rest again: proctor-cli ${resume}`;
  return again === 'resume' && items.some(({ reason }) => reason === 'after_failed') ? undoHint(run) : undefined;
}

/** Only the process that sent a step knows its error; for another one, the state says it. */
export function errorOf({ error, step, state, reason, code, id = '', exam = '' }: Execution): CliError {
  if (error) return error;
  const what = sentence`${capitalised(filled(operationOf(step).does, { id, exam_id: exam }))}: ${meaningOf(state, reason)}.`;
  if (isUnknown({ state })) return new CliError('outcome_unknown', what);
  const isThere = reason === 'different' || reason === 'duplicate';
  if (!isThere) return new CliError('not_applied', what);
  const look = id === '' ? {} : { hint: lookAt(resourceOf(step), id) };
  return new CliError(isRefusedAsThere({ code }) ? 'different' : 'partly_done', what, look);
}
