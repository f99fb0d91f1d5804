/**
 * The Debian package of the executable: built, installed, used from there and removed. It is installed into a
 * folder; DEB_TEST_ROOT=/ installs it on this machine, as root.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { packDeb } from '../../scripts/release/deb.ts';
import { repositoryOf } from '../../scripts/release/repository.ts';
import { version } from '../../src/text/version.ts';
import { root as checkout } from '../docs/pages.ts';
import { temporaryFolder } from '../support/run.ts';
import { noticedIn } from './notices.ts';
import { compiledCode, ended, start } from './program.ts';
import { openScreen, withoutScreen } from './screen.ts';

const has = (tool: string) => spawnSync(tool, ['--version']).error === undefined;
const maintainer = 'Ann Example <ann@example.org>';

/** A stage with an executable and what belongs to it. */
function stageWith(executable: string): string {
  const stage = temporaryFolder();
  for (const name of ['completions', 'man', 'CHANGELOG.md', 'LICENSE']) symlinkSync(join(checkout, name), join(stage, name));
  mkdirSync(join(stage, 'standalone'));
  for (const name of ['THIRD-PARTY-NOTICES.txt', 'sbom.cdx.json']) {
    symlinkSync(join(inject('installation'), 'standalone', name), join(stage, 'standalone', name));
  }
  symlinkSync(executable, join(stage, 'standalone/proctor-cli'));
  return stage;
}

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe.skipIf(!has('dpkg-shlibdeps'))('the Debian package', () => {
  const output = temporaryFolder();
  let deb: string;
  beforeAll(() => {
    deb = packDeb(stageWith(join(inject('installation'), 'standalone/proctor-cli')), { output, maintainer });
  }, 300_000);

  test('states what it is and which libraries it loads', () => {
    const architecture = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();
    expect(deb).toBe(join(output, `proctor-cli_${version}-1_${architecture}.deb`));
    const field = (name: string) => execFileSync('dpkg-deb', ['--field', deb, name], { encoding: 'utf8' }).trim();
    expect([field('Package'), field('Version'), field('Architecture'), field('Maintainer')]).toEqual([
      ...['proctor-cli', `${version}-1`, architecture, maintainer],
    ]);
    for (const library of ['libc6', 'libstdc++6', 'libatomic1']) expect(field('Depends')).toContain(`${library} (>= `);
    expect(field('Description')).toMatch(/^Run proctored examinations from the command line\n/);
    // Its address is known to a release alone.
    expect(field('Homepage')).toBe('');
  });

  test('has sums, sizes and modes that are those of its files', () => {
    const folder = temporaryFolder();
    execFileSync('dpkg-deb', ['--raw-extract', deb, folder]);
    const sums = join(folder, 'DEBIAN/md5sums');
    expect(readFileSync(sums, 'utf8').trim().split('\n')).toHaveLength(filesBelow(join(folder, 'usr')).length);
    execFileSync('md5sum', ['--check', '--strict', sums], { cwd: folder, stdio: 'pipe' });
    const used = Number(
      execFileSync('du', ['--summarize', '--apparent-size', '--block-size=1K', join(folder, 'usr')], { encoding: 'utf8' }).split('\t')[0],
    );
    const stated = Number(execFileSync('dpkg-deb', ['--field', deb, 'Installed-Size'], { encoding: 'utf8' }));
    expect(Math.abs(stated - used)).toBeLessThan(200);
    const listed = execFileSync('dpkg-deb', ['--contents', deb], { encoding: 'utf8' }).trim().split('\n');
    for (const line of listed) {
      const mode = / \.\/usr\/bin\/proctor-cli$/.test(line) ? '-rwxr-xr-x' : line.endsWith('/') ? 'drwxr-xr-x' : '-rw-r--r--';
      expect(line).toMatch(new RegExp(`^${mode} root/root `));
    }
  });

  test('is the same from the same files, whoever builds it', () => {
    // Any executable will do.
    const stage = stageWith('/usr/bin/true');
    const built = (umask: number, place?: string) => {
      const before = process.umask(umask);
      try {
        return readFileSync(packDeb(stage, { output: temporaryFolder(), maintainer, repository: repositoryOf(place) }));
      } finally {
        process.umask(before);
      }
    };
    expect(built(0o077).equals(built(0o002))).toBe(true);
    expect(built(0o022, 'someone/proctor-cli').equals(built(0o022))).toBe(false);
  });

  test.skipIf(!has('lintian'))(
    'gives lintian no reason for an error or a warning',
    () => {
      const env = { PATH: process.env.PATH, HOME: temporaryFolder(), LC_ALL: 'C.UTF-8' };
      const { status, stdout } = spawnSync('lintian', ['--fail-on', 'error,warning', '--tag-display-limit', '0', deb], {
        env,
        encoding: 'utf8',
      });
      expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    },
    300_000,
  );

  describe('where it is installed', () => {
    const root = process.env.DEB_TEST_ROOT ?? temporaryFolder();
    const isRoot = process.getuid?.() === 0;
    const at = (path: string) => join(root, path);
    const data = root === '/' ? {} : { XDG_DATA_DIRS: `${at('usr/share')}:/usr/local/share:/usr/share` };
    const env = { PATH: `${at('usr/bin')}:/usr/local/bin:/usr/bin:/bin`, ...data };
    /** On images for containers, dpkg leaves out docs. */
    const whole = ['--path-include=/usr/share/*'];
    const dpkg = (...line: string[]) =>
      execFileSync('dpkg', [...whole, ...(root === '/' ? [] : [`--root=${root}`, '--force-depends']), ...line], { stdio: 'pipe' });

    beforeAll(() => {
      if (root !== '/') {
        mkdirSync(at('var/lib/dpkg/info'), { recursive: true });
        mkdirSync(at('var/lib/dpkg/updates'));
        for (const name of ['status', 'available']) writeFileSync(at(`var/lib/dpkg/${name}`), '');
      }
      // Only root may give files an owner, as dpkg does.
      if (isRoot) dpkg('--install', deb);
      else execFileSync('dpkg-deb', ['--extract', deb, root]);
    }, 300_000);
    afterAll(() => {
      if (isRoot && existsSync(at('usr/bin/proctor-cli'))) dpkg('--purge', 'proctor-cli');
    });

    test('the program runs', async () => {
      const run = (line: string) => ended(start('proctor-cli', line.split(' '), { home: temporaryFolder(), env }));
      expect(await run('--version')).toEqual({ code: 0, stdout: `proctor-cli ${version}\n`, stderr: '' });
      const { code, stdout } = await run('--profile sandbox exams get 1 -o json');
      expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ id: 1 })]);
    });

    test.skipIf(!has('man')).each([
      ['1', 'proctor-cli'],
      ['1', 'proctor-cli-sessions'],
      ['7', 'proctor-cli-times'],
    ])('man %s %s shows its page', (section, page) => {
      const where = root === '/' ? [] : ['-M', at('usr/share/man')];
      const shown = execFileSync('man', [...where, section, page], { env: { ...env, MANPAGER: 'cat', MANWIDTH: '80' }, encoding: 'utf8' });
      expect(shown).toMatch(new RegExp(`^NAME\\n +${page} - `, 'm'));
    });

    test('its terms and its bill of materials are beside its docs', () => {
      const paper = (name: string) => gunzipSync(readFileSync(at(`usr/share/doc/proctor-cli/${name}.gz`))).toString();
      expect([...noticedIn(paper('THIRD-PARTY-NOTICES.txt')).keys()]).toContainEqual(expect.stringMatching(/^Node\.js /));
      expect(JSON.parse(paper('sbom.cdx.json'))).toMatchObject({ bomFormat: 'CycloneDX' });
      expect(paper('changelog')).toMatch(/^# Changelog/);
      expect(readFileSync(at('usr/share/doc/proctor-cli/copyright'), 'utf8')).toMatch(/^License: Expat$/m);
    });

    const zshFolder = root === '/' ? '' : `fpath=(${at('usr/share/zsh/vendor-completions')} $fpath); `;
    const bashCompletion = '/usr/share/bash-completion/bash_completion';
    const startUp = {
      bash: { file: '.bashrc', lines: `PS1='ready> '; . ${bashCompletion}\n` },
      zsh: { file: '.zshrc', lines: `PS1='ready> '; ${zshFolder}autoload -Uz compinit; compinit -u\n` },
      fish: { file: '.config/fish/config.fish', lines: 'set -g fish_greeting\nfunction fish_prompt; echo -n "ready> "; end\n' },
    };
    describe.each(['bash', 'zsh', 'fish'] as const)('%s', (shell) => {
      const missing = withoutScreen || !has(shell) || (shell === 'bash' && !existsSync(bashCompletion));
      test.skipIf(missing)('completes it without a line about it in the start-up file', async () => {
        const home = temporaryFolder();
        mkdirSync(join(home, '.config/fish'), { recursive: true });
        writeFileSync(join(home, startUp[shell].file), startUp[shell].lines);
        const screen = openScreen(`cd '${home}' && exec ${shell} -i`, { ...env, ...compiledCode, HOME: home });
        try {
          await screen.shows(/ready>/);
          screen.type('proctor-cli exams upd');
          screen.press('Tab');
          await screen.shows(/^ready> proctor-cli exams update( |$)/m);
        } finally {
          screen.close();
        }
      });
    });

    test.skipIf(!isRoot)('nothing is left after it is removed', () => {
      dpkg('--purge', 'proctor-cli');
      const left = ['usr/bin', 'usr/share'].map(at).filter(existsSync).flatMap(filesBelow);
      expect(left.filter((file) => file.includes('proctor-cli') && !file.includes('/node_modules/'))).toEqual([]);
    });
  });
});
