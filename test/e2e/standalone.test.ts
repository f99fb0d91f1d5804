/** The standalone executable, where there is nothing else. */
import { linkSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { seededExams } from '../commands/embedded.ts';
import { temporaryFolder } from '../support/run.ts';
import { ended, noticesIn, program, start } from './program.ts';

const folder = join(inject('installation'), 'standalone');

test('needs nothing in the PATH and nothing beside it', async () => {
  // On the disk that it is on: it is linked, not copied.
  const alone = join(mkdtempSync(join(folder, 'alone-')), 'another-name');
  linkSync(join(folder, 'proctor-cli'), alone);
  const child = start(alone, ['--profile', 'sandbox', 'exams', 'list', '-o', 'id'], { home: temporaryFolder(), env: { PATH: folder } });
  expect(await ended(child)).toEqual({ code: 0, stdout: seededExams.map((id) => `${id}\n`).join(''), stderr: '' });
});

test('takes no options for Node itself', async () => {
  const env = { NODE_OPTIONS: '--no-such-option' };
  expect(await program('--version', { env })).toEqual({ code: 0, stdout: `proctor-cli ${manifest.version}\n`, stderr: '' });
});

test('names no folder of the machine that built it', () => {
  const bytes = readFileSync(join(folder, 'proctor-cli'));
  expect([bytes.includes(inject('installation')), bytes.includes('standalone/build/executable.cjs')]).toEqual([false, true]);
});

test('lies beside the terms of what is in it, Node among them', () => {
  const noticed = noticesIn(readFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), 'utf8'));
  expect([...noticed.keys()]).toEqual(expect.arrayContaining([expect.stringMatching(/^Node\.js /), expect.stringMatching(/^undici /)]));
  // Node's own file has the terms of its parts as well.
  const ofNode = [...noticed].find(([name]) => name.startsWith('Node.js '))?.[1];
  for (const part of ['OpenSSL', 'ICU', 'V8', 'zlib']) expect(ofNode).toContain(part);
  expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toMatch(/^MIT License/);
});
