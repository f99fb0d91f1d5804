/** What is released: names and versions, as each kind of file spells them. */
import { execFileSync } from 'node:child_process';
import { root } from './stage.ts';

/** The time that all files get: SOURCE_DATE_EPOCH, or when the last commit was made; seconds since 1970. */
export function sourceDate(): number {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined && !/^\d+$/.test(given)) throw new Error(`SOURCE_DATE_EPOCH is no number of seconds: ${given}`);
  return Number(given ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }));
}
