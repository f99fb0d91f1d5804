/**
 * The one pacer of a command: every request of any client waits here until it may leave, and every answer is reported here. It
 * also works through many items, as many at a time as the window allows. `pace-calculator.ts` computes what the answers mean; this
 * file has the clock and the waiting.
 */
import type { Host } from '../host/host.ts';
import { nextLeaves, type PaceEvent, type PaceState, paceAfter, rateOf, startOfPace, waitsAtMost } from './pace-calculator.ts';

/** A request that has left. `prepared`: before its moment; `paced`: the rate had it wait; `isOver`: it has ended. */
export type Departure = { readonly number: number; readonly prepared: boolean; readonly paced: boolean; isOver: boolean };

/** How a request ended: with a clear answer, refused (429), with a failure that too many requests may cause, or in another way. */
export type RequestEnd = 'answered' | 'refused' | 'failed' | 'nothing';

export type PaceHost = Pick<Host, 'now' | 'sleep'>;

export class Pacer {
  readonly #host: PaceHost;
  #state: PaceState = startOfPace();
  #takesLimits = false;
  #now = 0;
  #told = Number.NEGATIVE_INFINITY;
  /** Settled when the last request in the queue has left, or has been given up. */
  #queue: Promise<void> = Promise.resolve();
  #queued = 0;
  #inFlight = 0;
  /** Called when a request has ended. */
  #freed: () => void = () => {};
  /** Begins further items, of each call of `each`. */
  readonly #fill = new Set<() => void>();

  constructor(host: PaceHost) {
    this.#host = host;
  }

  /** `atOnce`: the value of --concurrency; `perSecond`: that of --rate. To be called before the first request. */
  limit({ atOnce, perSecond }: { atOnce?: number | undefined; perSecond?: number | undefined }): void {
    const limits = { ...(atOnce === undefined ? {} : { cap: atOnce }), ...(perSecond === undefined ? {} : { most: perSecond }) };
    const { window, cap, most } = startOfPace(limits);
    this.#state = { ...this.#state, window, cap, most };
    this.#takesLimits = true;
  }

  /** How many requests may be in flight by now; undefined where the command takes no --concurrency. */
  get limitedWindow(): number | undefined {
    return this.#takesLimits ? this.#state.window : undefined;
  }

  /** Whether the service is given up: it has refused too many requests in a row. */
  get gaveUp(): boolean {
    return this.#state.waits > waitsAtMost;
  }

  /** How long no request may leave. Milliseconds. */
  get pause(): number {
    return Math.max(0, this.#state.notBefore - this.#time());
  }

  /**
   * Resolves when the next request may leave: one after the other, with no more in flight than the window has. Rejects when the
   * command is interrupted while it waits for its moment.
   *
   * `prepare`: what takes its time before the request is sent. Where a rate spaces the requests, the next one in line prepares before
   * its moment, so that they are not pushed together; the others have nothing prepared. Without a rate it is left to the caller.
   */
  async departure(prepare?: () => Promise<void>): Promise<Departure> {
    const waits = this.#queued > 0 || this.#nextLeaves() !== undefined;
    if (!waits && !this.isPaced) return this.#leave({ prepared: false, paced: false });
    const before = this.#queue;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#queue = promise;
    this.#queued += 1;
    try {
      await before;
      const prepared = this.isPaced;
      if (prepared) await prepare?.();
      // Meanwhile a refusal may postpone this request, and a failure may shrink the window.
      for (let next = this.#nextLeaves(); next !== undefined; next = this.#nextLeaves()) {
        if (next === 'room') await this.#whenFreed();
        else {
          await this.#host.sleep(next - this.#now);
          // The wait is over, whatever the clock says.
          this.#now = Math.max(this.#time(), next);
        }
      }
      return this.#leave({ prepared, paced: waits && prepared });
    } finally {
      this.#queued -= 1;
      resolve();
    }
  }

  /** Only the first call for a departure counts. `asked`: Retry-After. Milliseconds. */
  ended(departure: Departure, is: RequestEnd, asked?: number): void {
    if (departure.isOver) return;
    departure.isOver = true;
    this.#inFlight -= 1;
    if (is !== 'nothing') this.#learn(departure, is, asked);
    this.#freed();
  }

  #learn({ number: request, paced }: Departure, is: PaceEvent['is'] & RequestEnd, asked: number | undefined) {
    const at = this.#time();
    this.#after(is === 'answered' ? { is, at, paced } : { is, at, request, asked });
    for (const fill of this.#fill) fill();
  }

  /**
   * Calls `act` for one item after another, for as many at a time as the window allows, and at most `most`. After an error no
   * further item begins, and it rejects with that error once those in flight have ended.
   */
  each<T>(items: Iterable<T>, act: (item: T) => Promise<unknown>, most = Number.POSITIVE_INFINITY): Promise<void> {
    const left = items[Symbol.iterator]();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let [running, isOver] = [0, false];
    let failed: { by: unknown } | undefined;
    const end = (by?: { by: unknown }) => {
      running -= 1;
      failed ??= by;
      fill();
    };
    const begin = async (item: T) => act(item);
    const fill = () => {
      while (!isOver && !failed && running < Math.min(most, this.#state.window)) {
        const { done = false, value } = left.next();
        isOver = done;
        if (done) break;
        running += 1;
        begin(value).then(
          () => end(),
          (by: unknown) => end({ by }),
        );
      }
      if (running > 0 || !(isOver || failed)) return;
      this.#fill.delete(fill);
      if (failed) reject(failed.by);
      else resolve();
    };
    this.#fill.add(fill);
    fill();
    return promise;
  }

  /** The results of `act`, in the order of the items. Otherwise as `each`. */
  async map<T, R>(items: readonly T[], act: (item: T) => Promise<R>, most?: number): Promise<R[]> {
    const results: R[] = [];
    const put = async ([at, item]: [number, T]) => {
      results[at] = await act(item);
    };
    await this.each(items.entries(), put, most);
    return results;
  }

  /** Whether a rate spaces the requests: --rate, or what the service has refused. */
  get isPaced(): boolean {
    return Number.isFinite(rateOf(this.#state));
  }

  #leave(how: Pick<Departure, 'prepared' | 'paced'>): Departure {
    this.#after({ is: 'left', at: this.#time() });
    this.#inFlight += 1;
    return { number: this.#state.left, ...how, isOver: false };
  }

  /** When the next request may leave, or that the window must have room first; undefined: now. */
  #nextLeaves(): number | 'room' | undefined {
    if (this.#inFlight >= this.#state.window) return 'room';
    const next = nextLeaves(this.#state);
    return next > this.#time() ? next : undefined;
  }

  #whenFreed(): Promise<void> {
    return new Promise((resolve) => {
      this.#freed = resolve;
    });
  }

  #after(event: PaceEvent) {
    this.#state = paceAfter(this.#state, event);
  }

  /** A clock that never goes back: if somebody sets the machine's clock back, a wait must not last longer. */
  #time(): number {
    const told = this.#host.now();
    this.#now += Number.isFinite(this.#told) ? Math.max(0, told - this.#told) : 0;
    this.#told = told;
    return this.#now;
  }
}
