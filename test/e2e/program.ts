/** The built program, whichever it is, in a process of its own, with nothing of this machine's environment but the PATH. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

const [file, ...before] = inject('command');

/** Compiled code, for all processes of the tests; those of what is kept there have a place of their own. */
export const compiledCode = { XDG_CACHE_HOME: join(inject('installation'), 'cache') };

/** The program as words of a shell. */
export const command = [file, ...before].map((word) => `'${word}'`).join(' ');

export type Options = {
  /** Holds configuration and state. */
  home?: string;
  env?: Record<string, string | undefined>;
  stdin?: string;
  /** Whether stdin stays open after that. */
  open?: boolean;
};

export type Ended = { code: number | null; stdout: string; stderr: string };

export function start(file: string, args: readonly string[], { home, env = {} }: Options = {}): ChildProcessWithoutNullStreams {
  const set = { PATH: process.env.PATH, TERM: 'xterm', HOME: home, ...compiledCode, ...env };
  return spawn(file, args, { env: Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined)) });
}

export async function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code, ...printed };
}

export function launch(args: readonly string[], options: Options = {}): ChildProcessWithoutNullStreams {
  const child = start(file, [...before, ...args], options);
  child.stdin.on('error', () => {}).write(options.stdin ?? '');
  if (!options.open) child.stdin.end();
  return child;
}

/** Runs the program to its end. */
export function program(line: string | readonly string[], options: Options = {}): Promise<Ended> {
  return ended(launch(typeof line === 'string' ? line.split(' ') : line, options));
}

/** Runs a line of the shell, in which "$proctor" is the program. */
export function shell(line: string, options: Options = {}): Promise<Ended> {
  const child = start('bash', ['-c', `proctor() { ${command} "$@"; }\n${line}`], options);
  child.stdin.end(options.stdin ?? '');
  return ended(child);
}

/** Makes it the `proctor-cli` of a folder that is to be in the PATH. */
export function installInto(folder: string): void {
  const [script] = before;
  symlinkSync(script ?? file, join(folder, 'proctor-cli'));
  if (script) symlinkSync(file, join(folder, 'node'));
}

/** A stack trace, a path into the program, or an unintended value. */
export const internals = /\n\s+at |node:internal|\/dist\/|undefined|\[object |Error:/;

/** The notices of third parties in a text: by name and version, each with its terms. */
export function noticesIn(text: string): Map<string, string> {
  const parts = text.split(/^-{80}\n(.+) \(.+\)\n-{80}\n/m).slice(1);
  return new Map(parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? '']] : [])));
}
