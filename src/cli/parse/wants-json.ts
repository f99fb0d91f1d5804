/** Whether errors are printed as JSON: read from the raw arguments, because parsing them may be what failed. */
import type { Host } from '../../host/host.ts';

export function wantsJson({ argv, env }: Pick<Host, 'argv' | 'env'>): boolean {
  const joined = argv.map((word, index) => (word === '-o' || word === '--output' ? `=${argv[index + 1]}` : word));
  const given = joined.map((word) => /^(?:--output)?=(.+)$|^-o=?(.+)$/.exec(word)).findLast((match) => match);
  const format = given?.[1] ?? given?.[2] ?? env.PROCTOR_OUTPUT;
  return format === 'json' || format === 'ndjson';
}
