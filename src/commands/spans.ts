/** Flags that take a duration. */
import type { TextFlag } from '../command.ts';
import { CliError } from '../errors.ts';
import { parseDuration } from '../model/duration.ts';
import { sentence } from '../text/sentence.ts';

/** The delay after which a student who has not started is late; for the watch and the status alike. */
export const lateFlag = {
  type: 'text',
  value: 'duration',
  description: 'time after which a student who could start, and has not, is a problem (default: 10m)',
} as const satisfies TextFlag;

/** Timers have a limit not far above this one. */
const longest = 24 * 3_600_000;

/** Milliseconds. Throws `usage`, which names the flag, and `InvalidValue` where it is no duration. */
export function span(flag: string, text: string, { least }: { least: number }): number {
  const milliseconds = parseDuration(text);
  if (milliseconds >= least && milliseconds <= longest) return milliseconds;
  throw new CliError('usage', sentence`${flag} takes a duration from ${least / 1000}s to 24h, not ${JSON.stringify(text)}.`, {
    hint: sentence`For example: ${flag} 10m`,
  });
}
