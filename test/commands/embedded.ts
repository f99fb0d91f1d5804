/** The embedded service behind the commands under test: a folder of its own, and its data in plain values. */
import { cpSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { FaultPlan } from '../../src/sandbox/faults/draw.ts';
import { faultPlanOf } from '../../src/sandbox/faults/fault-plan.ts';
import { resetSandbox, type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { DatabaseSync } from '../../src/state/sqlite.ts';
import { type Run, run, temporaryFolder, ungatedFolder, type World } from '../support/run.ts';

export type Data = Record<string, unknown>;

export type Embedded = {
  home: string;
  /** Runs a line, or its words, against the service. */
  run(line: string | readonly string[], world?: World): Promise<Run>;
  /** The same, with success, as the value that -o json prints. */
  json<T = Data>(line: string | readonly string[], world?: World): Promise<T>;
  /** Everything that the service keeps: each table of its database. */
  everything(): Record<string, Data[]>;
  /** The same data, served with faults until the test ends; what is run asks there. */
  under(faults: string | readonly string[] | FaultPlan | undefined, options?: Pick<SandboxOptions, 'now' | 'onFault'>): Promise<Troubled>;
};

/** `env`: its address and its token, for another process. */
export type Troubled = Pick<Embedded, 'run'> & Pick<Sandbox, 'tally'> & { env: Record<'PROCTOR_BASE_URL' | 'PROCTOR_TOKEN', string> };

/** The IDs of the exams in the first data: six of all kinds, and an exam period. */
export const seededExams: readonly number[] = Array.from({ length: 18 }, (_, index) => index + 1);

let seeded: string | undefined;

/** A home in which the embedded service has its first data; seeding takes longer than copying. */
export function freshHome(): string {
  if (seeded === undefined || !existsSync(seeded)) {
    seeded = temporaryFolder();
    resetSandbox(join(seeded, 'state', 'sandbox'));
  }
  const home = temporaryFolder();
  cpSync(seeded, home, { recursive: true });
  return home;
}

export function embedded(home = freshHome()): Embedded {
  const service: Embedded = {
    home,
    run: (line, world) => run(['--profile', 'sandbox', ...wordsOf(line)], { home, ...world }),
    async json(line, world) {
      const { code, stdout, stderr } = await service.run([...wordsOf(line), '-o', 'json'], world);
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout);
    },
    async under(given, options = {}) {
      const plan = typeof given === 'string' ? [given] : given;
      const faults = Array.isArray(plan) ? faultPlanOf({ faults: plan }) : (plan as FaultPlan | undefined);
      const sandbox = await startSandbox({ folder: join(home, 'state', 'sandbox'), ...options, ...(faults ? { faults } : {}) });
      onTestFinished(() => sandbox.close());
      const env = { PROCTOR_BASE_URL: sandbox.baseUrl, PROCTOR_TOKEN: sandbox.token };
      return { env, tally: sandbox.tally, run: (line, world) => run(wordsOf(line), { home, ...world, env: { ...env, ...world?.env } }) };
    },
    everything() {
      const database = new DatabaseSync(join(home, 'state', 'sandbox', 'sandbox.db'), { readOnly: true });
      try {
        const tables = database
          .prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`)
          .all()
          .map(({ name }) => String(name));
        return Object.fromEntries(tables.map((name) => [name, database.prepare(`SELECT * FROM ${name}`).all()]));
      } finally {
        database.close();
      }
    },
  };
  return service;
}

/** The same without the gate of the running exam, for tests that it is not about. */
export function ungated(): Embedded {
  return embedded(ungatedFolder(freshHome(), 'sandbox'));
}

/** The files that examples name as their reader's own. */
const samples: Record<string, string> = {
  'roster.csv': 'test/demo/roster.csv',
  'accommodations.csv': 'test/demo/accommodations.csv',
};

/** The words of an example, with the path of the file that each name stands for. */
export function withSamples(words: readonly string[]): string[] {
  return words.map((word) => (Object.hasOwn(samples, word) ? resolve(samples[word] ?? '') : word === 'timetable.csv' ? timetable() : word));
}

/** A timetable in a folder of its own: an apply writes beside it. */
function timetable(): string {
  const path = join(temporaryFolder(), 'timetable.csv');
  cpSync('test/demo/timetable.csv', path);
  return path;
}

/** The words of a line as a shell takes it apart. */
export function wordsOf(line: string | readonly string[]): string[] {
  if (typeof line !== 'string') return [...line];
  return (line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []).map((word) => word.replace(/["']/g, ''));
}

/** The requests that --debug shows on stderr: method and path. */
export function requestsIn(stderr: string): string[] {
  return [...stderr.matchAll(/^> (\w+) \S+?\/api\/v1(\S*)$/gm)].map(([, method, path]) => `${method} ${path}`);
}
