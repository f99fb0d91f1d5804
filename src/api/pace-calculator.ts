/**
 * How many requests may be in flight and how soon the next one may leave, from what the service answered: a pure function of
 * state and event. The window grows and is halved by what failed; the rate appears with the first 429 and is lowered by later ones.
 * It knows neither a clock nor a connection, so tests run it against simulated services in virtual time.
 */

/** At first, few enough for a small service; three rounds later there are 64. */
export const firstWindow = 8;
/** Beyond this, requests only wait in the service's queue. */
export const windowCap = 64;
/** The wait after a failure that names no wait, doubled with each further failure in a row: short, as most limits are per second. Milliseconds. */
const firstWait = 250;
/** The longest wait, even if Retry-After asks for more: twice as long as a limit per minute lasts. Milliseconds. */
const longestWait = 120_000;
/** Refusals or failures of one request in a row after which a service counts as away: after four minutes of waits. */
export const waitsAtMost = 10;
/** The part of the rate that remains after a later burst: low enough that the next burst is far away. */
const leftByBurst = 0.8;
/** However often it refuses, a service is asked again within five seconds: slower, a command would seem to stand still. Requests a second. */
const leastRate = 0.2;
/** By how much a clear answer raises the rate at first, in requests a second: it doubles within two seconds. */
const firstGain = 0.5;
/** Each burst halves that gain, down to this: from a burst to the next there are twenty seconds and more. */
const leastGain = 0.01;

/** How many of these requests may be in flight. A few are sent one by one: that is fast enough, and a failure concerns one request only. */
export function atOnce(requests: number): number {
  return requests > 2 * firstWindow ? requests : 1;
}

/** The wait before the n-th further attempt, from 1. `asked`: Retry-After. Milliseconds. */
export function backoff(attempt: number, asked?: number): number {
  return Math.min(asked ?? firstWait * 2 ** (attempt - 1), longestWait);
}

/** Times are in milliseconds, rates in requests a second. */
export type PaceState = {
  /** How many items may be worked on at once, and never more than `cap`. */
  readonly window: number;
  readonly cap: number;
  /** Nothing has failed yet, so each round doubles the window. */
  readonly doubles: boolean;
  /** Clear answers in this round, which has as many as the window. */
  readonly round: number;
  /** The rate that the refusals have taught; infinite before the first refusal. `most`: the value of --rate. */
  readonly rate: number;
  readonly most: number;
  readonly gain: number;
  /** Clear answers since `second` began, and in the second before it. */
  readonly second: number;
  readonly answered: number;
  readonly answeredBefore: number;
  /** How many requests have left, when the last request left, and until when no request may leave. */
  readonly left: number;
  readonly lastLeft: number;
  readonly notBefore: number;
  /** Requests up to this number belong to a burst of refusals, or of failures, that has had its effect. */
  readonly refusedUpTo: number;
  readonly failedUpTo: number;
  /** Bursts of refusals since the last clear answer. */
  readonly waits: number;
};

/** `request`: its number. `paced`: the rate had it wait. `asked`: Retry-After, in milliseconds. */
export type PaceEvent =
  | { readonly is: 'left'; readonly at: number }
  | { readonly is: 'answered'; readonly at: number; readonly paced: boolean }
  | { readonly is: 'refused' | 'failed'; readonly at: number; readonly request: number; readonly asked?: number | undefined };

/** `cap`: of --concurrency; `most`: of --rate. */
export function startOfPace({ cap = windowCap, most = Number.POSITIVE_INFINITY }: { cap?: number; most?: number } = {}): PaceState {
  const never = Number.NEGATIVE_INFINITY;
  return {
    window: Math.min(firstWindow, cap),
    cap,
    doubles: true,
    round: 0,
    rate: Number.POSITIVE_INFINITY,
    most,
    gain: 2 * firstGain,
    second: never,
    answered: 0,
    answeredBefore: 0,
    left: 0,
    lastLeft: never,
    notBefore: never,
    refusedUpTo: 0,
    failedUpTo: 0,
    waits: 0,
  };
}

export function rateOf({ rate, most }: PaceState): number {
  return Math.min(rate, most);
}

/** When the next request may leave. */
export function nextLeaves(state: PaceState): number {
  return Math.max(state.notBefore, state.lastLeft + 1000 / rateOf(state));
}

export function paceAfter(state: PaceState, event: PaceEvent): PaceState {
  switch (event.is) {
    case 'left':
      return { ...state, left: state.left + 1, lastLeft: event.at };
    case 'answered':
      return { ...grown(counted(state, event.at, 1)), rate: event.paced ? state.rate + state.gain : state.rate, waits: 0 };
    case 'failed': {
      const held = pausedUntil(state, event.asked === undefined ? undefined : event.at + backoff(1, event.asked));
      if (event.request <= state.failedUpTo) return held;
      return { ...held, window: Math.max(1, state.window >> 1), doubles: false, round: 0, failedUpTo: state.left };
    }
    case 'refused': {
      const isNew = event.request > state.refusedUpTo;
      const waits = state.waits + (isNew ? 1 : 0);
      const wait = event.asked !== undefined || isNew ? event.at + backoff(waits, event.asked) : undefined;
      const held = pausedUntil(state, wait);
      if (!isNew) return held;
      const now = { ...counted(held, event.at, 0), waits, refusedUpTo: state.left };
      // A service that refuses all says nothing of a rate: the waits grow.
      if (state.waits > 0) return now;
      return { ...now, rate: rateAfterBurst(now, event.at), gain: Math.max(leastGain, state.gain / 2) };
    }
  }
}

/** The first burst shows what the service takes in a second, unless it is too little to tell; later ones, that it is less than what was sent. */
function rateAfterBurst(state: PaceState, now: number): number {
  if (Number.isFinite(state.rate)) return Math.max(leastRate, leftByBurst * state.rate);
  return Math.max(1000 / firstWait, state.answered + state.answeredBefore * (1 - (now - state.second) / 1000));
}

function grown(state: PaceState): PaceState {
  const { window, cap, doubles } = state;
  if (state.round + 1 < window) return { ...state, round: state.round + 1 };
  return { ...state, window: Math.min(cap, doubles ? 2 * window : window + 1), round: 0 };
}

function counted(state: PaceState, now: number, answers: number): PaceState {
  const since = now - state.second;
  if (since < 1000) return { ...state, answered: state.answered + answers };
  const second = since < 2000 ? state.second + 1000 : now;
  return { ...state, second, answered: answers, answeredBefore: since < 2000 ? state.answered : 0 };
}

function pausedUntil(state: PaceState, moment: number | undefined): PaceState {
  return moment === undefined || moment <= state.notBefore ? state : { ...state, notBefore: moment };
}
