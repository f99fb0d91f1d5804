/**
 * The records of a change's journal: first each move with its old and its new times, then, step by step,
 * each request before it is sent and its outcome. They hold IDs and times only: no name, no address, no
 * token. Version 1 knew only the close_time of sessions; its journals are still read, resumed and undone,
 * and keep their form.
 */

import type { IdType } from '../../model/id.ts';
import { isJsonObject, type Json } from '../../model/json.ts';
import { type Format, isCount, isIdTypeIfAny, isOneOf, isTextIfAny } from '../../state/journal/journal-format.ts';
import { type ChangedFields, isTimeValue, type TimeValue } from './value.ts';

export const version = 2;

export type ChangeHeader = {
  /** The format's version. */
  journal: 1 | 2;
  change: string;
  origin: string;
  /** What was requested, in words: `extend by 30m`. */
  what: string;
  /** The kind of change (`changeWords`); absent in version 1, which knew extensions only. */
  kind?: string;
  /** The exam whose sessions were selected; absent if they were named one by one, or belong to several exams. */
  exam?: string;
  /** The JSON type of the exam's ID, if the service has shown it. */
  ids?: IdType;
  /** The reason for writing during an exam. */
  reason?: string;
};

export const resources = ['session', 'exam'] as const;
/** The resource of a move. */
export type MovedResource = (typeof resources)[number];

/**
 * One request of the plan. `ids`: the JSON type of the ID. `exam`: the exam it belongs to, if known.
 * `phase`: it waits for all moves of the same exam with a lower phase; 1 if absent.
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
 * A move as written in a line: each time as field, old and new. Arrays, because a nested object would end
 * with the same bytes as a line, and a torn line would look like a damaged one.
 */
export type MoveRecord = Omit<PlannedMove, 'fields'> & { times: [field: string, old: TimeValue, new: TimeValue][] };

export function moveRecord({ fields, ...move }: PlannedMove): MoveRecord {
  return { ...move, times: Object.entries(fields).map(([field, { old, new: next }]) => [field, old, next]) };
}

/** The end of the plan: requests may have been sent after it. */
export type PlanEnd = { planned: number };

export const steps = ['set', 'undo'] as const;
/** `set`: from old to new; `undo`: from new to old. */
export type ChangeStep = (typeof steps)[number];

/**
 * The state of a step of a move. `begun`: its request may have been sent. `done`: the service shows the
 * values. `failed`: it provably does not. `unknown`: the outcome is unknown. `left`: the resource has
 * other values than those to be replaced, or is gone; nothing was sent and nothing remains to be done.
 */
export const standings = ['begun', 'done', 'failed', 'unknown', 'left'] as const;
export type MoveState = (typeof standings)[number];

/**
 * `move`: its number in the plan, from 1. `made`: the move's session in another exam, as named by an
 * answer or a listing. `proven`: a read has shown it to be the student's.
 */
export type Mark = { move: number; step: ChangeStep; is: MoveState; made?: string; proven?: true };

/** Version 1: a session's close_time, and its outcome. */
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
