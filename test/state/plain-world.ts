/** The parts of the world of the state that other processes load as well, so without vitest. */
import { setTimeout as pause } from 'node:timers/promises';
import type { StateHost } from '../../src/state/open-database.ts';
import type { NewRun, StepRecord } from '../../src/state/state.ts';

export const host: StateHost = {
  now: Date.now,
  sleep: (milliseconds) => pause(milliseconds),
  random: Math.random,
  pid: process.pid,
  machine: 'build-7',
  env: { PROCTOR_STATE_DIR: 'chosen' },
  platform: 'linux',
};

export const origin = 'https://proctor.example';
export const newRun: NewRun = {
  origin,
  profile: 'default',
  identity: 'sessions import roster.csv --exam 42',
  kind: 'sessions import',
  command: 'sessions import --exam 42',
  who: 'ada on build-7',
};

export function step(n: number, more: Partial<StepRecord> = {}): StepRecord {
  const nothing = { line: null, target: null, exam: null, after: [], sentKey: null, values: null, personal: null };
  return { n, op: 'sessions.create', ...nothing, ...more };
}

export function* steps(count: number, more: Partial<StepRecord> = {}): Generator<StepRecord> {
  for (let n = 1; n <= count; n += 1) yield step(n, more);
}
