/** What every part of a run uses, and the one way in which a step changes its state. */
import { ageOfMoment, type Client, type Moment, momentOf, type Shown } from '../api/client.ts';
import { readExam, readRecord } from '../api/reading.ts';
import type { Context } from '../command.ts';
import { CliError, isInterruption, orGone, stateErrors } from '../errors.ts';
import type { Host } from '../host/host.ts';
import type { Reading } from '../model/listing.ts';
import type { HeldRun, RunRecord } from '../record/index.ts';
import { sentence } from '../text/sentence.ts';
import { type Item, rowOf } from './item.ts';
import { creates, type Resource, resourceOf, type Step } from './step.ts';

export type World = {
  context: Context;
  client: Client;
  /** Writes: an interruption lets a request that has left come to its end. */
  writer: Client;
  host: Host;
  record: RunRecord;
  origin: string;
  zone: string;
  /** How long after an unclear request a late one may still arrive. Milliseconds. */
  settleTime: number;
  /** What was read, or is being read, and when it was whole. */
  reads: Map<string, { at: Moment | undefined; found: Promise<unknown> }>;
};

export type Running = World & {
  run: HeldRun;
  items: readonly Item[];
  /** Judges each step once more right before it is sent (`gate.ts`). */
  gate: { judgeStep(step: Step): Promise<CliError | undefined> };
  stop: StopRule;
  /** Exams in which nothing more is sent: the token may not change them, or they are gone. */
  refused: Map<string, CliError>;
  /** Sessions and exams that were there when the run was planned: a create cannot have made them. */
  wasThere: ReadonlySet<string>;
  /** By what they have created. */
  makers: Map<string, Item>;
  /** Before the readings began that its creates rest on. */
  readAt: Moment;
  /** The places of exams that the run itself has created, by ID; an error where another run has them. */
  places: Map<string, Promise<{ release(): Promise<void> } | CliError>>;
};

export function runningOf(world: World, given: Pick<Running, 'run' | 'items' | 'gate' | 'stop' | 'wasThere' | 'readAt'>): Running {
  const makers = new Map(given.items.map((item) => [madeBy(item), item]));
  return { ...world, ...given, makers, refused: new Map(), places: new Map() };
}

/** What a step has created, where it has. */
export function madeBy({ step, id }: Pick<Item, 'step' | 'id'>): string {
  return `${creates(step)} ${id}`;
}

/** What a run keeps beside its steps, sealed. */
export type More = { reason?: string; listed?: string[]; amount?: string; asks?: boolean; isPart?: boolean };

/** How old what justifies a request may be when it leaves: the reads before it, and the judgement of the gate. Milliseconds. */
export function freshFor({ client }: Pick<World, 'client'>): number {
  return client.pacer.spacing > 0 ? 10_000 : freshAtMost;
}

/** By the clock that nobody sets. Milliseconds. */
export function steadyNow(host: Pick<Host, 'now' | 'elapsed'>): number {
  return host.elapsed?.() ?? host.now();
}

export type Change = Pick<Item, 'state'> & Partial<Omit<Item, 'index'>>;

/** Takes a step to a state, and records it. Resolves when that is durable; only whoever is about to send waits for it. */
export async function settle(running: Running, item: Item, change: Change): Promise<void> {
  const isNew = item.state !== change.state;
  Object.assign(item, { reason: undefined, error: undefined, evidence: undefined, ...change });
  if (isNew) Object.assign(item, { at: running.host.now(), since: steadyNow(running.host) });
  running.makers.set(madeBy(item), item);
  await running.run.save([rowOf(item, running.record)]);
}

/** The same where nobody waits: a record that fails stops the run, with the next intent or when the run is closed. */
export function note(running: Running, item: Item, change: Change): void {
  settle(running, item, change).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    running.stop.stop(error);
  });
}

/** Where the pacer does not space requests. Milliseconds. */
export const freshAtMost = 2_000;

/** What was whole so long ago at most, or is being read: one read serves all who ask for it. Milliseconds. */
export function shared<T>(
  { reads, host }: Pick<World, 'reads' | 'host'>,
  name: string,
  within: number,
  read: () => Promise<T>,
): Promise<T> {
  const known = reads.get(name);
  if (known && (known.at === undefined || ageOfMoment(known.at, host) <= within)) return known.found as Promise<T>;
  const reading = { at: undefined as Moment | undefined, found: read() };
  reads.set(name, reading);
  const isWhole = () => Object.assign(reading, { at: momentOf(host) });
  reading.found.then(isWhole, () => reads.delete(name));
  return reading.found;
}

/** What the service shows; undefined for what it does not have. `within`: how old a read may be, so that one serves several. Milliseconds. */
export async function readOne(world: World, resource: Resource, id: string, within = 0): Promise<Shown | undefined> {
  const { client, host } = world;
  const known = client.known.shown(resource, id);
  if (known && within > 0 && ageOfMoment(known.at, host) <= within) return known;
  const reading = shared(world, `${resource} ${id}`, Number.NEGATIVE_INFINITY, () => orGone(readRecord(client, resource, id)));
  return (await reading) && client.known.shown(resource, id);
}

/** Up to so many sessions of an exam are read one by one, more by one reading of the exam. */
export const oneByOne = 2;

/** The target of an update of a session. Where several of its exam are still to be sent, one reading serves all of them. */
export async function readSession(running: Running, { exam, params: { id = '' } }: Step): Promise<Shown | undefined> {
  const { client, host, items } = running;
  const isKnown = () => ageOfMoment(client.known.shown('session', id)?.at ?? { wall: 0, elapsed: 0 }, host) <= freshAtMost;
  const waiting = exam === undefined || isKnown() ? [] : items.filter((item) => item.state === 'planned' && item.step.exam === exam);
  if (exam !== undefined && waiting.length > oneByOne) {
    await shared(running, `students ${exam}`, 0, async () => {
      const at = momentOf(host);
      const reading = await readExam(client, exam);
      const steps = waiting.map(({ step }) => step);
      remember(running, reading, at, steps);
      return reading;
    });
  }
  return readOne(running, 'session', id, freshAtMost);
}

/** A reading, and what it shows of the targets of steps. A record of which it leaves out a field is read by its ID. */
export function remember({ client, reads }: World, reading: Reading, at: Moment, steps: readonly Step[]): void {
  reads.set(`students ${reading.exam}`, { at, found: Promise.resolve(reading) });
  for (const step of steps) {
    const { exam, params, body, expects, unless } = step;
    const data = exam === reading.exam && creates(step) === undefined ? reading.withId(params.id ?? '')?.data : undefined;
    const fields = [...Object.keys({ ...body, ...expects }), ...(unless ? ['status'] : [])];
    if (data === undefined || resourceOf(step) !== 'session' || !fields.every((field) => Object.hasOwn(data, field))) continue;
    client.known.saw('session', params.id ?? '', { data, at, ahead: undefined });
  }
}

const inARowAtMost = 3;

export class StopRule {
  readonly #host: Pick<Host, 'interrupted'>;
  #why: CliError | undefined;
  #begun = 0;
  #inARow = 0;
  /** Requests up to this number were in flight when an unclear one was counted. */
  #countedUpTo = 0;

  constructor(host: Pick<Host, 'interrupted'>) {
    this.#host = host;
  }

  /** Why nothing more is sent; undefined while the run goes on. */
  get why(): CliError | undefined {
    const { interrupted } = this.#host;
    if (interrupted.aborted) this.stop(interrupted.reason as CliError);
    return this.#why;
  }

  /** Whether nothing more is read either: looking needs the token, and the time of whoever has interrupted. */
  get endsLooking(): boolean {
    const { why } = this;
    return (
      why !== undefined && (isInterruption(why) || ['token_refused', 'not_logged_in', 'already_running', ...stateErrors].includes(why.code))
    );
  }

  stop(error: CliError): void {
    this.#why ??= error;
  }

  begin(): number {
    this.#begun += 1;
    return this.#begun;
  }

  clear(): void {
    this.#inARow = 0;
  }

  unclear(request: number, error: CliError): void {
    if (request > this.#countedUpTo) {
      this.#inARow += 1;
      this.#countedUpTo = this.#begun;
    }
    if (this.#inARow < inARowAtMost) return;
    const why = sentence`${inARowAtMost} requests in a row had no clear answer; the last one: ${error.message}`;
    // What became of them, the looks say.
    const code = error.code === 'outcome_unknown' ? 'unavailable' : error.code;
    this.stop(new CliError(code, why, { hint: error.hint, status: error.status }));
  }
}
