/** Writes a file to a user's path. It replaces a regular file of the user's own: an empty one, the program's, or with --force. */
import { accessSync, constants, lstatSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { CliError, type ErrorCode, systemReason } from '../errors.ts';
import { sentence } from '../text/sentence.ts';
import { checkFolderOf, isOwn, replaceFile, writePrivateFile } from './private-files.ts';

/** `option`: such as --rejects. `holds`: "The report". `isOwn`: whether the program wrote a file that begins so. */
export type OutputFile = {
  path: string;
  option: string;
  holds: string;
  isOwn?(beginning: string): boolean;
  encode?(text: string): Uint8Array;
};

/** `inputs`: paths that the command reads. `shown`: masks secrets. */
export type OutputRule = { force: boolean; inputs: readonly string[]; shown(text: string): string };

/** Throws `usage` for a place that is forbidden, `output_failed` for one that cannot be written. */
export async function checkOutputFile(file: OutputFile, rule: OutputRule): Promise<void> {
  await orOutputError(file, async () => {
    if (await isReplaced(file, rule)) checkReplaceable(file);
    await checkFolderOf(file.path);
  });
}

/** Throws `output_failed`, or `usage` if something appeared at the path meanwhile. */
export async function writeOutputFile(file: OutputFile, rule: OutputRule, content: string | Uint8Array): Promise<void> {
  const { path, encode = Buffer.from } = file;
  await orOutputError(file, async () => {
    const replace = await isReplaced(file, rule);
    const bytes = typeof content === 'string' ? encode(rule.shown(content)) : content;
    await writePrivateFile(path, bytes, { replace });
  });
}

/** Replaces the file by itself, which Windows refuses while another program has it open. */
function checkReplaceable(file: OutputFile) {
  try {
    accessSync(file.path, constants.W_OK);
    replaceFile(file.path, file.path);
  } catch {
    throw refusedOutput(file, 'is read-only, or open in another program', ', or close that program.', 'output_failed');
  }
}

/** Whether a file is there that may be replaced. */
async function isReplaced(file: OutputFile, { force, inputs }: OutputRule): Promise<boolean> {
  if (file.path.trim() === '') throw refusedOutput(file, 'names no file');
  const stats = lstatSync(file.path, { bigint: true, throwIfNoEntry: false });
  if (!stats) return false;
  // Replacing what takes the output of this command would lose it.
  for (const used of [...inputs, '/dev/stdin', '/dev/stdout', '/dev/stderr']) {
    const there = await stat(used, { bigint: true }).catch(() => undefined);
    if (there?.dev === stats.dev && there.ino === stats.ino && there.isFile()) throw refusedOutput(file, 'is in use by this command');
  }
  if (stats.isSymbolicLink()) throw refusedOutput(file, 'is a link');
  if (stats.isDirectory()) throw refusedOutput(file, 'is a folder');
  if (!stats.isFile()) throw refusedOutput(file, 'is no regular file');
  if (!isOwn(stats)) throw refusedOutput(file, 'belongs to another user');
  if (force || stats.size === 0n) return true;
  if (!file.isOwn) throw refusedOutput(file, 'already exists', ', or add --force to replace it.');
  // Without its zeros, UTF-16 has the same letters.
  const beginning = (await readFile(file.path)).toString('latin1', 0, 64 << 10).replaceAll('\0', '');
  if (file.isOwn(beginning)) return true;
  throw refusedOutput(file, 'is another file, and is not replaced', '', 'output_failed');
}

function refusedOutput({ path, option }: OutputFile, what: string, more = '', code: ErrorCode = 'usage'): CliError {
  const hint = sentence`Name another place: ${option} FILE${more}`;
  return new CliError(code, sentence`"${path}" ${what}.`, { hint });
}

function orOutputError({ path, option, holds }: OutputFile, act: () => Promise<void>): Promise<void> {
  return act().catch((cause: unknown) => {
    if (cause instanceof CliError) throw cause;
    const what = sentence`${holds} cannot be written to "${path}": ${systemReason(cause)}.`;
    throw new CliError('output_failed', what, { hint: sentence`Name another place: ${option} FILE`, cause });
  });
}
