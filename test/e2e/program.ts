/** The built program in a process of its own, with nothing of this machine's environment but the PATH. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inject } from 'vitest';

export const installation = inject('installation');
export const bin = join(installation, 'bin', 'proctor-cli.js');

export type Options = {
  /** Holds configuration, state and compile cache. */
  home?: string;
  env?: Record<string, string | undefined>;
  stdin?: string;
  /** What Node is given before the program. */
  node?: readonly string[];
};

export type Ended = { code: number | null; stdout: string; stderr: string };

export function start(file: string, args: readonly string[], { home, env = {} }: Options = {}): ChildProcessWithoutNullStreams {
  const set = { PATH: process.env.PATH, TERM: 'xterm', HOME: home, ...env };
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
  const child = start(process.execPath, [...(options.node ?? []), bin, ...args], options);
  child.stdin.on('error', () => {}).end(options.stdin ?? '');
  return child;
}

/** Runs the program to its end. */
export function program(line: string | readonly string[], options: Options = {}): Promise<Ended> {
  return ended(launch(typeof line === 'string' ? line.split(' ') : line, options));
}

/** Runs a line of the shell, in which "$proctor" is the program. */
export function shell(line: string, options: Options = {}): Promise<Ended> {
  const child = start('bash', ['-c', `proctor() { '${process.execPath}' '${bin}' "$@"; }\n${line}`], options);
  child.stdin.end(options.stdin ?? '');
  return ended(child);
}

/** A stack trace, a path into the program, or a value that nobody meant to print. */
export const internals = /\n\s+at |node:internal|\/dist\/|undefined|\[object |Error:/;
