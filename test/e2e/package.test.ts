/** The package as it is published: which files, how large, and the notices of what others wrote. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { version } from '../../src/text/version.ts';
import { pages, root } from '../docs/pages.ts';
import { temporaryFolder } from '../support/run.ts';
import { build } from './build.ts';
import { noticedIn } from './notices.ts';

type Packed = { size: number; unpackedSize: number; files: { path: string; size: number; mode: number }[] };

let packed: Packed;
let paths: string[];
const folder = temporaryFolder();

function npm(...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: folder, npm_config_update_notifier: 'false' };
  return execFileSync('npm', [...args, '--ignore-scripts'], { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

beforeAll(() => {
  // A checkout whose dist is that of the sources as they are.
  for (const name of readdirSync(root)) {
    if (!['node_modules', 'dist', 'standalone', '.git', 'src', 'test'].includes(name)) {
      cpSync(join(root, name), join(folder, name), { recursive: true });
    }
  }
  // Files of a checkout that the package must not contain.
  for (const name of ['src/start.ts', 'test/support/run.ts', 'standalone/proctor-cli', '.env', 'notes.txt']) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), '');
  }
  cpSync(join(inject('installation'), 'dist'), join(folder, 'dist'), { recursive: true });
  const printed = npm('pack', '--dry-run', '--json');
  [packed] = Object.values(JSON.parse(printed) as Packed[]) as [Packed];
  paths = packed.files.map(({ path }) => path);
});

describe('the package', () => {
  test('has what the program needs and what people read, and nothing else of a checkout', () => {
    const top = new Set(paths.map((path) => path.split('/')[0]));
    expect([...top].sort()).toEqual([
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'SKILL.md',
      'bin',
      'completions',
      'dist',
      'docs',
      'package.json',
    ]);
  });

  test('has the same program, notices and bill of materials wherever and whenever it is built', () => {
    const elsewhere = join(temporaryFolder(), 'another/place');
    mkdirSync(elsewhere, { recursive: true });
    build(elsewhere, 'build.mjs');
    const [here, there] = [inject('installation'), elsewhere].map((place) => join(place, 'dist'));
    expect(readdirSync(there ?? '')).toEqual(readdirSync(here ?? ''));
    for (const name of readdirSync(here ?? ''))
      expect(readFileSync(join(there ?? '', name)).equals(readFileSync(join(here ?? '', name))), name).toBe(true);
  });

  test('starts with a file that can be run', () => {
    expect((packed.files.find(({ path }) => path === 'bin/proctor-cli.js')?.mode ?? 0) & 0o111).toBe(0o111);
  });

  // A much larger package contains something unnecessary.
  test('is smaller than 1 MB, and 3 MB when unpacked', () => {
    expect(packed.size).toBeGreaterThan(400_000);
    expect(packed.size).toBeLessThan(1_000_000);
    expect(packed.unpackedSize).toBeLessThan(3_000_000);
  });

  test('holds a program of less than 2.4 MB', () => {
    const program = packed.files.filter(({ path }) => path.startsWith('dist/'));
    const size = program.reduce((sum, file) => sum + file.size, 0);
    expect(size).toBeGreaterThan(1_000_000);
    expect(size).toBeLessThan(2_400_000);
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
});

test('the notices name each library that the sources import, as installed, with its terms', () => {
  const imported = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...readFileSync(join(root, 'src', file), 'utf8').matchAll(
        /^(?:import|export)(?! type).*? from '((?:@[\w-]+\/)?[\w-]+)(?:\/[\w./-]*)?'/gm,
      ),
    ])
    .map(([, name = '']) => name)
    .filter((name) => existsSync(join(root, 'node_modules', name)));
  expect(new Set(imported).size).toBeGreaterThan(8);
  const noticed = noticedIn(readFileSync(join(inject('installation'), 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8'));
  for (const name of imported) {
    const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as { version: string };
    expect([...noticed.keys()]).toContain(`${name} ${version}`);
  }
  for (const [name, terms] of noticed) expect(terms, name).toMatch(/copyright/i);
});

describe('the bill of materials', () => {
  type Component = { name: string; version: string; purl: string; hashes: unknown; licenses: unknown };
  type Bill = { metadata: { component: Component }; components: Component[]; dependencies: { ref: string; dependsOn: string[] }[] };
  const text = readFileSync(join(inject('installation'), 'dist/sbom.cdx.json'), 'utf8');
  const bill = JSON.parse(text) as Bill;
  const named = ({ name, version: its }: Component) => `${name} ${its}`;

  test('has the libraries of the notices, each once, and the program', () => {
    const noticed = noticedIn(readFileSync(join(inject('installation'), 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8'));
    expect(bill.components.map(named).sort()).toEqual([...noticed.keys()].sort());
    expect(named(bill.metadata.component)).toBe(`proctor-cli ${version}`);
    expect(bill.dependencies).toEqual([
      { ref: `proctor-cli@${version}`, dependsOn: bill.components.map((part) => `${part.name}@${part.version}`) },
    ]);
  });

  test('has no library of which no code is in the program', () => {
    const names = bill.components.map(({ name }) => name);
    for (const name of ['@inquirer/editor', '@inquirer/external-editor', 'fast-check']) expect(names).not.toContain(name);
    expect(names).toEqual(expect.arrayContaining(['@inquirer/prompts', 'ajv', 'conf', 'undici']));
  });

  test('says of each what npm says of it: address, licence and hash', () => {
    const env = { PATH: process.env.PATH, HOME: folder, npm_config_update_notifier: 'false' };
    const line = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--offline'];
    const printed = execFileSync('npm', line, { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1e8 });
    const known = new Map((JSON.parse(printed) as Bill).components.map((component) => [component.purl, component]));
    expect(bill.components.length).toBeGreaterThan(20);
    for (const { name, version: its, purl, hashes, licenses } of bill.components) {
      expect(known.get(purl), purl).toMatchObject({ name, version: its, hashes, licenses });
    }
  });

  test('states no time and no random number', () => {
    expect(text).not.toMatch(/timestamp|serialNumber|urn:uuid/);
  });
});
