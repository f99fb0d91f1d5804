/**
 * The exams and sessions that the service has shown lately, each with its moment: by them a write is judged, and only while they
 * are young enough may it leave (`src/runs`). One for all clients of a service in a command.
 */
import type { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { type IdType, idTypeOf } from '../model/id.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { Resource } from './operations.ts';
import type { Request } from './request.ts';

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

/** A resource that an answer showed by itself; `ahead`: the service's clock. */
export type Shown = { data: JsonObject; at: Moment; ahead: number | undefined };
export type KnownResource = 'exam' | 'session';

export class Known {
  /** Whether it was said that the clocks of the service and of this machine differ. */
  clockIsNamed = false;
  /** The error for the first answer that was a copy from a cache. */
  copy: CliError | undefined;
  /** What has left and may have been carried out, the last one at the end. */
  readonly written = new Set<Request>();
  readonly #shown = new Map<string, Shown>();
  /** The type of each resource's IDs, as last shown. */
  readonly idTypes = new Map<Resource, IdType>();

  sawId(resource: Resource, item: Json | undefined): void {
    const type = isJsonObject(item) ? idTypeOf(item.id) : undefined;
    if (type) this.idTypes.set(resource, type);
  }

  saw(resource: KnownResource, id: string, shown: Shown): void {
    this.#shown.set(`${resource} ${id}`, shown);
  }

  shown(resource: KnownResource, id: string): Shown | undefined {
    return this.#shown.get(`${resource} ${id}`);
  }

  /** What is about to change will not be as it was shown. */
  forget(resource: KnownResource, id: string): void {
    this.#shown.delete(`${resource} ${id}`);
  }
}
