/** Errors of the file system on a journal, with their cause unchanged. */
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';

export function failed(path: string, cause: unknown): CliError {
  return new CliError('journal_failed', sentence`The journal ${path} cannot be written: ${(cause as Error).message}.`, { cause });
}

/** Resolves as `act` does. Throws `journal_failed` for any error that is not a `CliError`. */
export async function orFailed<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof CliError ? error : failed(path, error);
  }
}
