/**
 * Deletes sessions one after the other, each only as it was chosen (`api/delete-chosen.ts`). A failure
 * does not stop the rest, except for a refused token, an interruption, and a service that is away.
 */
import type { Client } from '../api/client.ts';
import { deleteChosen } from '../api/delete-chosen.ts';
import { CliError, errorTable } from '../errors.ts';
import type { Host } from '../host.ts';
import { count } from '../model/count.ts';
import { idAs } from '../model/id.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { listStudents, type Student } from './presence.ts';

/** What becomes of a session. `isStudent`: whether an address is still that of the student. */
export type Chosen = { student: Student; isStudent(email: string | undefined): boolean };

/** `gone`: deleted by somebody else; `kept`: changed since it was chosen, and `why`; `unknown`: `error` says more. */
export type Deletion = {
  student: Student;
  result: 'deleted' | 'gone' | 'kept' | 'failed' | 'unknown' | 'not tried';
  why?: string;
  error?: CliError;
};

type Options<T> = {
  client: Client;
  host: Pick<Host, 'interrupted'>;
  exam: string;
  /** Before a DELETE leaves. */
  before?(one: T): Promise<void>;
  /** Once it is known what became of it; `sent`: its DELETE may have left. */
  after?(one: T, deletion: Deletion, sent: boolean): void;
};

/** Failures in a row after which the service counts as away. */
const unavailableAtMost = 3;

/** Resolves to what became of each, in order. Throws what concerns more than one session. */
export async function deleteSessions<T extends Chosen>(all: readonly T[], options: Options<T>): Promise<Deletion[]> {
  const { host, after } = options;
  const deletions: Deletion[] = [];
  let unavailable = 0;
  let stopped = false;
  for (const one of all) {
    if (stopped || host.interrupted.aborted) {
      deletions.push({ student: one.student, result: 'not tried' });
      continue;
    }
    const { deletion, sent } = await deleteOne(one, options);
    after?.(one, deletion, sent);
    deletions.push(deletion);
    unavailable = deletion.error?.exit === errorTable.unavailable.exit ? unavailable + 1 : 0;
    stopped = deletion.error?.code === 'token_refused' || unavailable === unavailableAtMost;
  }
  return deletions.some(({ result }) => result === 'gone') ? withoutGhosts(deletions, options) : deletions;
}

/** A service that cannot show a session at all answers 404 as well: what the exam still lists is not gone. */
async function withoutGhosts(deletions: readonly Deletion[], { client, exam }: Pick<Options<Chosen>, 'client' | 'exam'>) {
  const present = await listStudents(client, exam, new Set()).catch((error: unknown) => {
    if (error instanceof CliError) return error;
    throw error;
  });
  return deletions.map((deletion): Deletion => {
    const { student, result } = deletion;
    if (result !== 'gone' || student.session === undefined) return deletion;
    if (present instanceof CliError) return { student, result: 'failed', error: present };
    if (!present.withSession(student.session)) return deletion;
    const message = sentence`The service lists session ${student.session} and does not show it (404), so it was not deleted.`;
    return { student, result: 'failed', error: new CliError('bad_answer', message) };
  });
}

async function deleteOne<T extends Chosen>(one: T, { client, exam, before }: Options<T>): Promise<{ deletion: Deletion; sent: boolean }> {
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
    return end.is === 'kept' ? ended('kept', { why: end.why }) : ended(end.is);
  } catch (error) {
    if (!(error instanceof CliError) || error.code === 'journal_failed') throw error;
    return ended(error.code === 'outcome_unknown' ? 'unknown' : 'failed', { error });
  }
}

/** Whether the same command would still have something to do. */
export function isOpen({ result }: Deletion): boolean {
  return result === 'failed' || result === 'unknown' || result === 'not tried';
}

/** The error with which a command ends that did not delete all of them; undefined where it did. */
export function deletionFailure(
  deletions: readonly Deletion[],
  client: Client,
  { interrupted }: Pick<Host, 'interrupted'>,
): CliError | undefined {
  const left = deletions.filter((deletion) => isOpen(deletion) || deletion.result === 'kept');
  if (left.length === 0) return undefined;
  const errors = left.flatMap(({ error }) => error ?? []);
  const stopped = interrupted.aborted ? (interrupted.reason as CliError) : errors.find(({ code }) => code === 'token_refused');
  const decisive = stopped ?? errors.find(({ code }) => code === 'outcome_unknown');
  const kept = left.find(({ result }) => result === 'kept');
  const why = (decisive ?? errors.at(-1))?.message ?? (kept && keptBecause(kept));
  const message = sentence`${left.length} of ${count(deletions.length, 'session')} ${left.length === 1 ? 'is' : 'are'} not deleted: ${why}`;
  return new CliError(decisive?.code ?? 'partly_done', message, {
    hint: left.some(isOpen)
      ? 'Run the same command again: it deletes the rest.'
      : 'Check each session that was kept: proctor-cli sessions get ID',
    items: left.map((deletion) => ({
      id:
        deletion.student.session === undefined ? (deletion.student.email ?? '') : idAs(deletion.student.session, client.idType('session')),
      code: deletion.error?.code ?? (deletion.result === 'kept' ? 'not_applied' : (stopped?.code ?? 'partly_done')),
      message: deletion.error?.message ?? (deletion.result === 'kept' ? keptBecause(deletion) : sentence`${deletion.result}`),
    })),
  });
}

/** Why a session was not deleted although it was chosen. */
export function keptBecause({ student, why }: Deletion): Sentence {
  return sentence`Session ${student.session} was kept: ${why}.`;
}
