/**
 * The one pacer of a command. A window says how many requests may be in flight: each round of clear
 * answers doubles it; a burst of failures halves it, and then it grows by one a round. A 429 stops
 * all requests until Retry-After, or for a wait that doubles. Then a gap spaces them, which a burst
 * of refusals lengthens and a clear answer shortens.
 */
import type { Host } from '../host/host.ts';
import { httpDate } from './answer.ts';

/** A read that gets no clear answer is sent so often. */
export const tries = 3;

/** Requests in flight: at first few enough for a small service. */
const firstWindow = 8;
const widest = 80;
/** The first wait without a Retry-After: most limits are per second. Milliseconds. */
const firstWait = 250;
/** The longest wait, even if Retry-After asks for more: two limits per minute. Milliseconds. */
export const longestWait = 120_000;
/** After so many refusals in a row, which take four minutes, it gives up. */
const refusalsAtMost = 10;
/** The gap after the first burst of refusals, and the longest. Milliseconds. */
const firstGap = 20;
const longestGap = 5000;
/** A clear answer shortens the gap by this share. Each burst of refusals halves it. */
const firstEasing = 1 / 125;
const leastEasing = 1 / 2000;

/** Milliseconds. */
const soon = 2000;

/** Shorter waits are not reported. Milliseconds. */
export const longWait = 1000;

/** A few requests go one by one, so that a failure concerns only one. */
export function atOnce(requests: number): number {
  return requests > 2 * firstWindow ? requests : 1;
}

/** The wait before the n-th further attempt. `asked`: Retry-After. Milliseconds. */
export function backoff(attempt: number, asked?: number): number {
  return Math.min(asked ?? firstWait * 2 ** (attempt - 1), longestWait);
}

/** Retry-After: seconds (of several, the first) or a date to come. Milliseconds. */
export function waitAsked(retryAfter = '', now: number): number | undefined {
  const [, seconds] = /^\s*(\d+(?:\.\d+)?)\s*(?:,[\d.,\s]*)?$/.exec(retryAfter) ?? [];
  const wait = seconds === undefined ? httpDate(retryAfter) - now : Number(seconds) * 1000;
  return wait > 0 ? wait : undefined;
}

/** `refused`: with a 429. `failed`: too many requests may be the cause. */
export type RequestEnd = 'answered' | 'refused' | 'failed' | 'nothing';

export class Pacer {
  readonly #host: Pick<Host, 'elapsed' | 'sleep'>;
  #leastGap = 0;
  #window = firstWindow;
  /** The window doubles as long as nothing has failed. */
  #doubles = true;
  /** Clear answers with this window. */
  #round = 0;
  #gap = 0;
  #easing = firstEasing;
  #left = 0;
  #lastLeft = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #toldUntil = Number.NEGATIVE_INFINITY;
  /** The last request of the last burst. */
  #burstUpTo = 0;
  /** Bursts of refusals since the last clear answer. */
  #refusals = 0;
  #inFlight = 0;
  #queue: Promise<unknown> = Promise.resolve();
  /** Settled when a request or an item ends, and then made anew. */
  #change = Promise.withResolvers<void>();

  constructor(host: Pick<Host, 'elapsed' | 'sleep'>) {
    this.#host = host;
  }

  /** `--rate`. */
  limit({ perSecond }: { perSecond?: number | undefined }): void {
    this.#leastGap = perSecond === undefined ? 0 : 1000 / perSecond;
  }

  get window(): number {
    return this.#window;
  }

  get gaveUp(): boolean {
    return this.#refusals > refusalsAtMost;
  }

  /** Milliseconds. */
  get pause(): number {
    return Math.max(0, this.#pausedUntil - this.#host.elapsed());
  }

  /** Whether a person is to be told of a wait: one line stands for all that wait meanwhile. */
  isNews(wait: number): boolean {
    const now = this.#host.elapsed();
    if (now < this.#toldUntil) return false;
    this.#toldUntil = now + wait;
    return true;
  }

  /** Milliseconds. */
  get spacing(): number {
    return Math.max(this.#gap, this.#leastGap);
  }

  /** How many items may be at work: of requests that are spaced, each has to leave soon after the read on which it rests. */
  get #atWork(): number {
    return this.spacing === 0 ? this.#window : Math.min(this.#window, Math.max(1, Math.floor(soon / this.spacing)));
  }

  /** Resolves to the number of the request when it may leave. Rejects if interrupted. */
  departure(): Promise<number> {
    const leaves = this.#queue.then(() => this.#next());
    this.#queue = leaves.catch(() => {});
    return leaves;
  }

  /** While it waits, a refusal may postpone it, and a failure may shrink the window. */
  async #next(): Promise<number> {
    let waitedFor = Number.NEGATIVE_INFINITY;
    for (;;) {
      const moment = Math.max(this.#pausedUntil, this.#lastLeft + this.spacing);
      if (this.#inFlight >= this.#window) {
        await this.#change.promise;
      } else if (moment > Math.max(waitedFor, this.#host.elapsed())) {
        await this.#host.sleep(moment - this.#host.elapsed());
        // The pause is over now, whatever the clock says.
        waitedFor = moment;
      } else {
        break;
      }
    }
    this.#inFlight += 1;
    this.#left += 1;
    this.#lastLeft = this.#host.elapsed();
    return this.#left;
  }

  /** `asked`: Retry-After. Milliseconds. */
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
      // A service that refuses everything says nothing of a gap: then only the waits grow.
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
      this.#pausedUntil = Math.max(this.#pausedUntil, this.#host.elapsed() + backoff(this.#refusals, asked));
  }

  /**
   * The results of `act`, in the order of the items, for as many at a time as the window allows.
   * After an error no item begins; once all in flight have ended, the first is thrown.
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
      while (!failed && running >= Math.min(most, this.#atWork)) await this.#change.promise;
      if (failed) break;
      running += 1;
      results.push(act(item).catch(fail).finally(end));
    }
    await Promise.allSettled(results);
    if (failed) throw failed.by;
    return Promise.all(results);
  }
}
