/** `sessions import`: a file is compared with the exam, and carried out as one run. */
import type { Context, Result } from '../../command.ts';
import { CliError, isInterruption, orElse } from '../../errors.ts';
import { stringifyJson } from '../../model/json.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { wasJudged } from '../../roster/map-table.ts';
import { rosterFields } from '../../roster/roster-fields.ts';
import { executePlan, type LockScope, mayAsk, StepList } from '../../runs/index.ts';
import { count, inLines, sentence, students } from '../../text/sentence.ts';
import { undoAdvice } from '../crud/results.ts';
import { selectExams, typedSelection } from '../exam-selection.ts';
import { problemsOf, readTable, tellProblems, typedAgain } from '../table-input/read-table.ts';
import { extraStudents, importOutput, importQuestion, isRecognised, tellImport, tellResult, whoStays } from './import-output.ts';
import { importFailure, isUnresolved, type LineResult, lineResults, toSeeOther } from './line-results.ts';
import { isKnownByRunsOnly, isOther, isSurplus, planStudents, toSeeWho } from './plan-students.ts';
import { checkRejects, rejectsBeside, writeRejects } from './rejects.ts';
import { examFinder, type Import, type ImportRequest, type StudentFile, studentLines } from './student-lines.ts';

/** Once the file is read, the result is one object at every status. */
export async function importStudents(context: Context, request: ImportRequest): Promise<Result> {
  const { exam, among, rejects, constants, reading } = request;
  if (!request.check && rejects !== undefined) await checkRejects(context, rejects, request.file);
  const { dialect, timeZone: zone } = context.settings();
  const fields = rosterFields({ nameKey: dialect.sessionNameKey, numberKey: dialect.sessionNumberKey, namesExams: exam === undefined });
  const read = await readTable(context, request.file, reading, fields);
  if (!request.check && !context.globals.dryRun && context.globals.noInput) await context.confirm(() => sentence`Confirm`);
  if (request.removeMissing !== undefined && wasJudged(read.table)) {
    const what = sentence`${read.table.name} has rejected lines only, and --remove-missing would delete the other students.`;
    throw new CliError('invalid_input', what, { hint: 'Nothing was sent. Leave out --remove-missing.' });
  }
  const file = { read, lines: [], invalid: new Map() };
  const doing: Import = { context, request, file, exams: new Map(), plan: undefined, ended: undefined, rejects };
  try {
    (await context.client()).pacer.limit({ perSecond: request.rate });
    const selection = exam === undefined ? among : { exam: [exam] };
    const exams = await selectExams(context, selection, { all: true });
    doing.exams = new Map(exams.map((each) => [each.id, each]));
    const named = exam ?? examFinder(exams, { dialect, zone: context.zone() });
    doing.file = studentLines(read, { dialect, zone, dates: reading.dates, constants, exam: named });
    await allowInvalid(doing);
    return await carried(doing);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return importResult(doing, error);
  }
}

async function allowInvalid(doing: Import): Promise<void> {
  const { context, request, file } = doing;
  const { invalid, lines, read } = file;
  if (invalid.size === 0) return;
  const problems = problemsOf(read);
  tellProblems(context, problems);
  if (request.skipInvalid) return;
  const number = count(invalid.size, 'line');
  if (lines.length > 0 && !request.check && mayAsk(context)) {
    const rejects = doing.rejects ?? rejectsBeside(request.file);
    await checkRejects(context, rejects, request.file);
    doing.rejects = rejects;
    const question = sentence`${number} cannot be imported, and will be written to ${rejects}. Import the other ${lines.length}?`;
    return context.confirm(() => question);
  }
  const what = sentence`${number} of ${read.table.name} cannot be imported. Nothing was sent.`;
  const again = typedAgain(context, ...(request.check ? ['--check'] : []), '--skip-invalid');
  const hint = sentence`Correct them in the file, or leave them out: proctor-cli ${again}`;
  throw new CliError('invalid_input', what, { hint, items: problems.map(({ item }) => item) });
}

function carried(doing: Import): Promise<Result> {
  const { context, request, file } = doing;
  const { update = false, removeMissing, constants, exam, among } = request;
  return executePlan(context, {
    kind: 'sessions import',
    identity: [exam ?? typedSelection(among), update, removeMissing ?? null, stringifyJson(constants)],
    locks: () => importLocks(file),
    async plan(engine) {
      // While a line is invalid, anybody may be that line.
      const mayRemove = file.invalid.size > 0 ? undefined : removeMissing;
      doing.plan = await planStudents(engine, file.lines, { update, removeMissing: mayRemove, steps: new StepList() });
      return doing.plan;
    },
    tell: () => tellImport(doing),
    question: () => importQuestion(doing),
    typed: ({ steps }) => String(steps.filter(isSurplus).length || '') || undefined,
    check: request.check ? () => importResult(doing, doing.plan?.refused) : undefined,
    dryRun: (_plan, requests) => importResult(doing, requests.failure, requests),
    result(ended) {
      doing.ended = ended;
      return importResult(doing);
    },
  });
}

function importLocks({ lines }: StudentFile): LockScope[] {
  const exams = [...new Set(lines.map(({ exam }) => exam))];
  const hasTimes = lines.some(({ fields }) => 'open_time' in fields || 'close_time' in fields);
  return exams.flatMap((exam): LockScope[] => [`students ${exam}`, ...(hasTimes ? [`exam ${exam}` as const] : [])]);
}

/** `thrown`: why no more was done. `requests`: of a dry run. */
async function importResult(doing: Import, thrown?: CliError, requests?: Result): Promise<Result> {
  const { context, request, file, plan, ended } = doing;
  if (request.check) tellImport(doing);
  const results = lineResults(doing);
  if (!thrown) await file.read.keepAnswers();
  if (ended) tellResult(context, results);
  const isStopped = thrown !== undefined && isInterruption(thrown);
  const isCollected = !request.check && !context.globals.dryRun && !isStopped;
  const unwritten = isCollected ? ((await orElse(collectRejects(doing, results), (error) => error)) ?? undefined) : undefined;
  if (!isCollected || unwritten) doing.rejects = undefined;
  let failure = thrown;
  if (request.check) failure ??= differencesIn(doing, results);
  // A dry run ends as the run would where nothing is sent.
  if (!request.check && (!requests || plan?.steps.length === 0)) failure ??= importFailure(doing, results);
  if (unwritten && failure) context.warn(unwritten.message);
  failure ??= unwritten;
  const output = await importOutput(doing, results, failure, requests);
  return { ...output, advice: ended ? [...undoAdvice(context, ended), ...(failure ? [] : whoStays(doing))] : [] };
}

/** Writes what only a person can correct. */
async function collectRejects(doing: Import, results: readonly LineResult[]): Promise<void> {
  const { context, request, file, rejects } = doing;
  if (rejects === undefined) return;
  const isByYou = ({ result, cause = result }: LineResult) => ['different', 'duplicate', 'rejected', 'invalid'].includes(cause);
  const rejected = results.filter((each) => isByYou(each) && isUnresolved(each, request));
  const reasons = new Map(rejected.map(({ line, reason = '' }) => [line, reason]));
  await writeRejects(context, rejects, request.file, file.read.table, reasons);
}

/** The failure of --check. Each hint is a command that repairs a part, and asks before it does. */
function differencesIn(doing: Import, results: readonly LineResult[]): CliError | undefined {
  const { context, request, plan } = doing;
  const unlike = results.filter((each) => isUnresolved(each, request));
  const parts = unlike.length > 0 ? [`${count(unlike.length, 'line')} not in the exam as written`] : [];
  const command = (...more: string[]) => `proctor-cli ${typedAgain(context, ...more)}`.replace(/ --(yes|no-input)(?= |$)/g, '');
  const kindOf = ({ planned }: LineResult) => (isOther(planned) ? 'others' : isKnownByRunsOnly(planned) ? 'hidden' : 'toImport');
  const { others = [], hidden = [], toImport = [] } = Object.groupBy(unlike, kindOf);
  const update = toImport.some(({ result }) => result === 'different') ? ['--update'] : [];
  const hints = toImport.length > 0 ? [sentence`Import it: ${command(...update)}`] : [];
  if (hidden.length > 0) hints.push(toSeeWho);
  if (others.length > 0) hints.push(toSeeOther(others));
  for (const [exam, of] of Map.groupBy(extraStudents(doing), (each) => each.exam)) {
    const all = plan?.readings.get(exam)?.all.length ?? 0;
    parts.push(`${students(of.length)} of exam ${exam} not in the file (left-out lines do not count)`);
    const known = of.filter(isRecognised).length;
    const remove = request.removeMissing === undefined ? [`--remove-missing=${known}`] : [];
    if (known > 0) hints.push(sentence`This deletes ${known} of ${students(all)} of exam ${exam}: ${command(...remove)}`);
    const look = typedCommand('sessions list', [], typedOption('--exam', exam));
    if (known < of.length) hints.push(sentence`Who shows neither address nor number is never deleted: see proctor-cli ${look}`);
  }
  if (parts.length === 0) return undefined;
  return new CliError('differences', sentence`The exam does not follow the roster: ${parts.join(', ')}.`, { hint: inLines(hints) });
}
