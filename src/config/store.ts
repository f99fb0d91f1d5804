/**
 * The only way in which the configuration changes. `conf` writes each new state into a private
 * folder beside the file; only when every byte of it has arrived does it take the file's place.
 * So the file is always whole, old or new, and a lock keeps changes from getting lost.
 */
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { makePrivateFolder } from '../state/private-folder.ts';
import { sentence } from '../text/sentence.ts';
import { type Config, configPath, readConfig, tightenFolder } from './file.ts';

const stagingPrefix = '.proctor-config-';

/**
 * Replaces the stored configuration with the result of `change`; if `change` throws, the file stays unchanged.
 * Throws `invalid_config` if the file is broken, `output_failed` if it cannot be written.
 */
export async function changeConfig(host: Host, change: (config: Config) => Config): Promise<void> {
  // Loaded before the lock is taken: it takes longer than the writing.
  const [{ default: Conf }, { withLock }] = await Promise.all([import('conf'), import('../state/lock.ts')]);
  const link = configPath(host);
  readConfig(host);
  const path = failing(link, () => {
    makePrivateFolder(dirname(link));
    tightenFolder(dirname(link), host.home);
    return lstatSync(link, { throwIfNoEntry: false }) ? realpathSync(link) : link;
  });
  await withLock(host, join(dirname(path), 'config.lock'), () => {
    const text = `${JSON.stringify(change(readConfig(host)), undefined, 2)}\n`;
    failing(link, () =>
      replace(path, text, (folder) => {
        const conf = new Conf<Record<string, unknown>>({
          cwd: folder,
          configFileMode: 0o600,
          accessPropertiesByDotNotation: false,
          serialize: () => text,
        });
        conf.store = JSON.parse(text) as Config;
        return conf.path;
      }),
    );
  });
}

/** Under the lock: writes into a folder of its own, checks, and moves over `path`. */
function replace(path: string, text: string, write: (folder: string) => string) {
  const folder = dirname(path);
  // This process holds the lock, so any temporary file is left over from a killed process.
  for (const name of readdirSync(folder)) {
    if (name.startsWith(stagingPrefix)) rmSync(join(folder, name), { recursive: true, force: true });
  }
  const staging = mkdtempSync(join(folder, stagingPrefix));
  try {
    const staged = write(staging);
    // conf takes a short write for a whole one.
    if (!readFileSync(staged).equals(Buffer.from(text)))
      throw Object.assign(new Error('it could not be written completely'), { code: 'ESHORT' });
    sync(staged, 'r+');
    renameSync(staged, path);
  } finally {
    attempt(() => rmSync(staging, { recursive: true, force: true }));
  }
  attempt(() => sync(folder, 'r'));
}

/** Ignores failures after the file is in place or unchanged: the next change cleans up, and not every system syncs folders. */
function attempt(act: () => void) {
  try {
    act();
  } catch {}
}

function sync(path: string, flags: 'r' | 'r+') {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Turns a file system error into one that says whether the file was changed. */
function failing<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined || error instanceof CliError) throw error;
    throw new CliError(
      'output_failed',
      sentence`Could not write the configuration file ${path}: ${message}. ${basename(path)} is as it was.`,
      {
        hint: sentence`Check disk space and permissions of ${dirname(path)}, or choose another folder with PROCTOR_CONFIG_DIR.`,
        cause: error,
      },
    );
  }
}
