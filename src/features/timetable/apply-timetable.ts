/**
 * `exams apply`: makes the exams of the service follow a timetable, as one run. Nothing beside the file says which line is which exam, and a
 * second call changes nothing. With `--check` it says whether they follow it.
 */
import { dirname, resolve } from 'node:path';
import { type Operation, operations } from '../../api/operations.ts';
import type { Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { canAsk } from '../../host/host.ts';
import { count, firstLines } from '../../model/count.ts';
import { setsTimes } from '../../model/fields.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import type { DateOrder } from '../../model/typed-time.ts';
import { cell } from '../../output/cell.ts';
import { noLayout } from '../../roster/columns.ts';
import { rosterFields } from '../../roster/roster-fields.ts';
import { carryOut, type Ended, isUnknown, type Place } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { listedExams } from '../exam-selection.ts';
import type { StudentLine } from '../students/plan-students.ts';
import { studentLines } from '../students/student-lines.ts';
import { problemsOf, readTable, refuseProblems, type TableReading, typedAgain } from '../tables/read-table.ts';
import { orReset, tellMailed } from '../times/carry-times.ts';
import { failureOf } from '../writes/failure.ts';
import { outcomeOf, undoAdvice } from '../writes/results.ts';
import { decided, identify } from './identify.ts';
import { type PlannedLine, type Planning, planTimetable, proctorColumn, type TimetablePlan, withoutRunning } from './plan-timetable.ts';
import { type ExamLine, readTimetable, type Timetable } from './read-timetable.ts';

export type TimetableRequest = {
  file: string;
  reading: TableReading;
  institute: string | undefined;
  removeMissing: number | undefined;
  check: boolean;
};

export async function applyTimetable(context: Context, request: TimetableRequest): Promise<Result> {
  const { timetable, planning } = await read(context, request);
  const { lines, places } = request.check ? { lines: timetable.lines, places: [] } : await chosen(context, timetable);
  let current: TimetablePlan = { steps: [], lines: [] };
  return carryOut(context, {
    // One apply of a service at a time, whatever its file.
    ...{ kind: 'exams apply', identity: 'a timetable' },
    places: () => places,
    async plan(world) {
      current = await planTimetable(world, lines, planning);
      refuseProblems(context, timetable.table);
      return current;
    },
    holdBack(_, running) {
      current = withoutRunning(current, running);
      return current;
    },
    check: request.check ? () => checked(context, current) : undefined,
    tell: () => tellPlan(context, current),
    question: () => questionOf(current, timetable),
    async result(ended) {
      await timetable.table.keepAnswers();
      return resultOf(context, ended, current);
    },
  });
}

/** Whether the exams follow the timetable. */
async function checked(context: Context, { lines, refused }: TimetablePlan): Promise<Result> {
  if (refused) throw refused;
  const open = lines.filter(({ action }) => action !== 'unchanged').length;
  const what = sentence`${open} of ${count(lines.length, 'line')} ${open === 1 ? 'differs' : 'differ'} from the service.`;
  const hint = sentence`Apply it with: proctor-cli ${typedAgain(context)}`;
  const failure = open > 0 ? { failure: new CliError('differences', what, { hint }) } : {};
  return { kind: 'list', rows: await rowsOf(context, lines), columns: context.columns, id: 'exam', ...failure };
}

/** The timetable and its rosters, all problems of which are reported at once. */
async function read(context: Context, { file, reading, institute, removeMissing }: TimetableRequest) {
  const timetable = await readTimetable(context, file, reading);
  const rosters = await rostersOf(context, timetable, file, reading.dates);
  refuseProblems(context, timetable.table);
  // The embedded service knows its institute once it has been started.
  await context.client();
  const planning: Planning = { poolChange: proctorColumn(context, institute), rosters, removeMissing };
  return { timetable, planning };
}

/** The lines with what a person says about them, and the places that they are about; nothing is locked while a question is open. */
async function chosen(context: Context, timetable: Timetable): Promise<{ lines: readonly ExamLine[]; places: readonly Place[] }> {
  const { host, globals } = context;
  const exams = await listedExams(await context.client());
  const lines =
    canAsk(host, globals.noInput) && !globals.yes && !globals.dryRun ? await decided(context, timetable.lines, exams) : timetable.lines;
  const ids = [...identify(lines, exams, host.now())].flatMap(([line, { exam }]) => exam?.id ?? line.id ?? []);
  return { lines, places: ['exams', ...ids.flatMap((id): Place[] => [`exam ${id}`, `students ${id}`])] };
}

/** Each file that the column of rosters names is read once; its problems are those of the first line that names it. */
async function rostersOf(context: Context, { lines }: Timetable, file: string, dates: DateOrder | undefined): Promise<Planning['rosters']> {
  const rosters = new Map<string, readonly StudentLine[]>();
  const { dialect, timeZone: zone } = context.settings();
  const fields = rosterFields({ numberKey: dialect.sessionNumberKey, namesExams: false });
  for (const { roster, problem } of lines) {
    if (roster === undefined || rosters.has(roster)) continue;
    rosters.set(roster, []);
    const path = resolve(file === '-' ? '.' : dirname(file), roster);
    const hint = sentence`Look at it with: proctor-cli ${typedCommand('sessions import', [path], '--exam ID', '--dry-run')}`;
    try {
      const table = await readTable(context, path, noLayout, fields);
      const read = studentLines(table, { dialect, zone, dates, exam: '' });
      rosters.set(roster, read.lines);
      for (const { what } of problemsOf(table)) problem('roster', what, hint);
    } catch (error) {
      if (!(error instanceof CliError) || !['invalid_input', 'nothing_selected'].includes(error.code)) throw error;
      problem('roster', error.message, hint);
    }
  }
  return rosters;
}

function questionOf({ lines, steps }: TimetablePlan, { table }: Timetable): Sentence {
  const all = (...actions: PlannedLine['action'][]) => lines.filter(({ action }) => actions.includes(action));
  const of = ({ id }: Operation) => steps.filter(({ operation }) => operation.id === id);
  const proctors = (operation: Operation) => of(operation).reduce((sum, { body = {} }) => sum + Object.values(body).flat().length, 0);
  const counts: [number, string, string][] = [
    [all('create').length, 'create', 'exam'],
    [all('update').filter(({ changes }) => changes.some(({ field }) => field !== 'students')).length, 'change', 'exam'],
    [of(operations.patchSession).filter(({ expectsExam }) => expectsExam).length, 'move along', 'window'],
    [of(operations.createSession).length, 'add', 'student'],
    [of(operations.deleteSession).length, 'delete', 'student'],
    [proctors(operations.addProctors), 'add', 'proctor'],
    [proctors(operations.removeProctors), 'remove', 'proctor'],
  ];
  const words = counts.flatMap(([number, verb, noun]) => (number > 0 ? [`${verb} ${count(number, noun)}`] : []));
  const held = all('held back', 'unknown').length;
  if (held > 0) words.push(`${count(held, 'line')} held back`);
  return sentence`Apply ${table.table.name}, ${table.used}: ${words.join(', ')}`;
}

async function resultOf(context: Context, given: Ended, { lines, ...plan }: TimetablePlan): Promise<Result> {
  const client = await context.client();
  const ended = { ...given, items: given.items.map(orReset) };
  const also = lines.flatMap(({ line, error }) => (error ? [{ id: line.place, error }] : []));
  const failure = failureOf(ended, { did: 'done', idType: client.idType('exam'), also, called: 'held back' });
  if (!failure) tellMailed(context, { ...plan, steps: plan.steps.filter(({ body }) => setsTimes(body)) });
  const all = await rowsOf(context, lines, ended);
  const rows = context.format === 'id' ? all.filter(({ action }) => ['create', 'update', 'unchanged'].includes(String(action))) : all;
  const end = failure ? { failure } : { advice: undoAdvice(context, ended) };
  return { kind: 'list', rows, columns: context.columns, id: 'exam', ...end };
}

async function rowsOf(context: Context, lines: readonly PlannedLine[], ended?: Ended): Promise<Row[]> {
  const client = await context.client();
  return lines.map(({ line, action, exam, changes, steps, first, error, notes }): Row => {
    const items = ended?.items.slice(first, first + steps.length) ?? [];
    const bad = items.filter(({ state }) => state !== 'done');
    const id = exam?.id ?? items.find(({ step }) => step.operation.id === operations.createExam.id)?.id;
    const failed = firstLines([...new Set(bad.map((item) => outcomeOf(item, '').reason ?? ''))], (text) => sentence`${text}`);
    const reasons = [...(error ? [error.message] : []), ...failed, ...notes];
    return {
      ...{ line: line.line, exam: client.shownAs('exam', id), name: line.name ?? exam?.name ?? null },
      action: bad.some(isUnknown) ? 'unknown' : bad.length > 0 ? 'failed' : action,
      ...{ changes, reason: reasons.join(' ') || null },
    };
  });
}

/** The plan, a line each: "line 4  update     exam 24, Algebra: end time 2027-02-08 11:00 +01:00 → 2027-02-08 12:00 +01:00". */
function tellPlan({ say, zone }: Context, { lines, steps }: TimetablePlan): void {
  // Where nothing is sent, the error says what is held back.
  const told = lines.filter(({ action, error }) => action !== 'unchanged' && (steps.length > 0 || !error));
  const width = Math.max(...told.map(({ line }) => line.place.length));
  const inWords = ({ line, action, exam, changes, error, notes }: PlannedLine): Sentence => {
    const which = [exam && `exam ${exam.id}`, line.name ?? exam?.name].filter(Boolean).join(', ');
    const values = changes.length === 0 ? [] : [cell(changes, 'changes', zone())];
    const why = error ? [error.message.replace(`${line.place}: `, '').replace(/\.$/, '')] : [...values, ...notes];
    return sentence`${line.place.padEnd(width)}  ${action.padEnd(9)}  ${which}: ${why.join('; ')}`;
  };
  for (const text of firstLines(told, inWords)) say(text);
  const deleted = steps.filter(({ last }) => last);
  for (const text of firstLines(deleted, ({ exam, email, number }) => sentence`Will delete from exam ${exam}: ${email ?? number}`))
    say(text);
}
