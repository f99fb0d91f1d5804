/**
 * Whether the shell and man find what belongs to the program. Both look in more places than a program can know, so
 * that nothing here fails: a note says what was not found, and how it is installed.
 */
import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { inCI } from '../../host/host.ts';
import { readRegularFile, UnreadableFile } from '../../host/input-file.ts';
import { shellQuoted } from '../../model/shell-quote.ts';
import { nearestExisting } from '../../state/private-folder.ts';
import { version } from '../../text/version.ts';
import { type Check, type DoctorContext, note, ok, skipped } from './check.ts';

type Place = Pick<DoctorContext['host'], 'env' | 'home' | 'platform'>;

/** Bytes of a start-up file or a man page; unpacked as well. */
const largest = 8 << 20;

function textAt(path: string): string | undefined {
  try {
    return readRegularFile(path, largest).toString('utf8');
  } catch (error) {
    if (error instanceof UnreadableFile) return undefined;
    throw error;
  }
}

/** A path, or a list of them, from the environment. Relative ones are ignored, as XDG demands. */
function listed(value: string | undefined, standard: string): string[] {
  return (value || standard).split(delimiter).filter((path) => isAbsolute(path));
}

/** Folders for data: the user's own, then those of the system. */
function dataFolders({ env, home }: Place): string[] {
  const own = listed(env.XDG_DATA_HOME, join(home, '.local', 'share'));
  return [...own.slice(0, 1), ...listed(env.XDG_DATA_DIRS, ['/usr/local/share', '/usr/share'].join(delimiter))];
}

/** Where Homebrew installs: its own variable says so in shells that are set up for it. Its shells look below these folders as well. */
function brewed({ env }: Place, ...below: string[]): string[] {
  const folders = [...listed(env.HOMEBREW_PREFIX, ''), '/opt/homebrew', '/usr/local', '/home/linuxbrew/.linuxbrew'];
  return [...new Set(folders)].map((folder) => join(folder, ...below));
}

type ShellPlaces = {
  /** Files that the shell runs at its start, in which the script may stand. */
  startUp(place: Place): string[];
  /** Files that the shell finds by the name of the program. */
  files(place: Place): string[];
  /** What any version of the script has. */
  mark: RegExp;
};

const shells: Readonly<Record<string, ShellPlaces>> = {
  bash: {
    startUp: ({ home }) => ['.bashrc', '.bash_profile', '.profile', '.bash_completion'].map((name) => join(home, name)),
    files(place) {
      const own = listed(place.env.BASH_COMPLETION_USER_DIR, '');
      const folders = [...own, ...dataFolders(place).map((folder) => join(folder, 'bash-completion'))];
      const named = ['proctor-cli', 'proctor-cli.bash', '_proctor-cli'];
      return [
        ...folders.flatMap((folder) => named.map((name) => join(folder, 'completions', name))),
        ...['/etc/bash_completion.d', ...brewed(place, 'etc', 'bash_completion.d')].flatMap((folder) =>
          named.slice(0, 2).map((name) => join(folder, name)),
        ),
      ];
    },
    mark: /^complete .*\bproctor-cli$/m,
  },
  zsh: {
    startUp: ({ env, home }) => [join(env.ZDOTDIR || home, '.zshrc')],
    files: (place) =>
      [
        ...listed(place.env.FPATH, ''),
        '/usr/share/zsh/site-functions',
        '/usr/share/zsh/vendor-completions',
        ...brewed(place, 'share', 'zsh', 'site-functions'),
      ].map((folder) => join(folder, '_proctor-cli')),
    mark: /^#?\s*compdef .*\bproctor-cli$/m,
  },
  fish: {
    startUp: (place) => [join(fishFolder(place), 'config.fish')],
    files: (place) =>
      [
        join(fishFolder(place), 'completions'),
        '/etc/fish/completions',
        ...dataFolders(place).map((folder) => join(folder, 'fish', 'vendor_completions.d')),
        ...brewed(place, 'share', 'fish', 'vendor_completions.d'),
      ].map((folder) => join(folder, 'proctor-cli.fish')),
    mark: /^complete .*\bproctor-cli\b/m,
  },
};

function fishFolder({ env, home }: Place): string {
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'fish');
}

export const completion: Check = {
  name: 'completion',
  find({ host, completions }) {
    if (inCI(host)) return skipped('a CI system needs none');
    const shell = basename(host.env.SHELL ?? '');
    const places = shells[shell];
    const known = completions[shell];
    if (!places || !known) return skipped(`SHELL names none of ${Object.keys(shells).join(', ')}`);
    const { script } = known;
    const current = script.trim();
    const install = installedBy(shell, known.install, { path: places.startUp(host)[0], usual: places.startUp({ ...host, env: {} })[0] });
    const startUp = places.startUp(host).map((path) => ({ path, stands: standing(textAt(path), { shell, current, mark: places.mark }) }));
    const files = places.files(host).map((path) => ({ path, stands: standing(textAt(path), { shell, current, mark: /^/ }) }));
    const old = startUp.find(({ stands }) => stands === 'old');
    if (old) return note(`${old.path} has the ${shell} script of another version`, `Delete its lines there, then install it: ${install}`);
    const oldFile = files.find(({ stands }) => stands === 'old');
    if (oldFile)
      return note(
        `${oldFile.path} is the ${shell} script of another version`,
        `Replace it: ${printedTo(`proctor-cli completion ${shell}`, oldFile.path)}`,
      );
    const installed = [...startUp, ...files].find(({ stands }) => stands === 'current');
    return installed ? ok(`${shell}: ${installed.path}`) : note(`not installed for ${shell}`, `Install it for new sessions: ${install}`);
  },
};

/** The line that installs the script: that of the docs, unless the start-up file is in another place. */
function installedBy(
  shell: string,
  install: string,
  { path = '', usual }: { path: string | undefined; usual: string | undefined },
): string {
  if (path === usual) return install;
  const folder = dirname(path);
  const make = existsSync(folder) ? '' : `mkdir -p ${shellQuoted(folder)} && `;
  return `${make}proctor-cli completion ${shell} >> ${shellQuoted(path)}`;
}

/** How the script stands in a file. A line that asks the program for it at each start always has the current one. */
function standing(
  text: string | undefined,
  { shell, current, mark }: { shell: string; current: string; mark: RegExp },
): 'current' | 'old' | undefined {
  if (text === undefined) return undefined;
  if (text.includes(current) || new RegExp(`^[^#\\n]*\\bproctor-cli["']? +completion +${shell}\\b`, 'm').test(text)) return 'current';
  return mark.test(text) ? 'old' : undefined;
}

/** The line that prints into a file, with the rights that it needs. */
function printedTo(command: string, path: string): string {
  return isWritable(path) ? `${command} > ${shellQuoted(path)}` : `${command} | sudo tee ${shellQuoted(path)} > /dev/null`;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

export const manPage: Check = {
  name: 'man page',
  find({ host }) {
    if (inCI(host)) return skipped('a CI system needs none');
    const programs = listed(host.env.PATH, '');
    if (host.platform === 'win32' || !programs.some((folder) => existsSync(join(folder, 'man')))) return skipped('man is not in the PATH');
    const folders = manFolders(host);
    const found = folders
      .flatMap((folder) => ['', '.gz', '.bz2', '.xz', '.zst'].map((ending) => join(folder, 'man1', `proctor-cli.1${ending}`)))
      .find((path) => existsSync(path));
    const install = installManPage(host.program(), found === undefined ? usualFirst(folders, host) : [dirname(dirname(found))]);
    if (found === undefined) return note('not installed', install);
    const shown = versionOf(found);
    return shown === undefined || shown === version ? ok(found) : note(`${found} is that of version ${shown}`, install);
  },
};

/** The folders in which man looks: MANPATH, in which an empty part stands for those that belong to the PATH. */
function manFolders(place: Place): string[] {
  const { env } = place;
  const ofPath = listed(env.PATH, '').flatMap((folder) => [join(folder, '..', 'share', 'man'), join(folder, '..', 'man')]);
  const standard = [...ofPath, '/usr/local/share/man', '/usr/local/man', '/usr/share/man', ...brewed(place, 'share', 'man')];
  const given = env.MANPATH ? env.MANPATH.split(delimiter) : [''];
  return [...new Set(given.flatMap((folder) => (folder === '' ? standard : isAbsolute(folder) ? [folder] : [])))];
}

/** The folders that people install into, as far as man looks there; then those that are there already, and those of MANPATH. */
function usualFirst(folders: readonly string[], { env, home }: Place): string[] {
  const usual = [join(home, '.local', 'share', 'man'), '/usr/local/share/man'].filter((folder) => folders.includes(folder));
  const given = listed(env.MANPATH, '');
  return [...usual, ...folders.filter((folder) => existsSync(folder) || given.includes(folder))];
}

/** How to put the page into the first of the folders that can be written to. `program`: the file that was started. */
function installManPage(program: string, folders: readonly string[]): string {
  const page = ownPage(program);
  if (page === undefined) return 'Read the help instead: proctor-cli help';
  const folder = folders.find((each) => isWritable(nearestExisting(each)));
  if (folder === undefined) return `Read it where it is: man ${shellQuoted(page)}`;
  const target = shellQuoted(join(folder, 'man1'));
  return `Install it: mkdir -p ${target} && cp ${shellQuoted(page)} ${target}`;
}

/** The page that came with the program: in the package, or beside the executable. */
function ownPage(program: string): string | undefined {
  try {
    const folder = dirname(realpathSync(program));
    return [join(folder, '..'), folder].map((each) => join(each, 'man', 'proctor-cli.1')).find((path) => existsSync(path));
  } catch {
    return undefined;
  }
}

/** The version in the title of a page; undefined where it cannot be read. */
function versionOf(path: string): string | undefined {
  try {
    const bytes = readRegularFile(path, largest);
    const text = path.endsWith('.gz') ? gunzipSync(bytes, { maxOutputLength: largest }) : bytes;
    return /^\.TH .*"proctor\\?-cli ([^"\s]+)"/m.exec(text.toString('latin1'))?.[1];
  } catch {
    return undefined;
  }
}
