/**
 * Deletes sessions one after another, each only as it was chosen (`api/delete-chosen.ts`), and returns
 * the outcome of each; `api/batch.ts` decides how the rest continues after a failure.
 */
import { batchFailure, inBatch } from '../../api/batch.ts';
import type { Client } from '../../api/client.ts';
import { deleteChosen } from '../../api/delete-chosen.ts';
import { CliError, orError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { students } from '../../model/count.ts';
import type { IdType } from '../../model/id.ts';
import { sentence } from '../../text/sentence.ts';
import { type ExamStudent, listStudents } from './presence.ts';

/** The outcome for a session. `isStudent`: whether an address is still that of the student. */
export type ChosenStudent = { student: ExamStudent; isStudent(email: string | undefined): boolean };

/** `gone`: deleted by another client; `kept`: changed since it was chosen, and `why`; `unknown`: `error` says more. */
export type Deletion = {
  student: ExamStudent;
  result: 'deleted' | 'gone' | 'kept' | 'failed' | 'unknown' | 'not tried';
  why?: string;
  error?: CliError;
};

/** `stopped`: why the last ones were not tried. */
export type Deletions = { all: Deletion[]; stopped: CliError | undefined };

type DeletionOptions<T> = {
  client: Client;
  host: Host;
  exam: string;
  /** Before a DELETE is sent. */
  before?(one: T): Promise<void>;
  /** Once the outcome is known; `sent`: its DELETE may have been sent. */
  after?(one: T, deletion: Deletion, sent: boolean): void;
};

/** Students are deleted together, so that an exam that runs keeps all of them. Throws `exam_running`; in a dry run nothing. */
export function admitDeletions(client: Client, exam: string, number: number): Promise<void> {
  return number === 0 ? Promise.resolve() : client.admitRemoval(exam, sentence`delete ${students(number)} of exam ${exam}`);
}

/** Resolves to the outcome of each, in order. Throws what concerns more than one session, also `exam_running`. */
export async function deleteSessions<T extends ChosenStudent>(chosen: readonly T[], options: DeletionOptions<T>): Promise<Deletions> {
  const { client, exam, host, after } = options;
  await admitDeletions(client, exam, chosen.length);
  const { ends, stopped } = await inBatch(chosen, host, async (one) => {
    const { deletion, sent } = await deleteOne(one, options);
    after?.(one, deletion, sent);
    return deletion;
  });
  const all = ends.map(({ item: { student }, end }) => end ?? ({ student, result: 'not tried' } satisfies Deletion));
  return { all: all.some(({ result }) => result === 'gone') ? await withoutGhosts(all, options) : all, stopped };
}

/** A service that cannot show a session at all answers 404 as well: what the exam still lists is not gone. */
async function withoutGhosts(deletions: readonly Deletion[], { client, exam }: Pick<DeletionOptions<ChosenStudent>, 'client' | 'exam'>) {
  const present = await orError(listStudents(client, exam, new Set()));
  return deletions.map((deletion): Deletion => {
    const { student, result } = deletion;
    if (result !== 'gone' || student.session === undefined) return deletion;
    if (present instanceof CliError) return { student, result: 'failed', error: present };
    if (!present.withSession(student.session)) return deletion;
    const message = sentence`The service lists session ${student.session} but cannot show it (404), so it was not deleted.`;
    return { student, result: 'failed', error: new CliError('bad_answer', message) };
  });
}

async function deleteOne<T extends ChosenStudent>(
  one: T,
  { client, exam, before }: DeletionOptions<T>,
): Promise<{ deletion: Deletion; sent: boolean }> {
  const { student, isStudent } = one;
  let sent = false;
  const ended = (result: Deletion['result'], more: Pick<Deletion, 'why' | 'error'> = {}) => ({
    deletion: { student, result, ...more },
    sent,
  });
  if (student.session === undefined) {
    return ended('failed', { error: new CliError('bad_answer', 'The listing does not show the ID of this session.') });
  }
  const chosen = { id: student.session, exam, status: student.status, isStudent };
  try {
    const end = await deleteChosen(client, chosen, async () => {
      await before?.(one);
      sent = true;
    });
    const { is, ...more } = end;
    return ended(is, more);
  } catch (error) {
    if (!(error instanceof CliError) || error.code === 'journal_failed') throw error;
    return ended(error.code === 'outcome_unknown' ? 'unknown' : 'failed', { error });
  }
}

/** Whether running the same command again would delete more. */
export function isOpen({ result }: Deletion): boolean {
  return result === 'failed' || result === 'unknown' || result === 'not tried';
}

/** The error of a command that did not delete all of them; undefined if it did. `follows`: the command did something else before. */
export function deletionFailure({ all, stopped }: Deletions, idType: IdType | undefined, follows = false): CliError | undefined {
  const done = all.filter(({ result }) => result === 'deleted' || result === 'gone').length;
  const untried = all.filter(({ result }) => result === 'not tried').length;
  const failures = all.flatMap(({ student, result, error }) =>
    error ? [{ id: student.session ?? student.email ?? '', error, kept: result === 'kept' }] : [],
  );
  const hint = all.some(isOpen)
    ? sentence`Run the same command again: it deletes the rest.`
    : sentence`Check each session that was kept: proctor-cli sessions get ID`;
  return batchFailure({ done, all: all.length, untried, failures, stopped, follows }, { did: 'deleted', idType, hint });
}
