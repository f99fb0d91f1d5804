/**
 * `exams clone`: a new exam with the settings and the proctors of another, its end moved by the clocks
 * of the zone in force. Two requests: where only the first succeeds, the new exam is named, and the
 * command that finishes it.
 */
import { type Client, idOf } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { perform } from '../api/perform.ts';
import { planned } from '../api/planned.ts';
import { poolBody } from '../api/proctor-pool.ts';
import type { RequestStep } from '../api/request.ts';
import type { Column, Context, Result } from '../command.ts';
import { CliError, isInterruption } from '../errors.ts';
import { booleanIn } from '../model/boolean.ts';
import type { GrantList } from '../model/granted.ts';
import { type Json, type JsonObject, textOfJson } from '../model/json.ts';
import { missingRestrictions, restrictionsOf } from '../model/restrictions.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { formatTime, instantOf, movedEnd } from '../model/time.ts';
import { sentence } from '../text/sentence.ts';

export type CloneRequest = {
  /** The exam to be cloned. */
  id: string;
  /** When the new one starts: milliseconds since 1970. */
  start: number;
  /** The fields that were given; they go before those of the exam. */
  given: JsonObject;
  /** Copies the students as well; the folder of all changes, in which that is journalled. */
  students?: { folder: string; accommodations?: GrantList | undefined } | undefined;
  columns: readonly Column[];
};

export async function cloneExam(context: Context, { id, start, given, students, columns }: CloneRequest): Promise<Result> {
  const client = await context.client();
  const source = await client.get(operations.getExam, { params: { id } });
  const proctors = await proctorsOf(client, id);
  const body = { ...carriedOver(source, client), end_time: given.end_time ?? (await endOf(context, id, source, start)), ...given };
  const named = proctors.filter((proctor) => proctor !== undefined);
  tell(context, id, source, body, proctors.length - named.length);
  const copying = students && { ...students, ...(await import('./transfer/copy.ts')) };
  // The clone has no ID yet, so rows for one exam mean it by its name.
  const granted = students?.accommodations?.grantedIn({ id: '', name: nameOf(body, client), start, end: instantOf(body.end_time) });
  const times = copying && copyTimes(context, id, source, { start, end: body.end_time });
  const copied = copying && times ? await copying.studentsToCopy(context, id, times, granted) : [];
  if (copying) await copying.tellEarlierClones(context, copying.folder, id, body);
  return context.act({
    steps: cloneSteps(client, body, named),
    show: (steps) => planned(client, [...steps, ...(copying ? copying.copySteps(client, copied) : [])]),
    async perform([create, pool]) {
      if (!create) return { kind: 'nothing' };
      const { data, altered } = await perform(client, create.operation, create);
      const exam = data as JsonObject;
      const created = textOfJson(exam[client.dialect.idKey]);
      const result = { kind: 'one', row: exam, columns } as const;
      // Without open_time and close_time: those of the old exam would shut its students out of the new one.
      if (!copying)
        context.say(
          sentence`Students are not copied. To import them: proctor-cli sessions export ${typedOption('--exam', id)} --columns email,name,skip_requirements -o csv | proctor-cli sessions import - ${typedOption('--exam', created)}`,
        );
      const unfinished =
        pool && (await addPool(client, created, named, () => perform(client, pool.operation, pool.later?.complete([data]) ?? pool)));
      const copy = copying?.copyStudents(context, { folder: copying.folder, from: id, to: created, copied });
      const uncopied = await copy?.catch((error: unknown) => uncopiedBecause(error, created));
      const failure = bothOf(bothOf(altered, unfinished), uncopied);
      return failure ? { ...result, failure } : result;
    },
  });
}

function nameOf(exam: JsonObject, { dialect }: Client): string | undefined {
  const name = exam[dialect.examNameKey] ?? undefined;
  return name === undefined ? undefined : textOfJson(name);
}

/** The new exam, and the request that adds the proctors to it, where there are any. */
function cloneSteps(client: Client, body: JsonObject, named: readonly string[]): RequestStep[] {
  const create = { operation: operations.createExam, body };
  if (named.length === 0) return [create];
  const pool = poolBody(named, client.dialect);
  const complete = ([created]: readonly (Json | undefined)[]) => ({
    params: { id: textOfJson((created as JsonObject)[client.dialect.idKey]) },
    body: pool,
  });
  return [create, { operation: operations.addProctors, params: { id: 'ID' }, body: pool, later: { note: "ID: the new exam's", complete } }];
}

/** The IDs of an exam's proctors; undefined for one that shows none. */
async function proctorsOf(client: Client, id: string): Promise<(string | undefined)[]> {
  const ids: (string | undefined)[] = [];
  for await (const proctor of client.list(operations.listProctors, { params: { id } })) ids.push(idOf(proctor, client));
  return ids;
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
async function endOf(context: Context, id: string, source: JsonObject, start: number): Promise<string | number> {
  const [oldStart, oldEnd] = [instantOf(source.start_time), instantOf(source.end_time)];
  if (oldStart === undefined || oldEnd === undefined || oldEnd <= oldStart) {
    throw new CliError('invalid_input', sentence`Exam ${id} shows no start and end, so the end of the new exam is unknown.`, {
      hint: giveEnd,
    });
  }
  const { timeZone, dialect } = context.settings();
  // Without a zone the exam's clock changes are unknown, so the exam keeps its length.
  const end = await movedEnd({ start: oldStart, end: oldEnd }, start, timeZone ?? 'UTC');
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
  const { idKey } = context.settings().dialect;
  const left = Object.keys(source).filter((key) => key !== idKey && !Object.hasOwn(body, key) && (source[key] ?? null) !== null);
  if (left.length > 0)
    context.say(sentence`Not copied from exam ${id}: ${left.join(', ')}. Fields that the API can set can be given with -F.`);
  const unknown = missingRestrictions(body);
  if (unknown.length > 0)
    context.warn(sentence`warning: exam ${id} does not show ${unknown.join(', ')}; the new exam gets the service's defaults.`);
  if (nameless > 0) context.warn(sentence`warning: ${nameless} of its proctors have no ID and cannot be added.`);
}

/** The exam exists, so its students who were not copied are not the whole outcome. */
function uncopiedBecause(error: unknown, exam: string): CliError {
  if (!(error instanceof CliError) || isInterruption(error)) throw error;
  return new CliError('partly_done', sentence`Exam ${exam} was created, but its students were not copied: ${error.message}`, {
    hint: sentence`Import them, or delete the exam and clone again: proctor-cli ${typedCommand('exams delete', [exam])}`,
  });
}

function bothOf(altered: CliError | undefined, unfinished: CliError | undefined): CliError | undefined {
  if (!altered || !unfinished) return unfinished ?? altered;
  return new CliError(unfinished.code, sentence`${altered.message} ${unfinished.message}`, {
    hint: sentence`${unfinished.hint}. ${altered.hint}`,
  });
}

/** Adds the proctors; a new read settles a lost answer. Resolves to the failure, if there is one. */
async function addPool(client: Client, exam: string, named: readonly string[], add: () => Promise<unknown>): Promise<CliError | undefined> {
  try {
    await add();
    return undefined;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.code === 'outcome_unknown' && (await hasPool(client, exam, named))) return undefined;
    const stopped = isInterruption(error);
    return new CliError(
      stopped ? error.code : 'partly_done',
      sentence`Exam ${exam} was created, but its proctors may not have been added: ${error.message}`,
      {
        hint: sentence`Finish it with: proctor-cli ${typedCommand('proctors add', named, typedOption('--exam', exam))}`,
      },
    );
  }
}

async function hasPool(client: Client, exam: string, named: readonly string[]): Promise<boolean> {
  const there: unknown[] = await proctorsOf(client, exam).catch(() => []);
  return named.every((proctor) => there.includes(proctor));
}
