/**
 * Writes the configuration, always the whole file under a lock. `conf` does not notice a short write, as
 * on a full disk: what it has written beside the file is compared, then renamed over the file.
 */
import { lstatSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError, systemReason } from '../errors.ts';
import { makePrivateFolder, replaceFile } from '../files/private-files.ts';
import { type Host, HostFailure } from '../host/host.ts';
import { typedVariable } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { type SettingKey, settingKeys } from './profile-settings.ts';
import { type Config, closeConfig, configPath, type Profile, readConfig, sandboxProfile } from './profiles.ts';

/** Milliseconds that another process may hold the lock. */
const lockPatienceMs = 10_000;

/** How a folder is removed, also if a scanner of Windows has a file of it open for a moment. */
const gone = { recursive: true, force: true, maxRetries: 5 };

/** If `change` throws, the file stays unchanged. Throws `invalid_config` or `output_failed`. */
export async function changeConfig(host: Host, change: (config: Config) => Config): Promise<void> {
  // Before the lock is taken, because loading takes longer than writing.
  const [{ default: Conf }, { locked }] = await Promise.all([import('conf'), import('../files/sqlite.ts')]);
  const link = configPath(host);
  readConfig(host);
  try {
    makePrivateFolder(dirname(link));
    closeConfig(host, link);
    const path = lstatSync(link, { throwIfNoEntry: false }) ? realpathSync(link) : link;
    const lock = locked(join(dirname(path), 'config.lock'), lockPatienceMs);
    if (!lock) throw new HostFailure(`another proctor-cli has held its lock for ${lockPatienceMs / 1000} s`);
    const staging = join(dirname(path), '.new-config');
    try {
      const config = change(readConfig(host));
      // This process holds the lock, so a killed process has left the staging folder.
      rmSync(staging, gone);
      mkdirSync(staging, { mode: 0o700 });
      const conf = new Conf<Config>({
        cwd: staging,
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
        serialize: serialized,
      });
      conf.store = config;
      if (readFileSync(conf.path, 'utf8') !== serialized(config)) throw new HostFailure('it could not be written completely');
      replaceFile(conf.path, path);
    } finally {
      rmSync(staging, gone);
      lock.close();
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (cause instanceof CliError || (code === undefined && !(cause instanceof HostFailure))) throw cause;
    throw new CliError('output_failed', sentence`Could not write ${link}: ${systemReason(cause)}. The file is as it was.`, {
      hint: sentence`Close a program that has it open, check disk space and permissions of ${dirname(link)}, or choose another folder: ${typedVariable('PROCTOR_CONFIG_DIR', 'FOLDER')}`,
      cause,
    });
  }
}

function serialized(config: Config): string {
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

/** The first profile becomes the current one. */
export function withProfile(config: Config, name: string, profile: Profile): Config {
  const profiles = { ...config.profiles, [name]: profile };
  if (config.current !== undefined || name === sandboxProfile) return { ...config, profiles };
  return { ...config, current: name, profiles };
}

export function withoutSetting(profile: Profile, key: SettingKey): Profile {
  const { [key]: _, ...others } = profile;
  return others;
}

export function unknownKeys({ current, profiles, ...others }: Config): Sentence | undefined {
  const inProfiles = Object.entries(profiles).flatMap(([name, profile]) => {
    const unknown = Object.keys(profile).filter((key) => !(settingKeys as string[]).includes(key));
    return unknown.map((key) => `profiles.${name}.${key}`);
  });
  const unknown = [...Object.keys(others), ...inProfiles];
  if (unknown.length === 0) return undefined;
  return sentence`The configuration has unknown keys: ${unknown.join(', ')}.`;
}
