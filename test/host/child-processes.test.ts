/** A program that is run has a deadline, ends at a signal, and takes along what it has started. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { printedBy } from '../../src/host/child-processes.ts';
import { isAlive } from '../support/is-alive.ts';
import { temporaryFolder } from '../support/run.ts';

/** A shell that starts two others, each of which would last; it writes down their numbers. */
function family(folder: string): [file: string, args: string[], pids: () => number[]] {
  const line = `trap '' TERM INT; (trap '' TERM INT; sleep 600 & echo $! > ${folder}/grandchild; wait) & echo $! > ${folder}/child; wait`;
  const names = ['child', 'grandchild'].map((name) => join(folder, name));
  const pids = () => (names.every(existsSync) ? names.map((name) => Number(readFileSync(name, 'utf8'))).filter((pid) => pid > 0) : []);
  return ['sh', ['-c', line], pids];
}

describe.skipIf(process.platform === 'win32')('a program', () => {
  test('and its children, although they ignore what asks them to end, have ended when a signal is told', async () => {
    const [file, args, pids] = family(temporaryFolder());
    const stop = new AbortController();
    const printed = printedBy(file, args, { milliseconds: 60_000, signal: stop.signal, env: process.env });
    await expect.poll(() => pids().length).toBe(2);
    stop.abort(new Error('interrupted'));
    await expect(printed).rejects.toThrow('interrupted');
    await expect.poll(() => pids().some(isAlive)).toBe(false);
  });

  test('ends at its deadline, and its children with it', async () => {
    const [file, args, pids] = family(temporaryFolder());
    const printed = printedBy(file, args, { milliseconds: 500, signal: new AbortController().signal, env: process.env });
    await expect(printed).rejects.toMatchObject({ name: 'ProgramFailure', how: 'late' });
    await expect.poll(() => pids().some(isAlive)).toBe(false);
  });

  test('is not started after a signal', async () => {
    const folder = temporaryFolder();
    const signal = AbortSignal.abort(new Error('interrupted'));
    await expect(printedBy('touch', [join(folder, 'mark')], { milliseconds: 1000, signal, env: process.env })).rejects.toThrow(
      'interrupted',
    );
    expect(existsSync(join(folder, 'mark'))).toBe(false);
  });
});
