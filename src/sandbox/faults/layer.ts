/**
 * The layer of faults in front of the service: it reads each request, draws its faults, and passes it to
 * the service or not. It then delays, changes, cuts or drops the answer.
 */
import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Http2Bindings, HttpBindings } from '@hono/node-server';
import type { Dialect } from '../../api/dialect.ts';
import { type Operation, operations } from '../../api/operations.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { Sentence } from '../../text/sentence.ts';
import { type Bindings, basePath, pathSent } from '../embedded-service.ts';
import type { Change } from '../handlers.ts';
import { readBody } from '../request-body.ts';
import { type Drawn, Draws, type FaultPlan } from './draw.ts';
import { type Deliver, type Exchange, endingOf } from './endings.ts';
import { faultKind } from './fault-kinds.ts';
import { clockError, lagOf, lateness, optionsOf } from './options-of.ts';
import { matches, segmentsOf } from './scope.ts';
import { told, toldLater } from './told.ts';

export type Fetch = (request: Request, env: HttpBindings | Http2Bindings) => Response | Promise<Response>;
type Service = (request: Request, env: Bindings) => Response | Promise<Response>;

export type FaultLayer = {
  fetch: Fetch;
  /** How many requests have come, and how many met faults. */
  tally(): { requests: number; faulty: number };
  close(): void;
};

type Options = FaultPlan & {
  now(): number;
  dialect: Pick<Dialect, 'idKey' | 'sessionExamKey'>;
  /** Called for each request that meets faults: as soon as it is known whether it is carried out, and again if that follows later. */
  onFault?: ((line: Sentence) => void) | undefined;
};

export function withFaults(service: Service, { now, dialect, onFault, ...plan }: Options): FaultLayer {
  const draws = new Draws(plan);
  const closed = new AbortController();
  const changes = new RecentChanges(now, longestLag(plan.rules));
  const tally = { requests: 0, faulty: 0 };
  const pause = async (milliseconds: number) => {
    if (milliseconds > 0) await wait(milliseconds, undefined, { signal: closed.signal });
  };

  async function answer(request: Request, env: HttpBindings): Promise<Response> {
    const { incoming } = env;
    const target = targetOf(env);
    const [path = ''] = target.split('?');
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const operation = operationOf(method, path);
    const body = bodyOf(incoming);
    // The service itself refuses a body that is too large.
    const text = await body().catch(() => '');
    const drawn = draws.of({ method, target, body: text, list: operation?.answer === 'list' });
    const number = ++tally.requests;
    const ending = drawn.find((fault) => endingOf(fault));
    // An answer made in place of the service's shows no list.
    const shows = ending === undefined || faultKind(ending.name).group === 'connection';
    const met = drawn.filter((fault) => fault === ending || (!endingOf(fault) && (shows || faultKind(fault.name).group !== 'list')));
    const about = { number, method, path };
    if (met.length > 0) tally.faulty += 1;
    const line = (refused?: number) => told(met, about, refused);
    // The line is told at once, unless it has to say what the service will have done with a write.
    const waits = line() !== line(404);
    if (met.length > 0 && !waits) onFault?.(line());
    const clockOffset = sum(met.map(clockError));
    const late = sum(met.map(lateness));
    const bindings: Bindings = {
      ...env,
      body,
      clockOffset,
      changedList: (items) => changedList(items, met, { idKey: dialect.idKey, changes: (span) => changes.within(span, concerns) }),
      changed: (all) => changes.add(all),
    };
    const [, , examId] = operation?.path === operations.listExamSessions.path ? path.split('/') : [];
    /** Whether a change is one of the list that is requested. */
    const concerns = ({ resource, before }: Change) =>
      resource === operation?.resource &&
      (examId === undefined || before === undefined || String(before[dialect.sessionExamKey]) === decodeURIComponent(examId));
    const exchange: Exchange = {
      env,
      pause,
      date: () => new Date(now() + clockOffset).toUTCString(),
      async serve() {
        const response = await service(request, bindings);
        if (waits) onFault?.(line(refusalOf(response)));
        return response;
      },
      later(milliseconds, act) {
        const tell = (response: Response) => method !== 'GET' && onFault?.(toldLater(about, refusalOf(response)));
        void wait(milliseconds, undefined, { signal: closed.signal, ref: false }).then(
          () => act().then(tell),
          () => {},
        );
      },
    };
    await pause(late / 2);
    const deliver = await (ending === undefined ? whole : endingOf(ending))?.(exchange);
    await pause(late / 2);
    return deliver?.() ?? unanswered();
  }

  return {
    // If the service ends during the wait, no client is left to answer.
    fetch: async (request, env) => {
      try {
        // Only HTTP/1.1 is served.
        return await answer(request, env as HttpBindings);
      } catch (error) {
        if (closed.signal.aborted) return unanswered();
        throw error;
      }
    },
    tally: () => ({ ...tally }),
    close: () => closed.abort(),
  };
}

/** The status with which the service did not do what a request asked for. */
function refusalOf({ status }: Response): number | undefined {
  return status < 400 ? undefined : status;
}

/** Never resolves, so that the server sends nothing. */
function unanswered(): Promise<Response> {
  return new Promise(() => {});
}

async function whole({ serve }: Exchange): Promise<Deliver> {
  const response = await serve();
  return () => response;
}

/** The longest time by which a list lags, in milliseconds. */
function longestLag(rules: FaultPlan['rules']): number {
  return Math.max(0, ...rules.map(lagOf));
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

function operationOf(method: string, path: string): Operation | undefined {
  const all: readonly Operation[] = Object.values(operations);
  return all.find((known) => matches({ method: known.method, segments: segmentsOf(known.path) }, method, path));
}

function targetOf(env: HttpBindings): string {
  const query = /\?.*$/s.exec(env.incoming.url ?? '')?.[0] ?? '';
  const path = pathSent(env);
  return (path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path) + query;
}

/** The body, read once for all callers. */
function bodyOf(incoming: IncomingMessage): () => Promise<string> {
  let reading: Promise<string> | undefined;
  return () => (reading ??= readBody(incoming));
}

class RecentChanges {
  readonly #now: () => number;
  readonly #longest: number;
  #changes: (Change & { at: number })[] = [];

  /** `longest`: the longest time that is asked for, in milliseconds; 0 keeps nothing. */
  constructor(now: () => number, longest: number) {
    this.#now = now;
    this.#longest = longest;
  }

  /** What one request has changed, in this order. */
  add(changes: readonly Change[]): void {
    if (this.#longest === 0) return;
    const at = this.#now();
    this.#forget(at);
    this.#changes.push(...changes.map((change) => ({ ...change, at })));
  }

  /** The changes of the last milliseconds, in their order. */
  within(milliseconds: number, concerns: (change: Change) => boolean): Change[] {
    const now = this.#now();
    this.#forget(now);
    return this.#changes.filter((change) => now - change.at < milliseconds && concerns(change));
  }

  #forget(now: number): void {
    const kept = this.#changes.findIndex(({ at }) => now - at < this.#longest);
    if (kept !== 0) this.#changes = kept < 0 ? [] : this.#changes.slice(kept);
  }
}

/** What happened to the items of a list. `idKey`: the field with their IDs. */
type Past = { idKey: string; changes(milliseconds: number): readonly Change[] };

function changedList(items: readonly unknown[], drawn: readonly Drawn[], past: Past): unknown[] {
  return drawn.reduce<unknown[]>((shown, fault) => change(shown, fault, past), [...items]);
}

function change(items: unknown[], fault: Drawn, past: Past): unknown[] {
  switch (fault.name) {
    case 'list-lag':
      return asBefore(items, past, optionsOf(fault, 'list-lag').by);
    case 'list-cut':
      return items.slice(0, optionsOf(fault, 'list-cut').keep);
    case 'list-no-addresses':
      return items.map((item) => withAddress(item, () => undefined));
    case 'list-case':
      return items.map((item) => withAddress(item, (address) => address.toUpperCase()));
    default:
      return items;
  }
}

/** A list as it was before the changes of the last milliseconds: they are taken back, the latest first. */
function asBefore(items: unknown[], { idKey, changes }: Past, by: number): unknown[] {
  const recent = changes(by);
  if (recent.length === 0) return items;
  const shown = new Map(items.map((item) => [Number((item as JsonObject)[idKey]), item]));
  for (const { id, before } of recent.toReversed()) {
    if (before === undefined) shown.delete(id);
    else shown.set(id, before);
  }
  return [...shown].sort(([one], [other]) => one - other).map(([, item]) => item);
}

function withAddress(item: unknown, spelled: (address: string) => string | undefined): unknown {
  if (!isJsonObject(item) || typeof item.email !== 'string') return item;
  const { email, ...rest } = item;
  const shown = spelled(email);
  return shown === undefined ? rest : { ...item, email: shown };
}
