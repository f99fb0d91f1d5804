/**
 * The one pacer of a command: every request waits here until it may leave. A window says how many may be in flight: it doubles with each
 * round of clear answers, is halved by a burst of failures, and then grows by one a round. A 429 stops all requests until Retry-After, or for
 * a wait that doubles; then a gap spaces them, which each burst of refusals lengthens and each clear answer shortens.
 */
import type { Host } from '../host/host.ts';

/** How often a request is sent that gets no clear answer. */
export const tries = 3;

/** Requests at once: at first few enough for a small service, and 80 at most, of which some wait until they are recorded. */
const firstWindow = 8;
const widest = 80;
/** The wait after a failure that names none: short, as most limits are per second. Milliseconds. */
const firstWait = 250;
/** Even if Retry-After asks for more: twice as long as a limit per minute lasts. Milliseconds. */
const longestWait = 120_000;
/** Refusals in a row after which a service counts as away: after four minutes of waits. */
const refusalsAtMost = 10;
/** The gap after the first burst of refusals, and the longest: slower, a command would seem to stand still. Milliseconds. */
const firstGap = 20;
const longestGap = 5000;
/** By which part a clear answer shortens the gap at first: it is gone within seconds. Each burst halves that, so that the next is further away. */
const firstEasing = 1 / 125;
const leastEasing = 1 / 2000;

/** How many of these requests may be in flight. A few are sent one by one: that is fast enough, and a failure concerns one request only. */
export function atOnce(requests: number): number {
  return requests > 2 * firstWindow ? requests : 1;
}

/** The wait before the n-th further attempt, from 1. `asked`: Retry-After. Milliseconds. */
export function backoff(attempt: number, asked?: number): number {
  return Math.min(asked ?? firstWait * 2 ** (attempt - 1), longestWait);
}

/** The wait of a Retry-After header: seconds (of several, the first) or a date; undefined for one that is over or cannot be read. Milliseconds. */
export function waitAsked(retryAfter = '', now: number): number | undefined {
  const [, seconds] = /^\s*(\d+(?:\.\d+)?)\s*(?:,|$)/.exec(retryAfter) ?? [];
  const wait = seconds === undefined ? Date.parse(retryAfter) - now : Number(seconds) * 1000;
  return wait > 0 ? wait : undefined;
}

/** With a clear answer, a 429, a failure that too many requests may cause, or in another way. */
export type RequestEnd = 'answered' | 'refused' | 'failed' | 'nothing';

export class Pacer {
  readonly #host: Pick<Host, 'now' | 'elapsed' | 'sleep'>;
  #leastGap = 0;
  #window = firstWindow;
  /** Nothing has failed yet, so each round of as many clear answers as the window has doubles it. */
  #doubles = true;
  #round = 0;
  #gap = 0;
  #easing = firstEasing;
  #left = 0;
  #lastLeft = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** Requests up to this number belong to a burst that has had its effect. */
  #burstUpTo = 0;
  /** Bursts of refusals since the last clear answer. */
  #refusals = 0;
  #inFlight = 0;
  /** Settled when the last request in it has left, or has been given up. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Settled, and made anew, when a request or an item has ended. */
  #change = Promise.withResolvers<void>();

  constructor(host: Pick<Host, 'now' | 'elapsed' | 'sleep'>) {
    this.#host = host;
  }

  /** The value of --rate, before the first request. */
  limit({ perSecond }: { perSecond?: number | undefined }): void {
    this.#leastGap = perSecond === undefined ? 0 : 1000 / perSecond;
  }

  get window(): number {
    return this.#window;
  }

  /** Whether the service is given up: it has refused too many requests in a row. */
  get gaveUp(): boolean {
    return this.#refusals > refusalsAtMost;
  }

  /** How long no request may leave. Milliseconds. */
  get pause(): number {
    return Math.max(0, this.#pausedUntil - this.#time());
  }

  /** Between two requests, by --rate or because the service has refused some. Milliseconds. */
  get spacing(): number {
    return Math.max(this.#gap, this.#leastGap);
  }

  /** Resolves when the next request may leave, with its number. Rejects when the command is interrupted while it waits for its moment. */
  departure(): Promise<number> {
    const leaves = this.#queue.then(() => this.#next());
    this.#queue = leaves.catch(() => {});
    return leaves;
  }

  /** Waits until the window has room and the time has come: meanwhile a refusal may postpone it, and a failure may shrink the window. */
  async #next(): Promise<number> {
    let waitedFor = Number.NEGATIVE_INFINITY;
    for (;;) {
      const moment = Math.max(this.#pausedUntil, this.#lastLeft + this.spacing);
      if (this.#inFlight >= this.#window) {
        await this.#change.promise;
      } else if (moment > Math.max(waitedFor, this.#time())) {
        await this.#host.sleep(moment - this.#time());
        // Once a wait is over it is over, whatever the clock says.
        waitedFor = moment;
      } else {
        break;
      }
    }
    this.#inFlight += 1;
    this.#left += 1;
    this.#lastLeft = this.#time();
    return this.#left;
  }

  /** To be called once for each departure. `asked`: Retry-After. Milliseconds. */
  ended(departure: number, is: RequestEnd, asked?: number): void {
    this.#inFlight -= 1;
    if (is === 'answered') this.#grow();
    else if (is !== 'nothing') this.#slowDown(departure, is, asked);
    this.#tell();
  }

  #tell(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers();
    resolve();
  }

  #grow(): void {
    this.#refusals = 0;
    this.#gap = this.#gap < 1 ? 0 : this.#gap * (1 - this.#easing);
    this.#round += 1;
    if (this.#round < this.#window) return;
    this.#round = 0;
    this.#window = Math.min(widest, this.#doubles ? 2 * this.#window : this.#window + 1);
  }

  #slowDown(number: number, is: 'refused' | 'failed', asked: number | undefined): void {
    const isNew = number > this.#burstUpTo;
    if (isNew) this.#burstUpTo = this.#left;
    if (isNew && is === 'refused') {
      this.#refusals += 1;
      // A service that refuses all says nothing of a gap: from the fourth burst in a row on, only the waits grow.
      if (this.#refusals <= 3) {
        this.#gap = Math.min(Math.max(firstGap, 1.5 * this.#gap), longestGap);
        this.#easing = Math.max(leastEasing, this.#easing / 2);
      }
    }
    if (isNew && is === 'failed') {
      this.#doubles = false;
      this.#round = 0;
      this.#window = Math.max(1, this.#window >> 1);
    }
    if (asked !== undefined || (isNew && is === 'refused'))
      this.#pausedUntil = Math.max(this.#pausedUntil, this.#time() + backoff(this.#refusals, asked));
  }

  /**
   * The results of `act`, in the order of the items: called for one after another, for as many at a time as the window allows, and at most
   * `most`. After an error no further item begins, and it rejects with that error once those in flight have ended.
   */
  async map<T, R>(items: Iterable<T>, act: (item: T) => Promise<R>, most = Number.POSITIVE_INFINITY): Promise<R[]> {
    const results: Promise<R>[] = [];
    let running = 0;
    let failed: { by: unknown } | undefined;
    const fail = (by: unknown): never => {
      failed ??= { by };
      throw by;
    };
    const end = () => {
      running -= 1;
      this.#tell();
    };
    for (const item of items) {
      while (!failed && running >= Math.min(most, this.#window)) await this.#change.promise;
      if (failed) break;
      running += 1;
      results.push(act(item).catch(fail).finally(end));
    }
    await Promise.allSettled(results);
    if (failed) throw failed.by;
    return Promise.all(results);
  }

  #time(): number {
    return this.#host.elapsed?.() ?? this.#host.now();
  }
}
