/** What an import says to a person, and what it prints: one object as JSON, its lines as CSV and NDJSON, the counts as a table. */
import type { Column, Context, Result, Row } from '../../command.ts';
import type { CliError } from '../../errors.ts';
import { firstInLine, firstLines, students } from '../../model/count.ts';
import { examInWords, studentNamed } from '../../model/describe.ts';
import { numberIn } from '../../model/listing.ts';
import { statusText } from '../../model/status.ts';
import type { Ended } from '../../runs/index.ts';
import { capitalised, type Sentence, sentence } from '../../text/sentence.ts';
import { problemsOf } from '../tables/read-table.ts';
import { changesInWords, type LineResult, resultWords } from './line-results.ts';
import { type Action, actions } from './plan-students.ts';
import type { Import } from './student-lines.ts';

const inWords: Record<Action, string> = {
  create: 'to create',
  update: 'to update',
  unchanged: 'unchanged',
  more: 'with more time than in the file, which is kept',
  different: 'different (--update changes them, --accept-different keeps them)',
  duplicate: 'more than once in the exam',
  unknown: 'sent by another run, outcome unknown',
};

export function tellPlan(doing: Import): void {
  const { context, plan } = doing;
  if (!plan) return;
  const { lines, looked } = plan;
  const missing = notInFile(doing);
  const perExam = firstLines(looked, ({ reading: { exam, sessions } }) => {
    const of = lines.filter(({ line }) => line.exam === exam);
    const numbers = actions.map((action) => `${of.filter((each) => each.action === action).length} ${inWords[action]}`);
    const lacking = missing.filter((each) => each.exam === exam).length;
    const parts = [...numbers, `${lacking} in the exam but not in the file`].filter((text) => !text.startsWith('0 '));
    return sentence`${capitalised(named(doing, exam))} has ${students(sessions.length)}. Plan: ${parts.join(', ')}.`;
  });
  const updates = firstLines(
    lines.filter(({ action }) => action === 'update'),
    ({ line, changes }) => sentence`line ${line.line}, ${line.email ?? line.number}: ${changesInWords(changes, context.zone())}`,
    'more to update',
  );
  const whoIn = ({ name, email, number, session = '' }: NotInFile) => studentNamed({ name, email: email ?? number, session });
  const kept = missing.filter(({ result }) => result === 'kept');
  const gone = missing.filter((each) => !kept.includes(each));
  const others = firstLines(gone, (each) => sentence`Will delete: ${whoIn(each)}, session ${each.session} of exam ${each.exam}`);
  if (kept.length > 0) others.push(sentence`Not in the file: ${firstInLine(kept, (each) => each.name ?? whoIn(each), 5)}.`);
  const bare = lines.filter(({ action, line }) => action === 'create' && line.email === undefined);
  const where = firstInLine(bare, ({ line }) => `line ${line.line}`, 5);
  if (bare.length > 0)
    context.warn(
      sentence`${students(bare.length)} without an address (${where}) will get no mail. To name the column of the addresses: --map email=HEADER`,
    );
  const unseen = [...new Set(lines.flatMap(({ notShown }) => notShown))];
  for (const text of [...perExam, ...updates, ...others]) context.say(text);
  const what = sentence`The service does not show ${unseen.join(', ')} of its students, so it is unknown whether that is as in the file.`;
  if (unseen.length > 0) context.warn(what);
}

function named({ context: { settings, zone }, exams }: Import, exam: string): Sentence {
  return examInWords(exam, exams.get(exam)?.shown, settings(), zone());
}

type NotInFile = ReturnType<typeof notInFile>[number];

/** The students of the exams whom the file lacks; `result`: what will be done with them, or was done. */
function notInFile({ context, plan, ended }: Import) {
  const { sessionNameKey, sessionNumberKey } = context.settings().dialect;
  const states = new Map(plan?.steps.map(({ params }, at) => [params.id, ended?.items[at]?.state ?? 'planned']));
  return (plan?.missing ?? []).map(({ exam, student: { id: session, data } }) => {
    const [name = null, email = null] = [data[sessionNameKey], data.email].map((value) => (typeof value === 'string' ? value : undefined));
    const number = numberIn(data, sessionNumberKey) ?? null;
    const state = states.get(session ?? '') ?? 'kept';
    const result = state === 'done' ? 'removed' : state;
    return { exam, session, name, email, number, status: statusText(data.status), result };
  });
}

export function questionOf(doing: Import): Sentence | undefined {
  const { lines = [], steps = [] } = doing.plan ?? {};
  if (steps.length === 0) return undefined;
  const sent = lines.filter(({ step }) => step !== undefined);
  const work = [...Map.groupBy(sent, ({ line }) => line.exam)];
  const into = firstInLine(work, ([exam, of]) => `${work.length > 1 ? `${of.length} into ` : ''}${named(doing, exam)}`, 3);
  const number = work.reduce((sum, [, of]) => sum + of.length, 0);
  const deleted = steps.filter(({ last }) => last).length;
  const deletes = sentence`delete ${students(deleted)} whom the file lacks`;
  if (number === 0) return sentence`${capitalised(deletes)}`;
  return sentence`Import ${students(number)} into ${into}${deleted > 0 ? `, then ${deletes},` : ''}`;
}

/** What became of the lines, as far as nothing else says it: invalid ones were told before. */
export function tellResult({ say, warn }: Context, results: readonly LineResult[], { items }: Ended): void {
  const told = results.filter(({ result, reason }) => reason !== undefined && !['not_sent', 'unchanged', 'invalid'].includes(result));
  const inWords = ({ line, email, result, reason }: LineResult) =>
    sentence`line ${line}${email === undefined ? '' : `, ${email}`}: ${result}: ${reason}`;
  for (const text of firstLines(told, inWords)) warn(text);
  const removed = items.filter(({ step, state }) => step.last && state === 'done').length;
  if (removed > 0) say(sentence`Deleted ${students(removed)} whom the file lacked.`);
}

const lineColumns: readonly Column[] = [
  ...['line', 'exam', 'session'].map((key) => ({ key })),
  ...['email', 'action', 'result'].map((key) => ({ key, identifies: true as const })),
  ...[{ key: 'reason' }, { key: 'changes', detail: true as const }],
];

/** `requests`: of a dry run. */
export async function importOutput(
  doing: Import,
  all: readonly LineResult[],
  failure: CliError | undefined,
  requests?: Result,
): Promise<Result> {
  const { context, request, file, ended } = doing;
  const { format } = context;
  const isPlan = request.check || requests !== undefined;
  const exam = 'exam' in request.into ? request.into.exam : undefined;
  const results = all.filter(({ result }) => !isPlan || result !== 'not_sent');
  const client = await context.client();
  const end = failure ? { failure } : {};
  const lines = results.map(({ line, exam: its = exam, email = null, planned, session, result, reason = null }): Row => {
    const { action = result === 'invalid' ? result : null, changes = [], left = [] } = planned ?? {};
    const ids = { exam: client.shownAs('exam', its), session: client.shownAs('session', session) };
    return { line, ...ids, email, action, result, reason, changes: [...changes, ...left] };
  });
  const isShown = ({ action, result }: Row) =>
    format === 'id' ? result === 'created' || result === 'updated' : format !== 'table' || action !== 'unchanged';
  const rows = lines.filter(isShown);
  if (format !== 'json' && (format !== 'table' || isPlan))
    return { kind: 'list', rows, columns: lineColumns, id: format === 'id' ? 'session' : null, ...end };
  if (format === 'table' && !ended) return { kind: 'nothing', ...end };
  // Where nothing came of the plan, everybody stays.
  const isMeant = isPlan || ended !== undefined;
  const missing = notInFile(doing).map(({ result, ...each }) => {
    const ids = { exam: client.shownAs('exam', each.exam), session: client.shownAs('session', each.session) };
    return { ...each, ...ids, result: isMeant ? result : 'kept' };
  });
  const states = resultWords.map((word) => [word, results.filter(({ result }) => result === word).length] as const);
  const counts = {
    ...{ total: file.read.table.rows.length, ...Object.fromEntries(states) },
    left_out: file.read.leftOut,
    ...{ not_in_file: missing.length, removed: missing.filter(({ result }) => result === 'removed').length },
  };
  const about = { run: ended?.run ?? null, exam: client.shownAs('exam', exam) };
  if (format === 'table') {
    const shown = Object.entries({ ...about, ...counts }).filter(([key, value]) => key === 'total' || (value !== 0 && value !== null));
    return { kind: 'one', row: Object.fromEntries(shown), columns: shown.map(([key]) => ({ key })), id: 'run', ...end };
  }
  const steps = requests?.kind === 'list' ? { steps: await Array.fromAsync(requests.rows) } : {};
  const row = { ...about, counts, lines, problems: problemsOf(file.read).map(({ item }) => item), notInFile: missing, ...steps };
  return { kind: 'one', row, columns: [], id: null, ...end };
}
