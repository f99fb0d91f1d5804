/** A journal that the file system refuses. Its cause is told as it came. */
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';

export function failed(path: string, cause: unknown): CliError {
  return new CliError('journal_failed', sentence`The journal ${path} cannot be written: ${(cause as Error).message}.`, { cause });
}

/** What `act` resolves to. Throws `journal_failed` for what is no error of ours. */
export async function orFailed<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof CliError ? error : failed(path, error);
  }
}
