/**
 * Candidates from the service and this machine, for completion: no prompts, no output, no errors. No token command
 * is run, because it may prompt.
 */
import { statSync } from 'node:fs';
import { CliError } from '../../errors.ts';
import { writePrivateFile } from '../../files/private-file.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import type { Host } from '../../host/host.ts';
import { globalsOf } from '../parse/globals.ts';
import { createContext } from '../run/context.ts';
import { type Asked, cacheFile, cacheFolder, cacheLife, removeExpired } from './cache.ts';
import { type Candidate, fromService, fromThisMachine } from './candidates.ts';

/**
 * No new request is made for this long while one is in flight, or after a failure: an unavailable service must
 * not delay each Tab. Milliseconds.
 */
const failureLife = 10_000;

/** Removes a file after so many milliseconds, even if this process has ended by then. */
export type RemoveLater = (path: string, milliseconds: number) => void;

/** Never throws. `host.interrupted` ends it early, with nothing. */
export async function liveCandidates(host: Host, asked: Asked, removeLater: RemoveLater = () => {}): Promise<readonly Candidate[]> {
  const local = fromThisMachine[asked.what];
  if (local) return read(host, asked, local).catch(() => []);
  const remote = fromService[asked.what];
  if (!remote) return [];
  await keep(host, asked, [], failureLife);
  try {
    const candidates = await read(host, asked, remote);
    const path = await keep(host, asked, candidates, cacheLife);
    if (path !== undefined) removeLater(path, cacheLife);
    return candidates;
  } catch {
    return [];
  }
}

type Source = NonNullable<(typeof fromService)[Asked['what']]>;

async function read(host: Host, { exam, overrides }: Asked, source: Source): Promise<Candidate[]> {
  refuseWaiting(host);
  const context = createContext({ ...host, execute: refuseProgram }, { ...globalsOf({}), ...overrides, quiet: true, noInput: true });
  try {
    return await source(context, exam);
  } finally {
    // Connections close in the background.
    void context.close().catch(() => {});
  }
}

/** Another process may be waiting to read a token from the pipe, and reading it here could block forever. */
function refuseWaiting({ env: { PROCTOR_TOKEN_FILE: file } }: Host) {
  if (file && !statSync(file).isFile()) throw new CliError('not_logged_in', 'The token is not in a file.');
}

async function refuseProgram(): Promise<never> {
  throw new CliError('not_logged_in', 'Completion does not run programs.');
}

/** If the cache cannot be written, the next Tab asks again. Expired entries are deleted. */
async function keep(host: Host, asked: Asked, candidates: readonly Candidate[], life: number): Promise<string | undefined> {
  try {
    const folder = cacheFolder(host);
    makePrivateFolder(folder);
    const path = await cacheFile(host, asked);
    removeExpired(host);
    const kept = JSON.stringify({ until: host.now() + life, candidates });
    await writePrivateFile(path, (file) => file.writeFile(kept), { replace: true });
    return path;
  } catch {
    return undefined;
  }
}
