/** The package as it is published, and as npm installs it from its file into an empty folder. */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { seededExams } from '../commands/embedded.ts';
import { pages, root } from '../docs/pages.ts';
import { temporaryFolder } from '../support/run.ts';
import { build } from './build.ts';
import { ended, noticesIn, start } from './program.ts';

const [node] = inject('command');
const folder = temporaryFolder();
const { nodePackage, billOfMaterials } = packInto(folder);
const tarball = join(folder, nodePackage);
const paths = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' })
  .trim()
  .replaceAll(/^package\//gm, '')
  .split('\n');

describe('the package', () => {
  test('has what the program needs and what people read, and nothing else of a checkout', () => {
    const top = new Set(paths.map((path) => path.split('/')[0]));
    expect([...top].sort()).toEqual([
      ...['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md', 'SKILL.md'],
      ...['bin', 'completions', 'dist', 'docs', 'package.json'],
    ]);
  });

  // A much larger one contains something unnecessary.
  test('is smaller than 1 MB', () => {
    expect(statSync(tarball).size).toBeGreaterThan(400_000);
    expect(statSync(tarball).size).toBeLessThan(1_000_000);
  });

  test('has every file that its docs link to', () => {
    for (const [page, text] of pages) {
      for (const [, file = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
        const linked = join(dirname(page), file);
        expect(
          paths.some((path) => path === linked || path.startsWith(`${linked}/`)),
          `${page}: ${linked}`,
        ).toBe(true);
      }
    }
  });

  test('has the same program and notices wherever and whenever it is built', () => {
    const elsewhere = join(temporaryFolder(), 'another/place');
    mkdirSync(elsewhere, { recursive: true });
    build(elsewhere);
    const [here, there] = [inject('installation'), elsewhere].map((place) => {
      const files = globSync('dist/**/*.*', { cwd: place, exclude: ['dist/compiled'] }).sort();
      return files.map((file) => [file, hash('sha256', readFileSync(join(place, file)))]);
    });
    expect(there).toEqual(here);
    expect(here?.length).toBeGreaterThan(10);
  });
});

test('the notices have the terms of each library in the bundle; each dependency is one, and the bill of materials has them all', () => {
  const noticed = noticesIn(readFileSync(join(inject('installation'), 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8'));
  for (const [name, terms] of noticed) expect(terms, name).toMatch(/copyright/i);
  const names = [...noticed.keys()].map((title) => title.replace(/ [^ ]+$/, ''));
  expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
  const { components } = JSON.parse(readFileSync(join(folder, billOfMaterials), 'utf8')) as {
    components: { name: string; version: string }[];
  };
  const bill = components.map(({ name, version: its }) => `${name} ${its}`);
  expect(bill).toEqual(expect.arrayContaining([...noticed.keys()]));
});

describe('installed', () => {
  const prefix = join(folder, 'prefix');
  const path = [join(prefix, 'bin'), dirname(node), process.env.PATH].join(delimiter);
  const npm = (...args: string[]) => {
    const env = { PATH: path, HOME: folder, npm_config_engine_strict: 'true' };
    execFileSync('npm', [...args, '--global', '--offline', '--prefix', prefix], { cwd: folder, env, stdio: 'pipe' });
  };
  const filesBelow = (below: string) =>
    readdirSync(below, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(below, join(entry.parentPath, entry.name)))
      .sort();

  test('it starts by its name, on the Node that is in the PATH; needs no other package, and writes nothing beside its own files', async () => {
    npm('install', tarball);
    const run = (...words: string[]) => ended(start('proctor-cli', words, { home: temporaryFolder(), env: { PATH: path } }));
    expect(await run('--version')).toEqual({ code: 0, stdout: `proctor-cli ${manifest.version}\n`, stderr: '' });
    const listed = await run('--profile', 'sandbox', 'exams', 'list', '-o', 'id');
    expect(listed).toEqual({ code: 0, stdout: seededExams.map((id) => `${id}\n`).join(''), stderr: '' });
    // It stands in the other file of the program.
    const examined = await run('--profile', 'sandbox', 'doctor');
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1);
    expect(examined.stdout).toContain(`proctor-cli ${manifest.version} on Node ${version}`);
    const installed = join(prefix, 'lib/node_modules/proctor-cli');
    expect(filesBelow(installed)).toEqual(paths.toSorted());
    const its = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as object;
    for (const field of ['dependencies', 'devDependencies', 'scripts']) expect(its).not.toHaveProperty(field);
  });

  test('it leaves no file when it is removed', () => {
    npm('uninstall', 'proctor-cli');
    expect(filesBelow(prefix).filter((name) => name.includes('proctor-cli') && !name.startsWith('.npm'))).toEqual([]);
  });
});

/** Packs the program for npm and lists its libraries, by the lines of the workflow. */
function packInto(folder: string): { nodePackage: string; billOfMaterials: string } {
  const checkout = temporaryFolder();
  const left = ['node_modules', 'dist', 'standalone', '.git', 'src', 'test'];
  for (const name of readdirSync(root).filter((name) => !left.includes(name)))
    cpSync(join(root, name), join(checkout, name), { recursive: true });
  cpSync(join(inject('installation'), 'dist'), join(checkout, 'dist'), { recursive: true });
  // Files of a checkout that the package must not contain.
  for (const name of ['src/start.ts', 'test/support/run.ts', 'standalone/proctor-cli', '.env', 'notes.txt']) {
    mkdirSync(dirname(join(checkout, name)), { recursive: true });
    writeFileSync(join(checkout, name), '');
  }
  const lines = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8').match(/(?<=run: )npm (pkg|sbom) .*/gm) ?? [];
  const env = { PATH: process.env.PATH, HOME: checkout, GITHUB_REF_NAME: `v${manifest.version}` };
  for (const line of lines) execFileSync('bash', ['-c', line], { cwd: checkout, env, stdio: 'ignore' });
  const names = { nodePackage: `proctor-cli-${manifest.version}.tgz`, billOfMaterials: `proctor-cli-${manifest.version}.cdx.json` };
  for (const name of Object.values(names)) cpSync(join(checkout, name), join(folder, name));
  return names;
}
