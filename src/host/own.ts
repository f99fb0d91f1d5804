/** Who owns a file. */
import type { Stats } from 'node:fs';

/** Whether the user owns a file. Windows does not say; there, the folders of a user's profile are closed to others. */
export function isOwn({ uid }: Pick<Stats, 'uid'>): boolean {
  return uid === (process.geteuid?.() ?? uid);
}
