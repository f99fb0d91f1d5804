/** What every part of a run uses: the client, the clocks, the state, and the reads that are young enough for a write. */
import type { Client } from '../api/client.ts';
import { ageOfMoment, type KnownResource, momentOf, type Shown } from '../api/known.ts';
import { operations } from '../api/operations.ts';
import { backoff } from '../api/pacer.ts';
import type { Context } from '../command.ts';
import type { Settings } from '../config/settings.ts';
import { CliError, isInterruption, orGone } from '../errors.ts';
import type { Host } from '../host/host.ts';
import type { JsonObject } from '../model/json.ts';
import type { Claim, State } from '../state/state.ts';

export type World = {
  context: Context;
  /** Reads: on the connections of the plan. */
  client: Client;
  /** Writes: an interruption lets a request that has left come to its end. */
  writer: Client;
  host: Host;
  state: State;
  settings: Settings;
  /** The service, as runs are recorded for it. */
  origin: string;
  /** The time zone for messages. */
  zone: string;
  /** How long after an unclear request a late one may still arrive. Milliseconds. */
  settleTime: number;
  /** The fields to keep of each session of a reading; all where it is absent. */
  keep?: ReadonlySet<string> | undefined;
  /** Looks up the outcome of a claim of another run (`settle-other.ts`). */
  settleOther?(claim: Claim, options: { waits: boolean; resendAbsent: boolean }): Promise<void>;
};

/** How old a read may be when the write that relies on it leaves; longer while a limit of the service spaces the requests. Milliseconds. */
const freshFor = 2000;
const freshWhilePaced = 10_000;

export function freshLimit({ pacer }: Pick<Client, 'pacer'>): number {
  return pacer.isPaced ? freshWhilePaced : freshFor;
}

const reading = new WeakMap<Client, Map<string, Promise<Shown | undefined>>>();
/** What shows one. */
export const gets = { exam: operations.getExam, session: operations.getSession } as const;

/** What the service shows of a resource, not older than `within`; undefined where it has none. One read serves all who ask at once. */
export async function shownLately(
  { client, host }: Pick<World, 'client' | 'host'>,
  resource: KnownResource,
  id: string,
  within: number,
): Promise<Shown | undefined> {
  const known = client.known.shown(resource, id);
  if (known && ageOfMoment(known.at, host) <= within) return known;
  return shownNow({ client, host }, resource, id);
}

/** The same by a read that begins now, or has not ended yet. */
export async function shownNow(
  { client, host }: Pick<World, 'client' | 'host'>,
  resource: KnownResource,
  id: string,
): Promise<Shown | undefined> {
  const all = reading.get(client) ?? new Map<string, Promise<Shown | undefined>>();
  reading.set(client, all);
  const key = `${resource} ${id}`;
  const read = async () => {
    const data = await orGone(client.get(gets[resource], { params: { id } }));
    if (!data) return undefined;
    const now = host.now();
    return client.known.shown(resource, id) ?? { data, date: undefined, sent: now, received: now, at: momentOf(host) };
  };
  const shared = all.get(key) ?? read().finally(() => all.delete(key));
  all.set(key, shared);
  return shared;
}

/** Takes what an answer, or a list that has just come, shows of a resource for a read of it. */
export function noteShown({ client, host }: Pick<World, 'client' | 'host'>, resource: KnownResource, id: string, data: JsonObject): void {
  const now = host.now();
  client.known.saw(resource, id, { data, date: undefined, sent: now, received: now, at: momentOf(host) });
}

/** Turns of waiting for what shows late, each longer than the one before, until the settle time has passed. */
export async function* lateLooks({ context, host, settleTime }: Pick<World, 'context' | 'host' | 'settleTime'>): AsyncGenerator<number> {
  for (let [waited, turn] = [0, 1]; waited < settleTime && !host.interrupted.aborted; turn += 1) {
    const wait = Math.min(backoff(turn), settleTime - waited);
    await context.whileWaiting(() => host.sleep(wait));
    waited += wait;
    yield turn;
  }
}

/** The error of a read; throws an interruption, and what is no error of the table. */
export async function orReadError<T>(read: Promise<T>): Promise<T | CliError> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof CliError && !isInterruption(error)) return error;
    throw error;
  }
}
