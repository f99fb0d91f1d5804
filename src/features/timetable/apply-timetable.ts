/** `exams apply`: the exams of the service follow a timetable, as one run; a second one changes nothing. */
import { dirname } from 'node:path';
import type { Client } from '../../api/client.ts';
import { type Operation, operations } from '../../api/operations.ts';
import type { Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { setsTimes } from '../../model/fields.ts';
import { cell } from '../../output/cell.ts';
import { looksDamaged } from '../../roster/roster-fields.ts';
import {
  bodyOf,
  created,
  type Ended,
  type Engine,
  executePlan,
  isUnknown,
  type LockScope,
  mayAsk,
  nothingSent,
  operationOf,
  type Step,
} from '../../runs/index.ts';
import { count, firstLines, inLines, largest, quote, type Sentence, sentence } from '../../text/sentence.ts';
import { failureOf, type Wording } from '../crud/failure.ts';
import { outcomeCells, undoAdvice } from '../crud/results.ts';
import { isSurplus } from '../students/plan-students.ts';
import { warnOfDamage } from '../students/student-lines.ts';
import { refuseProblems, type TableReading, typedAgain } from '../table-input/read-table.ts';
import { tellChanges, tellMailed } from '../times/change-times.ts';
import { allExams, decidedLines, identify } from './identify.ts';
import { type PlannedExam, planTimetable, proctorColumn, type TimetablePlan, withoutRunning } from './plan-timetable.ts';
import { type ExamLine, readTimetable, type Timetable } from './read-timetable.ts';

type TimetableRequest = {
  file: string;
  reading: TableReading;
  institute: string | undefined;
  removeMissing: number | undefined;
  check: boolean | undefined;
};

export async function applyTimetable(context: Context, request: TimetableRequest): Promise<Result> {
  const { file, reading, institute, removeMissing, check = false } = request;
  const timetable = await readTimetable(context, file, reading);
  const { rosters } = timetable;
  refuseProblems(context, timetable.table);
  tellDamaged(context, timetable);
  // The embedded service knows its institute once it has been started.
  await context.client();
  const planning = { folder: dirname(file), poolChange: proctorColumn(context, institute), rosters, removeMissing, check };
  // Before the run: nothing is locked while a question is open.
  const lines = check || !mayAsk(context) ? timetable.lines : await decidedLines(context, timetable.lines);
  let current: TimetablePlan = { steps: [], lines: [] };
  let places: readonly LockScope[] | undefined;
  return executePlan(context, {
    kind: 'exams apply',
    // One apply of a service at a time, whatever its file.
    identity: 'a timetable',
    async locks(engine) {
      if (!check) places ??= await timetableLocks(engine, lines);
      return places ?? [];
    },
    async plan(engine) {
      current = await planTimetable(engine, lines, planning);
      refuseProblems(context, timetable.table);
      return current;
    },
    holdBack(_, running) {
      current = withoutRunning(current, running);
      return current;
    },
    check: check ? () => timetableCheck(context, timetable, current) : undefined,
    tell: () => tellTimetable(context, current),
    question: () => timetableQuestion(current, timetable),
    async dryRun({ steps }, requests) {
      const ofLines = steps.length > 0 ? undefined : failureOf(nothingSent, heldBackWording(await context.client(), current));
      return { ...requests, failure: requests.failure ?? ofLines };
    },
    async result(ended) {
      await timetable.keepAnswers();
      return timetableResult(context, ended, current);
    },
  });
}

/** Students only by their lines: the plan of a timetable has nobody by name. */
function tellDamaged(context: Context, { lines, rosters }: Timetable): void {
  const exams = lines.flatMap(({ name = '', place }) => (looksDamaged(name) ? sentence`${quote(name)} (${place})` : []));
  const files = [...rosters].map(([file, { students }]) => ({ lines: students, shown: (line: number) => sentence`${file}, line ${line}` }));
  warnOfDamage(context, files, exams);
}

async function timetableCheck(context: Context, { keepAnswers }: Timetable, { lines, refused }: TimetablePlan): Promise<Result> {
  if (refused) throw refused;
  await keepAnswers();
  const open = lines.filter(({ action }) => action !== 'unchanged');
  const what = sentence`The exams do not follow the timetable: ${open.length} of ${count(lines.length, 'line')}.`;
  const apply = open.some(({ steps }) => steps.length > 0) ? [sentence`Apply it with: proctor-cli ${typedAgain(context)}`] : [];
  // What no apply repairs has its own way on.
  const others = new Set(open.flatMap(({ error }) => error?.hint ?? []));
  const hint = inLines([...apply, ...firstLines([...others], (each) => sentence`${each}`)]);
  const failure = open.length > 0 ? new CliError('differences', what, { hint }) : undefined;
  const rows = await timetableRows(context, lines);
  return { kind: 'list', rows, columns: context.columns, id: 'exam', failure };
}

async function timetableLocks({ client, host }: Engine, lines: readonly ExamLine[]): Promise<LockScope[]> {
  const found = identify(lines, await allExams(client), host.now());
  const ids = lines.flatMap((line) => found.get(line)?.exam?.id ?? line.id ?? []);
  return ['exams', ...ids.flatMap((id): LockScope[] => [`exam ${id}`, `students ${id}`])];
}

function timetableQuestion({ lines, steps }: TimetablePlan, { table }: Timetable): Sentence {
  const all = (...actions: PlannedExam['action'][]) => lines.filter(({ action }) => actions.includes(action));
  const of = (operation: Operation) => steps.filter((step) => operationOf(step) === operation);
  const proctors = (operation: Operation) => of(operation).flatMap((step) => ('proctors' in step ? step.proctors : [])).length;
  const isChanged = ({ changes }: PlannedExam) => changes.some(({ field }) => field !== 'students');
  const counts: [number, string, string][] = [
    [all('create').length, 'create', 'exam'],
    [all('update').filter(isChanged).length, 'change', 'exam'],
    [steps.filter(movesAlong).length, 'move along', 'window'],
    [of(operations.createSession).length, 'add', 'student'],
    [of(operations.deleteSession).length, 'delete', 'student'],
    [proctors(operations.addProctors), 'add', 'proctor'],
    [proctors(operations.removeProctors), 'remove', 'proctor'],
  ];
  const words = counts.map(([number, verb, noun]) => (number > 0 ? `${verb} ${count(number, noun)}` : ''));
  const held = all('held back', 'unknown').length;
  if (held > 0) words.push(`${count(held, 'line')} held back`);
  return sentence`Apply ${table.table.name}, ${table.used}: ${words.filter(Boolean).join(', ')}`;
}

/** The window of a student, which depends on the times of the exam. */
function movesAlong(step: Step): boolean {
  return operationOf(step) === operations.patchSession && Object.keys(step.requires.exam).length > 0;
}

function heldBackWording(client: Client, { lines }: TimetablePlan): Wording {
  const also = lines.flatMap(({ line, error }) => (error ? [{ id: line.place, error }] : []));
  const isDifferent = lines.some(({ error, action }) => error?.code === 'different' && action !== 'held back');
  const called = isDifferent ? 'held back or different' : 'held back';
  return { did: 'done', idType: client.idType('exam'), also, called };
}

async function timetableResult(context: Context, ended: Ended, plan: TimetablePlan): Promise<Result> {
  const { lines, steps } = plan;
  const failure = failureOf(ended, heldBackWording(await context.client(), plan));
  if (!failure) tellMailed(context, { ...plan, steps: steps.filter((step) => setsTimes(bodyOf(step))) });
  const all = await timetableRows(context, lines, ended);
  const isAsListed = ({ action }: Row) => ['create', 'update', 'unchanged'].includes(String(action));
  const rows = context.format === 'id' ? all.filter(isAsListed) : all;
  const end = failure ? { failure } : { advice: undoAdvice(context, ended) };
  return { kind: 'list', rows, columns: context.columns, id: 'exam', ...end };
}

async function timetableRows(context: Context, lines: readonly PlannedExam[], ended?: Ended): Promise<Row[]> {
  const client = await context.client();
  const executions = new Map(ended?.items.map((execution) => [execution.step.number, execution]));
  return lines.map(({ line, action, exam, changes, steps, error, notes }): Row => {
    const items = steps.flatMap(({ number }) => executions.get(number) ?? []);
    const bad = items.filter(({ state }) => state !== 'done');
    const id = exam?.id ?? items.find(({ step }) => created(step) === 'exam')?.id;
    const outcomes = new Set(bad.map((item) => outcomeCells(item, '').reason ?? ''));
    const failed = firstLines([...outcomes], (text) => sentence`${text}`);
    const outcome = bad.some(isUnknown) ? 'unknown' : 'failed';
    return {
      line: line.line,
      exam: client.shownAs('exam', id),
      name: line.name ?? exam?.name ?? null,
      action: bad.length > 0 ? outcome : action,
      changes,
      reason: [error?.message ?? [], failed, bad.length > 0 ? [] : notes].flat().join(' ') || null,
    };
  });
}

/** "line 4  update     exam 24, Algebra: end time … → …". */
function tellTimetable(context: Context, { lines, steps }: TimetablePlan): void {
  const { say, zone } = context;
  // Where nothing is sent, the error says what is held back.
  const told = lines.filter(({ action, error, notes }) => (action !== 'unchanged' || notes.length > 0) && (steps.length > 0 || !error));
  const width = largest(told.map(({ line }) => line.place.length));
  const inWords = ({ line, action, exam, changes, error, notes, steps: own }: PlannedExam): Sentence => {
    const which = [exam && `exam ${exam.id}`, line.name ?? exam?.name].filter(Boolean).join(', ');
    const values = changes.length === 0 ? [] : [cell(changes, 'changes', zone())];
    const held = error?.message.replace(`${line.place}: `, '').replace(/\.$/, '');
    const why = own.length === 0 && held ? held : [...values, ...notes, held ?? []].flat().join('; ');
    return sentence`${line.place.padEnd(width)}  ${action.padEnd(9)}  ${which}: ${why}`;
  };
  const deleted = steps.filter(isSurplus);
  const who = (step: Step) => {
    const { email, number } = step.student;
    return sentence`Will delete from exam ${typeof step.exam === 'string' ? step.exam : ''}: ${email ?? number}`;
  };
  for (const text of firstLines(told, inWords)) say(text);
  tellChanges(context, steps.filter(movesAlong), true);
  for (const text of firstLines(deleted, who)) say(text);
}
