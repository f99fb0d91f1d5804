/** Deletes the students of an exam that a roster lacks, after a question of its own. */
import type { Client } from '../api/client.ts';
import type { Context } from '../command.ts';
import { CliError } from '../errors.ts';
import { addressKey } from '../model/address-key.ts';
import { students } from '../model/count.ts';
import { firstInLine } from '../model/first-of.ts';
import { sentence } from '../text/sentence.ts';
import { type Chosen, type Deletion, deleteSessions, deletionFailure, keptBecause } from './deletions.ts';
import type { Student } from './presence.ts';

/** How many are deleted, and the error to end with where that is not all. */
export type Removal = { removed: number; failure?: CliError };

/**
 * The import is done by now: what goes wrong here is told beside its report, and never thrown in place of
 * it. Who shows no address stays: nobody can tell whether the file has them.
 */
export async function removeMissing(context: Context, client: Client, exam: string, notInFile: readonly Student[]): Promise<Removal> {
  const { host } = context;
  const missing = notInFile.filter(({ email }) => email !== undefined);
  if (missing.length < notInFile.length) {
    context.warn(sentence`Kept, because they show no address that the file could have: ${students(notInFile.length - missing.length)}.`);
  }
  if (missing.length === 0) return { removed: 0 };
  const named = firstInLine(missing, nameOf, 10);
  try {
    await context.confirm(
      () => sentence`Delete ${students(missing.length)} of the exam that the file lacks, ${context.place()}: ${named}?`,
    );
  } catch (error) {
    if (error instanceof CliError) {
      return {
        removed: 0,
        failure: new CliError(error.code, error.message, { hint: 'Nobody was deleted; what was imported stays.', cause: error }),
      };
    }
    throw error;
  }
  const after = (_: Chosen, deletion: Deletion) => {
    const { student, result, error } = deletion;
    if (result === 'kept') context.warn(keptBecause(deletion));
    else if (error) context.warn(sentence`Not deleted: ${nameOf(student)}: ${error.message}`);
    else context.say(sentence`${result === 'gone' ? 'Gone already' : 'Deleted'}: ${nameOf(student)}.`);
  };
  const deletions = await deleteSessions(missing.map(chosen), { client, host, exam, after });
  const failure = deletionFailure(deletions, host);
  return { removed: deletions.filter(({ result }) => result === 'deleted').length, ...(failure ? { failure } : {}) };
}

function chosen(student: Student): Chosen {
  const key = addressKey(student.email ?? '');
  return { student, isStudent: (email) => email !== undefined && addressKey(email) === key };
}

function nameOf({ session, email, status = 'no status' }: Student): string {
  return `${session === undefined ? '' : `student session ${session}, `}${email ?? 'no address'} (${status})`;
}
