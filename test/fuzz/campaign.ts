/** Draws inputs from a seed, and judges each. */
import { accommodations } from './accommodations.ts';
import { answers, framing } from './answers.ts';
import { argv } from './argv.ts';
import { configurations } from './configurations.ts';
import { Random } from './random.ts';
import { rosters } from './rosters.ts';
import type { Input, Target } from './target.ts';

export const targets: readonly Target[] = [rosters, accommodations, answers, framing, configurations, argv];

export type Drawn = { target: Target; input: Input };

/** Input number `index` of a campaign: a matter of the seed and its number alone. */
export function drawn(seed: number, index: number, among: readonly Target[]): Drawn {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
  const target = random.pick(among.flatMap((one) => Array<Target>(one.weight).fill(one)));
  return { target, input: target.draw(random) };
}

/** Processor time that one input may take. Milliseconds. */
const mostTime = 5000;

/** The failure of the program for an input; undefined if there is none. */
export async function judged({ target, input }: Drawn): Promise<string | undefined> {
  const before = process.cpuUsage();
  try {
    const wrong = await target.judge(input);
    if (wrong !== undefined) return wrong;
  } catch (error) {
    const { name, message, stack = '' } = error as Error;
    return `${name}: ${message.slice(0, 200)} ${
      stack
        .split('\n')
        .find((line) => line.includes('/src/'))
        ?.trim() ?? ''
    }`;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 > mostTime ? `it took ${Math.round((user + system) / 1000)} ms of processor time` : undefined;
}
