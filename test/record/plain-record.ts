/** The parts of the world of the record that other processes load as well, so without vitest. */
import { setTimeout as pause } from 'node:timers/promises';
import { parseTeamPlace } from '../../src/model/team-place.ts';
import { type NewRun, openRecord, type RecordOptions, type RunRecord, type StepRow } from '../../src/record/index.ts';

export type Place = {
  /** Of a machine: its key is there, and its record where there is no team. */
  folder: string;
  url?: string;
  /** In place of the server's: that of a proxy. */
  port?: number;
};

const password = 'a-password-of-the-tests';

export function optionsOf({ folder, url, port }: Place): RecordOptions {
  const team = url === undefined ? undefined : { ...parseTeamPlace(url), ...(port === undefined ? {} : { port }) };
  return {
    host: { now: Date.now, sleep: (ms) => pause(ms), random: Math.random, pid: process.pid, platform: process.platform, env: {} },
    at: team ? { place: team, password: async () => password } : 'local',
    folder: () => folder,
    who: 'ada@build-7',
    inWords: (instant) => new Date(instant).toISOString(),
    say: () => {},
    onClosed: () => {},
  };
}

export function openAt(place: Place, more: Partial<RecordOptions> = {}): Promise<RunRecord> {
  return openRecord({ ...optionsOf(place), ...more });
}

export const newRun: NewRun = {
  ...{ origin: 'https://proctor.example', digest: 'd', kind: 'sessions import', command: 'sessions import --exam 42' },
  ...{ profile: 'default', who: 'ada@build-7', undoOf: null, more: { reason: 'fire alarm' } },
};

export function step(n: number, more: Partial<StepRow> = {}): StepRow {
  return {
    ...{ n, op: 'createSession', line: n + 1, exam: '42', target: null, student: `key ${n}`, state: 'planned', reason: null },
    ...{ seen: false, id: null, ours: false, at: 1_800_000_000_000 + n, plan: { body: { email: `${n}@example.org` } }, ...more },
  };
}

export const steps = (count: number) => Array.from({ length: count }, (_, at) => step(at + 1));
