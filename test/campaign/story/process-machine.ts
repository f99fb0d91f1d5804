/**
 * A machine whose invocations are processes of the built program. While there is trouble each may be killed, or stopped for a while:
 * when its n-th request arrives, before that is answered, at the n-th change of a file of its state, or at some moment.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, watch } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryFolder } from '../../support/run.ts';
import type { Adversary } from '../world/adversary.ts';
import { drawn } from '../world/draw.ts';
import { doubtful } from './in-doubt.ts';
import { type Ended, environment, homeOf, type Machine, type Numbers } from './machine.ts';

const program = resolve('bin/proctor-cli.js');
/** Beyond this a process hangs. Milliseconds; it may be shared with other work. */
const patience = 120_000;

export type Harm = {
  seed: number;
  signal: 'SIGKILL' | 'SIGSTOP';
  kills: { landed: number };
};

export function processMachine(service: Adversary, numbers: Numbers, { seed, signal, kills }: Harm): Machine {
  const home = homeOf(temporaryFolder());
  const state = join(home.folder, 'state');
  let harmed = 0;

  async function runOnce(words: readonly string[], injury?: Injury): Promise<Ended> {
    numbers.last += 1;
    const by = numbers.last;
    const env = { ...environment(home.folder, service, by), PATH: process.env.PATH, HOME: home.folder, PROCTOR_TIMEZONE: 'UTC' };
    const child = spawn(process.execPath, [program, ...words, '--timeout', '500ms'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
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
    return { by, words, code, signal: ended, ...printed, questions: [] };
  }

  /** Waits for the moment, and sends the signal. */
  function arm(child: ChildProcess, by: number, { point, at, lasts }: Injury): () => void {
    let count = 0;
    let done = false;
    const strike = async () => {
      count += 1;
      if (done || count < at || child.exitCode !== null) return;
      done = true;
      if (!child.kill(signal)) return;
      kills.landed += 1;
      if (signal === 'SIGKILL') {
        // What a dead process has written is on its way; the request is done as if nothing had happened.
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      } else setTimeout(() => child.kill('SIGCONT'), lasts);
    };
    const { onArrival, onAnswer } = service;
    if (point === 'time') {
      const timer = setTimeout(
        () => {
          count = at;
          void strike();
        },
        60 + at * 25,
      );
      return () => clearTimeout(timer);
    }
    if (point === 'commit') {
      mkdirSync(state, { recursive: true, mode: 0o700 });
      const watcher = watch(state, { recursive: true }, () => void strike());
      return () => watcher.close();
    }
    const key = point === 'arrival' ? 'onArrival' : 'onAnswer';
    const before = service[key];
    service[key] = async (request) => {
      await before(request);
      if (request.by === by) await strike();
    };
    return () => {
      service.onArrival = onArrival;
      service.onAnswer = onAnswer;
    };
  }

  return {
    ...home,
    async run(words) {
      harmed += 1;
      const random = drawn(seed, 'injury', harmed);
      // After a while nothing more happens, so that each story has an end.
      const injury = harmed <= 6 && random.chance(0.75) ? drawInjury(random) : undefined;
      const ended = runOnce(words, injury);
      if (signal === 'SIGSTOP' && injury) {
        // Another process takes over what the stopped one had in hand.
        await pause(injury.lasts / 3);
        const second = await runOnce(words);
        const first = await ended;
        return { ...second, stderr: second.stderr, code: second.code === 0 ? second.code : first.code };
      }
      const first = await ended;
      if (first.signal !== 'SIGKILL' || !existsSync(state)) return first;
      const doubt = await doubtful(runOnce);
      return { ...first, stderr: `${first.stderr}${doubt === undefined ? '' : `\nin doubt: ${doubt}`}` };
    },
  };
}

type Injury = { point: 'arrival' | 'answer' | 'commit' | 'time'; at: number; lasts: number };

function drawInjury(random: ReturnType<typeof drawn>): Injury {
  const point = random.pick(['arrival', 'arrival', 'answer', 'answer', 'commit', 'commit', 'time'] as const);
  return { point, at: 1 + random.below(point === 'commit' ? 40 : 14), lasts: random.pick([300, 2_600, 4_000]) };
}
