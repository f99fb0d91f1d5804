/** The standalone executable, where there is nothing else. */
import { linkSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { version } from '../../src/text/version.ts';
import { seededExams } from '../commands/embedded.ts';
import { temporaryFolder } from '../support/run.ts';
import { noticedIn } from './notices.ts';
import { ended, program, start } from './program.ts';

test('needs nothing in the PATH and nothing beside it', async () => {
  // On the disk that it is on: it is linked, not copied.
  const folder = mkdtempSync(join(inject('installation'), 'alone-'));
  const alone = join(folder, 'another-name');
  linkSync(join(inject('installation'), 'standalone/proctor-cli'), alone);
  const child = start(alone, ['--profile', 'sandbox', 'exams', 'list', '-o', 'id'], { home: temporaryFolder(), env: { PATH: folder } });
  expect(await ended(child)).toEqual({ code: 0, stdout: seededExams.map((id) => `${id}\n`).join(''), stderr: '' });
});

test('takes no options for Node itself', async () => {
  const env = { NODE_OPTIONS: '--no-such-option' };
  expect(await program('--version', { env })).toEqual({ code: 0, stdout: `proctor-cli ${version}\n`, stderr: '' });
});

test('names no folder of the machine that built it', () => {
  const bytes = readFileSync(join(inject('installation'), 'standalone/proctor-cli'));
  // The start of the name of the folder in which scripts/standalone.mjs puts it together, and the path of the main script.
  expect([bytes.includes('proctor-cli-standalone-'), bytes.includes('start.cjs')]).toEqual([false, true]);
});

test('lies beside the terms of what is in it, Node among them', () => {
  const folder = join(inject('installation'), 'standalone');
  const noticed = noticedIn(readFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), 'utf8'));
  expect([...noticed.keys()]).toEqual(expect.arrayContaining([expect.stringMatching(/^Node\.js /), expect.stringMatching(/^undici /)]));
  for (const [name, terms] of noticed) expect(terms, name).toMatch(/copyright/i);
  // Node's own file has the terms of its parts as well.
  const ofNode = [...noticed].find(([name]) => name.startsWith('Node.js '))?.[1];
  for (const part of ['OpenSSL', 'ICU', 'V8', 'zlib']) expect(ofNode).toContain(part);
  const { components } = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')) as {
    components: { name: string; version: string; components?: { name: string }[] }[];
  };
  const named = components.map(({ name, version: its }) => `${name === 'node' ? 'Node.js' : name} ${its}`);
  expect(named.sort()).toEqual([...noticed.keys()].sort());
  const parts = components.find(({ name }) => name === 'node')?.components?.map(({ name }) => name);
  expect(parts).toEqual(expect.arrayContaining(['openssl', 'sqlite', 'undici', 'v8', 'zlib']));
  expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toMatch(/^MIT License/);
});
