/**
 * The records of a change's journal: first each move with its old and its new times, then, step by
 * step, each request before it is sent and its outcome. IDs and times only: no name, no address, no
 * token. Version 1 knew the close_time of sessions only; its journals are read, resumed and undone, and
 * keep their form to the end.
 */

import type { IdType } from '../../model/id.ts';
import { isJsonObject, type Json } from '../../model/json.ts';
import { type Format, isCount, isIdTypeIfAny, isOneOf, isTextIfAny } from '../../state/journal/format.ts';
import { type ChangedFields, isTimeValue, type TimeValue } from './value.ts';

export const version = 2;

export type ChangeHeader = {
  /** The format's version. */
  journal: 1 | 2;
  change: string;
  origin: string;
  /** What was asked for, in words: `extend by 30m`. */
  what: string;
  /** The kind of change (`changeWords`); absent in version 1, which knew extensions only. */
  kind?: string;
  /** The exam whose sessions were chosen; absent where they were named one by one, or belong to several. */
  exam?: string;
  /** The JSON type of the exam's ID, where the service has shown it. */
  ids?: IdType;
  /** Why it was let through during an exam. */
  reason?: string;
};

export const resources = ['session', 'exam'] as const;
/** What a move is about. */
export type MovedResource = (typeof resources)[number];

/**
 * One request of the plan. `ids`: the JSON type of the ID. `exam`: the exam it belongs to, as far as it is known.
 * `phase`: it waits for all moves of the same exam with a lower one; 1 where it is absent.
 */
export type PlannedMove = {
  kind: MovedResource;
  id: string;
  ids?: IdType;
  exam?: string;
  fields: ChangedFields;
  phase?: number;
};

/**
 * A move as a line has it: each time as field, old and new. Arrays, because an object within the line would end with
 * what ends a line, and a torn line could not be told from a damaged one.
 */
export type MoveRecord = Omit<PlannedMove, 'fields'> & { times: [field: string, old: TimeValue, new: TimeValue][] };

export function moveRecord({ fields, ...move }: PlannedMove): MoveRecord {
  return { ...move, times: Object.entries(fields).map(([field, { old, new: next }]) => [field, old, next]) };
}

/** The end of the plan: from here on requests may have left. */
export type PlanEnd = { planned: number };

export const steps = ['set', 'undo'] as const;
/** `set`: from old to new; `undo`: from new to old. */
export type ChangeStep = (typeof steps)[number];

/**
 * What is known of a step of a move. `begun`: its request may have been sent. `done`: the service shows the
 * values. `failed`: it provably does not. `unknown`: the outcome is unknown. `left`: there were other values
 * than those to be replaced, or the resource is gone, so that nothing was sent and nothing is to be done.
 */
export const standings = ['begun', 'done', 'failed', 'unknown', 'left'] as const;
export type MoveState = (typeof standings)[number];

/**
 * `move`: its number in the plan, from 1. `made`: the session of the move in another exam, as an answer or a listing has
 * named it. `proven`: a read has shown it to be the student's.
 */
export type Mark = { move: number; step: ChangeStep; is: MoveState; made?: string; proven?: true };

/** Version 1: a session's close_time, and what became of it. */
type PlannedClosing = { session: string; ids?: IdType; old: TimeValue; new: TimeValue };
type ClosingMark = { session: string; step: ChangeStep; is: MoveState };

export type ChangeRecord = MoveRecord | PlanEnd | Mark | PlannedClosing | ClosingMark;

export const changeFormat: Format<ChangeHeader, ChangeRecord> = { version, isHeader, isRecord };

function isHeader(value: Json): value is ChangeHeader {
  if (!isJsonObject(value) || (value.journal !== 1 && value.journal !== version)) return false;
  return (
    [value.change, value.origin, value.what].every((text) => typeof text === 'string') &&
    [value.exam, value.kind, value.reason].every(isTextIfAny) &&
    isIdTypeIfAny(value.ids)
  );
}

function isRecord(value: Json): value is ChangeRecord {
  if (!isJsonObject(value)) return false;
  if (value.planned !== undefined) return isCount(value.planned);
  const isMark = isOneOf(steps, value.step) && isOneOf(standings, value.is);
  if (value.move !== undefined)
    return isCount(value.move) && isMark && isTextIfAny(value.made) && (value.proven === undefined || value.proven === true);
  if (value.step !== undefined) return typeof value.session === 'string' && isMark;
  if (!isIdTypeIfAny(value.ids)) return false;
  if (typeof value.session === 'string') return isTimeValue(value.old) && isTimeValue(value.new);
  return (
    isOneOf(resources, value.kind) &&
    typeof value.id === 'string' &&
    isTextIfAny(value.exam) &&
    (value.phase === undefined || isCount(value.phase)) &&
    Array.isArray(value.times) &&
    value.times.every(isTime)
  );
}

function isTime(value: Json): boolean {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [field, old, next] = value;
  return typeof field === 'string' && isTimeValue(old) && isTimeValue(next);
}
