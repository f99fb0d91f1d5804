/** The files of a release that need no build, and what the commands say where a setting is missing. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { archiveExecutable } from '../../scripts/release/executable.ts';
import { inStage } from '../../scripts/release/stage.ts';
import { version } from '../../src/text/version.ts';
import { root } from '../docs/pages.ts';
import { temporaryFolder } from '../support/run.ts';

/** What a build leaves, with a small executable. */
function builtStage(): string {
  const stage = temporaryFolder();
  mkdirSync(join(stage, 'standalone'));
  for (const name of ['proctor-cli', 'LICENSE', 'THIRD-PARTY-NOTICES.txt', 'sbom.cdx.json'])
    writeFileSync(join(stage, 'standalone', name), name);
  chmodSync(join(stage, 'standalone/proctor-cli'), 0o755);
  for (const name of ['completions', 'man']) cpSync(join(root, name), join(stage, name), { recursive: true });
  return stage;
}

describe.skipIf(process.platform === 'win32')('the archive of the executable', () => {
  const base = `proctor-cli-${version}-${process.platform}-${process.arch}`;
  const stage = builtStage();
  const output = temporaryFolder();
  const written = archiveExecutable(stage, output);
  const [archive = ''] = written;

  test('has the executable, its terms, its bill of materials, completions and the man pages in one folder', () => {
    const names = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).trim().split('\n');
    expect(names).toEqual([
      `${base}/`,
      ...['LICENSE', 'THIRD-PARTY-NOTICES.txt', 'completions/', 'completions/_proctor-cli'].map((name) => `${base}/${name}`),
      ...['bash', 'fish', 'ps1'].map((shell) => `${base}/completions/proctor-cli.${shell}`),
      ...[
        'man/',
        ...readdirSync(join(root, 'man'))
          .sort()
          .map((page) => `man/${page}`),
        'proctor-cli',
        'sbom.cdx.json',
      ].map((name) => `${base}/${name}`),
    ]);
    const listed = execFileSync('tar', ['--numeric-owner', '-tvzf', archive, `${base}/proctor-cli`], { encoding: 'utf8' });
    // Of no user of the machine that built it.
    expect(listed).toMatch(/^-rwxr-xr-x +(0\/0|0 +0 +0) /);
    expect(written.map((file) => basename(file))).toEqual([`${base}.tar.gz`, `${base}.cdx.json`, `${base}-THIRD-PARTY-NOTICES.txt`]);
  });

  test('is the same from the same files, whenever they were written and whoever may read them', () => {
    for (const name of ['proctor-cli', 'LICENSE']) utimesSync(join(stage, 'standalone', name), 1, 1);
    chmodSync(join(stage, 'standalone'), 0o700);
    chmodSync(join(stage, 'standalone/LICENSE'), 0o600);
    chmodSync(join(stage, 'standalone/proctor-cli'), 0o700);
    const [again = ''] = archiveExecutable(stage, temporaryFolder());
    expect(readFileSync(again).equals(readFileSync(archive))).toBe(true);
  });
});

test.skipIf(process.platform === 'win32')('what is released has modes for all to read, whatever the umask', () => {
  const before = process.umask(0o077);
  try {
    const modes = inStage((stage) => {
      execFileSync('mkdir', [join(stage, 'built')]);
      return ['built', 'bin', 'bin/proctor-cli.js', 'README.md'].map((name) => (statSync(join(stage, name)).mode & 0o777).toString(8));
    });
    expect(modes).toEqual(['755', '755', '755', '644']);
    expect(process.umask(0o077)).toBe(0o077);
  } finally {
    process.umask(before);
  }
});

describe('a command of the release says in one line', () => {
  const run = (line: string, env: Record<string, string> = {}) => {
    const file = join(root, 'scripts/release/release.ts');
    const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...line.split(' ')], {
      cwd: temporaryFolder(),
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };
  test.each([
    ['which steps there are', 'fiels', '"fiels" is none of ready, files, checksums, manifests.'],
    ['which tag it needs', 'ready', 'Name the tag of the release: --tag vVERSION.'],
    ['which setting has the address', 'manifests', 'Say where the release is: --repository OWNER/NAME or PROCTOR_REPOSITORY.'],
    ['which file is missing', 'manifests --repository some/where', 'release has no SHA256SUMS: npm run release:checksums writes it.'],
    ['which folder is missing', 'checksums --output nowhere', 'nowhere is missing: npm run release:files makes it.'],
    ['what an address is', 'manifests --repository nowhere', 'The repository is not OWNER/NAME: nowhere'],
  ])('%s', (_what, line, sentence) => {
    expect(run(line)).toEqual({ status: 1, stdout: '', stderr: `error: ${sentence}\n` });
  });

  test.skipIf(process.platform !== 'linux')('which settings have the maintainer of a Debian package, before anything is built', () => {
    const expected = { status: 1, stdout: '', stderr: 'error: A .deb names its maintainer: set DEBFULLNAME and DEBEMAIL.\n' };
    expect(run('files deb')).toEqual(expected);
    expect(run('files deb', { DEBFULLNAME: 'Ann Example' })).toEqual(expected);
  });
});
