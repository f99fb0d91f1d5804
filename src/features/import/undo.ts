/**
 * Undoes an import: deletes exactly the sessions that the run created and whose students have not started. Each
 * deletion is in the run's journal before it is sent, so that a stopped undo can be resumed. Sessions that the run
 * may have created, or that belong to another student by now, are named and kept.
 */
import { dirname } from 'node:path';
import { type Client, examOf } from '../../api/client.ts';
import { keptBecause } from '../../api/delete-chosen.ts';
import { sessionsInWords } from '../../api/in-words.ts';
import { operations } from '../../api/operations.ts';
import type { Context, Result, Row } from '../../command.ts';
import { CliError, orGone } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { firstLines } from '../../model/first-of.ts';
import { idAs } from '../../model/id.ts';
import { phaseOf } from '../../model/status.ts';
import { refuseElsewhere } from '../../state/journal/origin.ts';
import { sentence } from '../../text/sentence.ts';
import { admitDeletions, type ChosenStudent, type Deletion, type Deletions, deleteSessions, deletionFailure, isOpen } from './deletions.ts';
import { lockExam } from './exam-lock.ts';
import { type Journal, openJournal } from './journal/journal.ts';
import { nameOfRow, type RunHeader, studentKey } from './journal/records.ts';
import { stateOf } from './journal/row-state.ts';
import type { Rows } from './journal/rows.ts';
import { type Run, readRun } from './journal/runs.ts';
import { type ExamStudent, listStudents, type Presence, studentOf } from './presence.ts';

const columns = [{ key: 'session' }, { key: 'email' }, { key: 'status' }, { key: 'result' }, { key: 'problem' }] as const;

/** A session that the run created; `isStudent` goes by the key in the run's journal. `elsewhere`: the exam that it belongs to by now. */
type Created = ChosenStudent & { row: number; key: string; elsewhere?: string | undefined };

/** `path`: the run's journal. Throws `invalid_input` where the profile is for another service than the run. */
export async function undoRun(context: Context, path: string): Promise<Result> {
  const { header } = (await runAt(path)).run;
  refuseElsewhere(`Run ${header.run} was an import to`, header.origin, context.settings());
  const lock = await lockExam(context, dirname(path), `imports undo ${header.run}`);
  try {
    return await undoUnderLock(context, path);
  } finally {
    lock.release();
  }
}

async function undoUnderLock(context: Context, path: string): Promise<Result> {
  const { host } = context;
  // Not before the lock: its last holder may have written more.
  const { run, rows } = await runAt(path);
  const { header } = run;
  const client = await context.uninterruptedClient();
  const presence = await listStudents(client, header.exam, noFields);
  const created = await createdBy(rows, presence, header, client);
  const removable = created.filter((one) => whyKept(one) === undefined);
  const refused = created.flatMap(keptFromTheStart);
  const unknownStudents = unknownIn(rows);
  const kept = [
    ...refused.map(rowOf),
    ...presence.students
      .filter(({ email }) => unknownStudents.size > 0 && email !== undefined && unknownStudents.has(studentKey(header.salt, email)))
      .map((student) => ({ ...shown(student), result: 'kept, possibly created' })),
  ];
  const unknown = unknownOf(unknownStudents.size);
  const list = (rows: Row[], failure?: CliError) =>
    ({
      kind: 'list',
      rows: [...rows, ...kept].map((row) => ({ ...row, session: sessionOf(row, client) })),
      columns,
      id: 'session',
      ...(failure ? { failure } : {}),
    }) as const;
  const failureOf = ({ all, stopped }: Deletions) => {
    const failure = deletionFailure({ all: [...all, ...refused], stopped }, client.idType('session'));
    return stopped || all.some(isOpen) ? failure : (unknown ?? failure);
  };
  return context.act({
    steps: removable,
    show: (steps) => list(steps.map(({ student }) => ({ ...shown(student), result: 'would be deleted' }))),
    async perform(steps) {
      tell(context, steps, kept);
      // An undo that was cut off is noted as finished even if there is nothing left to delete.
      if (steps.length > 0) {
        await admitDeletions(client, header.exam, steps.length);
        const named = steps.map(({ student: { session, email } }) => ({ session, email, exam: header.exam }));
        await context.confirm(async () => sentence`Delete ${await sessionsInWords(client, named, context.zone())} ${context.place()}?`);
      } else if (!run.undone || run.state === 'finished') return list([], failureOf({ all: [], stopped: undefined }));
      const { journal } = await openJournal(path, header, {
        now: host.now,
        secrets: context.secrets,
        idType: () => client.idType('session'),
      });
      try {
        settleEarlier(journal, created);
        const deletions = await deleteSessions(steps, { client, host, exam: header.exam, ...noting(journal) });
        await journal.note(deletions.all.some(isOpen) ? 'stopped' : 'finished', { reason: 'undone' });
        return list(deletions.all.map(rowOf), failureOf(deletions));
      } finally {
        await journal.close();
      }
    },
  });
}

async function runAt(path: string): Promise<{ run: Run; rows: Rows }> {
  const read = await readRun(path);
  if (read) return read;
  throw new CliError('not_found', sentence`The journal ${path} is empty.`);
}

/** As the listing shows them. One that it does not show is read: the listing may be late or cut, or it is in another exam by now. */
async function createdBy(rows: Rows, presence: Presence, { salt, exam }: RunHeader, client: Client): Promise<Created[]> {
  const ours = [...rows.entries()].flatMap(([row, { ours, key, session }]) =>
    ours && session !== undefined ? [{ row, key, session }] : [],
  );
  const found = await client.pacer.map(ours, async ({ row, key, session }): Promise<Created[]> => {
    const isStudent = (email: string | undefined) => key === studentKey(salt, email ?? nameOfRow(row));
    const listed = presence.withSession(session);
    if (listed) return [{ row, key, student: listed, isStudent }];
    const read = await orGone(client.get(operations.getSession, { params: { id: session } }));
    if (!read) return [];
    const of = examOf(read, client);
    const elsewhere = of === exam ? undefined : of;
    return [{ row, key, student: studentOf(read, client, noFields), isStudent, elsewhere }];
  });
  return found.flat();
}

const noFields: ReadonlySet<string> = new Set();

/** The students of requests whose outcome is unknown, by their keys. */
function unknownIn(rows: Rows): Set<string> {
  const unknownStudents = [...rows.entries()].filter(([, state]) => state.step === 'create' && stateOf(state) === 'unknown');
  return new Set(unknownStudents.map(([, { key }]) => key));
}

function unknownOf(unknownStudents: number): CliError | undefined {
  if (unknownStudents === 0) return undefined;
  return new CliError(
    'outcome_unknown',
    sentence`The outcome of ${count(unknownStudents, 'row')} is unknown: their students may have been created.`,
    {
      hint: 'Check the exam: students of these rows that it shows are listed as kept, and a late request may still arrive.',
    },
  );
}

/** Why a session that the run created stays; undefined for one that can be deleted. */
function whyKept({ student: { email, status }, isStudent, elsewhere }: Created): string | undefined {
  if (elsewhere !== undefined) return `it belongs to exam ${elsewhere} by now`;
  // A list may show no addresses; the read before the deletion then has to.
  if (email?.trim() && !isStudent(email)) return 'it belongs to a different address than was imported';
  return phaseOf(status) === 'waiting' ? undefined : `its status is ${status ?? 'not shown'}`;
}

/** A session that is not even tried keeps the undo from being complete, as one does that changes before its turn. */
function keptFromTheStart(one: Created): Deletion[] {
  const { student } = one;
  const why = whyKept(one);
  return why === undefined ? [] : [{ student, result: 'kept', why, error: keptBecause(student.session ?? '', why) }];
}

function tell({ say }: Context, removable: readonly Created[], kept: readonly Row[]) {
  const toDelete = ({ student }: Created) => sentence`To delete: ${student.session} ${student.email ?? ''} (${student.status})`;
  for (const text of firstLines(removable, toDelete)) say(text);
  for (const { session, email, problem } of kept)
    say(sentence`Kept: ${String(session)} ${String(email ?? '')} (${String(problem ?? 'possibly created by this run')})`);
}

/** Sessions that an earlier undo was deleting when it was cut off, and that are gone: neither listed nor found by their ID. */
function settleEarlier(journal: Journal, created: readonly Created[]) {
  const there = new Set(created.map(({ row }) => row));
  for (const [row, { step, status, session }] of journal.rows.entries()) {
    if (step !== 'delete' || status === 'done' || session === undefined || there.has(row)) continue;
    journal.outcome({ row, outcome: 'done' });
  }
}

/** Writes each deletion before it is sent, and its outcome. */
function noting(journal: Journal) {
  return {
    before: ({ row, key }: Created) => journal.intent({ row, key, intent: 'delete' }),
    after({ row }: Created, { error }: Deletion, sent: boolean) {
      if (!sent) return;
      if (!error) return journal.outcome({ row, outcome: 'done' });
      journal.outcome({ row, outcome: error.code === 'outcome_unknown' ? 'unknown' : 'rejected', reason: error.message });
    },
  };
}

function rowOf({ student, result, why, error }: Deletion): Row {
  const problem = why ?? error?.message;
  return { ...shown(student), result, ...(problem === undefined ? {} : { problem }) };
}

function sessionOf({ session }: Row, client: Client): Row[string] {
  return typeof session === 'string' ? idAs(session, client.idType('session')) : null;
}

function shown({ session, email, status }: ExamStudent): Row {
  return { session: session ?? null, email: email ?? null, status: status ?? null };
}
