/** What is done for each line of a file with students. */

import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { CliError } from '../../errors.ts';
import { type Change, compared } from '../../model/compare.ts';
import { firstInLine, students } from '../../model/count.ts';
import { refusal, ruleOf, settable } from '../../model/fields.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { type Listed, numberIn, type Reading } from '../../model/listing.ts';
import { phaseOf } from '../../model/status.ts';
import { instantOf } from '../../model/time.ts';
import { type ExistingRecords, existingSessions, readOne, type Step, type World } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { replacedBy } from '../times/exam-change.ts';

/** `fields`: what is sent beside the address, the number included. */
export type StudentLine = {
  line: number;
  exam: string;
  email?: string | undefined;
  number?: string | undefined;
  fields: JsonObject;
};

/** `more`: closes later than in the file, and stays so. `unknown`: sent, with an unknown outcome. */
export type Action = 'create' | 'update' | 'unchanged' | 'more' | 'different' | 'duplicate' | 'unknown';

/** `changes`: what an update sets, or what is different. `left`: what an update cannot set. */
type Decision = {
  action: Action;
  changes: readonly Change[];
  left: readonly Change[];
  notShown: readonly string[];
};

export type PlannedLine = Decision & {
  line: StudentLine;
  found: readonly Listed[];
  step?: number;
  /** The run whose request has an unknown outcome. */
  run?: string | undefined;
};

export type StudentPlan = {
  lines: readonly PlannedLine[];
  steps: readonly Step[];
  readings: ReadonlyMap<string, Reading>;
  looked: readonly ExistingRecords[];
  missing: readonly { exam: string; student: Listed }[];
  /** More would be deleted than may be. */
  refused: CliError | undefined;
};

/** `update`: who is there gets what differs. `removeMissing`: deletions that an exam allows. */
type PlanOptions = { update: boolean; removeMissing?: number | undefined };

/** The exam, or the step that creates it. */
type Where = Pick<Step, 'params' | 'exam' | 'made' | 'expectsExam' | 'isAnother'>;

/** `first`: the index of its first step. Throws `list_in_doubt` where a list hides who is there. */
export async function planStudents(world: World, all: readonly StudentLine[], options: PlanOptions, first = 0): Promise<StudentPlan> {
  const { pacer, dialect } = world.client;
  const byExam = [...Map.groupBy(all, ({ exam }) => exam)];
  const exams = await pacer.map(byExam, async ([exam, ofExam]) => {
    const roll = await existingSessions(world, exam);
    const planned = await plannedIn(world, roll, ofExam, options);
    refuseHidden(roll.reading, planned);
    return { roll, planned };
  });
  const lines: PlannedLine[] = [];
  const steps: Step[] = [];
  const missing: StudentPlan['missing'][number][] = [];
  const deleted: Step[] = [];
  let refused: CliError | undefined;
  for (const { roll, planned } of exams) {
    const { exam, sessions } = roll.reading;
    for (const one of planned) {
      const own = stepsOf(one, roll.reading, first + steps.length);
      lines.push(own.length > 0 ? { ...one, step: steps.length } : one);
      steps.push(...own);
    }
    const inFile = new Set(planned.flatMap(({ found }) => found.map(({ id }) => id)));
    const lacking = sessions.filter(({ id }) => !inFile.has(id));
    missing.push(...lacking.map((student) => ({ exam, student })));
    const most = options.removeMissing;
    // Anybody may be the student of a create whose outcome is unknown.
    if (most === undefined || planned.some(({ action }) => action === 'unknown')) continue;
    const surplus = deletions(exam, lacking, dialect);
    if (surplus.length > most) refused ??= tooMany(exam, surplus.length, most);
    deleted.push(...surplus);
  }
  if (!refused) steps.push(...deleted);
  return {
    lines,
    steps,
    readings: new Map(exams.map(({ roll: { reading } }) => [reading.exam, reading])),
    looked: exams.map(({ roll }) => roll),
    missing,
    refused,
  };
}

async function plannedIn(
  world: World,
  roll: ExistingRecords,
  lines: readonly StudentLine[],
  { update }: PlanOptions,
): Promise<PlannedLine[]> {
  const hasCloses = lines.some(({ fields }) => fields.close_time !== undefined);
  const exam = hasCloses ? await readOne(world, 'exam', roll.reading.exam, 2_000) : undefined;
  const examEnds = exam?.data.end_time ?? null;
  const { pacer } = world.client;
  const recorded = await pacer.map(lines, async (line) => (roll.reading.of(line).length > 0 ? undefined : roll.of(line)));
  // The session of a line may be stored under the address of another one.
  const taken = new Set(recorded.flatMap((each) => each?.id ?? []));
  const rows = lines.map((line, at) => ({ line, own: recorded[at] }));
  return pacer.map(rows, async ({ line, own }): Promise<PlannedLine> => {
    const found = own ? [own] : sessionsOf(roll, line, taken);
    const planned = { line, found: await withTimes(world, found, line), changes: [], left: [], notShown: [] };
    const [student, ...others] = planned.found;
    if (!student) {
      const run = roll.unknown(line);
      return { ...planned, action: run === undefined ? 'create' : 'unknown', run };
    }
    if (others.length > 0) return { ...planned, action: 'duplicate' };
    const { id } = student;
    const isSet = ({ field, from: before }: Change) => {
      if (id === undefined || refusal('session', 'update', field)) return false;
      // A run from here created the session, and did not come to set its open time.
      return update || (field === 'open_time' && before === null && roll.missingOpenTime.has(id));
    };
    return { ...planned, ...decisionOn(line, student, examEnds, isSet) };
  });
}

function sessionsOf({ reading }: ExistingRecords, line: StudentLine, taken: ReadonlySet<string>): readonly Listed[] {
  const listed = reading.of(line);
  if (listed.length > 0) return listed.filter(({ id }) => id === undefined || !taken.has(id));
  // Who had no address until now is known by the number.
  return reading.of({ number: line.number }).filter(({ data }) => !data.email);
}

async function withTimes(world: World, found: readonly Listed[], { fields }: StudentLine): Promise<readonly Listed[]> {
  const [session] = found;
  if (found.length !== 1 || session?.id === undefined) return found;
  const times = Object.keys(fields).filter((field) => ruleOf('session', field)?.type === 'time');
  if (times.every((field) => Object.hasOwn(session.data, field))) return found;
  // A time that only a list leaves out may be set.
  const shown = await readOne(world, 'session', session.id);
  return [{ ...session, data: { ...session.data, ...shown?.data } }];
}

function decisionOn(line: StudentLine, { email, data }: Listed, examEnds: Json, isSet: (change: Change) => boolean): Decision {
  const { email: to, fields } = line;
  const { changes, notShown } = compared('session', fields, data);
  if (to !== undefined && !email) changes.unshift({ field: 'email', from: null, to });
  const more = changes.filter((change) => isMore(change, examEnds));
  const different = changes.filter((change) => !more.includes(change));
  const set = different.filter(isSet);
  const left = different.filter((change) => !set.includes(change));
  if (set.length > 0) return { action: 'update', changes: set, left, notShown };
  if (left.length > 0) return { action: 'different', changes: left, left: [], notShown };
  return { action: more.length > 0 ? 'more' : 'unchanged', changes: more, left: [], notShown };
}

/** A later close time stays, also where it is the exam's end. */
function isMore({ field, from, to }: Change, examEnds: Json): boolean {
  const [is, wanted] = [instantOf(from ?? examEnds), instantOf(to)];
  return field === 'close_time' && is !== undefined && wanted !== undefined && is > wanted;
}

/** Throws where a student of the exam may be one that would be created. */
function refuseHidden(reading: Reading, lines: readonly PlannedLine[]): void {
  const created = lines.filter(({ action }) => action === 'create');
  const doubtful = created.filter(({ line }) => reading.hiding(line).length > 0);
  if (doubtful.length === 0) return;
  const who = firstInLine(doubtful, ({ line }) => `line ${line.line}`, 5);
  const hidden = sentence`The list of exam ${reading.exam} does not show who some of its students are`;
  const what = sentence`${hidden}: they may be those of ${who}. Nothing was sent.`;
  throw new CliError('list_in_doubt', what, {
    hint: 'Use a token that may read addresses, or name the field with the number: proctor-cli config set dialect.sessionNumberKey FIELD',
  });
}

function stepsOf({ line, action, found: [student], changes }: PlannedLine, reading: Reading, at: number): Step[] {
  const { exam, number } = line;
  // Who is listed under the address all the same is the student of another line.
  const isAnother = reading.of(line).length > 0 || undefined;
  if (action === 'create') return studentSteps(line, { params: { exam_id: exam }, exam, isAnother }, at);
  if (action !== 'update' || student?.id === undefined) return [];
  const { id, email } = student;
  const body = Object.fromEntries(changes.map(({ field, to }) => [field, to]));
  const expects = Object.fromEntries(changes.map(({ field, from }) => [field, from]));
  const step: Step = {
    operation: operations.patchSession,
    params: { id },
    exam,
    body,
    expects,
    email,
    number,
    line: line.line,
  };
  return [step];
}

type NewStudent = Pick<StudentLine, 'email' | 'number' | 'fields'> & Pick<Step, 'line'>;

/** The POST, and a PATCH of what it cannot set (specification 4.5). `at`: the index of the POST. */
export function studentSteps({ line, email, number, fields }: NewStudent, where: Where, at: number): Step[] {
  const { open_time, ...others } = fields;
  const body = email === undefined ? others : { email, ...others };
  const create: Step = {
    ...where,
    operation: operations.createSession,
    body,
    email,
    number,
    line,
  };
  if (open_time === undefined) return [create];
  const opening: Step = {
    ...create,
    operation: operations.patchSession,
    params: {},
    made: { param: 'id', by: at },
    body: { open_time },
    before: { open_time: null },
  };
  return [create, opening];
}

/** Who has started, or has neither address nor number, stays. */
function deletions(exam: string, lacking: readonly Listed[], dialect: Client['dialect']): Step[] {
  return lacking.flatMap(({ id, email, data }): Step | [] => {
    const number = numberIn(data, dialect.sessionNumberKey);
    const isKnown = (email ?? number) !== undefined;
    if (id === undefined || !isKnown || phaseOf(data.status) !== 'waiting') return [];
    return {
      operation: operations.deleteSession,
      params: { id },
      exam,
      email,
      number,
      expects: replacedBy([...settable('session', dialect), 'status'], data),
      last: true,
    };
  });
}

function tooMany(exam: string, surplus: number, most: number): CliError {
  const lacks = sentence`The file lacks ${students(surplus)} of exam ${exam}`;
  const what = sentence`${lacks}, and --remove-missing allows ${most}. Nothing was sent.`;
  const hint = sentence`If the file is right, allow them: --remove-missing ${surplus}`;
  return new CliError('invalid_input', what, { hint });
}
