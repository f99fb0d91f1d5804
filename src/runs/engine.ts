/** What every run uses: the service, the record, the clock, and the reads that several steps share. */
import type { Client } from '../api/client.ts';
import { ageOfMoment, type Moment, momentOf, type Shown } from '../api/known.ts';
import { setPaging } from '../api/paging.ts';
import { readExam, readRecord } from '../api/reading.ts';
import type { Context } from '../command.ts';
import { CliError, orGone } from '../errors.ts';
import type { Host } from '../host/host.ts';
import type { Reading } from '../model/listing.ts';
import type { RunRecord } from '../record/index.ts';
import { sentence } from '../text/sentence.ts';
import type { Execution } from './execution.ts';
import { bodyOf, isCreate, type Resource, resourceOf, showsAll } from './steps/step.ts';

export type Engine = {
  context: Context;
  client: Client;
  /** An interruption lets its requests come to their end. */
  writer: Client;
  host: Host;
  record: RunRecord;
  origin: string;
  /** The command as it is recorded. */
  command: string;
  zone: string;
  /** How long an unclear request may still arrive. */
  settleTimeMs: number;
  reads: FreshReads;
};

/** The oldest that a read may be while the pacer does not space requests. */
export const freshMs = 2_000;

/** How old the reads may be on which a request rests. */
export function maxReadAgeMs({ client }: Pick<Engine, 'client'>): number {
  return client.pacer.spacing > 0 ? 10_000 : freshMs;
}

/** Milliseconds by a clock that nobody sets. */
export function steadyNow(host: Host): number {
  return host.elapsed?.() ?? host.now();
}

/** The time by the service's clock, which decides what is over; without one, by this machine's. Milliseconds since 1970. */
export function serviceNow({ client, host }: Pick<Engine, 'client' | 'host'>): number {
  return client.known.date ?? host.now();
}

/** How long ago a step was sent, by the service's clock; undefined where that is not shown. Milliseconds. */
export function serviceAge({ client }: Engine, { sentDate }: Pick<Execution, 'sentDate'>): number | undefined {
  const { date } = client.known;
  return date === undefined || sentDate === undefined ? undefined : date - sentDate;
}

/** The age that both clocks show, the service's and this machine's: either may jump. Milliseconds. */
export function provenAge(engine: Engine, execution: Execution): number {
  return Math.min(serviceAge(engine, execution) ?? 0, engine.host.now() - execution.at);
}

/** Whether a step was sent so long ago that it cannot still be on its way, and that no read is so far behind. */
export function isLongAgo(engine: Engine, execution: Execution): boolean {
  return provenAge(engine, execution) >= 600_000;
}

/** For what a list lacks, and its own GET shows. */
export function shortList(exam: string | undefined, id: string): CliError {
  const [list, what] = exam === undefined ? ['list of exams', `exam ${id}`] : [`list of exam ${exam}`, `session ${id}`];
  const why = sentence`The ${list} does not show ${what}, which is there: it is not the whole list.`;
  return new CliError('list_in_doubt', why, { hint: setPaging });
}

/** One read serves all who ask for it. */
export class FreshReads {
  readonly #client: Client;
  readonly #host: Host;
  /** `at`: when it was whole. */
  readonly #reads = new Map<string, { at: Moment | undefined; found: Promise<unknown> }>();

  constructor(client: Client, host: Host) {
    this.#client = client;
    this.#host = host;
  }

  /** While the read goes on, or `withinMs` after it was whole. */
  once<T>(name: string, withinMs: number, read: () => Promise<T>): Promise<T> {
    const known = this.#reads.get(name);
    const isYoung = known && (known.at === undefined || ageOfMoment(known.at, this.#host) <= withinMs);
    if (isYoung) return known.found as Promise<T>;
    const reading = { at: undefined as Moment | undefined, found: read() };
    this.#reads.set(name, reading);
    const isWhole = () => Object.assign(reading, { at: momentOf(this.#host) });
    reading.found.then(isWhole, () => this.#reads.delete(name));
    return reading.found;
  }

  /** Undefined for what is not there. */
  async record(resource: Resource, id: string, withinMs = 0): Promise<Shown | undefined> {
    const young = withinMs > 0 ? this.#young(resource, id, withinMs) : undefined;
    if (young) return young;
    const read = () => orGone(readRecord(this.#client, resource, id));
    const found = await this.once(`${resource} ${id}`, Number.NEGATIVE_INFINITY, read);
    return found && this.#client.known.shown(resource, id);
  }

  students(exam: string, withinMs: number): Promise<Reading> {
    return this.once(`students ${exam}`, withinMs, () => readExam(this.#client, exam));
  }

  /** The target of an update of a session: one reading serves several of an exam (`waiting`). */
  async session(id: string, exam: string | undefined, waiting: () => readonly Execution[]): Promise<Shown | undefined> {
    const others = this.#young('session', id, freshMs) ? [] : waiting();
    if (exam !== undefined && others.length > maxSingleReads) {
      await this.once(`students ${exam}`, 0, async () => {
        const at = momentOf(this.#host);
        const reading = await readExam(this.#client, exam);
        this.remember(reading, at, others);
        return reading;
      });
    }
    return this.record('session', id, freshMs);
  }

  /** Keeps a reading, and the targets of steps that it shows whole. */
  remember(reading: Reading, at: Moment, executions: readonly Pick<Execution, 'step' | 'id' | 'exam'>[]): void {
    this.#reads.set(`students ${reading.exam}`, { at, found: Promise.resolve(reading) });
    for (const { step, id, exam } of executions) {
      const isTarget = exam === reading.exam && resourceOf(step) === 'session' && !isCreate(step);
      const data = isTarget ? reading.withId(id)?.data : undefined;
      const { target, notIn } = step.requires;
      const wanted = { ...bodyOf(step), ...target, ...(notIn.length > 0 ? { status: null } : {}) };
      if (data && id !== undefined && showsAll(data, wanted)) this.#client.known.saw('session', id, { data, at, clockAheadMs: undefined });
    }
  }

  #young(resource: Resource, id: string, withinMs: number): Shown | undefined {
    const shown = this.#client.known.shown(resource, id);
    return shown && ageOfMoment(shown.at, this.#host) <= withinMs ? shown : undefined;
  }
}

/** Up to so many sessions of an exam are read by their IDs, more by its list. */
export const maxSingleReads = 2;
