/** What an apply does for each line. No exam is ever deleted. */
import { resolve } from 'node:path';
import { wholeRecord } from '../../api/reading.ts';
import type { Context } from '../../command.ts';
import { CliError, expected, orElse } from '../../errors.ts';
import { compared, type FieldChange } from '../../model/compare.ts';
import { restrictionKeys, restrictionsOf } from '../../model/fields.ts';
import { addressKey, type Listing, type Reading } from '../../model/listing.ts';
import { poolBody, proctorsIn } from '../../model/pool.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { phaseOf } from '../../model/status.ts';
import { showTime } from '../../model/time.ts';
import { movedTimes } from '../../model/typed-time.ts';
import { looksDamaged } from '../../roster/roster-fields.ts';
import {
  addStudent,
  createUnknown,
  type Engine,
  existingIn,
  type Plan,
  type Ref,
  type Refused,
  type Step,
  StepList,
  serviceNow,
  shortList,
  targetOf,
} from '../../runs/index.ts';
import { firstInLine, type Sentence, sentence, students } from '../../text/sentence.ts';
import { type SelectedExam, selectedExam } from '../exam-selection.ts';
import { studentsOf } from '../exam-students.ts';
import { meantBy, type Proctor, poolOf, proctorFinder } from '../proctors.ts';
import { withoutAddress } from '../students/import-output.ts';
import { isKnownByRunsOnly, isSurplus, planStudents } from '../students/plan-students.ts';
import { examChange, laterEnd, stillOver } from '../times/exam-change.ts';
import { heldBackLine, identify } from './identify.ts';
import type { Roster } from './read-rosters.ts';
import type { ExamLine } from './read-timetable.ts';

export type PlannedExam = {
  line: ExamLine;
  /** `unknown`: a run has sent it, or a student of it, with an unknown outcome. `different`: a student has other values. */
  action: 'create' | 'update' | 'unchanged' | 'different' | 'held back' | 'unknown';
  exam: SelectedExam | undefined;
  /** A change of `proctors` says who they are, one of `students` how many. */
  changes: readonly FieldChange[];
  steps: readonly Step[];
  error: CliError | undefined;
  notes: readonly Sentence[];
};

export type TimetablePlan = Plan & { lines: readonly PlannedExam[] };

/** `rosters`: by file, of this folder. */
export type Planning = {
  folder: string;
  poolChange: ProctorColumn;
  rosters: ReadonlyMap<string, Roster>;
  removeMissing: number | undefined;
  /** With --check, students whom a roster lacks are a difference. */
  check: boolean;
};

/** What the rosters add to the plan. */
type RosterPlanning = Planning & {
  engine: Engine;
  readings: Map<string, Reading>;
  existing: { wasThere: readonly string[]; reading: Listing }[];
  refused: CliError | undefined;
};

export async function planTimetable(engine: Engine, lines: readonly ExamLine[], planning: Planning): Promise<TimetablePlan> {
  const { client } = engine;
  const recorded = await existingIn(engine, undefined);
  const looking: RosterPlanning = { ...planning, engine, readings: new Map(), existing: [recorded], refused: undefined };
  const all = recorded.reading.all.map(({ data }) => selectedExam(data, client));
  const found = identify(lines, all, engine.host.now(), ({ problem }, ...why) => problem(undefined, ...why));
  const planned = await client.pacer.map(lines, async (line): Promise<PlannedExam> => {
    const { exam, held } = found.get(line) ?? {};
    if (exam) return updateOf(looking, line, exam);
    // Of an ID that is not listed, the list may be short.
    if (held && line.id !== undefined && (await orElse(engine.reads.record('exam', line.id), () => undefined, 'rejected')))
      throw shortList(undefined, line.id);
    if (held) return idle(line, 'held back', held);
    const unlisted = await recorded.find({ body: line.wanted });
    if (unlisted) return updateOf(looking, line, selectedExam(unlisted.data, client));
    const run = recorded.unknown({ body: line.wanted });
    return run === undefined ? createOf(looking, line) : idle(line, 'unknown', createUnknown(run, `the exam of ${line.place}`));
  });
  // A student whom one roster lacks may be in the roster of a line that is not carried out: nobody is deleted.
  const isPart = planned.some(({ line, action }) => line.roster !== undefined && ['unknown', 'held back'].includes(action));
  if (isPart && planning.removeMissing !== undefined) return planTimetable(engine, lines, { ...planning, removeMissing: undefined });
  const { readings, existing, refused } = looking;
  const list = new StepList();
  const placed = planned.map((each): PlannedExam => {
    const { line } = each.line;
    return { ...each, steps: list.append(each.steps.map((step) => ({ line, ...step }))) };
  });
  return { readings, existing, refused, steps: list.all, lines: placed };
}

export function withoutRunning({ lines, steps: _, ...rest }: TimetablePlan, running: readonly Refused[]): TimetablePlan {
  const refused = new Map(running.map((each) => [each.exam, each]));
  const refusalOf = ({ exam, steps }: PlannedExam) => (steps.length === 0 ? undefined : refused.get(exam?.id ?? ''));
  // A student whom another roster lacks may be in the roster of such a line.
  const isPart = lines.some((planned) => planned.line.roster !== undefined && refusalOf(planned) !== undefined);
  const kept = lines.map((planned) => {
    const { line, exam, changes, steps } = planned;
    const lacking =
      isPart && steps.some(isSurplus) ? 'A student whom its roster lacks may be in the roster of a line whose exam is running.' : undefined;
    const says = refusalOf(planned)?.says ?? lacking;
    if (says === undefined) return planned;
    const what = sentence`${says} Nothing was sent for ${line.place}.`;
    return { ...idle(line, 'held back', new CliError('exam_running', what), exam), changes };
  });
  return { ...rest, lines: kept, steps: kept.flatMap((planned) => planned.steps) };
}

function idle(line: ExamLine, action: PlannedExam['action'], error?: CliError, exam?: SelectedExam): PlannedExam {
  return { line, action, exam, changes: [], steps: [], error, notes: [] };
}

async function createOf({ poolChange, rosters, engine: { client } }: RosterPlanning, line: ExamLine): Promise<PlannedExam> {
  const pool = await poolChange(line, []);
  const { students: roster = [] } = rosters.get(line.roster ?? '') ?? {};
  const steps = new StepList();
  const exam = { createdBy: steps.add({ kind: 'create exam', exam: undefined, body: line.wanted, isAnother: false }) };
  if (pool) addPoolSteps(steps, pool, exam, client);
  for (const { email, number, fields, line: of } of roster) addStudent(steps, { student: { email, number }, fields, line: of }, { exam });
  const { [client.dialect.examNameKey]: _, ...values } = line.wanted;
  if (pool) values.proctors = [...pool.to];
  if (roster.length > 0) values.students = roster.length;
  const changes = Object.entries(values).map(([field, to]) => ({ field, from: null, to }));
  return { ...idle(line, 'create'), changes, steps: steps.all };
}

async function updateOf(looking: RosterPlanning, line: ExamLine, listed: SelectedExam): Promise<PlannedExam> {
  const { poolChange, engine, readings } = looking;
  const { client } = engine;
  const { id } = listed;
  const shown = await wholeRecord(client, 'exam', id, listed.shown, Object.keys(line.wanted));
  const exam = selectedExam(shown, client);
  const { changes, notShown } = compared('exam', line.wanted, shown);
  const wanted = Object.fromEntries(changes.map(({ field, to }) => [field, to]));
  // The table has all four or none, and an update that leaves one out resets it.
  if (restrictionKeys.some((key) => key in wanted)) Object.assign(wanted, restrictionsOf(line.wanted));
  const moved = movedTimes(wanted, shown);
  const held = (error: CliError) => ({ ...idle(line, 'held back', error, exam), changes });
  const begun = whyNotMoved(engine, exam, moved);
  if (begun !== undefined) return held(heldBackLine(line, begun));
  if (client.dialect.examNameKey in wanted && looksDamaged(line.name ?? '')) return held(heldBackLine(line, 'its name looks damaged'));
  const reading = moved.length > 0 ? await studentsOf(engine, id) : undefined;
  if (reading) readings.set(id, reading);
  const steps = new StepList();
  const now = serviceNow(engine);
  try {
    const { timeFormat } = client.dialect;
    const kept = Object.keys(line.wanted).filter((field) => !Object.hasOwn(wanted, field) && Object.hasOwn(shown, field));
    examChange({ id, shown, reading, wanted, kept, put: false, zone: engine.zone, timeFormat, now }, steps);
  } catch (error) {
    const { message, hint } = expected(error, 'invalid_input');
    return held(new CliError('different', sentence`${line.place}: ${message}`, { hint }));
  }
  const over = stillOver(reading ? [reading] : [], steps.all, laterEnd(wanted, shown), now);
  const pool = line.proctors && (await poolChange(line, await poolOf(engine, id)));
  if (pool) {
    addPoolSteps(steps, pool, id, client);
    changes.push({ field: 'proctors', from: [...pool.from], to: [...pool.to] });
  }
  const roster = await rosterOf(looking, line, id, steps);
  const { all } = steps;
  const isUnknown = roster.error?.code === 'outcome_unknown';
  const rest = roster.error ? 'different' : 'unchanged';
  const action = isUnknown ? 'unknown' : all.length > 0 ? 'update' : rest;
  const unseen = notShown.length > 0 ? [sentence`not shown: ${notShown.join(', ')}`] : [];
  const notes = [...unseen, ...over, ...roster.notes];
  return { ...idle(line, action, roster.error, exam), changes: [...changes, ...roster.changes], steps: all, notes };
}

/** Students took it: the next term's timetable may have the IDs of this one. */
function whyNotMoved(engine: Engine, { id, start = Infinity, end = Infinity }: SelectedExam, moved: readonly string[]) {
  const now = serviceNow(engine);
  const isTaken = start <= now && (moved.includes('start_time') || (end <= now && moved.length > 0));
  if (!isTaken) return undefined;
  return `exam ${id} started at ${showTime(start / 1000, engine.zone)}, and is not moved: clear the id for an exam of its own`;
}

type RosterPlan = Pick<PlannedExam, 'changes' | 'notes' | 'error'>;

async function rosterOf(looking: RosterPlanning, line: ExamLine, exam: string, steps: StepList): Promise<RosterPlan> {
  const { engine, folder, rosters, removeMissing, check, readings } = looking;
  const roster = rosters.get(line.roster ?? '');
  if (!roster) return { changes: [], notes: [], error: undefined };
  const ofExam = roster.students.map((student) => ({ ...student, exam }));
  const plan = await planStudents(engine, ofExam, { update: false, removeMissing, steps });
  const { lines, notInFile } = plan;
  const [reading] = plan.readings.values();
  const from = reading?.all.length ?? 0;
  if (reading) readings.set(exam, reading);
  looking.existing.push(...plan.existing);
  looking.refused ??= plan.refused;
  const number = (action: string) => lines.filter((each) => each.action === action).length;
  const added = number('create');
  const gone = new Set(steps.all.filter(isSurplus).map(targetOf));
  const removed = gone.size;
  const kept = notInFile.filter(({ student: { id = '' } }) => !gone.has(id)).map(({ student }) => student);
  // Students who stay although --remove-missing was to delete them are named.
  const names = removeMissing === undefined ? '' : ` (${firstInLine(kept, ({ email, id = '' }) => email ?? `session ${id}`, 5)})`;
  const said = [
    [removed, 'not in the roster, and deleted'],
    [kept.length, `not in the roster, and kept${names}`],
    [number('update'), 'given the open time that an earlier run did not set'],
  ] as const;
  const hidden = lines.filter(isKnownByRunsOnly).length;
  const [different, duplicate] = [number('different') - hidden, number('duplicate')];
  const extra = notInFile.filter(({ student: { data } }) => phaseOf(data.status) === 'waiting').length - removed;
  const wrong = [
    different > 0 ? `${students(different)} kept with other values than the roster has` : [],
    hidden > 0 ? `${students(hidden)} known only from recorded runs: the service does not show who they are` : [],
    duplicate > 0 ? `${students(duplicate)} in the exam more than once` : [],
    check && extra > 0 ? `${students(extra)} in the exam, and not in the roster` : [],
  ].flat();
  const unmailed = withoutAddress(lines);
  const run = lines.find(({ action }) => action === 'unknown')?.run;
  const unlike = wrong.length > 0 ? rosterError(line, wrong, exam, { folder, options: roster.options }) : undefined;
  return {
    changes: added + removed > 0 ? [{ field: 'students', from, to: from + added - removed }] : [],
    notes: [...said.flatMap(([of, what]) => (of > 0 ? [sentence`${students(of)} ${what}`] : [])), unmailed ?? []].flat(),
    error: run === undefined ? unlike : createUnknown(run, `a student of ${line.place}`),
  };
}

/** The error for students who keep other values than the roster has: the exam does not follow it. */
function rosterError(
  { place, roster = '' }: ExamLine,
  wrong: readonly string[],
  exam: string,
  file: Pick<Planning, 'folder'> & Pick<Roster, 'options'>,
): CliError {
  const check = typedCommand('sessions import', [resolve(file.folder, roster)], typedOption('--exam', exam), ...file.options, '--check');
  const hint = sentence`See them: proctor-cli ${check}`;
  return new CliError('different', sentence`${place}: ${wrong.join(', ')}.`, { hint });
}

type PoolChange = { from: readonly string[]; to: readonly string[] };

/** Undefined if the pool stays as it is. A proctor who is not found is a problem of the line. */
type ProctorColumn = (line: ExamLine, pool: readonly Proctor[]) => Promise<PoolChange | undefined>;

/** Reads the column of proctors. Those whom the pool already shows are not looked up among the users. */
export function proctorColumn(context: Context, institute: string | undefined): ProctorColumn {
  const named = proctorFinder(context, institute);
  return async ({ proctors, problem }, pool) => {
    if (proctors === undefined) return undefined;
    // A name that two of the pool share is looked up, and refused.
    const shown = (text: string) => {
      const found = meantBy(text, pool);
      const [one] = found.length === 1 ? found : found.filter(({ value }) => value === text);
      return one?.value;
    };
    const to = new Map<string, string>();
    for (const text of proctors) {
      try {
        const isElsewhere = meantBy(text, pool).length === 0 && pool.some(({ values }) => values.includes(addressKey(text)));
        if (isElsewhere) {
          const what = sentence`${text} is the ID of no proctor of the exam, but stands in another field of one.`;
          throw new CliError('invalid_input', what, { hint: 'Give the address of the proctor.' });
        }
        const value = shown(text) ?? (await named(text));
        to.set(addressKey(value), shown(value) ?? value);
      } catch (error) {
        const { message, hint } = expected(error, 'not_found', 'invalid_input');
        problem('proctors', message, hint);
      }
    }
    const from = pool.map(({ value }) => value);
    const isSame = from.length === to.size && from.every((value) => to.has(addressKey(value)));
    return isSame ? undefined : { from, to: [...to.values()] };
  };
}

/** The exam is never without proctors. */
function addPoolSteps(steps: StepList, { from, to }: PoolChange, exam: Ref, { dialect }: Engine['client']): void {
  const valuesOf = (who: readonly string[]) => proctorsIn(poolBody(who, dialect), dialect);
  const added = to.filter((each) => !from.includes(each));
  const removed = from.filter((each) => !to.includes(each));
  const before = added.length === 0 ? [] : [steps.add({ kind: 'change pool', exam, change: 'add', proctors: valuesOf(added) })];
  if (removed.length > 0) steps.add({ kind: 'change pool', exam, change: 'remove', proctors: valuesOf(removed), dependsOn: before });
}
