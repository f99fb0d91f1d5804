/**
 * `sessions move`: students to another exam. The same command resumes what it left open, and passes over what it has
 * done: a student is created there once, whatever became of earlier runs.
 */
import type { ItemFailure } from '../../api/batch.ts';
import { type Client, examOf } from '../../api/client.ts';
import { examInWords, examShown, sessionsInWords } from '../../api/in-words.ts';
import { operations } from '../../api/operations.ts';
import type { Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import { count } from '../../model/count.ts';
import { firstLines } from '../../model/first-of.ts';
import { idAs } from '../../model/id.ts';
import type { JsonObject } from '../../model/json.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { statusOf } from '../../model/status.ts';
import { sameInstant } from '../../model/time.ts';
import { journalOrigin } from '../../state/journal/origin.ts';
import { sentence } from '../../text/sentence.ts';
import {
  beginChange,
  emailOf,
  listChanges,
  type Move,
  type RecordedChange,
  readResource,
  reasonOf,
  type TimeValue,
  withChangesLock,
} from '../changes/index.ts';
import { requestsOf } from './plan.ts';
import { resumeTransfers } from './resume.ts';
import { notMoved, refusedRow, runTransfers, transferColumns } from './run.ts';
import { chosenAddress, type Students, sessionsWith, studentsOf } from './students.ts';
import { ownTime, type TransferTask, whyStays } from './task.ts';

export type MoveRequest = { folder: string; ids: readonly string[]; exam: string };

type Chosen = { task: TransferTask; source: JsonObject; email: string };

export async function moveSessions(context: Context, { folder, ids, exam: to }: MoveRequest): Promise<Result> {
  const client = await context.client();
  const wanted = [...new Set(ids)];
  const target = await client.get(operations.getExam, { params: { id: to } });
  const earlier = await earlierMoves(context, folder, to);
  const open = earlier.find(({ change, move }) => change.moves.state() === 'unfinished' && wanted.includes(move.id));
  if (open) {
    const { change } = open.change.header;
    const others = wanted.filter((id) => open.change.moves.of('session', id).length === 0);
    context.warn(sentence`Change ${change} (${open.change.header.what}) was stopped; it is resumed.`);
    if (others.length > 0)
      context.warn(
        sentence`Not in it, and not moved now: ${count(others.length, 'session')} (${others.join(', ')}). Run the command again for them.`,
      );
    return resumeTransfers(context, folder, open.change);
  }
  const students = await studentsOf(client, to);
  const chosen = await choose(client, wanted, { to, target, students, earlier });
  for (const line of firstLines(chosen.refused, ({ error }) => error.message)) context.warn(line);
  tellMoved(context, chosen.tasks, students, to);
  const words = { did: 'moved', before: chosen.before, refused: chosen.refused };
  return context.act({
    steps: chosen.tasks,
    show: () => chosen.shown,
    async perform(steps) {
      if (steps.length === 0) return nothingToMove(context, client, chosen);
      await context.confirm(async () => {
        const named = steps.map(({ task, email }) => ({ session: task.session, email, exam: task.from }));
        const [who, where] = [
          await sessionsInWords(client, named, context.zone()),
          examInWords(to, await examShown(client, to), client, context.zone()),
        ];
        return sentence`Move ${who} to ${where} ${context.place()}?`;
      });
      return withChangesLock(context, { folder, command: `sessions move ${typedOption('--exam', to)}` }, async () => {
        const types = { session: client.idType('session'), exam: client.idType('exam') };
        const plan = steps.map(({ task }) => ({
          kind: 'session' as const,
          id: task.session,
          ...(types.session ? { ids: types.session } : {}),
          ...(task.from === undefined ? {} : { exam: task.from }),
          fields: {
            exam: { old: task.from ?? null, new: to },
            ...(task.closes === undefined ? {} : { close_time: { old: task.closes, new: task.closes } }),
            ...(task.opens === undefined ? {} : { open_time: { old: task.opens, new: task.opens } }),
          },
        }));
        const title = {
          origin: journalOrigin(context.settings()),
          kind: 'move',
          what: `move to exam ${to}`,
          exam: to,
          ...(types.exam ? { ids: types.exam } : {}),
        };
        const journal = await beginChange(folder, { ...title, ...reasonOf(context), plan }, context);
        try {
          return await runTransfers(
            context,
            journal,
            steps.map(({ task }) => task),
            words,
          );
        } finally {
          await journal.close();
        }
      });
    },
  });
}

type EarlierMove = { change: RecordedChange; move: Move };

/** What changes of this machine have moved to the exam, or were to, the latest first. */
async function earlierMoves(context: Context, folder: string, to: string): Promise<EarlierMove[]> {
  const origin = journalOrigin(context.settings());
  const { changes, unreadable } = await listChanges(folder);
  const [damaged] = unreadable;
  if (damaged) {
    throw new CliError(damaged.code, sentence`${damaged.message} It may have moved some of these students.`, {
      hint: 'Nothing was sent. Check which exams the students are in, then move the file away and run the command again.',
    });
  }
  return changes
    .filter(({ header }) => header.origin === origin && header.kind === 'move')
    .flatMap((change) => change.moves.all().map((move) => ({ change, move })))
    .filter(({ move }) => move.fields.exam?.new === to);
}

type Choosing = { to: string; target: JsonObject; students: Students; earlier: readonly EarlierMove[] };
type Choice = { tasks: Chosen[]; before: Row[]; refused: ItemFailure[]; shown: Result };

async function choose(client: Client, ids: readonly string[], { to, target, students, earlier }: Choosing): Promise<Choice> {
  const tasks: Chosen[] = [];
  const before: Row[] = [];
  const refused: ItemFailure[] = [];
  const addresses = new Map<string, string>();
  const exams = new Map<string, JsonObject | undefined>();
  const refuse = (id: string, why: string) => refused.push({ id, error: notMoved(id, 'moved', why) });
  for (const id of ids) {
    const source = await readResource(client, 'session', id);
    if (source instanceof CliError) {
      const made =
        source.code === 'not_found'
          ? earlier.find(({ move }) => move.id === id && move.made !== undefined && move.proven)?.move.made
          : undefined;
      const there = made === undefined ? undefined : await readResource(client, 'session', made);
      if (made === undefined || there === undefined || there instanceof CliError) refused.push({ id, error: source });
      else {
        const type = client.idType('session');
        before.push({
          session: idAs(id, type),
          email: emailOf(there),
          from: null,
          to: idAs(to, client.idType('exam')),
          as: idAs(made, type),
          result: 'moved before',
        });
      }
      continue;
    }
    const why = whyStays(source, { to }, client);
    const email = why === undefined ? await chosenAddress(source, client) : null;
    if (why !== undefined || email === null) {
      refuse(id, why ?? 'it shows no address');
      continue;
    }
    const there = sessionsWith(students, email);
    const first = addresses.get(addressKey(email));
    if (there.includes(id)) refuse(id, `it is in exam ${to} already`);
    else if (there.length > 1) refuse(id, `${email} is in exam ${to} more than once (sessions ${there.join(', ')})`);
    else if (first !== undefined) refuse(id, `session ${first} has the same address`);
    else {
      addresses.set(addressKey(email), id);
      const from = examOf(source, client);
      if (from !== undefined && !exams.has(from)) exams.set(from, await examShown(client, from));
      const window = from !== undefined && alike(exams.get(from), target) ? windowOf(source, there.length > 0 ? target : {}) : {};
      tasks.push({
        task: { number: tasks.length + 1, session: id, from, to, email, stays: false, uncertain: false, ...window },
        source,
        email,
      });
    }
  }
  return { tasks, before, refused, shown: await requestsOf(client, tasks, new Map([[to, students]])) };
}

/** A window fits another exam if that starts and ends at the same time: a parallel group. */
function alike(exam: JsonObject | undefined, target: JsonObject): boolean {
  return exam !== undefined && sameInstant(exam.start_time, target.start_time) && sameInstant(exam.end_time, target.end_time);
}

/** `exam`: its times stand for those that a session has not of its own, where they are compared with another session. */
function windowOf(source: JsonObject, exam: JsonObject = {}): { opens?: TimeValue; closes?: TimeValue } {
  const opens = ownTime(source, 'open_time') ?? ownTime({ open_time: exam.start_time ?? null }, 'open_time');
  const closes = ownTime(source, 'close_time') ?? ownTime({ close_time: exam.end_time ?? null }, 'close_time');
  return { ...(opens === undefined ? {} : { opens }), ...(closes === undefined ? {} : { closes }) };
}

/** Says who is there already, and what does not go with the students. */
function tellMoved(context: Context, tasks: readonly Chosen[], students: Students, to: string) {
  const lines = firstLines(tasks, ({ task, email }) => {
    const [there] = sessionsWith(students, email);
    const joins = there === undefined ? `created in exam ${to}` : `in exam ${to} already, as session ${there}`;
    return sentence`To move: session ${task.session} ${email}${task.from === undefined ? '' : ` of exam ${task.from}`}, ${joins}, then deleted here`;
  });
  for (const line of lines) context.say(line);
  const windows = tasks.filter(
    ({ task, source }) => Object.keys(windowOf(source)).length > 0 && task.opens === undefined && task.closes === undefined,
  );
  if (windows.length > 0) {
    const ids = windows.map(({ task }) => task.session).join(', ');
    context.warn(
      sentence`warning: the times of ${windows.length === 1 ? 'session' : 'sessions'} ${ids} are not carried over, because exam ${to} is at another time; set them there with sessions update or sessions extend.`,
    );
  }
  const mailed = tasks.filter(({ source }) => statusOf(source.status) === 'mail_sent').length;
  if (mailed > 0)
    context.say(
      sentence`${count(mailed, 'student')} with mails about the present exam will be registered in exam ${to} and have no mail about it.`,
    );
}

function nothingToMove(context: Context, client: Client, { before, refused }: Choice): Result {
  const [only] = refused;
  if (only && refused.length === 1 && before.length === 0) throw only.error;
  if (!only) context.say('No sessions to move.');
  const rows = [...before, ...refused.map(({ id, error }) => refusedRow(client, id, error))];
  const failure =
    only && new CliError('partly_done', sentence`${count(refused.length, 'session')} cannot be moved.`, { hint: only.error.hint });
  return { kind: 'list', rows, columns: transferColumns, id: 'as', ...(failure ? { failure } : {}) };
}
