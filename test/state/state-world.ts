/** What the tests of the state of runs share: a host, plans, and processes of their own that write to one folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openState, type StateOptions } from '../../src/state/sqlite-state.ts';
import type { State } from '../../src/state/state.ts';
import { host } from './plain-world.ts';

export * from './plain-world.ts';

/** Open until the end of the test. */
export async function opened(folder: string, options: Partial<StateOptions> = {}): Promise<State> {
  const state = await openState({ folder, host, ...options });
  let isOpen = true;
  const close = state.close.bind(state);
  const once = async () => {
    if (isOpen) {
      isOpen = false;
      await close();
    }
  };
  onTestFinished(() => once().catch(() => {}));
  return { ...state, close: once };
}

/** The files below a folder in whose bytes a text is. */
export function filesWith(folder: string, text: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile());
  return names.filter((name) => readFileSync(join(folder, name)).includes(text));
}

export type Worker = ChildProcess & { lines: string[]; said(word: string): Promise<string[]>; ended(): Promise<number | null> };

/** Starts a process that runs `body` with a state `state`, its options and `say`, which prints a line. */
export function worker(folder: string, body: string, { prefix = [] }: { prefix?: string[] } = {}): Worker {
  const module = (name: string) => JSON.stringify(join(import.meta.dirname, name));
  const program = `
    import { writeSync } from 'node:fs';
    import { openState } from ${module('../../src/state/sqlite-state.ts')};
    import { host, newRun, step, steps } from ${module('plain-world.ts')};
    const say = (...words) => writeSync(1, words.join(' ') + '\\n');
    const options = { folder: ${JSON.stringify(folder)}, host };
    try {
      ${body}
    } catch (error) {
      say('error', error.code ?? error.name, error.message);
      process.exitCode = 3;
    }`;
  const [file = '', ...args] = [...prefix, process.execPath, '--input-type=module', '-e', program];
  const child = spawn(file, args, { env: { PATH: process.env.PATH }, stdio: ['ignore', 'pipe', 'inherit'] }) as unknown as Worker;
  onTestFinished(() => void child.kill('SIGKILL'));
  child.lines = [];
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    child.lines.push(...lines);
    child.emit('line');
  });
  const exit = once(child, 'close');
  child.ended = async () => (await exit)[0] as number | null;
  child.said = async (word) => {
    for (;;) {
      const found = child.lines.find((line) => line.split(' ')[0] === word);
      if (found !== undefined) return found.split(' ').slice(1);
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`It ended with ${child.exitCode}: ${child.lines.join(' | ')}`);
      await Promise.race([once(child, 'line'), exit]);
    }
  };
  return child;
}
