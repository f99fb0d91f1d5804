/**
 * A machine whose invocations are processes of the built program. While there is trouble each may be killed, or stopped for a while:
 * when its n-th request arrives, before that is answered, at its n-th commit, or at some moment.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryFolder } from '../../support/run.ts';
import type { Service } from '../../support/service.ts';
import type { Wire } from '../../support/wire.ts';
import { drawn } from '../world/random.ts';
import { type Ended, environment, homeOf, type Machine, type Numbers } from './machine.ts';

/** The program of the checkout, as it was built last. */
export const builtHere: Command = [process.execPath, resolve('bin/proctor-cli.js')];
/** A file, and the arguments before the program's own. */
export type Command = readonly [file: string, ...before: string[]];
/** Beyond this a process hangs. Milliseconds; it may be shared with other work. */
const patience = 120_000;

export type Harm = {
  seed: number;
  /** None: its processes are left alone. */
  signal?: 'SIGKILL' | 'SIGSTOP' | undefined;
  /** What happens to the first process only, instead of what is drawn. */
  first?: Injury;
  kills: { landed: number; over: boolean };
  command: Command;
  /** Of each run. */
  flags: readonly string[];
  /** The home; one of its own unless it is given. */
  folder?: string;
  /** To the database of a team, where the state is there. */
  way?: { wire: Wire; env: Record<string, string> };
};

export function processMachine(service: Service, numbers: Numbers, harm: Harm): Machine {
  const { seed, signal = 'SIGKILL', kills, command, flags, way } = harm;
  const home = homeOf(harm.folder ?? temporaryFolder());
  const [file, ...before] = command;
  let harmed = 0;

  async function runOnce(words: readonly string[], injury?: Injury, starts: (by: number) => void = () => {}): Promise<Ended> {
    numbers.last += 1;
    const by = numbers.last;
    starts(by);
    const own = way ? way.env : striking(injury);
    const whole = { ...environment(home.folder, service, by), ...own, PATH: process.env.PATH, HOME: home.folder };
    const child = spawn(file, [...before, ...words, ...(words.includes('--timeout') ? [] : flags)], {
      env: whole,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        printed[name] += text;
      });
    const over = setTimeout(() => child.kill('SIGKILL'), patience);
    const disarm = injury ? arm(child, by, injury) : () => {};
    const [code, ended] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    clearTimeout(over);
    disarm();
    if (injury?.point === 'commit' && !way && ended === 'SIGKILL') kills.landed += 1;
    return { by, words, code, signal: ended, ...printed, questions: [] };
  }

  /** Waits for the moment, and sends the signal. */
  function arm(child: ChildProcess, by: number, injury: Injury): () => void {
    const { point, at, lasts } = injury;
    let count = 0;
    let done = false;
    const strike = async () => {
      count += 1;
      if (done || count < at || child.exitCode !== null) return;
      done = true;
      if (!child.kill(signal)) return;
      kills.landed += 1;
      injury.strikes?.();
      if (signal === 'SIGKILL') {
        // What a dead process has written is on its way; the request is done as if nothing had happened.
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      } else setTimeout(() => child.kill('SIGCONT'), lasts);
    };
    if (point === 'commit' && way) {
      way.wire.onSaid = strike;
      return () => {
        way.wire.onSaid = () => {};
      };
    }
    if (point === 'commit') return () => {};
    const key = point === 'arrival' ? 'onArrival' : 'onAnswer';
    const others = service[key];
    service[key] = async (request) => {
      await others(request);
      if (request.by === by && (signal === 'SIGKILL' || request.method !== 'GET')) await strike();
    };
    // Another machine may have come behind it: it stays, and does nothing any more.
    return () => {
      done = true;
    };
  }

  return {
    ...home,
    async run(words, _given, starts) {
      harmed += 1;
      const random = drawn(seed, 'injury', harmed);
      const isHarmed = harm.signal !== undefined && !kills.over && random.chance(0.8);
      const drawnOne = isHarmed ? drawInjury(random, signal) : undefined;
      const injury = harm.first ? (harmed === 1 ? harm.first : undefined) : drawnOne;
      const running = runOnce(words, injury, starts);
      if (signal === 'SIGSTOP' && injury && (await Promise.race([struck(injury), running.then(() => false)]))) {
        // Another process takes over what the stopped one has in hand.
        await pause((injury.lasts ?? 0) / 3);
        const second = await runOnce(words, undefined, starts);
        const first = await running;
        return first.code === 0 ? { ...first, also: second } : { ...second, also: first };
      }
      return running;
    },
  };
}

export type Injury = {
  point: 'arrival' | 'answer' | 'commit';
  at: number;
  /** Of a commit. */
  when?: 'before' | 'after';
  /** How long it is stopped. */
  lasts?: number;
  strikes?: () => void;
};

/** How a process is told at which of its commits to kill itself. */
const striking = ({ point, at, when }: Partial<Injury> = {}) =>
  point === 'commit'
    ? { NODE_OPTIONS: `--import=${new URL('struck-at-commit.ts', import.meta.url).href}`, STRUCK_AT_COMMIT: `${when ?? 'after'} ${at}` }
    : {};

/** Resolves when the signal has been sent. */
const struck = (injury: Injury) =>
  new Promise<boolean>((resolve) => {
    injury.strikes = () => resolve(true);
  });

function drawInjury(random: ReturnType<typeof drawn>, signal: Harm['signal']): Injury {
  if (signal === 'SIGSTOP')
    return { point: random.pick(['arrival', 'answer']), at: 1 + random.below(4), lasts: random.pick([300, 2_600, 3_500]) };
  return {
    point: random.pick(['arrival', 'answer', 'commit']),
    at: 1 + random.below(1 + random.below(12)),
    when: random.pick(['before', 'after']),
  };
}
