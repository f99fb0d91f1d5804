/** What the service has shown, and when. */
import type { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { type IdType, idOf, idTypeOf, isJsonObject, type Json, type JsonObject, stringifyJson } from '../model/json.ts';
import type { AnsweredResource, Request } from './operations.ts';

/** A time by two clocks: the wall clock may be set, and the other one may stop while the machine sleeps. */
export type Moment = { wall: number; elapsed: number };

export function momentOf(clock: Pick<Host, 'now' | 'elapsed'>): Moment {
  return { wall: clock.now(), elapsed: clock.elapsed() };
}

/** Milliseconds, by the clock that says more. */
export function ageOfMoment({ wall, elapsed }: Moment, clock: Pick<Host, 'now' | 'elapsed'>): number {
  return Math.max(clock.now() - wall, clock.elapsed() - elapsed);
}

/** A resource that its own GET showed; `clockAheadMs`: as in `Reply`. */
export type Shown = { data: JsonObject; at: Moment; clockAheadMs: number | undefined };

/** What the service has shown. Runs judge a write by it, and send it while that is young. */
export class Known {
  clockIsNamed = false;
  /** The service's clock, as its last answer showed it. Milliseconds since 1970. */
  date: number | undefined;
  /** The error of the first answer that came from a cache: nothing that rests on it is sent. */
  cached: CliError | undefined;
  /** The writes that may have been carried out, in the order of sending. */
  readonly written = new Set<Request>();
  readonly #shown = new Map<string, Shown>();
  readonly idTypes = new Map<AnsweredResource, IdType>();

  sawId(resource: AnsweredResource, item: Json | undefined): void {
    const type = isJsonObject(item) ? idTypeOf(item.id) : undefined;
    if (type) this.idTypes.set(resource, type);
  }

  saw(resource: AnsweredResource, id: string, shown: Shown): void {
    this.#shown.set(`${resource} ${id}`, shown);
  }

  shown(resource: AnsweredResource, id: string): Shown | undefined {
    return this.#shown.get(`${resource} ${id}`);
  }

  forget(resource: AnsweredResource, id: string): void {
    this.#shown.delete(`${resource} ${id}`);
  }

  /** Forgets the earlier read of a record of which a list now shows other values. */
  sawListed(resource: AnsweredResource, item: JsonObject): void {
    const key = `${resource} ${idOf(item) ?? ''}`;
    const { data = {} } = this.#shown.get(key) ?? {};
    const isOther = ([field, value]: [string, Json]) =>
      Object.hasOwn(item, field) && stringifyJson(item[field] ?? null) !== stringifyJson(value);
    if (Object.entries(data).some(isOther)) this.#shown.delete(key);
  }
}
