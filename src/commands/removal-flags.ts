/** The flags of commands that delete the students whom a roster lacks. */
import { CliError } from '../errors.ts';
import type { RemovalOptions } from '../features/import/removals.ts';
import { sentence } from '../text/sentence.ts';
import { wholeNumber } from './whole-number.ts';

export const removalFlags = {
  removeMissing: {
    type: 'boolean',
    description: 'delete students missing from the file (up to 10 %)',
  },
  maxRemovals: {
    rare: true,
    type: 'text',
    value: 'n',
    description: 'students of an exam that --remove-missing may delete (default: a tenth)',
  },
  removeStarted: { rare: true, type: 'boolean', description: 'let --remove-missing also delete students that may have started' },
} as const;

type RemovalValues = { removeMissing?: boolean | undefined; maxRemovals?: string | undefined; removeStarted?: boolean | undefined };

/** Undefined where none is deleted. Throws `usage`. */
export function removalOf({ removeMissing = false, maxRemovals, removeStarted = false }: RemovalValues): RemovalOptions | undefined {
  const most = maxRemovals === undefined ? undefined : wholeNumber('--max-removals', maxRemovals, 0, 1_000_000);
  if (removeMissing) return { most, started: removeStarted };
  if (most === undefined && !removeStarted) return undefined;
  throw new CliError('usage', sentence`${most === undefined ? '--remove-started' : '--max-removals'} is for --remove-missing.`, {
    hint: 'Add --remove-missing, or leave it out.',
  });
}
