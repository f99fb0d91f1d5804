/**
 * Deletes sessions one after the other. One that fails does not keep the rest from being deleted; a
 * refused token and an interruption do. What became of each is told, whatever happens.
 */
import type { Client } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { perform } from '../api/perform.ts';
import { CliError } from '../errors.ts';
import type { Host } from '../host.ts';
import type { Student } from './presence.ts';

export type Deletion = { student: Student; result: 'deleted' | 'failed' | 'not tried'; error?: CliError };

type Options<T> = {
  client: Client;
  host: Pick<Host, 'interrupted'>;
  /** Before a request leaves, and once it is known what became of it: no `error` if it was done. */
  before?(one: T): Promise<void>;
  after?(one: T, error?: CliError): void;
};

/** Resolves to what became of each, in order. Throws what is no matter of one student. */
export async function deleteSessions<T extends { student: Student }>(
  all: readonly T[],
  { client, host, before, after }: Options<T>,
): Promise<Deletion[]> {
  const deletions: Deletion[] = [];
  let refused = false;
  for (const one of all) {
    const { student } = one;
    if (refused || host.interrupted.aborted) {
      deletions.push({ student, result: 'not tried' });
      continue;
    }
    await before?.(one);
    const error = await deleteOne(client, student);
    after?.(one, error);
    refused = error?.code === 'token_refused';
    deletions.push(error ? { student, result: 'failed', error } : { student, result: 'deleted' });
  }
  return deletions;
}

async function deleteOne(client: Client, { session }: Student): Promise<CliError | undefined> {
  if (session === undefined) return new CliError('bad_answer', 'The listing does not tell the ID of this session.');
  try {
    await perform(client, operations.deleteSession, { params: { id: session } });
    return undefined;
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

/** The error with which a command ends that could not delete all of them; undefined where it could. */
export function deletionFailure(deletions: readonly Deletion[], { interrupted }: Pick<Host, 'interrupted'>): CliError | undefined {
  const left = deletions.filter(({ result }) => result !== 'deleted');
  if (left.length === 0) return undefined;
  const errors = left.flatMap(({ error }) => error ?? []);
  const stopped = interrupted.aborted ? (interrupted.reason as CliError) : errors.find(({ code }) => code === 'token_refused');
  const decisive = stopped ?? errors.find(({ code }) => code === 'outcome_unknown');
  const why = decisive ?? errors.at(-1);
  return new CliError(decisive?.code ?? 'partly_done', `${left.length} of ${deletions.length} sessions are not deleted: ${why?.message}`, {
    hint: 'Run the same command again: it deletes those that are left.',
    items: left.map(({ student, result, error }) => ({
      id: student.session ?? student.email ?? '',
      code: error?.code ?? stopped?.code ?? 'partly_done',
      message: error?.message ?? result,
    })),
  });
}
