import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readRun } from '../../../src/features/import/journal/runs.ts';
import { type Bundle, bundled } from '../../support/bundle.ts';

let worker: Bundle;
beforeAll(async () => {
  worker = await bundled(join(import.meta.dirname, 'journal-worker.ts'));
});
afterAll(() => worker.remove());

/** Lets a process import until it is killed: `rows` printed and then `delay`, or by itself. Resolves to what it printed. */
function killed(args: string[], { rows = Number.POSITIVE_INFINITY, delay = 0 } = {}): Promise<{ path: string; durable: number[] }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [worker.file, ...args], { env: { PATH: process.env.PATH }, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    let complaint = '';
    child.stdout.on('data', (part) => {
      printed += part;
      if (printed.split('\n').length - 2 >= rows) setTimeout(() => child.kill('SIGKILL'), delay);
    });
    child.stderr.on('data', (part) => {
      complaint += part;
    });
    child.on('close', (_, signal) => {
      if (signal !== 'SIGKILL') return reject(new Error(`The worker ended by itself: ${complaint}`));
      const [path = '', ...durable] = printed.split('\n').slice(0, -1);
      resolve({ path, durable: durable.map(Number) });
    });
  });
}

function imports(): string {
  const folder = mkdtempSync(join(tmpdir(), 'proctor-killed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('a process that is killed', () => {
  test('again and again has every intent that it was told is durable in its journal, and no other outcome', async () => {
    const chain = async (seed: number) => {
      const first = await killed([imports()], { rows: 1 + seed, delay: seed });
      const sent = first.durable;
      for (let turn = 1; turn < 6; turn++) {
        const { durable } = await killed([first.path], { rows: turn * 3, delay: (turn * seed) % 17 });
        sent.push(...durable);
        await holds(first.path, sent);
      }
    };
    await Promise.all([3, 8].map(chain));
  });

  test.each([
    ['before the header is whole', 'write', 1, 30, undefined],
    ['before the header is synced', 'sync', 1, 0, undefined],
    ['before its first intent is written', 'write', 2, 0, 0],
    ['in the middle of an intent', 'write', 2, 60, 0],
    ['between the intents of a group', 'write', 2, 200, 0],
    ['before the sync of an intent', 'sync', 2, 0, 0],
    ['after the sync of an intent', 'sync', 2, 1, 0],
    ['in the middle of outcomes and intents', 'write', 5, 150, 8],
    ['before a later sync', 'sync', 6, 0, 8],
  ] as const)('%s has said nothing too much', async (_, operation, count, bytes, atLeast) => {
    const folder = imports();
    const { path, durable } = await killed([folder, operation, String(count), String(bytes)]);
    if (atLeast === undefined) return expect(path).toBe('');
    expect(durable.length).toBeGreaterThanOrEqual(atLeast);
    await holds(path, durable);
    const again = await killed([path], { rows: 5 });
    await holds(path, [...durable, ...again.durable]);
  });
});

async function holds(path: string, sent: readonly number[]) {
  const found = await readRun(path);
  for (const row of sent) expect(['intended', 'done']).toContain(found?.rows.get(row)?.status);
  expect(new Set(sent).size).toBe(sent.length);
  // No more rows are done than intents were durable.
  expect(found?.run.counts.created).toBeLessThanOrEqual(sent.length);
}
