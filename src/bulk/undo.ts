/**
 * Takes an import back: deletes exactly the sessions which the run created and which have not begun.
 * Each deletion stands in the run's journal before it leaves, so that a stopped undo can be gone on with.
 * Whom the run may have created, and nobody knows, is named and kept.
 */
import { dirname } from 'node:path';
import type { Context, Result, Row } from '../command.ts';
import { CliError } from '../errors.ts';
import { refuseElsewhere } from '../journal/origin.ts';
import { count } from '../model/count.ts';
import { firstLines } from '../model/first-of.ts';
import { type Deletion, deleteSessions, deletionFailure } from './deletions.ts';
import { type Journal, openJournal } from './journal/journal.ts';
import { studentKey } from './journal/records.ts';
import { standing } from './journal/row-state.ts';
import type { Rows } from './journal/rows.ts';
import { type Run, readRun } from './journal/runs.ts';
import { listStudents, type Student } from './presence.ts';
import { holdTarget } from './target.ts';

const columns = [{ key: 'session' }, { key: 'email' }, { key: 'status' }, { key: 'result' }] as const;

/** States in which a student has not begun. */
const untouched = new Set(['registered', 'mail_sent']);

/** A student that the run created, and who is still there. */
type Created = { row: number; key: string; student: Student };

/** `path`: the run's journal. Throws `invalid_input` where the profile is for another service than the run. */
export async function undoRun(context: Context, path: string): Promise<Result> {
  const { header } = (await runAt(path)).run;
  refuseElsewhere(`Run ${header.run} was an import into`, header.origin, context.settings());
  const lock = await holdTarget(context, dirname(path), `imports undo ${header.run}`);
  try {
    return await undoUnderLock(context, path);
  } finally {
    lock.release();
  }
}

async function undoUnderLock(context: Context, path: string): Promise<Result> {
  const { host } = context;
  // Not before the lock: whoever held it may have written more.
  const { run, rows } = await runAt(path);
  const { header } = run;
  const client = await context.patientClient();
  const { students } = await listStudents(client, header.exam, new Set());
  const present = new Map(students.map((student) => [student.session, student]));
  const created = createdBy(rows, present);
  const removable = created.filter(({ student }) => hasNotBegun(student));
  const doubtful = doubtfulIn(rows);
  const kept = [
    ...created.filter(({ student }) => !hasNotBegun(student)).map(({ student }) => ({ ...shown(student), result: 'kept' })),
    ...students
      .filter(({ email }) => doubtful.size > 0 && email !== undefined && doubtful.has(studentKey(header.salt, email)))
      .map((student) => ({ ...shown(student), result: 'kept, perhaps created' })),
  ];
  const unknown = unknownOf(doubtful.size);
  const list = (rows: Row[], failure?: CliError) =>
    ({ kind: 'list', rows: [...rows, ...kept], columns, id: 'session', ...(failure ? { failure } : {}) }) as const;
  if (context.globals.dryRun) return list(removable.map(({ student }) => ({ ...shown(student), result: 'would be deleted' })));
  tell(context, removable, kept);
  // Where nobody is left to delete, an undo that was cut off is still written to its end.
  if (removable.length > 0) {
    await context.confirm(() => `Delete ${count(removable.length, 'student session')} of exam ${header.exam} ${context.place()}?`);
  } else if (!run.undone || run.state === 'finished') return list([], unknown);
  const { journal } = await openJournal(path, header, { now: host.now, secrets: context.secrets });
  try {
    settleEarlier(journal, present);
    const deletions = await deleteSessions(removable, { client, host, ...noting(journal) });
    const failure = deletionFailure(deletions, host);
    await journal.note(failure ? 'stopped' : 'finished', 'undone');
    return list(deletions.map(rowOf), failure ?? unknown);
  } finally {
    await journal.close();
  }
}

async function runAt(path: string): Promise<{ run: Run; rows: Rows }> {
  const read = await readRun(path);
  if (read) return read;
  throw new CliError('not_found', `The journal ${path} is empty.`);
}

function createdBy(rows: Rows, present: ReadonlyMap<string | undefined, Student>): Created[] {
  return [...rows.entries()].flatMap(([row, { ours, key, session }]) => {
    const student = session === undefined ? undefined : present.get(session);
    return ours && student ? [{ row, key, student }] : [];
  });
}

/** The keys of the students of whom nobody knows whether the run created them. */
function doubtfulIn(rows: Rows): Set<string> {
  const doubtful = [...rows.entries()].filter(([, state]) => state.step === 'create' && standing(state) === 'doubt');
  return new Set(doubtful.map(([, { key }]) => key));
}

function unknownOf(doubtful: number): CliError | undefined {
  if (doubtful === 0) return undefined;
  return new CliError('outcome_unknown', `Of ${count(doubtful, 'row')} of the run nobody knows whether the student was created.`, {
    hint: 'Look at the exam: whoever is there now is named as kept, and a late request may still arrive.',
  });
}

function hasNotBegun({ status = '' }: Student): boolean {
  return untouched.has(status);
}

function tell({ say }: Context, removable: readonly Created[], kept: readonly Row[]) {
  const toDelete = ({ student }: Created) => `To delete: ${student.session} ${student.email ?? ''} (${student.status})`;
  for (const text of firstLines(removable, toDelete)) say(text);
  for (const { session, email, status, result } of kept) {
    say(`Kept: ${session} ${email ?? ''} (${status}${result === 'kept' ? '' : ', perhaps created by this run'})`);
  }
}

/** Of an earlier undo that was cut off: who is not there any more is deleted. */
function settleEarlier(journal: Journal, present: ReadonlyMap<string | undefined, Student>) {
  for (const [row, { step, status, session }] of journal.rows.entries()) {
    if (step === 'delete' && status !== 'done' && !present.has(session)) journal.outcome({ row, outcome: 'done' });
  }
}

/** Writes each deletion down before it leaves, and what became of it. */
function noting(journal: Journal) {
  return {
    before: ({ row, key }: Created) => journal.intent({ row, key, intent: 'delete' }),
    after({ row }: Created, error?: CliError) {
      if (!error) return journal.outcome({ row, outcome: 'done' });
      journal.outcome({ row, outcome: error.code === 'outcome_unknown' ? 'ambiguous' : 'rejected', reason: error.message });
    },
  };
}

function rowOf({ student, result, error }: Deletion): Row {
  return { ...shown(student), result, ...(error ? { problem: error.message } : {}) };
}

function shown({ session, email, status }: Student): Row {
  return { session: session ?? null, email: email ?? null, status: status ?? null };
}
