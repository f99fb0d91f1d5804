/** A file that an option of an import asks for; whether it can be written is found out before anything is sent. */
import type { FileHandle } from 'node:fs/promises';
import { CliError } from '../errors.ts';
import { checkWritable, writePrivateFile } from '../private-file.ts';
import { sentence } from '../text/sentence.ts';
import { quote } from './read/quote.ts';

export type Asked = { path: string; option: '--report' | '--rejects'; holds: string };

/** Throws `output_failed` where the file cannot be written. */
export async function checkPlace(asked: Asked): Promise<void> {
  await checkWritable(asked.path).catch((error: unknown) => {
    throw unwritten(asked, error);
  });
}

/** Writes a private file that is there whole or not at all. Throws `output_failed`. */
export async function writeAsked(asked: Asked, write: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await writePrivateFile(asked.path, write);
  } catch (error) {
    throw error instanceof CliError ? error : unwritten(asked, error);
  }
}

function unwritten({ path, option, holds }: Asked, cause: unknown): CliError {
  return new CliError('output_failed', sentence`${holds} cannot be written to ${quote(path)} (${(cause as NodeJS.ErrnoException).code}).`, {
    hint: sentence`Name another place: ${option} FILE`,
    cause,
  });
}
