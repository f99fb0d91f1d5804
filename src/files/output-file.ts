/**
 * Files that are written to a path the user gives, as a whole, under one rule: a new file; or a regular file of the user's own that is empty,
 * was written by such a command, or may be replaced with --force. No link, pipe or device, and nothing that the command reads or prints to.
 */
import { lstatSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { CliError, systemReason } from '../errors.ts';
import { sentence } from '../text/sentence.ts';
import { checkFolderOf, isOwn, writePrivateFile } from './private-files.ts';

/**
 * `option` names it, such as --rejects; `holds`: the contents, as the subject of a sentence: "The report". `isOwn`: whether a file that
 * begins so is one that the program has written, and writes anew; `encode`: of a file that is not UTF-8.
 */
export type OutputFile = {
  path: string;
  option: string;
  holds: string;
  isOwn?(beginning: string): boolean;
  encode?(text: string): Uint8Array;
};

/** `inputs`: paths that the command reads. `shown`: the text as it may be written: secrets masked on stdout are masked in a file. */
export type OutputRule = { force: boolean; inputs: readonly string[]; shown(text: string): string };

/** Call before anything is sent. Throws `usage` if the rule forbids the place, `output_failed` if the file cannot be written. */
export async function checkOutputFile(file: OutputFile, rule: OutputRule): Promise<void> {
  const replaced = isReplaced(file, rule);
  await failing(file, () => replaced.then(() => checkFolderOf(file.path)));
}

/** Throws `output_failed`, or `usage` if something has appeared at the path meanwhile. */
export async function writeOutputFile(file: OutputFile, rule: OutputRule, text: string): Promise<void> {
  const { path, encode = Buffer.from } = file;
  const replaced = isReplaced(file, rule);
  await failing(file, () => replaced.then((replace) => writePrivateFile(path, encode(rule.shown(text)), { replace })));
}

/** Whether a file is there that may be replaced. Throws `usage`, or the file system's error. */
async function isReplaced(file: OutputFile, { force, inputs }: OutputRule): Promise<boolean> {
  const { path, isOwn: isOwnText } = file;
  if (path.trim() === '') throw refused(file, 'names no file');
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return false;
  // Replacing what takes the output of this command would lose that.
  for (const used of [...inputs, '/dev/stdin', '/dev/stdout', '/dev/stderr']) {
    const there = await stat(used).catch(() => undefined);
    if (there?.isFile() && there.dev === stats.dev && there.ino === stats.ino) throw refused(file, 'is in use by this command');
  }
  if (!stats.isFile())
    throw refused(file, stats.isSymbolicLink() ? 'is a link' : stats.isDirectory() ? 'is a folder' : 'is no regular file');
  if (!isOwn(stats)) throw refused(file, 'belongs to another user');
  // Letters of the first kilobytes, also of text in UTF-16.
  if (force || stats.size === 0 || isOwnText?.((await readFile(path)).toString('latin1', 0, 64 << 10).replaceAll('\0', ''))) return true;
  if (isOwnText) throw refused(file, 'is another file, and is not replaced', '', 'output_failed');
  throw refused(file, 'already exists', ', or add --force to replace it.');
}

function refused({ path, option }: OutputFile, what: string, more = '', code: 'usage' | 'output_failed' = 'usage'): CliError {
  return new CliError(code, sentence`${JSON.stringify(path)} ${what}.`, { hint: sentence`Name another place: ${option} FILE${more}` });
}

/** Turns an error of the file system into one that gives the reason. */
async function failing({ path, option, holds }: OutputFile, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    const what = sentence`${holds} cannot be written to ${JSON.stringify(path)}: ${systemReason(cause)}.`;
    throw new CliError('output_failed', what, { hint: sentence`Name another place: ${option} FILE`, cause });
  }
}
