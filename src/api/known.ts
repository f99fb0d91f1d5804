/**
 * The exams and sessions that the service has shown lately, each with its moment: by them a write is judged, and only while they
 * are young enough may it leave (`src/runs`). One for all clients of a service in a command.
 */
import type { Host } from '../host/host.ts';
import { type IdType, idTypeOf } from '../model/id.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { Sentence } from '../text/sentence.ts';
import type { Moments } from './answer.ts';
import type { Resource } from './operations.ts';

/** A moment by both clocks of this machine: the wall clock may be set, the other one stands still while the machine sleeps. */
export type Moment = { wall: number; elapsed: number };
type Clock = Pick<Host, 'now' | 'elapsed'>;

export function momentOf(clock: Clock): Moment {
  return { wall: clock.now(), elapsed: clock.elapsed?.() ?? 0 };
}

/** How long ago that was: the larger of the two clocks' answers. Milliseconds. */
export function ageOfMoment({ wall, elapsed }: Moment, clock: Clock): number {
  return Math.max(clock.now() - wall, (clock.elapsed?.() ?? 0) - elapsed);
}

/** A resource that an answer showed by itself, with its Date header and what places that. */
export type Shown = Moments & { data: JsonObject; date: string | undefined; at: Moment };
export type KnownResource = 'exam' | 'session';

/** Answers that are remembered. */
const rememberedAtMost = 256;

export class Known {
  /** Whether it was said that the clocks of the service and of this machine differ. */
  clockIsNamed = false;
  /** The first answer that was a copy from a cache, in words. */
  copy: Sentence | undefined;
  hasWritten = false;
  readonly #shown = new Map<string, Shown>();
  readonly #idTypes = new Map<Resource, IdType>();

  /** Remembers the type of the ID. */
  sawId(resource: Resource, item: Json | undefined): void {
    const type = isJsonObject(item) ? idTypeOf(item.id) : undefined;
    if (type) this.#idTypes.set(resource, type);
  }

  /** The type of the resource's IDs as last shown; undefined where none was. */
  idType(resource: Resource): IdType | undefined {
    return this.#idTypes.get(resource);
  }

  saw(resource: KnownResource, id: string, shown: Shown): void {
    const key = `${resource} ${id}`;
    this.#shown.delete(key);
    this.#shown.set(key, shown);
    const [oldest = ''] = this.#shown.keys();
    if (this.#shown.size > rememberedAtMost) this.#shown.delete(oldest);
  }

  shown(resource: KnownResource, id: string): Shown | undefined {
    return this.#shown.get(`${resource} ${id}`);
  }

  /** What is about to change will not be as it was shown. */
  forget(resource: KnownResource, id: string): void {
    this.#shown.delete(`${resource} ${id}`);
  }
}
