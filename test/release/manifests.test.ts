/** What Homebrew, Scoop and winget are given for a release, filled from its checksums. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readChecksums, writeChecksums } from '../../scripts/release/checksums.ts';
import { writeManifests } from '../../scripts/release/manifests.ts';
import { debianNames } from '../../scripts/release/product.ts';
import { type Repository, repositoryOf } from '../../scripts/release/repository.ts';
import { version } from '../../src/text/version.ts';
import { root } from '../docs/pages.ts';
import { temporaryFolder } from '../support/run.ts';

const repository = repositoryOf('some-owner/some-name') as Repository;
const matrix = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8');
const platforms = [...matrix.matchAll(/\{ platform: ([\w-]+),/g)].map(([, platform = '']) => platform);
const archive = (platform: string) => `proctor-cli-${version}-${platform}.${platform.startsWith('windows') ? 'zip' : 'tar.gz'}`;
const url = (platform: string) => `https://github.com/some-owner/some-name/releases/download/v${version}/${archive(platform)}`;

/** A release with an archive of each platform, but for some. */
function releaseWithout(...missing: string[]): string {
  const folder = temporaryFolder();
  for (const platform of platforms.filter((name) => !missing.includes(name))) writeFileSync(join(folder, archive(platform)), platform);
  writeChecksums(folder);
  return folder;
}

const folder = releaseWithout();
const sums = readChecksums(folder);
const files = new Map(writeManifests(folder, repository).map((file) => [relative(folder, file), readFileSync(file, 'utf8')]));
const manifestFiles = [...files.keys()];
const textOf = (name: string) => files.get(join('manifests', name)) ?? '';
const sumOf = (platform: string) => sums.get(archive(platform)) ?? 'none';

test('the workflow builds for the three systems, on both processors', () => {
  expect(platforms.sort()).toEqual(['linux', 'darwin', 'windows'].flatMap((system) => [`${system}-arm64`, `${system}-x64`]).sort());
});

test('no place of a template is left, and nothing is there twice', () => {
  expect([...files.keys()].sort()).toEqual(
    [
      'homebrew/proctor-cli.rb',
      'scoop/proctor-cli.json',
      ...['', '.installer', '.locale.en-US'].map((part) => `winget/some-owner.proctor-cli${part}.yaml`),
    ]
      .map((name) => join('manifests', name))
      .sort(),
  );
  for (const [name, text] of files) expect(text, name).not.toMatch(/\{\{|\}\}|undefined|sha256none/);
});

test('the formula of Homebrew has the address and the checksum of each archive for macOS and Linux', () => {
  const formula = textOf('homebrew/proctor-cli.rb');
  for (const platform of platforms.filter((name) => !name.startsWith('windows'))) {
    expect(formula).toContain(`url "${url(platform)}"\n      sha256 "${sumOf(platform)}"`);
  }
  expect(formula).toContain(`version "${version}"`);
  const [, description = ''] = /^ {2}desc "(.*)"$/m.exec(formula) ?? [];
  // What Homebrew's own check of a formula demands.
  expect(description).toMatch(/^(?!(An?|The) )[A-Z].{0,78}[^.]$/);
});

test.skipIf(spawnSync('ruby', ['--version']).error !== undefined)('the formula is one that Ruby can read', () => {
  const { status, stderr } = spawnSync('ruby', ['-c', '-'], { input: textOf('homebrew/proctor-cli.rb'), encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('the manifest of Scoop has the archives for Windows, and the folder in each', () => {
  const part = (platform: string) => ({ url: url(platform), hash: sumOf(platform), extract_dir: `proctor-cli-${version}-${platform}` });
  expect(JSON.parse(textOf('scoop/proctor-cli.json'))).toMatchObject({
    version,
    homepage: 'https://github.com/some-owner/some-name',
    license: 'MIT',
    architecture: { '64bit': part('windows-x64'), arm64: part('windows-arm64') },
    bin: 'proctor-cli.exe',
  });
});

test('the three manifests of winget are of one package, version and schema', () => {
  const manifests = ['', '.installer', '.locale.en-US'].map(
    (part) => parse(textOf(`winget/some-owner.proctor-cli${part}.yaml`)) as Record<string, unknown>,
  );
  for (const manifest of manifests) {
    expect(manifest).toMatchObject({ PackageIdentifier: 'some-owner.proctor-cli', PackageVersion: version, ManifestVersion: '1.12.0' });
  }
  expect(manifests.map(({ ManifestType }) => ManifestType)).toEqual(['version', 'installer', 'defaultLocale']);
  const installer = (architecture: string) => ({
    Architecture: architecture,
    NestedInstallerFiles: [
      { RelativeFilePath: `proctor-cli-${version}-windows-${architecture}\\proctor-cli.exe`, PortableCommandAlias: 'proctor-cli' },
    ],
    InstallerUrl: url(`windows-${architecture}`),
    InstallerSha256: sumOf(`windows-${architecture}`).toUpperCase(),
  });
  expect(manifests[1]).toMatchObject({
    InstallerType: 'zip',
    NestedInstallerType: 'portable',
    Installers: [installer('x64'), installer('arm64')],
  });
});

test('an archive that is missing is named, and nothing is made up for it', () => {
  expect(() => writeManifests(releaseWithout('darwin-arm64'), repository)).toThrow(`SHA256SUMS has no ${archive('darwin-arm64')}.`);
});

test('SHA256SUMS is a list that sha256sum checks, of files alone and without itself', () => {
  mkdirSync(join(folder, 'beside'), { recursive: true });
  writeChecksums(folder);
  writeChecksums(folder);
  expect([...readChecksums(folder).keys()]).toEqual(platforms.map(archive).sort());
  const { status, stdout } = spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder, encoding: 'utf8' });
  expect([status, stdout.match(/: OK$/gm)]).toEqual([0, expect.objectContaining({ length: 6 })]);
  writeFileSync(join(folder, 'SHA256SUMS'), 'not a checksum\n');
  expect(() => readChecksums(folder)).toThrow('SHA256SUMS has a line that is no checksum: not a checksum');
});

test('the manifests are packed into an archive whose checksum is in the list, the same each time', () => {
  const release = releaseWithout();
  const archived = () => {
    const line = ['manifests', '--output', release, '--repository', 'some-owner/some-name'];
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/release/release.ts'), ...line], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return readFileSync(join(release, 'manifests.tar.gz'));
  };
  const first = archived();
  expect(archived().equals(first)).toBe(true);
  expect([...readChecksums(release).keys()]).toEqual(['manifests.tar.gz', ...platforms.map(archive)].sort());
  const { status } = spawnSync('sha256sum', ['--check', '--strict', '--status', 'SHA256SUMS'], { cwd: release });
  expect(status).toBe(0);
  const packed = execFileSync('tar', ['-tzf', join(release, 'manifests.tar.gz')], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const files = packed.filter((name) => !name.endsWith('/')).sort();
  expect(files).toEqual([...manifestFiles.map((name) => name.replaceAll('\\', '/')), 'manifests/release-notes.md'].sort());
});

test.each(['owner', 'owner/name/more', 'owner /name', '-owner/name', 'https://github.com/owner/name', '../name'])(
  'the address of the project is OWNER/NAME, not %s',
  (given) => expect(() => repositoryOf(given)).toThrow(`The repository is not OWNER/NAME: ${given}`),
);

test('each file keeps its name on GitHub, which renames others', () => {
  expect(debianNames('1.2.0-rc.1')).toEqual({ version: '1.2.0~rc.1-1', file: 'proctor-cli_1.2.0-rc.1-1' });
  expect(debianNames('1.2.0')).toEqual({ version: '1.2.0-1', file: 'proctor-cli_1.2.0-1' });
  for (const name of ['a~b.deb', 'a b.txt', '.hidden', 'a.', 'ä.tgz']) {
    const folder = temporaryFolder();
    writeFileSync(join(folder, name), '');
    expect(() => writeChecksums(folder), name).toThrow(`GitHub would rename ${name}`);
  }
});

test('the address of the project is not known without a setting, and no file of it states one', () => {
  expect(repositoryOf('')).toBeUndefined();
  expect(readFileSync(join(root, 'package.json'), 'utf8')).not.toMatch(/"(repository|homepage|bugs)"/);
});
