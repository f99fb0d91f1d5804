/**
 * Writes the configuration, always the whole file under a lock. `conf` alone would replace the file after a
 * short write too (a full disk), so it writes into a staging folder beside the file; the result is compared
 * byte for byte before it is renamed over the file. Invariant: the file is complete, old or new.
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
import { makePrivateFolder } from '../files/private-folder.ts';
import type { Host } from '../host/host.ts';
import { sentence } from '../text/sentence.ts';
import { type Config, configPath, readConfig, tightenFolder } from './file.ts';

const stagingPrefix = '.proctor-config-';

/**
 * Replaces the stored configuration with the result of `change`; if `change` throws, the file stays unchanged.
 * Throws `invalid_config` if the file is broken, `output_failed` if it cannot be written.
 */
export async function changeConfig(host: Host, change: (config: Config) => Config): Promise<void> {
  // Loaded before the lock is taken, because loading takes longer than writing.
  const [{ default: Conf }, { withLock }] = await Promise.all([import('conf'), import('../files/file-lock.ts')]);
  const link = configPath(host);
  readConfig(host);
  const path = failing(link, () => {
    makePrivateFolder(dirname(link));
    tightenFolder(dirname(link), host.home);
    return lstatSync(link, { throwIfNoEntry: false }) ? realpathSync(link) : link;
  });
  await withLock(host, join(dirname(path), 'config.lock'), () => {
    const config = change(readConfig(host));
    failing(link, () =>
      replace(path, serialized(config), (folder) => {
        const conf = new Conf<Config>({
          cwd: folder,
          configFileMode: 0o600,
          accessPropertiesByDotNotation: false,
          serialize: serialized,
        });
        conf.store = config;
        return conf.path;
      }),
    );
  });
}

function serialized(config: Config): string {
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

/** Under the lock: lets `write` write into a new folder, compares the result with `text`, and moves it to `path`. */
function replace(path: string, text: string, write: (folder: string) => string) {
  const folder = dirname(path);
  // This process holds the lock, so any temporary file is left over from a killed process.
  for (const name of readdirSync(folder)) {
    if (name.startsWith(stagingPrefix)) rmSync(join(folder, name), { recursive: true, force: true });
  }
  const staging = mkdtempSync(join(folder, stagingPrefix));
  try {
    const staged = write(staging);
    // conf does not notice a short write.
    if (!readFileSync(staged).equals(Buffer.from(text)))
      throw Object.assign(new Error('it could not be written completely'), { code: 'ESHORT' });
    sync(staged, 'r+');
    renameSync(staged, path);
  } finally {
    attempt(() => rmSync(staging, { recursive: true, force: true }));
  }
  attempt(() => sync(folder, 'r'));
}

/** Ignores errors of clean-up and of syncing the folder: the next change cleans up, and not every system can sync a folder. */
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
