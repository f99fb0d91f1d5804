/** A file that is written in its place is never reached through a link: that may lead anywhere. */
import { lstatSync } from 'node:fs';

/** Throws for a link, also a dangling one, with the reason in words. */
export function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error('it is a link, which is not followed');
}
