/**
 * The students of an exam in its clone: each is created there once, with the window of their own moved along by the
 * clocks of the zone. What was begun is in a journal, which `changes resume` finishes.
 */
import { type Client, idOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { RequestStep } from '../../api/request.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { addressIn, addressKey, showsPlain } from '../../model/address-key.ts';
import { booleanIn } from '../../model/boolean.ts';
import { count, students } from '../../model/count.ts';
import { whyOutside } from '../../model/exam-window.ts';
import type { ExtraTime } from '../../model/extra-time.ts';
import { firstInLine, firstLines } from '../../model/first-of.ts';
import type { GrantedTo } from '../../model/granted.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import type { JsonObject } from '../../model/json.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { targetTime } from '../../model/target-time.ts';
import { formatTime, instantOf, movedEnd, sameInstant } from '../../model/time.ts';
import { journalOrigin } from '../../state/journal/origin.ts';
import { sentence } from '../../text/sentence.ts';
import { beginChange, emailOf, listChanges, reasonOf, type TimeValue, withChangesLock } from '../changes/index.ts';
import { runTransfers } from './run.ts';
import { bodyOf } from './task.ts';

/** Of the exam and its clone, milliseconds since 1970; undefined where one of them shows no end. `zone`: whose clocks count. */
export type CopyTimes = { start: number; newStart: number; end: number | undefined; newEnd: number | undefined; zone: string };

type Copied = { id: string; source: JsonObject; times: { field: 'open_time' | 'close_time'; old: TimeValue; new: TimeValue }[] };

/**
 * The students with an address, each once, and their new windows, which close no earlier than what they are granted. Throws
 * `invalid_input` for a time that cannot be moved or computed.
 */
export async function studentsToCopy(
  context: Context,
  exam: string,
  times: CopyTimes,
  grantedTo: GrantedTo = () => undefined,
): Promise<readonly Copied[]> {
  const client = await context.client();
  const found = new Map<string, Copied>();
  const nameless: string[] = [];
  const twice: string[] = [];
  const withoutSkip: string[] = [];
  const all = await client.all(operations.listExamSessions, { params: { exam_id: exam } });
  const beside = { plain: showsPlain(all) };
  for (const source of all) {
    const id = idOf(source, client);
    const email = addressIn(source, beside) ?? null;
    if (id === undefined) throw new CliError('bad_answer', sentence`A session of exam ${exam} has no "${client.dialect.idKey}".`);
    if (email === null) nameless.push(id);
    else if (found.has(addressKey(email))) twice.push(id);
    else {
      const granted = grantedTo(email);
      const moved = await movedTimes(id, source, times, client);
      if (granted?.skipRequirements && booleanIn(source.skip_requirements) !== true) withoutSkip.push(email);
      found.set(addressKey(email), { id, source, times: granted ? grantedTimes(id, moved, { ...granted, times, client, source }) : moved });
    }
  }
  const warn = (ids: string[], why: string) => {
    if (ids.length > 0)
      context.warn(
        sentence`warning: ${count(ids.length, 'session')} of exam ${exam} will not be copied (${firstInLine(ids, (id) => id, 20)}): ${why}.`,
      );
  };
  warn(nameless, 'they show no address, so they could be created twice');
  warn(twice, 'another session has the same address');
  if (withoutSkip.length > 0)
    context.warn(
      sentence`warning: the list grants skip_requirements, which a copy takes from the old session only: ${firstInLine(withoutSkip, (email) => email, 20)}. Add these students with sessions import --accommodations instead.`,
    );
  const copied = [...found.values()];
  tellWindows(context, copied, times);
  return copied;
}

/** Warns of each window that is over, or not inside the new exam: the old one may have been outside its exam as well. */
function tellWindows(context: Context, copied: readonly Copied[], { newStart, newEnd }: CopyTimes) {
  const clock = { now: context.host.now(), zone: context.zone() };
  const outside = copied.flatMap(({ id, source, times }) => {
    const [opens, closes] = (['open_time', 'close_time'] as const).map((name) => instantOf(times.find(({ field }) => field === name)?.new));
    const why = whyOutside({ opens, closes, granted: true }, { starts: newStart, ends: newEnd }, clock);
    return why === undefined ? [] : [{ id, email: emailOf(source), why }];
  });
  for (const text of firstLines(
    outside,
    ({ id, email, why }) => sentence`warning: the copy of session ${id}, ${email ?? ''}: ${why}.`,
    'more windows like these',
  ))
    context.warn(text);
}

/** An open_time keeps its distance to the start of the exam, and a close_time that to its end. */
async function movedTimes(
  id: string,
  source: JsonObject,
  { start, newStart, end, newEnd, zone }: CopyTimes,
  { dialect }: Client,
): Promise<Copied['times']> {
  const moved: Copied['times'] = [];
  const closing = end === undefined || newEnd === undefined ? ([start, newStart] as const) : ([end, newEnd] as const);
  const anchors = { open_time: [start, newStart], close_time: closing } as const;
  let opens = newStart;
  for (const field of ['open_time', 'close_time'] as const) {
    const old = source[field] ?? null;
    if (old === null) continue;
    const at = instantOf(old);
    const [from, to] = anchors[field];
    try {
      if (at === undefined) throw new InvalidValue(sentence`"${JSON.stringify(old)}" is not a time.`);
      const time = await movedEnd({ start: from, end: at }, to, zone);
      if (field === 'open_time') opens = time;
      else if (time <= opens) throw new InvalidValue(sentence`The student could not take the new exam: it is too short for this window.`);
      moved.push({ field, old: old as TimeValue, new: formatTime(time, dialect.timeFormat) });
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      throw new CliError('invalid_input', sentence`The ${field} of session ${id} cannot be moved along: ${error.message}`, {
        hint: 'Nothing was sent. Clone the exam without --with-students, and import its students.',
      });
    }
  }
  return moved;
}

type Granting = { extra: ExtraTime; times: CopyTimes; client: Client; source: JsonObject };

/** The same window, open at least until the end of the extra time. */
function grantedTimes(id: string, moved: Copied['times'], { extra, times, client, source }: Granting): Copied['times'] {
  const own = (field: string) => moved.find((time) => time.field === field);
  const target = targetTime({ starts: times.newStart, ends: times.newEnd, opens: instantOf(own('open_time')?.new) }, extra);
  if (target === undefined) return moved;
  if (typeof target === 'string') {
    throw new CliError('invalid_input', sentence`The extra time of session ${id} cannot be computed: ${target}.`, {
      hint: 'Nothing was sent. Correct the list or the times of the new exam, or clone it without --accommodations.',
    });
  }
  const closes = own('close_time');
  if ((instantOf(closes?.new) ?? 0) >= target) return moved;
  const old = (source.close_time ?? null) as TimeValue;
  return [...moved.filter((time) => time !== closes), { field: 'close_time', old, new: formatTime(target, client.dialect.timeFormat) }];
}

/** Warns of what an earlier run of the same clone may have left: an exam like the new one, or a copy that was stopped. */
export async function tellEarlierClones(context: Context, folder: string, from: string, clone: JsonObject): Promise<void> {
  const client = await context.client();
  const { examNameKey } = client.dialect;
  const alike: string[] = [];
  for await (const exam of client.list(operations.listExams, {})) {
    const id = idOf(exam, client);
    const isNamed = typeof clone[examNameKey] === 'string' && exam[examNameKey] === clone[examNameKey];
    if (id !== undefined && id !== from && isNamed && sameInstant(exam.start_time, clone.start_time)) alike.push(id);
  }
  if (alike.length > 0)
    context.warn(
      sentence`warning: exams with the name and the start of the new exam exist already: ${alike.join(', ')}. Another one will be created.`,
    );
  const origin = journalOrigin(context.settings());
  for (const { header, moves } of (await listChanges(folder)).changes) {
    const isOpen = header.origin === origin && header.kind === 'copy' && moves.state() === 'unfinished';
    if (isOpen && moves.all().some(({ exam }) => exam === from))
      context.warn(
        sentence`warning: an earlier run was stopped (${header.what}). To finish that one: proctor-cli ${typedCommand('changes resume', [header.change])}`,
      );
  }
}

/** The requests that create the students in an exam that does not exist yet, for `--dry-run`. */
export function copySteps(client: Client, copied: readonly Copied[]): RequestStep[] {
  const later = (note: string, step: RequestStep) => ({
    ...step,
    later: { note, complete: () => ({ params: step.params ?? {}, body: step.body ?? {} }) },
  });
  return copied.flatMap(({ source, times }) => {
    const [opens, closes] = (['open_time', 'close_time'] as const).map((name) => times.find(({ field }) => field === name)?.new);
    const create = {
      operation: operations.createSession,
      params: { exam_id: 'ID' },
      body: bodyOf(source, closes === undefined ? {} : { closes }, client),
    };
    const window = { operation: operations.patchSession, params: { id: 'ID' }, body: { open_time: opens ?? null } };
    return [later("ID: the new exam's", create), ...(opens === undefined ? [] : [later("ID: the new session's", window)])];
  });
}

/** Copies them; resolves to the error with which the command ends, and says how to finish. */
export async function copyStudents(
  context: Context,
  { folder, from, to, copied }: { folder: string; from: string; to: string; copied: readonly Copied[] },
): Promise<CliError | undefined> {
  if (copied.length === 0) return undefined;
  const client = await context.client();
  const [ids, exams] = [client.idType('session'), client.idType('exam')];
  const plan = copied.map(({ id, times }) => ({
    kind: 'session' as const,
    id,
    ...(ids ? { ids } : {}),
    exam: from,
    fields: { exam: { old: from, new: to }, ...Object.fromEntries(times.map(({ field, old, new: next }) => [field, { old, new: next }])) },
  }));
  return withChangesLock(context, { folder, command: typedCommand('exams clone', [from], '--with-students') }, async () => {
    const title = { origin: journalOrigin(context.settings()), kind: 'copy', what: `copy the students of exam ${from} to exam ${to}` };
    const journal = await beginChange(
      folder,
      { ...title, exam: to, ...(exams ? { ids: exams } : {}), ...reasonOf(context), plan },
      context,
    );
    context.say(
      sentence`Copying ${students(copied.length)} to exam ${to}; if this is stopped, finish it with: proctor-cli ${typedCommand('changes resume', [journal.header.change])}`,
    );
    try {
      const tasks = copied.map(({ id, times }, at) => {
        const [opens, closes] = (['open_time', 'close_time'] as const).map((name) => times.find(({ field }) => field === name)?.new);
        return {
          number: at + 1,
          session: id,
          from,
          to,
          stays: true,
          uncertain: false,
          ...(opens === undefined ? {} : { opens }),
          ...(closes === undefined ? {} : { closes }),
        };
      });
      const result = await runTransfers(context, journal, tasks, { did: 'copied', follows: true });
      if (!result.failure) context.say(sentence`Copied ${students(copied.length)} to exam ${to}.`);
      return result.failure;
    } finally {
      await journal.close();
    }
  });
}
