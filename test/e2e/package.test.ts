/** The package as it is published: which files, how large, and the notices of what others wrote. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { pages, root } from '../docs/pages.ts';
import { temporaryFolder } from '../support/run.ts';
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
  test('has the program, its papers and nothing else', () => {
    const fixed = [
      ...['LICENSE', 'package.json'],
      ...['bin/package.json', 'bin/proctor-cli.js', 'man/proctor-cli.1'],
      ...['completions/_proctor-cli', 'completions/proctor-cli.bash', 'completions/proctor-cli.fish', 'completions/proctor-cli.ps1'],
      ...pages.keys(),
    ];
    expect(paths.filter((path) => !path.startsWith('dist/')).sort()).toEqual(fixed.sort());
    const built = paths.filter((path) => path.startsWith('dist/'));
    expect(built).toEqual(expect.arrayContaining(['dist/start.cjs', 'dist/complete.cjs', 'dist/main.js', 'dist/THIRD-PARTY-NOTICES.txt']));
    expect(built.filter((path) => !/^dist\/[\w-]+\.(js|cjs)$/.test(path))).toEqual(['dist/THIRD-PARTY-NOTICES.txt']);
  });

  test('starts with a file that can be run', () => {
    expect((packed.files.find(({ path }) => path === 'bin/proctor-cli.js')?.mode ?? 0) & 0o111).toBe(0o111);
  });

  test('brings the command and its man page, where it is installed for all', () => {
    const prefix = temporaryFolder();
    npm('install', '--global', '--offline', '--prefix', prefix, '.');
    expect(existsSync(join(prefix, 'bin/proctor-cli'))).toBe(true);
    expect(readFileSync(join(prefix, 'share/man/man1/proctor-cli.1'), 'utf8')).toMatch(/^\.TH PROCTOR/m);
  });

  // A much larger package contains something unnecessary.
  test('is smaller than 750 kB, and 2.4 MB when unpacked', () => {
    expect(packed.size).toBeGreaterThan(300_000);
    expect(packed.size).toBeLessThan(750_000);
    expect(packed.unpackedSize).toBeLessThan(2_400_000);
  });

  test('holds a program of less than 1.85 MB', () => {
    const program = packed.files.filter(({ path }) => path.startsWith('dist/'));
    const size = program.reduce((sum, file) => sum + file.size, 0);
    expect(size).toBeGreaterThan(1_000_000);
    expect(size).toBeLessThan(1_850_000);
  });

  test('has every file that its papers link to', () => {
    for (const [page, text] of pages) {
      for (const [, file = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) expect(paths, page).toContain(join(dirname(page), file));
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
