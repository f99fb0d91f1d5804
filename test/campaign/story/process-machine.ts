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
import type { Family } from '../world/families.ts';
import { drawn } from '../world/random.ts';
import { type Ended, environment, type Machine } from './machine.ts';

/** A file, and the arguments before the program's own. */
export type Command = readonly [file: string, ...before: string[]];
/** The program of the checkout, as it was built last. */
export const builtHere: Command = [process.execPath, resolve('bin/proctor-cli.js')];
/** Beyond this a process hangs. Milliseconds; it may be shared with other work. */
const patience = 120_000;

/** What happens to a process, `when` a commit is made or has been; `lasts`: how long it is stopped. */
export type Injury = {
  point: 'arrival' | 'answer' | 'commit';
  at: number;
  when?: 'before' | 'after';
  lasts?: number;
  strikes?: () => void;
};
/** How often something was killed, stopped or cut so far; `over` is set when nothing more may be. */
export type Kills = { landed: number; over: boolean };
/** The way to the database of a team, and the settings that lead there. */
export type Way = { wire: Wire; env: Record<string, string> };

/** `signal`: none where its processes are left alone; `first`: what happens to the first of them only, instead of what is drawn. */
type Harm = { signal: Family['signal'] | undefined; seed: number; kills: Kills; command: Command; first?: Injury | undefined; way?: Way };

export function processMachine(service: Service, harm: Harm, folder = temporaryFolder()): Machine {
  const { seed, signal = 'SIGKILL', kills, command, first, way } = harm;
  const [file, ...before] = command;
  let runs = 0;

  async function runOnce(words: readonly string[], starts: () => number, injury?: Injury): Promise<Ended> {
    const by = starts();
    const env = { ...environment(folder, service, by), ...(way?.env ?? striking(injury)), PATH: process.env.PATH, HOME: folder };
    const impatient = words.includes('--timeout') ? [] : ['--timeout', '500ms'];
    const child = spawn(file, [...before, ...words, ...impatient], { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: patience });
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        printed[name] += text;
      });
    const disarm = injury && arm(child, by, injury);
    const [code, ended] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    disarm?.();
    if (injury?.point === 'commit' && !way && ended === 'SIGKILL') kills.landed += 1;
    return { by, words, code, signal: ended, ...printed, questions: [] };
  }

  /** Waits for the moment, and sends the signal. */
  function arm(child: ChildProcess, by: number, { point, at, lasts, strikes }: Injury): () => void {
    let count = 0;
    let done = false;
    const strike = async () => {
      count += 1;
      if (done || count < at || child.exitCode !== null) return;
      done = true;
      if (!child.kill(signal)) return;
      kills.landed += 1;
      strikes?.();
      if (signal === 'SIGSTOP') setTimeout(() => child.kill('SIGCONT'), lasts);
      // What a dead process has written is on its way; the request is done as if nothing had happened.
      else if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    };
    if (point === 'commit' && way) way.wire.onSaid = strike;
    if (point !== 'commit') {
      const key = point === 'arrival' ? 'onArrival' : 'onAnswer';
      const others = service[key];
      service[key] = async (request) => {
        await others(request);
        if (request.by === by && (signal === 'SIGKILL' || request.method !== 'GET')) await strike();
      };
    }
    // Another machine may have come behind it: it stays, and does nothing any more.
    return () => {
      done = true;
    };
  }

  return {
    folder,
    async run(words, starts) {
      runs += 1;
      const random = drawn(seed, 'injury', runs);
      const isHarmed = harm.signal !== undefined && !kills.over && random.chance(0.8);
      const injury = first ? [first][runs - 1] : isHarmed ? drawInjury(random, signal) : undefined;
      if (signal === 'SIGKILL' || !injury) return runOnce(words, starts, injury);
      const { promise: struck, resolve: strikes } = Promise.withResolvers<void>();
      const running = runOnce(words, starts, { ...injury, strikes });
      if (!(await Promise.race([struck.then(() => true), running.then(() => false)]))) return running;
      // Another process takes over what the stopped one has in hand.
      await pause((injury.lasts ?? 0) / 3);
      const second = await runOnce(words, starts);
      const stopped = await running;
      return stopped.code === 0 ? { ...stopped, also: second } : { ...second, also: stopped };
    },
  };
}

/** How a process is told at which of its commits to kill itself. */
const striking = ({ point, at, when = 'after' }: Partial<Injury> = {}) =>
  point === 'commit'
    ? { NODE_OPTIONS: `--import=${new URL('struck-at-commit.ts', import.meta.url).href}`, STRUCK_AT_COMMIT: `${when} ${at}` }
    : {};

function drawInjury(random: ReturnType<typeof drawn>, signal: Family['signal']): Injury {
  if (signal === 'SIGSTOP')
    return { point: random.pick(['arrival', 'answer']), at: 1 + random.below(4), lasts: random.pick([300, 2_600, 3_500]) };
  const at = 1 + random.below(1 + random.below(12));
  return { point: random.pick(['arrival', 'answer', 'commit']), at, when: random.pick(['before', 'after']) };
}
