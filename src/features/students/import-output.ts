/** What an import tells people, and its result: one object as JSON, else lines or counts. */
import type { Column, Context, Result, Row } from '../../command.ts';
import type { CliError } from '../../errors.ts';
import { examInWords, studentNamed } from '../../model/describe.ts';
import { textIn } from '../../model/json.ts';
import { numberIn } from '../../model/listing.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { phaseOf, statusText } from '../../model/status.ts';
import { rosterFieldOf } from '../../roster/aliases.ts';
import { wasJudged } from '../../roster/map-table.ts';
import { targetOf } from '../../runs/index.ts';
import { capitalised, firstInLine, firstLines, quote, type Sentence, sentence, students } from '../../text/sentence.ts';
import { problemsOf } from '../table-input/read-table.ts';
import { changesInWords, type LineResult, resultWords } from './line-results.ts';
import { type Action, isKnownByRunsOnly, isOther, isSurplus, type PlannedStudent } from './plan-students.ts';
import { type Import, warnOfDamage } from './student-lines.ts';

const actions: Record<Action, string> = {
  create: 'to create',
  update: 'to update',
  unchanged: 'unchanged',
  more: 'with more time, which is kept',
  different: 'different (--update changes them)',
  duplicate: 'more than once in the exam',
  unknown: 'sent before, outcome unknown',
};

export function tellImport(doing: Import): void {
  const { context, plan, request } = doing;
  if (!plan) return;
  const { lines, existing } = plan;
  const words = request.update ? { ...actions, different: 'different (--update cannot change it)' } : actions;
  const missing = notInFile(doing);
  const perExam = firstLines(existing, ({ reading: { exam, all: sessions } }) => {
    const ofExam = lines.filter(({ line }) => line.exam === exam);
    const numbers = Object.entries(words).map(([action, words]) => {
      return `${ofExam.filter((each) => each.action === action && !isKnownByRunsOnly(each) && !isOther(each)).length} ${words}`;
    });
    numbers.push(`${ofExam.filter(isOther).length} with another address`);
    numbers.push(`${ofExam.filter(isKnownByRunsOnly).length} known only from recorded runs`);
    numbers.push(`${missing.filter((each) => each.exam === exam).length} in the exam but not in the file`);
    const parts = numbers.filter((text) => !text.startsWith('0 ')).join(', ');
    return sentence`${capitalised(examName(doing, exam))} has ${students(sessions.length)}. Plan: ${parts}.`;
  });
  const updated = lines.filter(({ action }) => action === 'update');
  const updates = firstLines(updated, ({ line: { line, email, number }, changes }) => {
    return sentence`line ${line}, ${email ?? number}: ${changesInWords(changes, context.zone())}`;
  });
  const kept = missing.filter(({ result }) => result === 'kept');
  const gone = missing.filter(({ result }) => result !== 'kept');
  const others = firstLines(gone, (each) => {
    return sentence`Will delete: ${whoIn(each)}, session ${each.session} of exam ${each.exam}`;
  });
  // Students who stay although --remove-missing was to delete them are named with the reason.
  const isAsked = request.removeMissing !== undefined;
  const why = (each: NotInFile) => (isRecognised(each) ? (each.status ?? 'no status shown') : 'neither address nor number shown');
  const names = firstInLine(kept, (each) => `${each.name ?? whoIn(each)}${isAsked ? ` (${why(each)})` : ''}`, 5);
  if (kept.length > 0) others.push(sentence`Not in the file${isAsked ? ', and kept' : ''}: ${names}.`);
  for (const text of [...perExam, ...updates, ...others]) context.say(text);
  const { sessionNameKey, sessionNumberKey } = context.settings().dialect;
  const isNumber = (name: string) => rosterFieldOf(name) === 'number';
  const number = Object.keys(existing[0]?.reading.all[0]?.data ?? {}).find(isNumber);
  if (sessionNumberKey === '' && number !== undefined && doing.file.read.table.header.some(isNumber))
    context.say(
      sentence`The service shows the field ${number} of students. To find them by it: proctor-cli ${typedCommand('config set dialect.sessionNumberKey', [number])}`,
    );
  const ofFile = { lines: lines.map(({ line }) => line), shown: (line: number, value: string) => sentence`${quote(value)} (line ${line})` };
  warnOfDamage(context, [ofFile]);
  const isMoved = ({ action, line }: PlannedStudent) =>
    action === 'create' && existing.some((each) => each.reading.exam === line.exam && each.isMoved(line));
  const moved = firstInLine(lines.filter(isMoved), ({ line: { line } }) => `line ${line}`, 5);
  if (moved !== '') context.warn(sentence`A run has moved these students to another exam: ${moved}. This import puts them in both.`);
  const unmailed = withoutAddress(lines, sessionNameKey);
  if (unmailed) context.warn(sentence`${unmailed} will get no mail. To name the column of the addresses: --map email=HEADER`);
  const created = lines.filter(({ action }) => action === 'create');
  const isNamed = created.some(({ line: { fields } }) => textIn(fields[sessionNameKey]) !== undefined);
  // A list of addresses and numbers has no such column.
  if (created.length > 0 && !isNamed && doing.file.read.table.header.length > 2)
    context.say('No column is read as a name. To read one: --map name=HEADER, or --map last_name_first=HEADER');
  const unseen = [...new Set(lines.flatMap(({ notShown }) => notShown))].join(', ');
  if (unseen !== '') context.warn(sentence`The service does not show ${unseen} of its students: it is not compared.`);
}

/** Names the students who will be created without an address: one may be a line with a sum. `nameKey`: the field of names. */
export function withoutAddress(lines: readonly PlannedStudent[], nameKey?: string): Sentence | undefined {
  const unmailed = lines.filter(({ action, line }) => action === 'create' && line.email === undefined);
  if (unmailed.length === 0) return undefined;
  const shown = ({ number = '', fields }: PlannedStudent['line']) => [nameKey && textIn(fields[nameKey]), number].filter(Boolean).join(' ');
  const inWords = ({ line }: PlannedStudent) => `line ${line.line}${nameKey === undefined ? '' : `: ${quote(shown(line))}`}`;
  return sentence`${students(unmailed.length)} without an address (${firstInLine(unmailed, inWords, 5)})`;
}

function examName({ context: { settings, zone }, exams }: Import, exam: string): Sentence {
  return examInWords(exam, exams.get(exam)?.shown, settings(), zone());
}

type NotInFile = ReturnType<typeof notInFile>[number];

/** Whether an address or a number says who a student is. Whoever shows neither is never deleted: the file may have them. */
export function isRecognised({ email, number }: NotInFile): boolean {
  return (email ?? number) !== null;
}

function whoIn({ name, email, number, session = '' }: NotInFile): string {
  return studentNamed({ name, email: email ?? number, session });
}

/** `result`: what will be done with them, or was done. */
function notInFile(doing: Import) {
  const { context, plan } = doing;
  const { sessionNameKey, sessionNumberKey } = context.settings().dialect;
  const ended = new Map(doing.ended?.items.map((execution) => [execution.step.number, execution.state]));
  const states = new Map(plan?.steps.filter(isSurplus).map((step) => [targetOf(step), ended.get(step.number) ?? 'planned']));
  return (plan?.notInFile ?? []).map(({ exam, student: { id: session, email = null, data } }) => {
    const shown = data[sessionNameKey];
    const name = typeof shown === 'string' ? shown : null;
    const number = numberIn(data, sessionNumberKey) ?? null;
    const state = states.get(session ?? '') ?? 'kept';
    const result = state === 'done' ? 'removed' : state;
    return { exam, session, name, email, number, status: statusText(data.status), result };
  });
}

/** Students who are in the exam, not in the file, and have not begun: --check counts them as a difference. */
export function extraStudents(doing: Import) {
  if (doing.request.accepted.includes('extra')) return [];
  return notInFile(doing).filter(({ result, status }) => result !== 'removed' && phaseOf(status) === 'waiting');
}

export function whoStays(doing: Import): Sentence[] {
  const stay = extraStudents(doing);
  // A file of rejects has only some of the students.
  if (stay.length === 0 || wasJudged(doing.file.read.table)) return [];
  const names = firstInLine(stay, (each) => each.name ?? whoIn(each), 5);
  return [sentence`In the exam and not in the file: ${students(stay.length)} (${names}). --check reports them (status 11).`];
}

export function importQuestion(doing: Import): Sentence | undefined {
  const { lines = [], steps = [] } = doing.plan ?? {};
  if (steps.length === 0) return undefined;
  const sent = lines.filter((line) => line.steps.length > 0);
  const byExam = [...Map.groupBy(sent, ({ line }) => line.exam)];
  const numberOf = (of: readonly unknown[]) => (byExam.length > 1 ? `${of.length} ` : '');
  const into = firstInLine(byExam, ([exam, of]) => `${numberOf(of)}into ${examName(doing, exam)}`, 3);
  const deleted = steps.filter(isSurplus).length;
  const deletes = `delete ${students(deleted)} who are not in the file (left-out lines do not count)`;
  if (sent.length === 0) return sentence`${capitalised(deletes)}`;
  return sentence`Import ${students(sent.length)}${byExam.length > 1 ? ':' : ''} ${into}${deleted > 0 ? `, then ${deletes}` : ''}`;
}

export function tellResult({ warn }: Context, results: readonly LineResult[]): void {
  // Invalid lines were told before.
  const untold = ['not_sent', 'unchanged', 'invalid'];
  const told = results.filter(({ result, reason }) => reason && !untold.includes(result));
  const inWords = ({ line, email, planned, result, reason }: LineResult) =>
    sentence`${[`line ${line}`, email ?? planned?.line.number ?? []].flat().join(', ')}: ${result}: ${reason}`;
  const { unknown = [], known = [] } = Object.groupBy(told, ({ result }) => (result === 'unknown' ? result : 'known'));
  for (const text of [...firstLines(known, inWords), ...firstLines(unknown, inWords, 'more with an unknown outcome', 3)]) warn(text);
}

const lineColumns: readonly Column[] = [
  { key: 'line', as: 'count' },
  { key: 'exam' },
  { key: 'session' },
  { key: 'email', identifies: true },
  { key: 'action', identifies: true },
  { key: 'result', identifies: true },
  { key: 'reason' },
  { key: 'changes', detail: true },
];

export async function importOutput(doing: Import, all: readonly LineResult[], failure?: CliError, requests?: Result): Promise<Result> {
  const { context, request, file, ended } = doing;
  const { format } = context;
  const isPlan = request.check || requests !== undefined;
  const client = await context.client();
  const idsOf = (given: Pick<LineResult, 'exam' | 'session'>) => ({
    exam: client.shownAs('exam', given.exam ?? request.exam),
    session: client.shownAs('session', given.session),
  });
  const hasNumbers = client.dialect.sessionNumberKey !== '';
  const results = all.filter(({ result }) => !isPlan || result !== 'not_sent');
  const lines = results.map((each): Row => {
    const { line, email = null, result, reason = null, planned } = each;
    const { action = result === 'invalid' ? result : null, changes = [], left = [] } = planned ?? {};
    return {
      line,
      ...idsOf(each),
      email,
      ...(hasNumbers ? { number: planned?.line.number ?? null } : {}),
      action,
      result,
      reason,
      changes: [...changes, ...left],
    };
  });
  if (format !== 'json' && (format !== 'table' || isPlan)) {
    const isShown = ({ action, result }: Row) => {
      if (format === 'id') return result === 'created' || result === 'updated';
      return format !== 'table' || action !== 'unchanged';
    };
    const columns = hasNumbers ? lineColumns.toSpliced(4, 0, { key: 'number' }) : lineColumns;
    const rows = lines.filter(isShown);
    // The plan has said it all.
    if (format === 'table' && rows.length === 0) return { kind: 'nothing', failure };
    return { kind: 'list', rows, columns, id: 'session', failure };
  }
  if (format === 'table' && !ended) return { kind: 'nothing', failure };
  // Where nothing came of the plan, everybody stays.
  const kept = isPlan || ended ? {} : { result: 'kept' };
  const missing = notInFile(doing).map((each) => ({ ...each, ...idsOf(each), ...kept }));
  const numberOf = (word: string) => results.filter(({ result }) => result === word).length;
  const counts = {
    total: file.read.table.rows.length,
    ...Object.fromEntries(resultWords.map((word) => [word, numberOf(word)])),
    left_out: file.read.leftOut,
    not_in_file: missing.length,
    removed: missing.filter(({ result }) => result === 'removed').length,
  };
  const about = { run: ended?.run ?? null, exam: client.shownAs('exam', request.exam) };
  if (format === 'table') {
    const shown = Object.entries({ ...about, ...counts }).filter(([key, value]) => key === 'total' || value);
    return { kind: 'one', row: Object.fromEntries(shown), columns: shown.map(([key]) => ({ key })), failure };
  }
  const steps = requests?.kind === 'list' ? { steps: await Array.fromAsync(requests.rows) } : {};
  const problems = problemsOf(file.read).map(({ item }) => item);
  const row = { ...about, counts, lines, problems, notInFile: missing, ...steps };
  return { kind: 'one', row, columns: [], failure };
}
