/** The scripts for the shells; the build writes their texts in place of this file. */
import { readFileSync } from 'node:fs';

export function shellScript(file: string): string {
  return readFileSync(new URL(`../../completions/${file}`, import.meta.url), 'utf8');
}
