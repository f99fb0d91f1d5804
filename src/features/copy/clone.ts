/** `exams clone`: an exam like another one, with its proctors, its length and perhaps its students. */
import { readRecord } from '../../api/reading.ts';
import type { Context, Result } from '../../command.ts';
import { CliError, orElse } from '../../errors.ts';
import { differences } from '../../model/compare.ts';
import { missingRestrictions, valuesOf } from '../../model/fields.ts';
import { idOf, type Json, type JsonObject } from '../../model/json.ts';
import { keyOf } from '../../model/listing.ts';
import { poolBody, proctorsIn } from '../../model/pool.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { formatTime, instantOf } from '../../model/time.ts';
import { movedAlong } from '../../model/typed-time.ts';
import {
  addStudent,
  type Consents,
  type Ended,
  type Engine,
  engineOf,
  executePlan,
  notSent,
  refuseUnfinishedCreates,
  StepList,
  timesFor,
} from '../../runs/index.ts';
import { count, firstInLine, sentence } from '../../text/sentence.ts';
import { oneResult, tellOutcomes } from '../crud/results.ts';
import { declaredFields, studentsOf } from '../exam-students.ts';
import { meantBy, poolOf } from '../proctors.ts';
import { moved } from '../times/exam-change.ts';
import { type Along, type Copied, copiedFrom, tellCopied } from './copied.ts';

type CloneRequest = {
  id: string;
  /** Fields that replace those of the exam; the start is one of them. */
  given: JsonObject;
  typedTimes: Readonly<Record<string, string>>;
  withStudents: boolean;
  consents: Consents;
};
type CloneSource = {
  shown: JsonObject;
  body: JsonObject;
  proctors: readonly string[];
  copies: readonly Copied[];
};

export function cloneExam(context: Context, request: CloneRequest): Promise<Result> {
  const { id, given, typedTimes, withStudents, consents } = request;
  return executePlan(context, {
    kind: 'exams clone',
    identity: { exam: id, given: { ...given, ...typedTimes }, withStudents },
    consents,
    locks: () => ['exams', `exam ${id}`, ...(withStudents ? [`students ${id}` as const] : [])],
    async plan(engine) {
      const source = await readSource(engine, request);
      const { proctors, copies, body } = source;
      const steps = new StepList();
      const created = steps.add({ kind: 'create exam', exam: undefined, body, isAnother: false });
      const exam = { createdBy: created };
      const values = proctorsIn(poolBody(proctors, engine.client.dialect), engine.client.dialect);
      if (values.length > 0) steps.add({ kind: 'change pool', exam, change: 'add', proctors: values });
      for (const copy of copies) addStudent(steps, copy, { exam, examShows: timesFor(copy.fields, body) });
      return { steps: steps.all, source };
    },
    tell: ({ source }) => tellNotCopied(context, id, source),
    result: (ended, plan) => cloneResult(context, id, ended, plan?.source),
  });
}

async function readSource(engine: Engine, { id, given, withStudents }: CloneRequest): Promise<CloneSource> {
  const { client, zone } = engine;
  const shown = (await engine.reads.record('exam', id))?.data ?? (await readRecord(client, 'exam', id));
  const pool = await poolOf(engine, id);
  const body = valuesOf('exam', shown, client.dialect);
  if (!Object.hasOwn(given, 'end_time')) {
    const end = endOf(id, shown, given.start_time, zone);
    body.end_time = formatTime(end, client.dialect.timeFormat);
  }
  Object.assign(body, given);
  const copies = withStudents ? await copiesOf(engine, id, { from: shown, to: body, zone }) : [];
  return { shown, body, proctors: pool.map(({ value }) => value), copies };
}

/** The end moves with the start. Throws `invalid_input` where the exam shows no such times. */
function endOf(id: string, { start_time, end_time = null }: JsonObject, given: Json | undefined, zone: string): number {
  const [start, end, to] = [instantOf(start_time), instantOf(end_time), instantOf(given)];
  if (start !== undefined && end !== undefined && to !== undefined) {
    const until = moved(`The end of exam ${id}`, () => movedAlong(end_time, start, to, zone));
    if (until > to) return until;
  }
  const what = sentence`Exam ${id} does not show its start and end, so the end of the new exam is unknown.`;
  throw notSent(what, sentence`Give it: --end TIME`);
}

/** The students to copy, each once. Throws `invalid_input` for sessions that show no student. */
async function copiesOf(engine: Engine, exam: string, along: Along): Promise<Copied[]> {
  const { context, client } = engine;
  await refuseUnfinishedCreates(engine, [exam], 'would not be copied');
  const { all: sessions } = await studentsOf(engine, exam, declaredFields(client.dialect));
  const all = sessions.map(({ id = '', data }) => copiedFrom(client, id, data, along));
  const byStudent = Map.groupBy(all, (each) => keyOf(each.student, client.dialect));
  const nameless = byStudent.get(undefined) ?? [];
  if (nameless.length > 0)
    throw notSent(
      sentence`These sessions of exam ${exam} show no student: ${copiedIds(nameless)}.`,
      sentence`Clone the exam without --with-students, and import its students.`,
    );
  const twice = [...byStudent.values()].flatMap((sessions) => sessions.slice(1));
  if (twice.length > 0)
    context.warn(sentence`warning: not copied, because another session of exam ${exam} has the same student: ${copiedIds(twice)}.`);
  return [...byStudent.values()].flatMap(([first]) => first ?? []);
}

function copiedIds(sessions: readonly Copied[]): string {
  return firstInLine(sessions, ({ id }) => id, 20);
}

function tellNotCopied(context: Context, id: string, { shown, body, copies }: CloneSource): void {
  const known = ['id', context.settings().dialect.idKey, ...Object.keys(body)];
  const left = Object.keys(shown).filter((key) => !known.includes(key) && (shown[key] ?? null) !== null);
  if (left.length > 0) context.say(sentence`Not copied from exam ${id}: ${left.join(', ')}. To set a field: -F FIELD=VALUE`);
  const unknown = missingRestrictions(body);
  if (unknown.length > 0)
    context.warn(sentence`warning: exam ${id} does not show ${unknown.join(', ')}; the new exam gets the service's defaults.`);
  tellCopied(context, copies);
}

async function cloneResult(context: Context, id: string, ended: Ended, source: CloneSource | undefined): Promise<Result> {
  const result = await oneResult(context, ended);
  tellOutcomes(context, ended.items.slice(1));
  const there = ended.there?.is === 'there' ? idOf(ended.there.shown) : undefined;
  if (there === undefined || !source) return result;
  const lacks = requireCopies(context, id, there, source).then(() => undefined);
  return { ...result, failure: await orElse(lacks, (error) => error, 'different') };
}

/** Throws `different` for an exam that lacks proctors or students of the old one, or has them with other values. */
async function requireCopies(context: Context, id: string, there: string, { proctors, copies }: CloneSource): Promise<void> {
  const engine = await engineOf(context);
  const { client } = engine;
  const pool = proctors.length === 0 ? [] : await poolOf(engine, there);
  const unpooled = proctors.filter((each) => meantBy(each, pool).length === 0);
  const reading = copies.length === 0 ? undefined : await studentsOf(engine, there, declaredFields(client.dialect));
  const wrong = copies.flatMap(({ student, fields }) => {
    const [found] = reading?.of(student) ?? [];
    const different = found && differences('session', fields, found.data, context.zone()).different;
    return different?.length === 0 ? [] : { who: student.email ?? student.number ?? '', different };
  });
  const absent = wrong.filter(({ different }) => !different);
  const others = wrong.flatMap(({ who, different }) => (different ? `${who} (${different.join('; ')})` : []));
  const parts = [
    unpooled.length > 0 ? `without ${count(unpooled.length, 'proctor')}: ${firstInLine(unpooled, (each) => each, 5)}` : [],
    absent.length > 0
      ? `without ${absent.length} of the ${count(copies.length, 'student')} of exam ${id}: ${firstInLine(absent, ({ who }) => who, 5)}`
      : [],
    others.length > 0 ? `with other values of ${firstInLine(others, (each) => each, 5)}` : [],
  ].flat();
  if (parts.length === 0) return;
  const what = sentence`Exam ${there} is there already, ${parts.join(', and ')}.`;
  const ofIt = typedOption('--exam', there);
  const students = typedCommand('sessions import', ['FILE'], ofIt, others.length > 0 ? '--update' : '');
  const next = unpooled.length > 0 ? typedCommand('proctors add', unpooled, ofIt) : students;
  throw new CliError('different', what, { hint: sentence`Nothing was sent. To correct it: proctor-cli ${next}` });
}
