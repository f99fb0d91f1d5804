/**
 * `exams clone`: a new exam with the settings, the proctors and, if asked for, the students of another, its end moved by the clocks of
 * the current zone. One run: the exam first, then everybody at once; the same command goes on wherever it was stopped.
 */
import type { Client } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { poolBody } from '../api/request.ts';
import type { Column, Context, Result } from '../command.ts';
import { CliError } from '../errors.ts';
import { booleanIn } from '../model/boolean.ts';
import { students } from '../model/count.ts';
import { firstLines } from '../model/first-of.ts';
import { idOf } from '../model/id.ts';
import { isJsonObject, type JsonObject, stringifyJson, textOfJson } from '../model/json.ts';
import { missingRestrictions, restrictionsOf } from '../model/restrictions.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { formatTime, instantOf, movedEnd } from '../model/time.ts';
import {
  type Consents,
  carryOut,
  createsStudent,
  type Ended,
  isGood,
  isOpen,
  type Outcome,
  readRecord,
  type Step,
} from '../runs-before/index.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { tellNewLength } from './new-length.ts';
import { sayUndo } from './writes/outcome-rows-before.ts';

export type CloneRequest = {
  /** The exam to be cloned. */
  id: string;
  /** When the new one starts: milliseconds since 1970. */
  start: number;
  /** The fields that were given; they go before those of the exam. */
  given: JsonObject;
  /** Times as they were typed: `now+7h` is another time when the command is run again, and means the same clone. */
  typedTimes: Readonly<Record<string, string>>;
  /** Copies the students as well. */
  withStudents: boolean;
  columns: readonly Column[];
  consents: Consents;
};

export function cloneExam(
  context: Context,
  { id, start, given, typedTimes, withStudents, columns, consents }: CloneRequest,
): Promise<Result> {
  let told: () => void = () => {};
  return carryOut(context, {
    kind: 'exams clone',
    identity: [id, stringifyJson({ ...given, ...typedTimes }), withStudents ? 'students' : ''],
    again: 'complete',
    consents,
    async plan() {
      const client = await context.client();
      const source = await readRecord(context, 'exam', id);
      const proctors = await proctorsOf(client, id);
      const isItself =
        instantOf(source.start_time) === start && (given[client.dialect.examNameKey] ?? nameOf(source, client)) === nameOf(source, client);
      if (isItself && !consents.allowDuplicate)
        throw new CliError('already_there', sentence`Exam ${id} itself has the name and the start of the new exam.`, {
          hint: 'Nothing was sent. Give the new exam another --start or --name; --allow-duplicate creates it all the same.',
        });
      const body = { ...carriedOver(source, client), end_time: given.end_time ?? endOf(context, id, source, start), ...given };
      const named = proctors.filter((proctor) => proctor !== undefined);
      told = () => {
        tell(context, id, source, body, proctors.length - named.length);
        if (given.end_time === undefined)
          tellNewLength(
            context,
            'the new exam',
            { start: source.start_time, end: source.end_time },
            { start: given.start_time, end: body.end_time },
          );
      };
      const steps: Step[] = [{ operation: operations.createExam, params: {}, body }];
      if (named.length > 0)
        steps.push({ operation: operations.addProctors, params: {}, made: { param: 'id', by: 0 }, body: poolBody(named, client.dialect) });
      if (!withStudents) return { steps };
      const { copySteps, studentsToCopy } = await import('./transfer/copy.ts');
      const copied = await studentsToCopy(context, id, copyTimes(context, id, source, { start, end: body.end_time }));
      return { steps: [...steps, ...copySteps(copied, 0, steps.length, client)] };
    },
    tell: () => told(),
    result: async (ended) => cloneResult(context, await context.client(), ended, { from: id, copies: withStudents, columns }),
  });
}

function nameOf(exam: JsonObject, { dialect }: Client): string | undefined {
  const name = exam[dialect.examNameKey] ?? undefined;
  return name === undefined ? undefined : textOfJson(name);
}

/** The IDs of an exam's proctors; undefined for one that shows none. */
async function proctorsOf(client: Client, id: string): Promise<(string | undefined)[]> {
  return (await client.list(operations.listProctors, { params: { id } })).map(idOf);
}

/** The fields that the API can set, as the exam has them. */
function carriedOver(source: JsonObject, { dialect }: Client): JsonObject {
  const name = source[dialect.examNameKey];
  const recording = booleanIn(source.save_recording);
  return {
    ...(typeof name === 'string' ? { [dialect.examNameKey]: name } : {}),
    ...(recording === undefined ? {} : { save_recording: recording }),
    ...restrictionsOf(source),
  };
}

const giveEnd = 'Give the end of the new exam with --end TIME. Nothing was sent.';

/** The end of the new exam, in the form in which it is sent. Throws `invalid_input` where the exam shows no times. */
function endOf(context: Context, id: string, source: JsonObject, start: number): string | number {
  const [oldStart, oldEnd] = [instantOf(source.start_time), instantOf(source.end_time)];
  if (oldStart === undefined || oldEnd === undefined || oldEnd <= oldStart) {
    throw new CliError('invalid_input', sentence`Exam ${id} shows no start and end, so the end of the new exam is unknown.`, {
      hint: giveEnd,
    });
  }
  const { timeZone, dialect } = context.settings();
  // Without a zone the exam's clock changes are unknown, so the exam keeps its length.
  const end = movedEnd({ start: oldStart, end: oldEnd }, start, timeZone ?? 'UTC');
  if (end <= start) {
    throw new CliError('invalid_input', sentence`The clocks were set back during exam ${id}, so its end would be before its start.`, {
      hint: giveEnd,
    });
  }
  return formatTime(end, dialect.timeFormat);
}

/** By which times and clocks the windows of students move along. Throws `invalid_input` where the exam shows no start. */
function copyTimes({ settings }: Context, id: string, source: JsonObject, clone: { start: number; end: unknown }) {
  const [start, end, newEnd] = [instantOf(source.start_time), instantOf(source.end_time), instantOf(clone.end)];
  if (start !== undefined) return { start, newStart: clone.start, end, newEnd, zone: settings().timeZone ?? 'UTC' };
  throw new CliError('invalid_input', sentence`Exam ${id} shows no start, so the windows of its students cannot move along.`, {
    hint: 'Nothing was sent. Clone the exam without --with-students, and import its students.',
  });
}

/** Says what the new exam will not have. */
function tell(context: Context, id: string, source: JsonObject, body: JsonObject, nameless: number) {
  const ids = ['id', context.settings().dialect.idKey];
  const left = Object.keys(source).filter((key) => !ids.includes(key) && !Object.hasOwn(body, key) && (source[key] ?? null) !== null);
  if (left.length > 0)
    context.say(sentence`Not copied from exam ${id}: ${left.join(', ')}. Fields that the API can set can be given with -F.`);
  const unknown = missingRestrictions(body);
  if (unknown.length > 0)
    context.warn(sentence`warning: exam ${id} does not show ${unknown.join(', ')}; the new exam gets the service's defaults.`);
  if (nameless > 0) context.warn(sentence`warning: ${nameless} of its proctors have no ID and cannot be added.`);
}

/** `from`: the exam that was cloned. `copies`: its students as well. */
type Cloned = { from: string; copies: boolean; columns: readonly Column[] };

export async function cloneResult(context: Context, client: Client, ended: Ended, { from, copies, columns }: Cloned): Promise<Result> {
  if (ended.there?.is === 'there') {
    context.say(sentence`It is there already${copies ? ', with these students' : ''}; nothing was sent.`);
    return { kind: 'one', row: ended.there.shown, columns };
  }
  const idType = client.idType('exam');
  const [exam, ...others] = ended.outcomes();
  if (!exam) return { kind: 'nothing' };
  const { id } = exam;
  const isThere = id !== undefined && (isGood(exam.state) || exam.state === 'different');
  if (!isThere) throw ended.failure({ did: 'created', idType, of: [exam] }) ?? new CliError('not_applied', 'The exam was not created.');
  const pool = others.find(({ step }) => step.operation.id === operations.addProctors.id);
  const copied = copiesOf(others);
  const failure = ended.failure({ did: 'done', idType, of: [exam, ...(pool ? [pool] : []), ...copied], follows: true });
  if (exam.evidence !== undefined) context.say(exam.evidence);
  for (const { stored } of copied) if (stored !== undefined) context.say(sentence`Stored as ${stored}.`);
  if (copies && !failure && copied.length > 0) context.say(sentence`Copied ${students(copied.length)} to exam ${id}.`);
  // Without open_time and close_time: those of the old exam would shut its students out of the new one.
  if (!copies)
    context.say(
      sentence`Students are not copied. To import them: proctor-cli sessions export ${typedOption('--exam', from)} --columns email,name,skip_requirements -o csv | proctor-cli sessions import - ${typedOption('--exam', id)}`,
    );
  sayUndo(context, ended);
  const row = isJsonObject(exam.shown) ? exam.shown : await client.get(operations.getExam, { params: { id } });
  const result = { kind: 'one', row, columns } as const;
  if (!failure) return result;
  const problems = copied.flatMap(({ step, error }) => (error ? [sentence`${step.email ?? 'a student'}: ${error.message}`] : []));
  if (problems.length > 1) for (const line of firstLines(problems, (text) => text)) context.warn(line);
  const { code, items, status } = failure;
  const hint = hintOf(failure, { exam, pool, copied, id, client });
  const message = exam.error ? failure.message : sentence`Exam ${id} was created. ${failure.message}`;
  const error = new CliError(code, message, { hint, ...(items ? { items } : {}), ...(status === undefined ? {} : { status }) });
  return { ...result, failure: error };
}

type Parts = { exam: Outcome; pool: Outcome | undefined; copied: readonly Outcome[]; id: string };

/** One outcome for each student: that of the creation, or of the time that was set afterwards and failed. */
function copiesOf(outcomes: readonly Outcome[]): Outcome[] {
  const later = new Map(
    outcomes.flatMap((outcome) => (outcome.step.made && !createsStudent(outcome.step) ? [[outcome.step.made.by, outcome] as const] : [])),
  );
  return outcomes
    .filter(({ step }) => createsStudent(step))
    .map((create) => {
      const window = later.get(create.index);
      const { stored } = create;
      return window && isGood(create.state) && !isGood(window.state)
        ? { ...window, sentNow: true, ...(stored === undefined ? {} : { stored }) }
        : create;
    });
}

/** Only the proctors are missing, and no run is open that would add them: the command that adds them. */
function hintOf({ hint }: CliError, { exam, pool, copied, id, client }: Parts & { client: Client }): Sentence {
  const isLeft = [exam, ...copied].every(({ state }) => isGood(state));
  if (!pool || isGood(pool.state) || isOpen(pool.state) || !isLeft) return hint;
  const named = [pool.step.body?.[client.dialect.proctorsKey] ?? []].flat().map((proctor) => textOfJson(proctor));
  return sentence`Finish it with: proctor-cli ${typedCommand('proctors add', named, typedOption('--exam', id))}`;
}
