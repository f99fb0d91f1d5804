/** The embedded service behind the commands under test: a folder of its own, and its data in plain values. */
import { cpSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { type Fault, type FaultKind, parseFault, withFaults } from '../../src/sandbox/faults.ts';
import { resetSandbox, startSandbox } from '../../src/sandbox/index.ts';
import type { Service } from '../../src/sandbox/service.ts';
import { type Collection, Store } from '../../src/sandbox/store.ts';
import { type Run, run, temporaryFolder, ungatedFolder, type World } from '../support/run.ts';

export type Data = Record<string, unknown>;

export type Embedded = {
  home: string;
  /** Runs a line, or its words, against the service. */
  run(line: string | readonly string[], world?: World): Promise<Run>;
  /** The same, with success, as the value that -o json prints. */
  json<T = Data>(line: string | readonly string[], world?: World): Promise<T>;
  /** Everything that the service keeps: the rows of each table, with the fields of their documents. */
  everything(): Record<string, Data[]>;
  /** Changes these fields of one record, or of all, as another client might. */
  change(kind: Collection, fields: JsonObject, id?: number): void;
  /** Works on what the service keeps. */
  store<T>(work: (store: Store) => T): T;
  /** The same data, served with faults until the test ends; what is run asks there. */
  under(faults: Trouble, options?: { now?: () => number }): Promise<Troubled>;
};

/** A fault as typed, several in code, or what is in front of the service. */
export type Trouble = string | readonly Fault[] | InFront;
type InFront = (service: Service) => Service;

/** `env`: its address and its token, for another process. `tally`: how many requests have come, and how many met a fault. */
export type Troubled = Pick<Embedded, 'run'> & {
  env: Record<'PROCTOR_BASE_URL' | 'PROCTOR_TOKEN', string>;
  tally: { requests: number; faulty: number };
};

/** The requests from the first to the last of these meet a fault; they are counted from 1. */
export function between(kind: FaultKind, first: number, last = Number.POSITIVE_INFINITY, method?: string): Fault {
  return { kind, method, meets: (count) => count >= first && count <= last };
}

/** Requests of the method, or all, wait for something, or forever; `asked` hears of each. */
export function silent(asked: () => void, method?: string, until: Promise<unknown> = new Promise(() => {})): InFront {
  return (service) => async (request, env) => {
    if (method !== undefined && method !== request.method) return service(request, env);
    asked();
    await until;
    return service(request, env);
  };
}

/** Works on what the embedded service keeps in a folder. */
export function inStore<T>(folder: string, work: (store: Store) => T): T {
  const store = new Store(join(folder, 'sandbox.db'));
  try {
    return work(store);
  } finally {
    store.close();
  }
}

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
  const folder = join(home, 'state', 'sandbox');
  const service: Embedded = {
    home,
    run: (line, world) => run(['--profile', 'sandbox', ...wordsOf(line)], { home, ...world }),
    async json(line, world) {
      const { code, stdout, stderr } = await service.run([...wordsOf(line), '-o', 'json'], world);
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout);
    },
    async under(trouble, { now } = {}) {
      const tally = { requests: 0, faulty: 0 };
      const faults = typeof trouble === 'string' ? [parseFault(trouble)] : trouble;
      const told = () => {
        tally.faulty += 1;
      };
      const inFront = typeof faults === 'function' ? faults : withFaults({ faults, told, sleep: async () => {} });
      const sandbox = await startSandbox({
        folder,
        now,
        inFront(service, closed) {
          const troubled = inFront(service, closed);
          return (request, env) => {
            tally.requests += 1;
            return troubled(request, env);
          };
        },
      });
      onTestFinished(() => sandbox.close());
      const env = { PROCTOR_BASE_URL: sandbox.baseUrl, PROCTOR_TOKEN: sandbox.token };
      return { env, tally, run: (line, world) => run(wordsOf(line), { home, ...world, env: { ...env, ...world?.env } }) };
    },
    store: (work) => inStore(folder, work),
    change(kind, fields, id) {
      service.store((store) => {
        for (const { id: each, data } of store.list(kind))
          if (id === undefined || id === each) store.update(kind, each, { ...data, ...fields });
      });
    },
    everything() {
      const tables = ['exams', 'student_sessions', 'proctor_pools', 'users', 'outbox'];
      return service.store((store) => {
        const rows = (table: string) => store.sql(`SELECT * FROM ${table}`).all();
        const whole = (table: string) => rows(table).map(({ data = '{}', ...row }) => ({ ...row, ...JSON.parse(String(data)) }));
        return Object.fromEntries(tables.map((table) => [table, whole(table)]));
      });
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
  'timetable.csv': 'test/demo/timetable.csv',
  'roster.csv': 'test/demo/roster.csv',
  'accommodations.csv': 'test/demo/accommodations.csv',
};

/** The words of an example, with the path of the file that each name stands for. */
export function withSamples(words: readonly string[]): string[] {
  return words.map((word) => (Object.hasOwn(samples, word) ? resolve(samples[word] ?? '') : word));
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
