/** What every run uses: the service, the record, the clock, and the reads that several steps share. */
import type { Client } from '../api/client.ts';
import { ageOfMoment, type Moment, momentOf, type Shown } from '../api/known.ts';
import { operations } from '../api/operations.ts';
import { backoff } from '../api/pacer.ts';
import { setPaging } from '../api/paging.ts';
import { listedRecord, otherExam, readList, readRecord } from '../api/reading.ts';
import type { Context } from '../command.ts';
import { CliError, orElse, orGone } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { nameOf } from '../model/describe.ts';
import type { JsonObject } from '../model/json.ts';
import { Listing, type Reading } from '../model/listing.ts';
import { proctorIn } from '../model/pool.ts';
import type { RunRecord, StepRow } from '../record/index.ts';
import { sentence } from '../text/sentence.ts';
import { type Execution, executionOf, isUnknown } from './execution.ts';
import { bodyOf, isCreate, isDelete, listedAs, type Resource, resourceOf, type Step, showsAll } from './steps/step.ts';
import { isBefore, isPoolBefore, mayHaveWritten, type Read } from './steps/written.ts';

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
  /** Whether this process has written what an earlier run of the command had left to do. */
  hasFinished: boolean;
  reads: FreshReads;
};

type Clocks = Pick<Engine, 'client' | 'host'>;

/** The oldest that a read may be while the pacer does not space requests. */
export const freshMs = 2_000;

/** The age of a read that is shared only while it goes on. */
const whileUnderWay = Number.NEGATIVE_INFINITY;

/** How old the reads may be on which a request rests. */
export function maxReadAgeMs({ client }: Pick<Engine, 'client'>): number {
  return client.pacer.spacing > 0 ? 10_000 : freshMs;
}

/** The time by the service's clock, which decides what is over; without one, by this machine's. Milliseconds since 1970. */
export function serviceNow({ client, host }: Clocks): number {
  return client.known.date ?? host.now();
}

/** How long ago a step was sent, by the service's clock; undefined where that is not shown. Milliseconds. */
export function serviceAge({ client }: Pick<Engine, 'client'>, { sentDate }: Pick<Execution, 'sentDate'>): number | undefined {
  const { date } = client.known;
  return date === undefined || sentDate === undefined ? undefined : date - sentDate;
}

/** The age that both clocks show, the service's and this machine's: either may jump. Milliseconds. */
export function provenAge(engine: Clocks, execution: Execution): number {
  return Math.min(serviceAge(engine, execution) ?? 0, engine.host.now() - execution.at);
}

/** Whether a step was sent so long ago that it cannot still be on its way, and that no read is so far behind. */
export function isLongAgo(engine: Clocks, execution: Execution): boolean {
  return provenAge(engine, execution) >= 600_000;
}

/** The records from here that a whole list has to show by now, and those that it was seen to lack. */
export function dueIn(engine: Pick<Engine, 'client' | 'host' | 'settleTimeMs'>, executions: readonly Execution[]): string[] {
  // A request that was sent long ago may have arrived late.
  const age = (execution: Execution) =>
    Math.min(serviceAge(engine, execution) ?? Number.POSITIVE_INFINITY, engine.host.now() - execution.at);
  const isSettled = (execution: Execution) => execution.seen && age(execution) > engine.settleTimeMs;
  const creates = executions.filter(({ step }) => isCreate(step));
  return creates.flatMap((each) => [isSettled(each) ? each.id : undefined, each.unlisted]).filter((id) => id !== undefined);
}

/** The error of a list that lacks a record which its own GET shows. */
export function shortList(exam: string | undefined, id: string): CliError {
  const [list, what] = exam === undefined ? ['list of exams', `exam ${id}`] : [`list of exam ${exam}`, `session ${id}`];
  const why = sentence`The ${list} does not show ${what}, which is there: it is not the whole list.`;
  return new CliError('list_in_doubt', why, { hint: setPaging });
}

/** `stepsTo`: its steps to what has this ID. */
type RunAtWork = { readonly id: string; readonly executions: readonly Execution[]; stepsTo(id: string): Execution[] };

/** The proctors of an exam: `shown`, all their values, the ID first, and `named`, their IDs and addresses. */
export type Pool = {
  at: Moment;
  shown: readonly JsonObject[];
  proctors: readonly (readonly string[])[];
  named: readonly string[];
};

/** One read serves all who ask for it. */
export class FreshReads {
  readonly #engine: Omit<Engine, 'reads'>;
  readonly #client: Client;
  readonly #host: Host;
  /** `at`: when it was whole. */
  readonly #reads = new Map<string, { at: Moment | undefined; found: Promise<unknown> }>();
  run: RunAtWork | undefined;
  /** By their targets: the steps of other runs to those of this one. */
  #others: { run: RunAtWork; byId: Promise<ReadonlyMap<string | null, readonly StepRow[]>> } | undefined;
  /** Until when what does not show a write is read again. */
  readonly #overAt = new Map<string, number>();
  /** Since when no other process writes where this one is at work. */
  lockedAt: number;

  constructor(engine: Omit<Engine, 'reads'>) {
    this.#engine = engine;
    this.#client = engine.client;
    this.#host = engine.host;
    this.lockedAt = engine.host.elapsed();
  }

  /** Shares one read: with whoever asks while it goes on, or until `withinMs` after it was whole. */
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
    const read = () => orGone(readRecord(this.#client, resource, id));
    const upToDate = () => this.#upToDate(resource, id, read, isBefore, young?.data);
    const found = await (young ? upToDate() : this.once(listedAs(resource, id), whileUnderWay, upToDate));
    return found && this.#client.known.shown(resource, id);
  }

  /** Throws `not_found`. */
  async pool(exam: string, withinMs = whileUnderWay): Promise<Pool> {
    const list = async () => {
      const at = momentOf(this.#host);
      const shown = await this.#client.list(operations.listProctors, { params: { id: exam } });
      const all = shown.map((proctor) => proctorIn(proctor, this.#client.dialect));
      return { at, shown, proctors: all.map(({ values }) => values), named: all.flatMap(({ named }) => named) };
    };
    const upToDate = () => this.#upToDate('pool', exam, () => orGone(list()), isPoolBefore);
    return (await this.once(`pool ${exam}`, withinMs, upToDate)) ?? list();
  }

  /** The students of an exam; without one, all exams. */
  async list<Exam extends string | undefined>(exam: Exam): Promise<Listing<Exam>> {
    return this.refreshed(await readList(this.#engine.client, exam));
  }

  /** What a list shows as it was before a write from here, its own GET shows. */
  async refreshed<Exam extends string | undefined>(list: Listing<Exam>): Promise<Listing<Exam>> {
    const { record, origin, client } = this.#engine;
    const { exam } = list;
    const resource = exam === undefined ? 'exam' : 'session';
    const filter = exam === undefined ? { ops: ofExams } : { exams: [exam] };
    const rows = await record.find(origin, { ...filter, states: ['sending', 'unknown', 'done', 'failed'] });
    const steps = rows.map(executionOf).filter((each) => each.id !== undefined && mayHaveWritten(each, resource));
    const due = new Set(dueIn(this.#engine, steps));
    const isBehind = (id: string, of: readonly Execution[]) =>
      (list.withId(id) !== undefined || !due.has(id)) && this.#isBehind(of, list.withId(id)?.data, isBefore);
    const behind = [...Map.groupBy(steps, ({ id }) => id ?? '')].flatMap(([id, of]) => (isBehind(id, of) ? id : []));
    if (behind.length === 0) return list;
    const own = await client.pacer.map(behind, async (id) => {
      const { data } = (await this.record(resource, id)) ?? {};
      return data && otherExam(exam, data, client) === undefined ? listedRecord([id, { ...list.withId(id)?.data, ...data }]) : [];
    });
    const others = list.all.filter(({ id }) => !behind.includes(id));
    return new Listing(exam, [...others, ...own.flat()], list.fields);
  }

  /** A read that still shows the state before a write from here is behind: it is read again until the settle time is over. */
  async #upToDate<T>(
    what: Read,
    id: string,
    read: () => Promise<T | undefined>,
    isBefore: (shown: T, written: readonly Step[]) => boolean,
    first?: T,
  ): Promise<T | undefined> {
    const { settleTimeMs, context } = this.#engine;
    for (let [turn, known] = [1, first]; ; [turn, known] = [turn + 1, undefined]) {
      const found = known ?? (await read());
      const written = (await this.#stepsTo(id)).filter((each) => mayHaveWritten(each, what));
      const key = `${what} ${id} ${written[0]?.at}`;
      const now = this.#host.elapsed();
      const since = written[0]?.sentByThisProcess ? now : this.lockedAt;
      const overAt = this.#overAt.get(key) ?? since + settleTimeMs;
      if (now >= overAt || !this.#isBehind(written, found, isBefore, turn)) return found;
      this.#overAt.set(key, overAt);
      if (turn === 1 && found === undefined && what !== 'pool') await this.refuseUnshown(what, id, written[0]?.exam);
      if (turn === 3)
        context.waits(
          sentence`The service no longer shows what was written to ${nameOf(what === 'pool' ? 'exam' : what, id)}. Looking for ${settleTimeMs / 1000} s at most.`,
        );
      await context.whileWaiting(() => this.#host.sleep(Math.min(backoff(turn), overAt - now)));
    }
  }

  /** Throws where the service shows nothing of its list by its ID: waiting would show no more. */
  async refuseUnshown(resource: Resource, id: string, exam: string | undefined): Promise<void> {
    if (resource === 'session' && exam === undefined) return;
    const of = resource === 'exam' ? undefined : exam;
    // `list` would read the record once more.
    const read = () => orElse(readList(this.#client, of), () => undefined);
    const list = await this.once(`listed ${of}`, freshMs, read);
    for (const { id: other } of list?.withId(id) ? list.all : []) {
      // What a run from here has just written is no proof: this read may be behind that, too.
      const isOld = other !== id && (await this.#stepsTo(other)).every((each) => isLongAgo(this.#engine, each));
      if (!isOld) continue;
      if (await orGone(readRecord(this.#client, resource, other))) return;
      const what = sentence`The service lists ${nameOf(resource, id)} and ${nameOf(resource, other)}, and shows neither by its ID (404).`;
      throw new CliError('list_in_doubt', what, { hint: sentence`Ask its operator why. What it shows: proctor-cli doctor` });
    }
  }

  /** The latest first: those of the run at work, which has the locks of its targets, and those of other runs. */
  async #stepsTo(id: string): Promise<readonly Execution[]> {
    const { record, origin } = this.#engine;
    const { run } = this;
    const own = run?.stepsTo(id) ?? [];
    if (!run || own.length === 0) return (await record.find(origin, { ids: [id] })).map(executionOf);
    if (this.#others?.run !== run) {
      const ids = [...new Set(run.executions.flatMap((each) => each.id ?? []))];
      const rows = record.find(origin, { ids });
      const byId = rows.then((all) =>
        Map.groupBy(
          all.filter((row) => row.run !== run.id),
          (row) => row.id,
        ),
      );
      this.#others = { run, byId };
    }
    const others = (await this.#others.byId).get(id) ?? [];
    return [...own.toSorted((a, b) => b.at - a.at || b.step.number - a.step.number), ...others.map(executionOf)];
  }

  /** Whether a read shows what was there before the writes that were seen; not while the latest (`written[0]`) is yet to be seen. */
  #isBehind<T>(
    written: readonly Execution[],
    found: T | undefined,
    isBefore: (shown: T, written: readonly Step[]) => boolean,
    turn = 1,
  ): boolean {
    const since = written.findIndex(({ step, seen }) => isDelete(step) && seen);
    // What was written before a deletion was another record, whose ID is used again.
    const recent = written.slice(0, since < 0 ? undefined : since + 1).filter((each) => !isLongAgo(this.#engine, each));
    const steps = recent.filter(({ seen }) => seen).map(({ step }) => step);
    const [last, [step]] = [recent[0], steps];
    if (!last || !step || !(last.seen || isUnknown(last))) return false;
    if (found === undefined) return !isDelete(step) && !(isDelete(last.step) && turn > 1);
    if (!isBefore(found, steps)) return false;
    // What was there before may be what the latest has set. Of an unknown one, that is no proof until a second read shows it.
    return (isUnknown(last) && turn === 1) || isBefore(found, [last.step, ...steps]);
  }

  students(exam: string, withinMs: number): Promise<Reading> {
    return this.once(`students ${exam}`, withinMs, () => this.list(exam));
  }

  /** The target of an update of a session: one reading serves several of an exam (`waiting`). */
  async session(id: string, exam: string | undefined, waiting: () => readonly Execution[]): Promise<Shown | undefined> {
    const others = this.#young('session', id, freshMs) ? [] : waiting();
    if (exam !== undefined && others.length > maxSingleReads) {
      await this.once(`students ${exam}`, 0, async () => {
        const at = momentOf(this.#host);
        const reading = await this.list(exam);
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

const ofExams = [operations.createExam, operations.patchExam, operations.putExam, operations.deleteExam].map(({ id }) => id);

/** Up to so many sessions of an exam are read by their IDs, more by its list. */
export const maxSingleReads = 2;
