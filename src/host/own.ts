/** Whose a file is. */
import type { Stats } from 'node:fs';

/** Whether a file is the user's own. On Windows there is no telling; its folders in the profile are closed to others. */
export function isOwn({ uid }: Pick<Stats, 'uid'>): boolean {
  return uid === (process.geteuid?.() ?? uid);
}
