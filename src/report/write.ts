/** The place of a report's page: a private file, which never replaces another unless that is asked for. */
import { stat } from 'node:fs/promises';
import { CliError } from '../errors.ts';
import { writePrivateFile } from '../private-file.ts';
import { sentence } from '../text/sentence.ts';

/** Refuses a place where something stands already; to be asked before anything is requested. Throws `usage`. */
export async function checkPlace(path: string, force: boolean): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  if (!there) return;
  if (!there.isFile())
    throw new CliError('usage', sentence`${JSON.stringify(path)} is no file.`, { hint: 'Name a file: --html report.html' });
  if (force) return;
  throw new CliError('usage', sentence`${JSON.stringify(path)} is there already.`, {
    hint: 'Name another place, or replace it with --force.',
  });
}

/** Writes the page. Throws `output_failed`. */
export async function writePage(path: string, page: string): Promise<void> {
  try {
    await writePrivateFile(path, (file) => file.writeFile(page));
  } catch (error) {
    throw new CliError(
      'output_failed',
      sentence`The report could not be written to ${JSON.stringify(path)} (${(error as NodeJS.ErrnoException).code}).`,
      {
        hint: 'Name another place: --html FILE',
        cause: error,
      },
    );
  }
}
