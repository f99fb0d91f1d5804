/** `--to FILE`: the result goes into a file in the format of its ending, whole or not at all. */
import { resolve } from 'node:path';
import type { Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { checkOutputFile, writeOutputFile } from '../../files/output-file.ts';
import { render } from '../../output/index.ts';
import { mapped } from '../../output/layout.ts';
import type { View } from '../../output/result.ts';
import { count, sentence } from '../../text/sentence.ts';
import type { Invocation } from '../parse/program.ts';
import type { RunContext } from './context.ts';

/** The exit statuses of a check that wrote its file. After others the old file stays; a read writes the rows that it found all the same. */
const writesFile: ReadonlySet<number | undefined> = new Set([undefined, 11, 12]);

/** Checks the file of --to before the first request, and returns what writes a result into it. Throws `usage`, or `output_failed`. */
export async function fileFor({ command, args, flags }: Invocation, path: string, context: RunContext) {
  const { name, effect, yields = effect === 'read' || flags.check === true } = command;
  const given = { ...args, ...flags };
  if (!(typeof yields === 'function' ? yields(given) : yields)) {
    const hint = command.flags?.check ? 'Add --check, or leave out --to.' : 'Leave out --to.';
    throw new CliError('usage', sentence`"${name}" has no result for a file.`, { hint });
  }
  const offered = Object.entries({ ...command.args, ...command.flags });
  const isFile = ([key, each]: (typeof offered)[number]) =>
    'complete' in each && each.complete === 'files' && typeof given[key] === 'string';
  const others = offered.filter(isFile).map(([key]) => String(given[key]));
  if (others.some((other) => resolve(other) === resolve(path)))
    throw new CliError('usage', sentence`"${path}" is in use by this command.`, { hint: 'Name another place: --to FILE' });
  const file = { path, option: '--to', holds: 'The result' };
  const force = await context.mayReplace(path);
  await checkOutputFile(file, context.outputRule({ force, reads: others }));

  return async (result: Result, view: View): Promise<void> => {
    const isFound = effect === 'read' || effect === 'local' || writesFile.has(result.failure?.exit);
    if (result.kind === 'nothing' || !isFound) return context.warn(sentence`warning: ${path} was not written.`);
    let rows = 0;
    const counted = (row: Row) => {
      rows += 1;
      return row;
    };
    let content: string | Uint8Array = '';
    const write = async (text: string) => {
      content += text;
    };
    const save = (bytes: Uint8Array) => {
      content = bytes;
    };
    const given = result.kind === 'list' ? { ...result, rows: mapped(result.rows, counted) } : result;
    await render(given, { ...view, save, stdout: { isTTY: false, columns: undefined, write } });
    await writeOutputFile(file, { ...context.outputRule({ force, reads: others }), shown: view.masked }, content);
    context.say(sentence`Wrote ${result.kind === 'list' ? count(rows, 'row') : 'the result'} to ${path}.`);
  };
}
