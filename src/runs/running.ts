/** What every part of a run uses, and the one way in which a step changes its state. */
import { ageOfMoment, type Client, type Moment, momentOf, type Shown } from '../api/client.ts';
import { setPaging } from '../api/paging.ts';
import { readExam, readRecord } from '../api/reading.ts';
import type { Context } from '../command.ts';
import { CliError, type ErrorCode, isInterruption, orGone, stateErrors } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { settable } from '../model/fields.ts';
import { fieldAt, type JsonObject } from '../model/json.ts';
import type { Reading } from '../model/listing.ts';
import type { RunRecord, RunWriter } from '../record/index.ts';
import { sentence } from '../text/sentence.ts';
import { type Execution, type Reason, reasons, rowOf, type StepState } from './execution.ts';
import { creates, type Resource, resourceOf, type Step } from './step.ts';

export type World = {
  context: Context;
  client: Client;
  /** An interruption lets its requests come to their end. */
  writer: Client;
  host: Host;
  record: RunRecord;
  origin: string;
  /** As it is recorded. */
  command: string;
  zone: string;
  /** How long an unclear request may still arrive. Milliseconds. */
  settleTimeMs: number;
  /** `at`: when it was whole. */
  reads: Map<string, { at: Moment | undefined; found: Promise<unknown> }>;
};

export type Running = World & {
  run: RunWriter;
  items: readonly Execution[];
  gate: { judgeStep(step: Step): Promise<CliError | undefined> } | undefined;
  stop: StopRule;
  /** Exams in which nothing more is sent, and why. */
  refused: Map<string | undefined, CliError>;
  /** What was there before: a create cannot have made it. */
  wasThere: ReadonlySet<string>;
  /** By what they have created. */
  creatorsById: Map<string, Execution>;
  /** When the readings began on which its creates rest. */
  readAt: Moment;
  /** Of exams that the run has created, by ID; an error where another run has them. */
  places: Map<string, Promise<Locks | CliError>>;
};

export type Locks = { release(): Promise<void> };

type Given = Omit<Running, keyof World | 'stop' | 'creatorsById' | 'refused' | 'places'>;

export function runningOf(world: World, given: Given): Running {
  const creatorsById = new Map(given.items.map((item) => [madeBy(item), item]));
  const stop = new StopRule(world.host);
  return { ...world, ...given, stop, creatorsById, refused: new Map(), places: new Map() };
}

export function madeBy({ step, id }: Pick<Execution, 'step' | 'id'>): string {
  return `${creates(step)} ${id}`;
}

/** What a run keeps beside its steps, sealed. */
export type RunOptions = {
  reason?: string;
  listed?: string[];
  amount?: string;
  asks?: boolean;
  isPart?: boolean;
};

/** For what a list lacks, and its own GET shows. */
export function shortList(exam: string | undefined, id: string): CliError {
  const [list, what] = exam === undefined ? ['list of exams', `exam ${id}`] : [`list of exam ${exam}`, `session ${id}`];
  const why = sentence`The ${list} does not show ${what}, which is there: it is not the whole list.`;
  return new CliError('list_in_doubt', why, { hint: setPaging });
}

/** How old the reads may be on which a request rests. Milliseconds. */
export function maxReadAgeMs({ client }: World): number {
  return client.pacer.spacing > 0 ? 10_000 : freshMs;
}

/** By the clock that nobody sets. Milliseconds. */
export function steadyNow(host: Host): number {
  return host.elapsed?.() ?? host.now();
}

/** How long ago a step was sent, by the service's clock; undefined where that is not shown. Milliseconds. */
export function serviceAge({ client }: World, { sentDate }: Execution): number | undefined {
  const { date } = client.known;
  return date === undefined || sentDate === undefined ? undefined : date - sentDate;
}

/** What has become of a step: a state, or a reason, which implies the state. */
export type Outcome = ({ state: StepState; reason?: never } | { state?: never; reason: Reason }) &
  Partial<Omit<Execution, 'index' | 'state' | 'reason'>>;

/** Resolves when the change is durable. */
export async function transition(running: Running, item: Execution, change: Outcome): Promise<void> {
  const { reason } = change;
  const state = reason === undefined ? change.state : reasons[reason].state;
  const isNew = item.state !== state;
  Object.assign(item, { error: undefined, note: undefined, ...change, state, reason });
  if (change.shown) item.lastSeen = settingsIn(running, item.step, change.shown);
  if (isNew) Object.assign(item, { at: running.host.now(), since: steadyNow(running.host) });
  running.creatorsById.set(madeBy(item), item);
  await running.run.save([rowOf(item, running.record)]);
}

/** What of a record can be set, or was sent, as far as it is shown. */
function settingsIn({ client }: World, step: Step, shown: JsonObject): JsonObject {
  const fields = [...settable(resourceOf(step), client.dialect), ...Object.keys(step.body ?? {})];
  return Object.fromEntries(fields.map((field) => [field, fieldAt(shown, field)]).filter(([, value]) => value !== undefined));
}

/** The same where nobody waits: a record that fails stops the run. */
export function transitionLater(running: Running, item: Execution, change: Outcome): void {
  transition(running, item, change).catch((error: unknown) => running.stop.stop(error));
}

/** Where the pacer does not space requests. Milliseconds. */
export const freshMs = 2_000;

/** One read for all who ask while it goes on, or `within` milliseconds after it was whole. */
export function shared<T>({ reads, host }: World, name: string, within: number, read: () => Promise<T>): Promise<T> {
  const known = reads.get(name);
  const isYoung = known && (known.at === undefined || ageOfMoment(known.at, host) <= within);
  if (isYoung) return known.found as Promise<T>;
  const reading = { at: undefined as Moment | undefined, found: read() };
  reads.set(name, reading);
  const isWhole = () => Object.assign(reading, { at: momentOf(host) });
  reading.found.then(isWhole, () => reads.delete(name));
  return reading.found;
}

/** Undefined for what is not there. `within`: how old a read may be, in milliseconds. */
export async function readOne(world: World, resource: Resource, id: string, within = 0): Promise<Shown | undefined> {
  const { known } = world.client;
  const shown = within > 0 ? youngRead(world, resource, id, within) : undefined;
  if (shown) return shown;
  const read = () => orGone(readRecord(world.client, resource, id));
  const found = await shared(world, `${resource} ${id}`, Number.NEGATIVE_INFINITY, read);
  return found && known.shown(resource, id);
}

function youngRead({ client, host }: World, resource: Resource, id: string, within: number) {
  const shown = client.known.shown(resource, id);
  return shown && ageOfMoment(shown.at, host) <= within ? shown : undefined;
}

/** Up to so many sessions of an exam are read by their IDs, more by its list. */
export const maxSingleReads = 2;

/** The target of an update of a session; one reading serves several of an exam. */
export async function readSession(running: Running, step: Step): Promise<Shown | undefined> {
  const { client, host, items } = running;
  const { exam, params } = step;
  const { id = '' } = params;
  const isRead = youngRead(running, 'session', id, freshMs) !== undefined;
  const waiting = isRead ? [] : items.filter((item) => item.state === 'planned' && item.step.exam === exam);
  if (exam !== undefined && waiting.length > maxSingleReads) {
    await shared(running, `students ${exam}`, 0, async () => {
      const at = momentOf(host);
      const reading = await readExam(client, exam);
      const steps = waiting.map(({ step }) => step);
      remember(running, reading, at, steps);
      return reading;
    });
  }
  return readOne(running, 'session', id, freshMs);
}

/** Keeps a reading, and the targets of steps that it shows whole. */
export function remember({ client, reads }: World, reading: Reading, at: Moment, steps: readonly Step[]): void {
  reads.set(`students ${reading.exam}`, { at, found: Promise.resolve(reading) });
  for (const step of steps) {
    const { exam, params, body, expects, unless } = step;
    const { id = '' } = params;
    const isTarget = exam === reading.exam && resourceOf(step) === 'session' && !creates(step);
    const data = isTarget ? reading.withId(id)?.data : undefined;
    const fields = [...Object.keys({ ...body, ...expects }), ...(unless ? ['status'] : [])];
    const isWhole = data && fields.every((field) => Object.hasOwn(data, field));
    if (isWhole) client.known.saw('session', id, { data, at, ahead: undefined });
  }
}

const inARowAtMost = 3;
const endsLooking: readonly ErrorCode[] = [...stateErrors, 'token_refused', 'not_logged_in', 'already_running'];

class StopRule {
  readonly #host: Host;
  #why: CliError | undefined;
  #begun = 0;
  #inARow = 0;
  /** Up to this number, requests were in flight when an unclear one was counted. */
  #countedUpTo = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  get why(): CliError | undefined {
    const { interrupted } = this.#host;
    if (interrupted.aborted) this.stop(interrupted.reason);
    return this.#why;
  }

  /** Whether nothing more is read either. */
  get endsLooking(): boolean {
    const { why } = this;
    return why !== undefined && (isInterruption(why) || endsLooking.includes(why.code));
  }

  /** Throws a bug. */
  stop(error: unknown): void {
    if (!(error instanceof CliError)) throw error;
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
    const code = error.code === 'outcome_unknown' ? 'unavailable' : error.code;
    this.stop(new CliError(code, why, { hint: error.hint, status: error.status }));
  }
}
