/**
 * Runs other programs: each with a deadline, a limit on its output, and an end that includes its child
 * processes. None survives when this process ends by a signal.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { ProgramFailure } from './program-failure.ts';

export type Limits = {
  milliseconds: number;
  /** Ends the program; its reason is thrown. */
  signal: AbortSignal;
  env: NodeJS.ProcessEnv;
};

/** Bytes that a program may print. */
const mostOutput = 64 << 10;
/** Time for a program to restore the terminal after it was asked to end. Milliseconds. */
const grace = 250;
/** Time to wait for the rest of the output of an ended program, if one of its children keeps stdout open. Milliseconds. */
const rest = 200;

/** Runs a program without a shell; resolves to what it printed. Throws `ProgramFailure`, or the reason of the signal. */
export async function printedBy(file: string, args: readonly string[], { milliseconds, signal, env }: Limits): Promise<string> {
  signal.throwIfAborted();
  // A program that asks for a passphrase needs the terminal, which a session of its own would not have.
  const detached = process.platform !== 'win32' && !hasTerminal();
  const child = started(() => spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'], detached, env }));
  const parts: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const ending = endOf(child, detached);
    const stop = (why: unknown) => void ending().then(() => settle(() => reject(why)));
    const interrupt = () => stop(signal.reason);
    const timer = setTimeout(() => stop(new ProgramFailure('late', milliseconds / 1000)), milliseconds);
    const kill = () => killAll(child, detached);
    process.once('exit', kill);
    signal.addEventListener('abort', interrupt, { once: true });
    const settle = (act: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      process.removeListener('exit', kill);
      child.stdout.destroy();
      act();
    };
    let length = 0;
    child.stdout
      .on('error', () => {})
      .on('data', (part: Buffer) => {
        length += part.length;
        if (length <= mostOutput) parts.push(part);
        else if (length - part.length <= mostOutput) stop(new ProgramFailure('verbose', mostOutput >> 10));
      });
    child.on('error', ({ code }: NodeJS.ErrnoException) =>
      settle(() => reject(new ProgramFailure(code === 'ENOENT' ? 'missing' : code === 'EACCES' ? 'forbidden' : 'unstartable'))),
    );
    child.on('exit', (status, by) => {
      if (ending.begun) return;
      if (status !== 0) return settle(() => reject(by ? new ProgramFailure('signal', by) : new ProgramFailure('status', status ?? '')));
      const done = () => settle(() => resolve(Buffer.concat(parts).toString('utf8')));
      if (child.stdout.readableEnded) return done();
      const late = setTimeout(done, rest);
      child.stdout.once('end', () => {
        clearTimeout(late);
        done();
      });
    });
  });
}

/** An immediate refusal by the system, such as a line that is too long, is handled like any other failure. */
function started<T>(start: () => T): T {
  try {
    return start();
  } catch {
    throw new ProgramFailure('unstartable');
  }
}

type Ending = { (): Promise<void>; begun: boolean };

/** Asks a program and its children to end, and ends them. */
function endOf(child: ChildProcess, detached: boolean): Ending {
  const ending = async () => {
    if (ending.begun) return;
    ending.begun = true;
    const ended = child.exitCode !== null || child.signalCode !== null;
    const all = killAll(child, detached, 'SIGTERM');
    if (!ended) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, grace);
        child.once('exit', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    for (const pid of all) send(pid, 'SIGKILL');
    killAll(child, detached);
  };
  ending.begun = false;
  return ending;
}

/** Sends a signal to a program, its child processes, and its group if it has one; returns the processes signalled. */
function killAll({ pid }: ChildProcess, detached: boolean, signal: NodeJS.Signals = 'SIGKILL'): number[] {
  if (pid === undefined) return [];
  if (process.platform === 'win32') {
    attempt(() => execFileSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', timeout: 2000 }));
    return [];
  }
  const all = [...descendantsOf(pid), pid, ...(detached ? [-pid] : [])];
  for (const each of all) send(each, signal);
  return all;
}

function send(pid: number, signal: NodeJS.Signals) {
  attempt(() => process.kill(pid, signal));
}

function attempt(act: () => void) {
  try {
    act();
  } catch {}
}

/** The children of a process, theirs, and so on, the last ones first. */
function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const [child, parent] of parents()) children.set(parent, [...(children.get(parent) ?? []), child]);
  const below = (of: number): number[] => (children.get(of) ?? []).flatMap((child) => [...below(child), child]);
  return below(pid);
}

/** All visible processes of this machine, with their parents; empty if the system does not list them. */
function parents(): [pid: number, parent: number][] {
  try {
    if (process.platform !== 'linux') {
      const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8', timeout: 2000, stdio: ['ignore', 'pipe', 'ignore'] });
      return text.split('\n').map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
    }
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(name)]);
  } catch {
    return [];
  }
}

function parentOf(pid: string): number {
  try {
    // The name of the program stands in parentheses, and may hold any character.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
