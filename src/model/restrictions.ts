/**
 * The four restrictions of an exam (specification 2.1, rules 1 and 2). Version 1.x resets every restriction
 * missing from an update, so an update that names one must carry all four. This module sends nothing; it only
 * decides which values to send.
 */
import { booleanIn } from './json.ts';

export const restrictionKeys = ['allow_headphones', 'allow_whiteboard', 'allow_leave_room', 'allow_pen_paper'] as const;
export type RestrictionKey = (typeof restrictionKeys)[number];
export type Restrictions = Record<RestrictionKey, boolean>;

/** The restrictions that a record carries as true or false, in any form of `booleanIn`; others are left out. */
export function restrictionsOf(record: Record<string, unknown>): Partial<Restrictions> {
  const known = restrictionKeys.filter((key) => booleanIn(record[key]) !== undefined);
  return Object.fromEntries(known.map((key) => [key, booleanIn(record[key])])) as Partial<Restrictions>;
}

/** The restrictions that a record lacks. */
export function missingRestrictions(record: Record<string, unknown>): RestrictionKey[] {
  return restrictionKeys.filter((key) => booleanIn(record[key]) === undefined);
}

/** Whether an update names some restrictions but not all: version 1.x would reset the others. */
export function wouldResetRestrictions(body: Record<string, unknown>): boolean {
  const given = restrictionKeys.filter((key) => Object.hasOwn(body, key)).length;
  return given > 0 && given < restrictionKeys.length;
}
