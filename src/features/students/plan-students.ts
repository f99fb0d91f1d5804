/** What is done for each line of a file with students. */
import type { Client } from '../../api/client.ts';
import { CliError } from '../../errors.ts';
import { compared, type FieldChange, replacedBy } from '../../model/compare.ts';
import { ruleAgainst, ruleOf } from '../../model/fields.ts';
import { type Json, type JsonObject, textIn } from '../../model/json.ts';
import { type Listed, maskAmong, maskIn, numberIn, type Reading } from '../../model/listing.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { phaseOf } from '../../model/status.ts';
import { instantOf } from '../../model/time.ts';
import { asText, looksDamaged, mendEncoding } from '../../roster/roster-fields.ts';
import {
  addStudent,
  bodyOf,
  deletionOf,
  type Engine,
  type ExistingRecords,
  existingIn,
  listedAs,
  nothingRequired,
  resourceOf,
  type Step,
  type StepDraft,
  type StepList,
  targetOf,
} from '../../runs/index.ts';
import { onlyOtherBy, plainNumber } from '../../text/fold.ts';
import { firstInLine, quote, sentence, students } from '../../text/sentence.ts';
import { declaredFields } from '../exam-students.ts';
import { sessionUpdate } from '../times/exam-change.ts';

/** `fields`: what is sent beside the address, the number included. */
export type StudentLine = {
  line: number;
  exam: string;
  email: string | undefined;
  number: string | undefined;
  fields: JsonObject;
};

/** `more`: closes later than in the file, and stays so. `unknown`: sent, with an unknown outcome. */
export type Action = 'create' | 'update' | 'unchanged' | 'more' | 'different' | 'duplicate' | 'unknown';

/** `changes`: what an update sets, or what is different. `left`: what an update cannot set. */
type Decision = {
  action: Action;
  changes: readonly FieldChange[];
  left: readonly FieldChange[];
  notShown: readonly string[];
};

export type PlannedStudent = Decision & {
  line: StudentLine;
  found: readonly Listed[];
  /** The numbers of its steps. */
  steps: readonly number[];
  /** The run whose request has an unknown outcome. */
  run: string | undefined;
};

export type StudentPlan = {
  lines: readonly PlannedStudent[];
  steps: readonly Step[];
  readings: ReadonlyMap<string, Reading>;
  existing: readonly ExistingRecords[];
  notInFile: readonly { exam: string; student: Listed }[];
  /** More would be deleted than may be. */
  refused: CliError | undefined;
};

/** `update`: who is there gets what differs. `removeMissing`: deletions that an exam allows. `steps`: to these its own are added. */
type PlanOptions = { update: boolean; removeMissing: number | undefined; steps: StepList };

/** Throws `list_in_doubt` where a list hides who is there, and `invalid_input` for lines that may be of one student. */
export async function planStudents(engine: Engine, all: readonly StudentLine[], options: PlanOptions): Promise<StudentPlan> {
  const { update, removeMissing: most, steps } = options;
  const { pacer, dialect } = engine.client;
  const byExam = [...Map.groupBy(all, ({ exam }) => exam)];
  const before = setBy(steps.all);
  const exams = await pacer.map(byExam, async ([exam, ofExam]) => {
    const existing = await existingIn(engine, exam);
    const planned = await plannedIn(engine, existing, ofExam, { update, before });
    refuseHiddenAddresses(existing.reading, planned);
    refuseAlike(existing.reading, ofExam);
    refuseTwice(exam, planned);
    if (update) refuseDamaged(planned, dialect.sessionNameKey);
    const inFile = new Set(planned.flatMap(({ found }) => found.map(({ id }) => id)));
    const others = existing.reading.all.filter(({ id }) => !inFile.has(id));
    return { existing, planned, others: await pacer.map(others, (each) => withFields(engine, each, ['status'], before)) };
  });
  const lines: PlannedStudent[] = [];
  const notInFile: StudentPlan['notInFile'][number][] = [];
  const deleted: StepDraft[] = [];
  let refused: CliError | undefined;
  // Anybody may be the student of a create whose outcome is unknown.
  const isUnknown = exams.some(({ planned }) => planned.some(({ action }) => action === 'unknown'));
  for (const { existing, planned, others } of exams) {
    const { exam } = existing.reading;
    for (const one of planned) {
      lines.push({ ...one, steps: addSteps(steps, one, existing.reading) });
    }
    for (const student of others) notInFile.push({ exam, student });
    if (most === undefined || isUnknown) continue;
    const surplus = deletions(exam, others, dialect);
    if (surplus.length > most) refused ??= tooMany(exam, surplus.length, most);
    for (const each of surplus) deleted.push(each);
  }
  if (!refused) for (const each of deleted) steps.add(each);
  return {
    lines,
    steps: steps.all,
    readings: new Map(exams.map(({ existing: { reading } }) => [reading.exam, reading])),
    existing: exams.map(({ existing }) => existing),
    notInFile,
    refused,
  };
}

/** What earlier steps set, by "session 7": the windows of students move along with their exam. */
type Before = ReadonlyMap<string, JsonObject>;

function setBy(steps: readonly Step[]): Before {
  const byTarget = Map.groupBy(steps, (step) => listedAs(resourceOf(step), String(targetOf(step))));
  return new Map([...byTarget].map(([target, of]) => [target, Object.assign({}, ...of.map(bodyOf))]));
}

type Planning = { update: boolean; before: Before };

async function plannedIn(engine: Engine, existing: ExistingRecords, lines: readonly StudentLine[], { update, before }: Planning) {
  const hasCloses = lines.some(({ fields }) => fields.close_time !== undefined);
  const { exam: id } = existing.reading;
  const exam = hasCloses ? await engine.reads.record('exam', id, 2_000) : undefined;
  const examEnds = before.get(listedAs('exam', id))?.end_time ?? exam?.data.end_time ?? null;
  const { pacer, dialect } = engine.client;
  const showsAny = existing.reading.all.some(({ data }) => textIn(data.email) !== undefined);
  const isListed = (line: StudentLine) => sessionsOf(existing, line, new Set()).length > 0;
  const recorded = await pacer.map(lines, async (line) => (isListed(line) ? undefined : existing.find(line)));
  // The session of a line may be stored under the address of another one.
  const rows = lines.map((line, at) => ({ line, own: recorded[at] }));
  const taken = new Set(rows.flatMap(({ line, own }) => (own && existing.otherStudent(line, own) === undefined ? (own.id ?? []) : [])));
  return pacer.map(rows, async ({ line, own }): Promise<PlannedStudent> => {
    const found = own ? [own] : sessionsOf(existing, line, taken);
    const planned = {
      line,
      found: await withTimes(engine, found, line, before),
      steps: [],
      changes: [],
      left: [],
      notShown: [],
      run: undefined,
    };
    const [student, ...others] = planned.found;
    if (!student) {
      const run = existing.unknown(line);
      return { ...planned, action: run === undefined ? 'create' : 'unknown', run };
    }
    if (others.length > 0) return { ...planned, action: 'duplicate' };
    const { id, email: from = null } = student;
    // This student is neither created again nor updated.
    const another = [{ field: 'email', from, to: line.email ?? null }];
    if (existing.otherStudent(line, student) !== undefined) return { ...planned, action: 'different', changes: another };
    const isSet = ({ field, from: before }: FieldChange) => {
      if (id === undefined || ruleAgainst('session', 'update', field)) return false;
      // A run from here created the session, and did not come to set its open time.
      return update || (field === 'open_time' && before === null && existing.missingOpenTime.has(id));
    };
    const isNumbered = line.number !== undefined && numberIn(student.data, dialect.sessionNumberKey) === line.number;
    const isHidden = !isNumbered && (!showsAny || maskIn(student.data) !== undefined || student.data.email === undefined);
    return { ...planned, ...decisionOn(line, student, { examEnds, isSet, isHidden }) };
  });
}

function sessionsOf({ reading }: ExistingRecords, line: StudentLine, taken: ReadonlySet<string>): readonly Listed[] {
  const listed = reading.of(line);
  if (listed.length > 0) return listed.filter(({ id }) => id === undefined || !taken.has(id));
  // A student who had no address until now is known by the number.
  return reading.of({ number: line.number }).filter(({ data }) => !data.email);
}

async function withTimes(engine: Engine, found: readonly Listed[], { fields }: StudentLine, before: Before): Promise<readonly Listed[]> {
  const [session] = found;
  if (found.length !== 1 || session === undefined) return found;
  const times = Object.keys(fields).filter((field) => ruleOf('session', field)?.type === 'time');
  return [await withFields(engine, session, times, before)];
}

/** A time or a status that only a list leaves out is read by the ID. */
async function withFields({ reads }: Engine, session: Listed, fields: readonly string[], before: Before): Promise<Listed> {
  const isWhole = fields.every((field) => Object.hasOwn(session.data, field));
  const shown = isWhole ? undefined : await reads.record('session', session.id);
  return { ...session, data: { ...session.data, ...shown?.data, ...before.get(listedAs('session', session.id)) } };
}

/** `isHidden`: that no address is shown does not prove that there is none, nor whose session it is. */
type Deciding = { examEnds: Json; isSet(change: FieldChange): boolean; isHidden: boolean };

function decisionOn(line: StudentLine, { email, data }: Listed, { examEnds, isSet, isHidden }: Deciding): Decision {
  const { email: to, fields } = line;
  const { changes, notShown } = compared('session', fields, data);
  if (to !== undefined && !email && isHidden) notShown.unshift('email');
  else if (to !== undefined && !email) changes.unshift({ field: 'email', from: null, to });
  const more = changes.filter((change) => isMore(change, examEnds));
  const different = changes.filter((change) => !more.includes(change));
  const set = different.filter(isSet);
  const left = different.filter((change) => !set.includes(change));
  if (set.length > 0) return { action: 'update', changes: set, left, notShown };
  if (left.length > 0 || notShown.includes('email')) return { action: 'different', changes: left, left: [], notShown };
  return { action: more.length > 0 ? 'more' : 'unchanged', changes: more, left: [], notShown };
}

/** A later close time stays, also where it is the exam's end. */
function isMore({ field, from, to }: FieldChange, examEnds: Json): boolean {
  const [is, wanted] = [instantOf(from ?? examEnds), instantOf(to)];
  return field === 'close_time' && is !== undefined && wanted !== undefined && is > wanted;
}

export const toSeeWho = sentence`Use a token that may read addresses, or name the field with the number: proctor-cli config set dialect.sessionNumberKey FIELD`;

/** A line whose student is known by the record of runs alone. */
export function isKnownByRunsOnly(planned: PlannedStudent | undefined): boolean {
  return planned?.action === 'different' && planned.changes.length === 0;
}

/** Whether the exam has the student of a line under another address: it may be another person, and no option accepts that. */
export function isOther(planned: PlannedStudent | undefined): boolean {
  return planned?.changes.some(({ field, from }) => field === 'email' && from !== null) ?? false;
}

/** Throws where a student of the exam may be one that would be created. */
function refuseHiddenAddresses(reading: Reading, lines: readonly PlannedStudent[]): void {
  const created = lines.filter(({ action }) => action === 'create');
  const doubtful = created.filter(({ line }) => reading.hiding(line).length > 0);
  if (doubtful.length === 0) return;
  const who = firstInLine(doubtful, ({ line }) => `line ${line.line}`, 5);
  const instead = maskAmong(reading.all.map(({ data }) => data));
  const hidden = sentence`The list of exam ${reading.exam} does not show who some of its students are${instead}`;
  const what = sentence`${hidden}: they may be those of ${who}. Nothing was sent.`;
  throw new CliError('list_in_doubt', what, { hint: toSeeWho });
}

/** Throws if a spreadsheet has taken the leading zeros from a number, or may have. */
function refuseAlike({ exam, all: sessions, fields }: Reading, lines: readonly StudentLine[]): void {
  const numbers = sessions.map(({ id = '', data }) => ({ id, has: numberIn(data, fields.sessionNumberKey) ?? '' }));
  const [exact, alike] = [new Set(numbers.map(({ has }) => has)), new Map(numbers.map((each) => [plainNumber(each.has), each]))];
  const doubtful = lines.flatMap(({ line, number = '' }) => {
    const other = number === '' || exact.has(number) ? undefined : alike.get(plainNumber(number));
    return other ? { line, number, ...other } : [];
  });
  const [first] = doubtful;
  if (!first) return;
  const inWords = firstInLine(doubtful, ({ line, number, has }) => `line ${line} has ${quote(number)}, and the exam ${quote(has)}`, 5);
  const what = sentence`Numbers that are the same but for ${onlyOtherBy(first.number, first.has)}, in exam ${exam}: ${inWords}. Nothing was sent.`;
  const command = typedCommand('sessions update', [first.id], typedOption('-f', `${fields.sessionNumberKey}=${first.number}`));
  const hint = sentence`Correct them in the file. ${asText} Or, if line ${first.line} is right: proctor-cli ${command}`;
  throw new CliError('invalid_input', what, { hint });
}

/** Throws where one line names a student by the address and another line by the number: they may set different values. */
function refuseTwice(exam: string, lines: readonly PlannedStudent[]): void {
  const single = lines.filter((each) => each.found.length === 1 && !isOther(each));
  const twice = [...Map.groupBy(single, ({ found: [session] }) => session?.id)].find(([, of]) => of.length > 1);
  if (!twice) return;
  const which = firstInLine(twice[1], ({ line }) => `line ${line.line}`, 5);
  const what = sentence`Several lines are one student: ${which} (session ${twice[0]} of exam ${exam}). Nothing was sent.`;
  throw new CliError('invalid_input', what, { hint: 'Keep one of these lines.' });
}

/** Throws where an update would write a damaged name. */
function refuseDamaged(lines: readonly PlannedStudent[], nameKey: string): void {
  const damaged = lines.filter(({ action, changes }) => {
    return action === 'update' && changes.some(({ field, to }) => field === nameKey && typeof to === 'string' && looksDamaged(to));
  });
  if (damaged.length === 0) return;
  const what = sentence`--update would write names that look damaged: ${firstInLine(damaged, ({ line }) => `line ${line.line}`, 5)}. Nothing was sent.`;
  throw new CliError('invalid_input', what, { hint: mendEncoding });
}

/** Adds the steps of a line, and returns their numbers. */
function addSteps(steps: StepList, { line: own, action, found: [student], changes }: PlannedStudent, reading: Reading): readonly number[] {
  const { exam, email, number, fields, line } = own;
  // A student who is listed under the address all the same is that of another line.
  const isAnother = reading.of(own).length > 0;
  if (action === 'create') return addStudent(steps, { student: { email, number }, fields, line }, { exam, isAnother });
  if (action !== 'update' || student?.id === undefined) return [];
  const body = Object.fromEntries(changes.map(({ field, to }) => [field, to]));
  const previous = Object.fromEntries(changes.map(({ field, from }) => [field, from]));
  const subject = { id: student.id, exam, email: student.email, number };
  return [steps.add({ ...sessionUpdate(subject, body, previous, {}, []), line })];
}

/** Deletes students whom the file lacks. Those who have started, or have neither address nor number, stay. */
function deletions(exam: string, others: readonly Listed[], dialect: Client['dialect']): StepDraft[] {
  return others.flatMap(({ id, email, data }): StepDraft | [] => {
    const number = numberIn(data, dialect.sessionNumberKey);
    const isKnown = (email ?? number) !== undefined;
    if (id === undefined || !isKnown || phaseOf(data.status) !== 'waiting') return [];
    const target = replacedBy(declaredFields(dialect), data);
    const requires = { ...nothingRequired, target };
    return { ...deletionOf('session', id), exam, student: { email, number }, requires, dependsOn: 'all others' };
  });
}

/** Whether it deletes a student whom the file lacks. */
export function isSurplus({ dependsOn }: Step): boolean {
  return dependsOn === 'all others';
}

function tooMany(exam: string, surplus: number, most: number): CliError {
  const which = sentence`${students(surplus)} of exam ${exam} ${surplus === 1 ? 'is' : 'are'} not in the file (left-out lines do not count)`;
  const what = sentence`${which}, and --remove-missing allows ${most}. Nothing was sent.`;
  const hint = sentence`If the file is right, allow them: --remove-missing ${surplus}`;
  return new CliError('invalid_input', what, { hint });
}
