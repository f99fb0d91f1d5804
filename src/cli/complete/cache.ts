/**
 * A cache of candidates from the service, for a minute, in the state folder: IDs with a line about each,
 * readable by their owner only, and then deleted. Each profile, address, exam and set of settings has a file
 * of its own.
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Completes } from '../../command.ts';
import { configFolderIfAny, stateFolder } from '../../config/folders.ts';
import type { Overrides } from '../../config/profile-settings.ts';
import type { Host } from '../../host/host.ts';
import type { Candidate } from './candidates.ts';

/** A request for candidates. */
export type Asked = { what: Completes; exam?: string; overrides: Overrides };

/** `until`: milliseconds since 1970. */
export type Kept = { until: number; candidates: readonly Candidate[] };

/** Only these answers are cached; the data of this machine is read each time. */
export function asksService({ what }: Asked): boolean {
  return what === 'exams' || what === 'sessions' || what === 'users';
}

type Place = Pick<Host, 'env' | 'home' | 'platform' | 'now'>;

/** Milliseconds. */
export const cacheLife = 60_000;

/** The folder of the cache. Throws `invalid_config` if there is no place for it. */
export function cacheFolder(place: Place): string {
  return join(stateFolder(place), 'completion');
}

/** A hash of everything that decides the answer of the service, including the stored token. */
export async function cacheFile(place: Place, { what, exam, overrides }: Asked): Promise<string> {
  // Loaded late, because it takes longer than the rest of a completion.
  const { createHash } = await import('node:crypto');
  const variables = Object.entries(place.env).filter(([name]) => name.startsWith('PROCTOR_'));
  const decides = JSON.stringify([what, exam ?? null, overrides, variables.sort(), configuration(place)]);
  return join(cacheFolder(place), `${createHash('sha256').update(decides).digest('hex').slice(0, 32)}.json`);
}

/** The cached candidates; undefined if missing, expired or unreadable. */
export async function cachedAnswer(place: Place, asked: Asked): Promise<readonly Candidate[] | undefined> {
  if (!asksService(asked)) return undefined;
  try {
    const { until, candidates } = JSON.parse(readFileSync(await cacheFile(place, asked), 'utf8')) as Kept;
    const left = until - place.now();
    return left > 0 && left <= cacheLife && candidates.every(isCandidate) ? candidates : undefined;
  } catch {
    return undefined;
  }
}

/** Removes expired entries, so that no personal data stays behind. Never throws. */
export function removeExpired(place: Place): void {
  try {
    const folder = cacheFolder(place);
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (place.now() - statSync(path).mtimeMs > cacheLife) rmSync(path, { force: true });
    }
  } catch {}
}

function isCandidate({ value, about }: Candidate): boolean {
  return typeof value === 'string' && typeof about === 'string';
}

function configuration(place: Place): string {
  const folder = configFolderIfAny(place);
  const path = folder && join(folder, 'config.json');
  return path && statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8') : '';
}
