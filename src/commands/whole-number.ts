/** Flags that take a whole number: ports, pages, shares, requests. */
import { CliError } from '../errors.ts';
import { sentence } from '../text/sentence.ts';

/** Throws `usage`, which names the flag. */
export function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new CliError('usage', sentence`${flag} takes a whole number from ${least} to ${most}, not ${JSON.stringify(text)}.`, {
    hint: sentence`For example: ${flag} ${least}`,
  });
}
