/**
 * The records of a change's journal: first each session with its old and its new close_time,
 * then, step by step, each request before it is sent and its outcome. Session IDs and
 * times only: no name, no address, no token.
 */

import type { IdType } from '../../model/id.ts';
import { isJsonObject, type Json } from '../../model/json.ts';
import { type Format, isCount, isIdTypeIfAny, isOneOf, isTextIfAny } from '../../state/journal/format.ts';
import { type CloseTime, isCloseTime } from './close-time.ts';

export const version = 1;

export type ChangeHeader = {
  /** The format's version. */
  journal: typeof version;
  change: string;
  origin: string;
  /** What was asked for, in words: `extend by 30m`. */
  what: string;
  /** The exam whose sessions were chosen; absent where they were named one by one. */
  exam?: string;
  /** The JSON type of the exam's ID, where the service has shown it. */
  ids?: IdType;
};

/** `ids`: the JSON type of the session's ID; absent in journals of earlier versions. */
export type PlannedMove = { session: string; ids?: IdType; old: CloseTime; new: CloseTime };

/** The end of the plan: from here on requests may have left. */
export type PlanEnd = { planned: number };

export const steps = ['set', 'undo'] as const;
/** `set`: from old to new; `undo`: from new to old. */
export type ExtendStep = (typeof steps)[number];

/**
 * What is known of a session's step. `begun`: its request may have been sent. `done`: the service shows
 * the value. `failed`: it provably does not. `unknown`: the outcome is unknown. `left`: the session had another
 * value than the one to be replaced, or is gone, so that nothing was sent and nothing is to be done.
 */
export const standings = ['begun', 'done', 'failed', 'unknown', 'left'] as const;
export type MoveState = (typeof standings)[number];

export type Mark = { session: string; step: ExtendStep; is: MoveState };

export type ChangeRecord = PlannedMove | PlanEnd | Mark;

export const changeFormat: Format<ChangeHeader, ChangeRecord> = { version, isHeader, isRecord };

function isHeader(value: Json): value is ChangeHeader {
  if (!isJsonObject(value) || value.journal !== version) return false;
  return (
    [value.change, value.origin, value.what].every((text) => typeof text === 'string') &&
    isTextIfAny(value.exam) &&
    isIdTypeIfAny(value.ids)
  );
}

function isRecord(value: Json): value is ChangeRecord {
  if (!isJsonObject(value)) return false;
  if (value.planned !== undefined) return isCount(value.planned);
  if (typeof value.session !== 'string') return false;
  if (value.step === undefined) return isCloseTime(value.old) && isCloseTime(value.new) && isIdTypeIfAny(value.ids);
  return isOneOf(steps, value.step) && isOneOf(standings, value.is);
}
