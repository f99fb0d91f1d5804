/** What became of each line: by its step, else by what was decided. */
import { CliError } from '../../errors.ts';
import { differenceInWords, type FieldChange } from '../../model/compare.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { createUnknown, type Execution, isUnknown, isWritten, meaningOf, nothingSent } from '../../runs/index.ts';
import { count, inARow, type Sentence, sentence } from '../../text/sentence.ts';
import { failureOf } from '../crud/failure.ts';
import { typedAgain } from '../table-input/read-table.ts';
import { isKnownByRunsOnly, isOther, type PlannedStudent, toSeeWho } from './plan-students.ts';
import { rejectsBeside } from './rejects.ts';
import type { Import, ImportRequest } from './student-lines.ts';

const good = ['created', 'updated', 'unchanged', 'more'] as const;
const bad = ['different', 'duplicate', 'incomplete', 'rejected', 'changed', 'absent', 'not_sent', 'unknown', 'invalid'] as const;
export const resultWords = [...good, 'to_create', 'to_update', ...bad] as const;
type Word = (typeof resultWords)[number];

export type LineResult = {
  line: number;
  exam: string | undefined;
  email: string | undefined;
  planned: PlannedStudent | undefined;
  session: string | undefined;
  result: Word;
  reason?: Sentence | undefined;
  /** What became of the value that an incomplete line lacks. */
  cause?: Word;
  /** Why a line is not as it should be, if no step says it. */
  error?: CliError;
};

export function isUnresolved({ result, error }: LineResult, { accepted }: ImportRequest): boolean {
  return !good.some((word) => word === result) && !(accepted.includes('different') && error?.code === 'different');
}

export function lineResults({ context, file: { lines, invalid }, plan, ended }: Import): LineResult[] {
  const zone = context.zone();
  const planned = new Map(plan?.lines.map((each) => [each.line.line, each]));
  const executions = new Map(ended?.items.map((execution) => [execution.step.number, execution]));
  const results = lines.map(({ line, exam, email }): LineResult => {
    const of = planned.get(line);
    const [item, next] = of?.steps.flatMap((number) => executions.get(number) ?? []) ?? [];
    const common = { line, exam, email, planned: of, session: item?.id ?? of?.found[0]?.id };
    if (!of) return { ...common, result: 'not_sent' };
    return { ...common, ...(item ? byStep(of, item, next, zone) : plannedResult(of, zone)) };
  });
  for (const [line, reason] of invalid) {
    const what = sentence`Line ${line} is invalid, and was left out: ${reason}`;
    const error = new CliError('differences', what);
    results.push({ line, exam: undefined, email: undefined, planned: undefined, session: undefined, result: 'invalid', reason, error });
  }
  return results.sort((a, b) => a.line - b.line);
}

type Own = Pick<LineResult, 'result' | 'reason' | 'cause' | 'error'>;

function byStep(planned: PlannedStudent, item: Execution, next: Execution | undefined, zone: string): Own {
  const { left, action } = planned;
  if (item.state !== 'done') return { result: resultWord(item, action), reason: whyOf(item) };
  if (next && next.state !== 'done') {
    const lacks = isWritten(next) ? '' : ', but its open time is not set';
    const reason = sentence`It is in the exam as session ${item.id}${lacks}: ${whyOf(next)}`;
    const cause = resultWord(next, 'update');
    return { result: cause === 'unknown' ? cause : 'incomplete', reason, cause };
  }
  if (left.length > 0) return differentBy(planned, left, zone);
  return { result: resultWord(item, action), reason: item.note ?? notShown(planned) };
}

function whyOf({ error, state, reason }: Execution): Sentence {
  return error?.message ?? sentence`${meaningOf(state, reason)}`;
}

function resultWord({ state, reason }: Execution, action: PlannedStudent['action']): Word {
  if (reason === 'there') return 'unchanged';
  if (state === 'done') return action === 'create' ? 'created' : 'updated';
  if (isUnknown({ state }) || reason === 'closed') return 'unknown';
  if (reason === 'different' || reason === 'duplicate' || reason === 'absent') return reason;
  if (reason === 'rejected' || reason === 'not_applied') return 'rejected';
  return state === 'failed' ? 'changed' : 'not_sent';
}

/** The result of a line without a step, or of a plan that was not carried out. */
function plannedResult(planned: PlannedStudent, zone: string): Own {
  const { action, changes, left, found, run = '' } = planned;
  if (action === 'create') return { result: 'to_create' };
  if (action === 'unchanged') return { result: action, reason: notShown(planned) };
  if (action === 'different') return differentBy(planned, changes, zone);
  const inWords = changesInWords([...changes, ...left], zone);
  if (action === 'update') return { result: 'to_update', reason: inWords };
  if (action === 'more') return { result: action, reason: sentence`${inWords}; an import takes no time away` };
  if (action === 'duplicate') {
    const ids = found.flatMap(({ id }) => id ?? []);
    const which = `sessions ${ids.join(', ')}`;
    const reason = sentence`The exam has ${ids.length} students with this address or number (${which}).`;
    const command = typedCommand('sessions get', ids.slice(0, 1));
    const hint = sentence`Compare them, and delete the surplus ones: proctor-cli ${command}`;
    return { result: action, reason, error: new CliError('differences', reason, { hint }) };
  }
  const error = createUnknown(run, 'this student');
  return { result: action, reason: error.message, error };
}

function differentBy(planned: PlannedStudent, changes: readonly FieldChange[], zone: string): Own {
  const byRecord = sentence`the service does not show whose session ${planned.found[0]?.id ?? ''} is: only the record of runs says that it is this student's`;
  const reason = isKnownByRunsOnly(planned) ? byRecord : changesInWords(changes, zone);
  const error = new CliError(isOther(planned) ? 'differences' : 'different', sentence`${reason}.`);
  return { result: 'different', reason, error };
}

function notShown({ notShown: fields }: PlannedStudent): Sentence | undefined {
  return fields.length === 0 ? undefined : sentence`the service does not show ${fields.join(', ')}`;
}

export function changesInWords(changes: readonly FieldChange[], zone: string): Sentence {
  const texts = changes.map((change) => differenceInWords('session', change, zone));
  return sentence`${texts.join('; ')}`;
}

export function importFailure(doing: Import, results: readonly LineResult[]): CliError | undefined {
  const { ended = nothingSent, request } = doing;
  const left = results.filter((each) => isUnresolved(each, request));
  const also = left.flatMap(({ line, error }) => (error ? [{ id: `line ${line}`, error }] : []));
  const failure = failureOf(ended, { did: 'done', idType: undefined, also });
  if (!failure || ended.stopped || left.length === 0) return failure;
  const words = [...Map.groupBy(left, ({ result }) => result)];
  const counts = words.map(([word, of]) => `${of.length} ${word.replace('_', ' ')}`);
  const why = ended.items.find(({ state, error }) => state === 'planned' && error)?.error;
  const which = sentence`${left.length} of ${count(results.length, 'line')} ${left.length === 1 ? 'is' : 'are'}`;
  const what = sentence`${which} not in the exam as written: ${counts.join(', ')}${why ? `: ${why.message}` : '.'}`;
  const { code, status, items } = failure;
  const first = why?.code === 'token_refused' ? [why.hint] : [];
  return new CliError(code, what, { hint: inARow([...first, hintFor(doing, left, failure)]), status, items });
}

/** What is done by hand where the exam has a student, or a number, under another address. */
export function toSeeOther([first]: readonly LineResult[]): Sentence {
  const { session = '', line, email } = first ?? {};
  const update = (address: string) => typedCommand('sessions update', [session], typedOption('--email', address));
  const look = sentence`Look who it is now: proctor-cli ${typedCommand('sessions get', [session])}`;
  return email === undefined ? look : inARow([look, sentence`If it is the student of line ${line}: proctor-cli ${update(email)}`]);
}

function hintFor({ context, request, rejects, ended }: Import, left: readonly LineResult[], { code, hint }: CliError): Sentence {
  const has = (...some: Word[]) => left.some(({ result, cause = result }) => some.includes(cause));
  const command = (...options: string[]) => `proctor-cli ${typedAgain(context, ...options)}`;
  if (code === 'outcome_unknown') return hint;
  if (has('absent', 'not_sent', 'changed'))
    return sentence`Run the same command again: it sends what is missing, and nobody twice: ${command()}`;
  const different = left.filter(({ result }) => result === 'different');
  const others = different.filter(({ planned }) => isOther(planned));
  if (different.length > 0 && different.length === others.length) return toSeeOther(others);
  if (different.length > 0) {
    const leave = request.accepted.includes('different')
      ? []
      : [sentence`To leave these students as they are: ${command('--accept=different')}`];
    if (different.every(({ planned }) => isKnownByRunsOnly(planned))) return inARow([toSeeWho, ...leave]);
    if (request.update) return leave[0] ?? sentence`Run the same command again: ${command()}`;
    return inARow([sentence`To update these students: ${command('--update')}`, ...leave]);
  }
  const doubles = ended?.items.filter(({ reason }) => reason === 'duplicate') ?? [];
  const double = doubles.find(({ owned }) => owned) ?? doubles[0] ?? left.find(({ result }) => result === 'duplicate');
  if (double?.error) return double.error.hint;
  if (rejects !== undefined) return sentence`Correct the lines in ${rejects}, and import that file.`;
  if (request.rejects !== undefined) return sentence`Correct these lines, and import the file again.`;
  const collect = command('--rejects', rejectsBeside(request.file));
  return sentence`Correct these lines, and import the file again. To collect them in a file: ${collect}`;
}
