/** The folders of proctor-cli: the configuration, and the state (the record, the sandbox's data). */
import { isAbsolute, join, resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { statePlace } from '../files/private-files.ts';
import type { Host } from '../host/host.ts';
import { typedVariable } from '../model/shell-quote.ts';
import { hasHidden } from '../text/characters.ts';
import { quote, sentence } from '../text/sentence.ts';

type FolderHost = Pick<Host, 'env' | 'home' | 'platform'>;

const folderKinds = {
  configuration: { variable: 'PROCTOR_CONFIG_DIR', xdg: 'XDG_CONFIG_HOME', below: '.config' },
  state: { variable: 'PROCTOR_STATE_DIR', xdg: 'XDG_STATE_HOME', below: '.local/state' },
} as const;

/** Where the embedded service keeps its data. A folder of the user's choice is judged alone. Throws `invalid_config`. */
export function sandboxPlace(host: FolderHost, folder?: string) {
  if (folder !== undefined) return { folder };
  const state = folderOf(host, 'state');
  return { folder: join(state, 'sandbox'), within: statePlace(state, host) };
}

/** Throws `invalid_config`. */
export function folderOf(place: FolderHost, kind: keyof typeof folderKinds): string {
  const found = folderIfAny(place, kind);
  if (found !== undefined) return found;
  throw new CliError('invalid_config', sentence`No folder for the ${kind}: the home folder is unknown.`, {
    hint: sentence`Set ${folderKinds[kind].variable} or HOME to a folder.`,
  });
}

export function folderIfAny({ env, home, platform }: FolderHost, kind: keyof typeof folderKinds): string | undefined {
  const { variable, xdg, below } = folderKinds[kind];
  const own = env[variable];
  if (own) return chosenFolder(variable, own, home);
  // The other folder of a profile of Windows is copied to a server. XDG has relative paths ignored, and a relative home would be another place in each folder.
  const roots = [env[xdg], platform === 'win32' ? env.LOCALAPPDATA : undefined, home && join(home, below)];
  const root = roots.find((path) => path && isAbsolute(path));
  return root && join(root, 'proctor-cli');
}

/** `~/` is the home: neither cmd nor what reads a job's `env:` puts that in its place. */
export function fromHome(path: string, home: string): string {
  return home === '' ? path : path.replace(/^~(?=$|[/\\])/, () => home);
}

/** Each folder would make another place of a relative one. */
export function chosenFolder(variable: string, text: string, home: string): string {
  const path = fromHome(text, home);
  if (isAbsolute(path) && !hasHidden(path)) return resolve(path);
  if (isAbsolute(path))
    throw new CliError('invalid_config', sentence`${variable} is ${quote(text)}: it contains a line break or another hidden character.`, {
      hint: sentence`Set it again without that: ${typedVariable(variable, '~/proctor')}`,
    });
  throw new CliError('invalid_config', sentence`${variable} is "${text}", which is not an absolute path.`, {
    hint: sentence`Write an absolute path, or ~/ for the home folder, such as: ${typedVariable(variable, '~/proctor')}`,
  });
}

export function absolute(path: string): string {
  try {
    return resolve(path);
  } catch (cause) {
    throw new CliError('invalid_input', sentence`The path ${path} is relative to a folder that has been deleted.`, {
      hint: 'Change to a folder that exists, and run the command again.',
      cause,
    });
  }
}
