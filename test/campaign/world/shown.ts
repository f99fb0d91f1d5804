/** How the service shows what it holds: late, from another replica, in pages, cut, with addresses and times in its own notation. */
import type { Clock } from './clock.ts';
import type { Fields, Session, Truth } from './truth.ts';

export type Showing = {
  /** Lists show what was there so many milliseconds ago. */
  lag?: number | undefined;
  /** Every second answer to a read comes from a machine that is behind by so many milliseconds. */
  replicaBehind?: number | undefined;
  /** Students on a page; undefined: all on one. */
  pageSize?: number | undefined;
  /** A list shows so many at the most, and does not say that there are more. */
  cut?: number | undefined;
  /** An address in an answer; undefined: the field is missing. */
  address?: ((address: string) => string | undefined) | undefined;
  /** A time in an answer. */
  time?: ((time: string) => string) | undefined;
};

export type Shown = { body: unknown; headers?: Record<string, string>; sessions: Session[] };

/** Reads of one service. `showing` may be changed while it is at work. */
export class Window {
  showing: Showing;
  readonly #truth: Truth;
  readonly #clock: Clock;
  #reads = 0;

  constructor(truth: Truth, clock: Clock, showing: Showing) {
    this.#truth = truth;
    this.#clock = clock;
    this.showing = showing;
  }

  /** One record, or undefined. */
  one(kind: 'exam' | 'session', id: number): Shown | undefined {
    const { exams, sessions } = this.#view(false);
    const found = kind === 'exam' ? exams.get(id) : sessions.get(id);
    return found && { body: this.dressed(found), sessions: kind === 'session' ? [found as Session] : [] };
  }

  exams(query: URLSearchParams): Shown {
    return this.#page([...this.#view(true).exams.values()], query, false);
  }

  sessions(exam: number | undefined, query: URLSearchParams): Shown {
    const all = [...this.#view(true).sessions.values()];
    return this.#page(exam === undefined ? all : all.filter(({ exam_id }) => exam_id === exam), query, true);
  }

  /** A record as an answer spells it. */
  dressed(record: Fields): Fields {
    const { address, time } = this.showing;
    return Object.fromEntries(
      Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
        if (typeof value !== 'string') return [[name, value]];
        if (name === 'email' && address) {
          const shown = address(value);
          return shown === undefined ? [] : [[name, shown]];
        }
        return [[name, name.endsWith('_time') && time ? time(value) : value]];
      }),
    );
  }

  #view(isList: boolean) {
    const { lag = 0, replicaBehind = 0 } = this.showing;
    this.#reads += 1;
    const behind = Math.max(isList ? lag : 0, this.#reads % 2 === 0 ? replicaBehind : 0);
    return behind === 0 ? this.#truth : this.#truth.asOf(this.#clock.now() - behind);
  }

  #page(all: Fields[], query: URLSearchParams, ofSessions: boolean): Shown {
    const { pageSize, cut } = this.showing;
    const sorted = all.toSorted((one, other) => Number(one.id) - Number(other.id)).slice(0, ofSessions ? cut : undefined);
    const size = ofSessions ? pageSize : undefined;
    const page = size === undefined ? 1 : Number(query.get('page') ?? 1);
    const pages = size === undefined ? 1 : Math.max(1, Math.ceil(sorted.length / size));
    const items = size === undefined ? sorted : sorted.slice((page - 1) * size, page * size);
    const headers = { 'x-pagination-current-page': String(page), 'x-pagination-page-count': String(pages) };
    return {
      body: items.map((item) => this.dressed(item)),
      sessions: ofSessions ? (items as Session[]) : [],
      ...(size === undefined ? {} : { headers }),
    };
  }
}
