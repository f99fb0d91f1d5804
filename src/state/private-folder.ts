/**
 * Folders for their owner only, created one by one from the top: Node's recursive mkdir loops forever on
 * a file system that denies that a parent exists, such as /proc.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Creates the folder and its missing parents. Throws the file system's error, with its code, in words. */
export function makePrivateFolder(path: string): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // Another process may have created it meanwhile.
    if (!isFolder(path)) throw Object.assign(new Error(`the folder ${path} cannot be created (${code})`, { cause }), { code });
  }
}

/** The path, or the nearest folder above it that exists. */
export function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
