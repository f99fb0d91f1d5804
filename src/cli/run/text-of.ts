/** The text of a file that stands for a value, a body or certificates. */
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { sentence } from '../../text/sentence.ts';

/** Bytes. */
const largestText = 64 << 20;

/** Reads stdin for `-`. Throws `invalid_input`. */
export async function textOf(file: string, host: Host): Promise<string> {
  try {
    if (file === '-') return await host.stdin.text();
    const { readInputFile } = await import('../../host/input-file.ts');
    return new TextDecoder('utf-8', { fatal: true }).decode(await readInputFile(file, largestText, host.interrupted));
  } catch (error) {
    if (error instanceof CliError) throw error;
    const why = error instanceof TypeError ? 'it is not UTF-8 text' : (error as Error).message;
    throw new CliError('invalid_input', sentence`Could not read ${file === '-' ? 'stdin' : file}: ${why}.`, { cause: error });
  }
}
