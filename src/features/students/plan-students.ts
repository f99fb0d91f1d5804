/**
 * What is done for each line of a file with students, decided from the line and from the students of its exam. Dry run, steps and result
 * share the decision, and nothing of it is kept: the next command decides anew.
 */
import { operations } from '../../api/operations.ts';
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import { type Change, compared } from '../../model/as-sent.ts';
import { firstInLine, students } from '../../model/count.ts';
import { refusal, ruleOf } from '../../model/fields.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { type Listed, numberIn, type Reading } from '../../model/listing.ts';
import { phaseOf, statusText } from '../../model/status.ts';
import { instantOf } from '../../model/time.ts';
import { type Roll, readOne, rollOf, type Step, type World } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';

/** A student of a file. `fields`: beside the address, as they are sent; the number is one of them, too. */
export type StudentLine = {
  line: number;
  exam: string;
  email?: string | undefined;
  number?: string | undefined;
  fields: JsonObject;
};

export const actions = ['create', 'update', 'unchanged', 'more', 'different', 'duplicate', 'unknown'] as const;
/** `more`: only closes later than in the file, and is left so. `unknown`: a run has sent this student, and what became of it is unknown. */
export type Action = (typeof actions)[number];

/** `changes`: what an update sets, or what is different. `left`: what an update cannot set. `notShown`: fields of which nothing is known. */
type Decision = { action: Action; changes: readonly Change[]; left: readonly Change[]; notShown: readonly string[] };

/** `step`: the index in the plan's own steps of what creates or updates the student; that of the open time follows a create. */
export type PlannedLine = Decision & {
  line: StudentLine;
  found: readonly Listed[];
  step?: number;
  /** The run that has sent it without an answer. */
  run?: string;
};

export type StudentPlan = {
  lines: readonly PlannedLine[];
  steps: readonly Step[];
  readings: ReadonlyMap<string, Reading>;
  looked: readonly Roll[];
  /** Students of the exams whom the file lacks. */
  missing: readonly { exam: string; student: Listed }[];
  /** More students are missing than may be deleted: none of the plan may be sent. */
  refused?: CliError;
};

/** `update`: who is there gets what differs. `removeMissing`: how many students of an exam may be deleted because the file lacks them. */
type PlanOptions = { update: boolean; removeMissing?: number | undefined };

/** Where a student is created: the exam, or the step that creates it. */
type Where = Pick<Step, 'params' | 'exam' | 'made' | 'expectsExam'>;

/** `first`: the index in the whole plan of the first of its steps. Throws `invalid_input` where a list hides who is there. */
export async function planStudents(world: World, all: readonly StudentLine[], options: PlanOptions, first = 0): Promise<StudentPlan> {
  const byExam = [...Map.groupBy(all, ({ exam }) => exam)];
  const rolls = await world.client.pacer.map(byExam, ([exam]) => rollOf(world, exam));
  const lines: PlannedLine[] = [];
  const steps: Step[] = [];
  const missing: StudentPlan['missing'][number][] = [];
  const surplus: Step[][] = [];
  for (const [at, [exam, ofExam]] of byExam.entries()) {
    const roll = rolls[at] as Roll;
    const planned = await plannedIn(world, roll, ofExam, options);
    refuseHidden(roll.reading, planned);
    for (const one of planned) {
      const own = stepsOf(one, first + steps.length);
      lines.push(own.length > 0 ? { ...one, step: steps.length } : one);
      steps.push(...own);
    }
    const inFile = new Set(planned.flatMap(({ found }) => found.map(({ id }) => id)));
    const lacking = roll.reading.sessions.filter(({ id }) => !inFile.has(id));
    missing.push(...lacking.map((student) => ({ exam, student })));
    // Anybody may be a student of whom it is unknown whether the service has created them.
    if (planned.every(({ action }) => action !== 'unknown')) surplus.push(deletions(exam, lacking, world.client.dialect.sessionNumberKey));
  }
  const plan = { lines, missing, looked: rolls, readings: new Map(rolls.map(({ reading }) => [reading.exam, reading])) };
  const { removeMissing: most } = options;
  if (most === undefined) return { ...plan, steps };
  const over = surplus.find((of) => of.length > most);
  return over ? { ...plan, steps, refused: tooMany(over, most) } : { ...plan, steps: [...steps, ...surplus.flat()] };
}

async function plannedIn(world: World, roll: Roll, lines: readonly StudentLine[], { update }: PlanOptions): Promise<PlannedLine[]> {
  const byAddress = new Map(lines.flatMap((line) => (line.email === undefined ? [] : [[addressKey(line.email), line]])));
  const closes = lines.some(({ fields }) => fields.close_time !== undefined);
  const examEnds = closes ? ((await readOne(world, 'exam', roll.reading.exam, 2_000))?.data.end_time ?? null) : null;
  return world.client.pacer.map(lines, async (line): Promise<PlannedLine> => {
    const found = await sessionsOf(world, roll, line);
    const planned = { line, found, changes: [], left: [], notShown: [] };
    const [student, ...others] = found;
    const run = student ? undefined : roll.unknown(line);
    if (run !== undefined) return { ...planned, action: 'unknown', run };
    if (!student || others.length > 0) return { ...planned, action: student ? 'duplicate' : 'create' };
    const { id, email: from = null } = student;
    // What was created for this line may be shown as the student of another one.
    const shownAs = byAddress.get(addressKey(from ?? line.email ?? '')) ?? line;
    if (shownAs !== line) return { ...planned, action: 'different', changes: [{ field: 'email', from, to: line.email ?? null }] };
    // A run from here created the session, and did not come to set its open time.
    const isOwed = ({ field, from: before }: Change) => field === 'open_time' && before === null && id !== undefined && roll.owed.has(id);
    const isSet = (change: Change) => id !== undefined && !refusal('session', 'update', change.field) && (update || isOwed(change));
    return { ...planned, ...decisionOn(line, student, examEnds, isSet) };
  });
}

/** Listed, or created from here and shown by its ID. Who was without an address until now is known by the number. */
async function sessionsOf(world: World, roll: Roll, line: StudentLine): Promise<readonly Listed[]> {
  const { email, number, fields } = line;
  const listed = roll.reading.of(line);
  const one = listed.length > 0 ? undefined : await roll.of(line);
  const unaddressed = email === undefined || number === undefined ? [] : roll.reading.of({ number }).filter(({ data }) => !data.email);
  const found = one ? [one] : listed.length > 0 ? listed : unaddressed;
  const [session] = found;
  const isWhole = (data: JsonObject) =>
    Object.keys(fields).every((field) => ruleOf('session', field)?.type !== 'time' || Object.hasOwn(data, field));
  if (found.length !== 1 || session?.id === undefined || isWhole(session.data)) return found;
  // A time that only a list leaves out may be set.
  const shown = await readOne(world, 'session', session.id);
  return [{ ...session, data: { ...session.data, ...shown?.data } }];
}

function decisionOn(line: StudentLine, { email, data }: Listed, examEnds: Json, isSet: (change: Change) => boolean): Decision {
  const { changes, notShown } = compared('session', line.fields, data);
  if (line.email !== undefined && !email) changes.unshift({ field: 'email', from: null, to: line.email });
  const more = changes.filter((change) => isMore(change, examEnds));
  const different = changes.filter((change) => !more.includes(change));
  const set = different.filter(isSet);
  if (different.length === 0) return { action: more.length > 0 ? 'more' : 'unchanged', changes: more, left: [], notShown };
  if (set.length === 0) return { action: 'different', changes: different, left: [], notShown };
  return { action: 'update', changes: set, left: different.filter((change) => !isSet(change)), notShown };
}

/** An import takes no time away: where a student closes later, or with an exam that ends later, that stays. */
function isMore({ field, from, to }: Change, examEnds: Json): boolean {
  const [is, wanted] = [instantOf(from ?? examEnds), instantOf(to)];
  return field === 'close_time' && is !== undefined && wanted !== undefined && is > wanted;
}

/** Throws where a student of the exam may be one of those that would be created. */
function refuseHidden(reading: Reading, lines: readonly PlannedLine[]): void {
  const doubtful = lines.filter(({ action, line }) => action === 'create' && reading.hiding(line).length > 0);
  if (doubtful.length === 0) return;
  const who = firstInLine(doubtful, ({ line }) => `line ${line.line}`, 5);
  const what = sentence`The list of exam ${reading.exam} does not show who some of its students are: they may be those of ${who}. Nothing was sent.`;
  const hint = sentence`Use a token that may read the addresses of students, or name the field with their numbers: proctor-cli config set dialect.sessionNumberKey FIELD`;
  throw new CliError('invalid_input', what, { hint });
}

function stepsOf({ line, action, found: [student], changes }: PlannedLine, at: number): Step[] {
  const { exam } = line;
  if (action === 'create') return studentSteps(line, { params: { exam_id: exam }, exam }, at);
  if (action !== 'update' || student?.id === undefined) return [];
  const values = (end: 'from' | 'to') => Object.fromEntries(changes.map((change): [string, Json] => [change.field, change[end]]));
  const whom = { email: student.email, number: line.number, line: line.line };
  return [{ operation: operations.patchSession, params: { id: student.id }, exam, body: values('to'), expects: values('from'), ...whom }];
}

/** The POST of a student, and the PATCH of what a POST cannot set (specification 4.5). `at`: the index of the first of them in the plan. */
export function studentSteps(
  { line, email, number, fields }: Omit<StudentLine, 'exam' | 'line'> & Pick<Step, 'line'>,
  where: Where,
  at: number,
): Step[] {
  const { open_time, ...body } = fields;
  const whom = { email, number, line };
  const address = email === undefined ? {} : { email };
  const create: Step = { ...where, operation: operations.createSession, body: { ...address, ...body }, ...whom };
  if (open_time === undefined) return [create];
  const made = { param: 'id', by: at };
  const opening = { body: { open_time }, before: { open_time: null } };
  return [create, { ...create, operation: operations.patchSession, params: {}, made, ...opening }];
}

/** Sent once all lines are in. Who has started, or is not known by address or number, stays. */
function deletions(exam: string, lacking: readonly Listed[], numberKey: string): Step[] {
  return lacking.flatMap(({ id, email, data }): Step[] => {
    const number = numberIn(data, numberKey);
    if (id === undefined || (email ?? number) === undefined || phaseOf(data.status) !== 'waiting') return [];
    const expects = { status: statusText(data.status) };
    return [{ operation: operations.deleteSession, params: { id }, exam, email, number, expects, last: true }];
  });
}

function tooMany(steps: readonly Step[], most: number): CliError {
  const [first] = steps;
  const what = sentence`The file lacks ${students(steps.length)} of exam ${first?.exam}, and --remove-missing allows ${most}. Nothing was sent.`;
  return new CliError('invalid_input', what, { hint: sentence`If the file is right, allow them: --remove-missing ${steps.length}` });
}
