/** Asks for completions as a shell's script does, and reads the answer. */
import { answer, type Live } from '../../../src/cli/complete/completion-answer.ts';
import { temporaryFolder } from '../../support/run.ts';

export type Answer = { kind: string; from: number; values: string[]; about: Record<string, string> };

export type Place = Parameters<typeof answer>[1];

/** A machine on which nothing has been configured. */
export function place(env: Record<string, string> = {}, now: () => number = Date.now): Place {
  const home = temporaryFolder();
  return { env: { PROCTOR_CONFIG_DIR: `${home}/config`, PROCTOR_STATE_DIR: `${home}/state`, ...env }, home, platform: 'linux', now };
}

const nobody: Live = async (asked) => {
  throw new Error(`Nobody should have been asked for ${asked.what}.`);
};

/** Completes the last word of a line after "proctor-cli "; words are divided by one space. */
export async function completed(line: string, live: Live = nobody, where = place()): Promise<Answer> {
  const words = line.split(' ');
  const text = await answer([...words.slice(0, -1), `:${words.at(-1)}`], where, live);
  const [head = '', ...lines] = text.replace(/\n$/, '').split('\n');
  const [kind = '', from = ''] = head.split(' ');
  const pairs = lines.map((each) => each.split('\t') as [string, string]);
  return { kind, from: Number(from), values: pairs.map(([value]) => value), about: Object.fromEntries(pairs) };
}
