/**
 * What gives an exam other values, as steps: its settings, with all four restrictions where it names one; its times; and the windows of
 * their own that students have, which move along. What gives more goes first, what takes away goes last: at each request, and wherever a
 * run is stopped, every student has the whole old window or the whole new one.
 */
import { operations } from '../../api/operations.ts';
import { CliError } from '../../errors.ts';
import {
  along,
  type ExamTime,
  examTimes,
  missingRestrictions,
  restrictionKeys,
  restrictionsOf,
  wouldResetRestrictions,
} from '../../model/fields.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { booleanIn, type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import type { Reading } from '../../model/listing.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { type Phase, phaseOf } from '../../model/status.ts';
import { formatTime, instantOf, type TimeFormat } from '../../model/time.ts';
import { movedEnd } from '../../model/typed-time.ts';
import type { Step } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { replacedBy } from '../writes/single-writes.ts';

type Session = Reading['sessions'][number];

export type ExamChange = {
  id: string;
  shown: JsonObject;
  /** Its students, where its times change. */
  reading: Reading | undefined;
  /** The new values, as they are sent. */
  wanted: JsonObject;
  /** All of them are sent in one PUT, after the windows have moved. */
  put?: boolean;
  zone: string;
  timeFormat: TimeFormat;
};

/** The times of the exam that move, and windows with them: from one instant to another. */
export function movedTimes(wanted: JsonObject, shown: JsonObject): ExamTime[] {
  return examTimes.filter((field) => {
    const [from, to] = [instantOf(shown[field]), instantOf(wanted[field])];
    return from !== undefined && to !== undefined && from !== to;
  });
}

/** `first`: the index of the first of them in the plan. Throws `invalid_input` for a window that cannot move along, or would never be open. */
export function examChange(change: ExamChange, first = 0): Step[] {
  const { id, shown, reading, wanted, put = false } = change;
  const { sent, expects: kept } = withRestrictions(id, shown, wanted);
  const moved = movedTimes(wanted, shown);
  const steps: Step[] = [];
  const addPatch = (body: JsonObject, now: JsonObject, isPut = false) => {
    if (Object.keys(body).length === 0) return;
    const times = moved.length === 0 ? [] : examTimes.filter((field) => moved.includes(field) || !Object.hasOwn(wanted, field));
    const restrictions = Object.keys(kept).filter((key) => Object.hasOwn(body, key));
    const relied = Object.fromEntries([...times, ...restrictions].map((field) => [field, now[field] ?? null]));
    const named = Object.fromEntries([...restrictionKeys, ...Object.keys(body)].map((field) => [field, null]));
    const after = steps.map((_, at) => first + at);
    const operation = isPut ? operations.putExam : operations.patchExam;
    const always = isPut || undefined;
    steps.push({ operation, params: { id }, exam: id, body, expects: relied, before: replacedBy(named, now), after, always });
  };
  // Clocks turn an exam round that begins in an hour which they show twice.
  if (isOpen(shown) && !isOpen({ ...shown, ...wanted })) {
    const set = typedCommand('exams update', [id], '--start TIME --end TIME');
    const hint = sentence`Nothing was sent. Give both of its times: proctor-cli ${set}`;
    throw new CliError('invalid_input', sentence`Exam ${id} would end before it starts.`, { hint });
  }
  const windows: [session: Session, body: JsonObject][] = [];
  for (const session of reading?.sessions ?? []) {
    const body = windowOf(session, moved, change);
    if (Object.keys(body).length > 0) windows.push([session, body]);
  }
  if (windows.length === 0) {
    addPatch(sent, shown, put);
    return steps;
  }
  const takes = takenIn(sent, shown, moved);
  const isFirst = (field: string) => (takes.size === 0 && !put) || (moved.some((time) => time === field) && !takes.has(field));
  const wider = Object.fromEntries(Object.entries(sent).filter(([field]) => isFirst(field)));
  const widened = { ...shown, ...wider };
  addPatch(wider, shown);
  const after = steps.map((_, at) => first + at);
  const expectsExam = { start_time: widened.start_time ?? null, end_time: widened.end_time ?? null };
  for (const [{ id: session = '', email, data }, body] of windows) {
    const of = { operation: operations.patchSession, params: { id: session }, exam: id, email, body };
    // A student who has begun the exam keeps the start.
    const unless: Phase[] = Object.hasOwn(body, along.start_time) ? ['writing', 'finished'] : ['finished'];
    steps.push({ ...of, expects: replacedBy(body, data), expectsExam, unless, after });
  }
  const rest = Object.fromEntries(Object.entries(sent).filter(([field]) => !isFirst(field)));
  addPatch(put ? sent : rest, widened, put);
  return steps;
}

/** The body with all four restrictions where it names one (specification 2.1, rule 2), and those that the exam has to have still. */
function withRestrictions(id: string, shown: JsonObject, body: JsonObject): { sent: JsonObject; expects: JsonObject } {
  if (!wouldResetRestrictions(body)) return { sent: body, expects: {} };
  const missing = [...new Set([...missingRestrictions(shown), ...missingRestrictions({ ...shown, ...body })])];
  if (missing.length > 0) {
    const what = sentence`The service does not show ${missing.join(', ')} of exam ${id}, and would reset the restrictions that the update leaves out.`;
    const flags = restrictionKeys.map((key) => `--[no-]${key.replaceAll('_', '-')}`).join(' ');
    throw new CliError('invalid_input', what, { hint: sentence`Give all four: ${flags}` });
  }
  const kept = Object.fromEntries(Object.entries(restrictionsOf(shown)).filter(([key]) => !Object.hasOwn(body, key)));
  return { sent: { ...kept, ...body }, expects: kept };
}

/** The fields that take something from students: a later start, an earlier end, and all restrictions where one is narrowed. */
function takenIn(sent: JsonObject, shown: JsonObject, moved: readonly ExamTime[]): ReadonlySet<string> {
  const takesTime = (field: ExamTime) => {
    const [from = 0, to = 0] = [instantOf(shown[field]), instantOf(sent[field])];
    return field === 'start_time' ? to > from : to < from;
  };
  const named = restrictionKeys.filter((key) => Object.hasOwn(sent, key));
  const isNarrowed = named.some((key) => booleanIn(sent[key]) !== true && booleanIn(shown[key]) !== false);
  return new Set([...moved.filter(takesTime), ...(isNarrowed ? named : [])]);
}

/** The new times of a session that has some of its own. Times of a finished session are never changed. */
function windowOf({ id = '', data }: Session, times: readonly ExamTime[], { shown, wanted, zone, timeFormat }: ExamChange): JsonObject {
  const phase = phaseOf(data.status);
  const body: Record<string, Json> = {};
  if (phase === 'finished') return body;
  for (const field of times) {
    const own = along[field];
    const at = data[own] ?? null;
    if (at === null || (field === 'start_time' && phase === 'writing')) continue;
    const [from = 0, to = 0] = [instantOf(shown[field]), instantOf(wanted[field])];
    const until = moved(`The ${own} of session ${id}`, () => movedAlong(at, from, to, zone));
    body[own] = formatTime(until, timeFormat);
  }
  // A student who is taking the exam no longer needs its start.
  const [before, after] = phase === 'writing' ? [{}, {}] : [shown, { ...shown, ...wanted }];
  if (isOpen(before, data) && !isOpen(after, { ...data, ...body })) {
    const set = typedCommand('sessions update', [id], '--open-time TIME --close-time TIME');
    const hint = sentence`Nothing was sent. First give it another one: proctor-cli ${set}`;
    throw new CliError('invalid_input', sentence`The window of session ${id} would close before it opens.`, { hint });
  }
  return body;
}

/** By the times of its own, or else by those of the exam. */
function isOpen(exam: JsonObject, own: JsonObject = {}): boolean {
  const [opens, closes] = examTimes.map((field) => instantOf(own[along[field]] ?? exam[field]));
  return opens === undefined || closes === undefined || opens < closes;
}

/** For so long, a time that was moved is on the same day: windows move by the elapsed time. Milliseconds. */
const halfADay = 12 * 3_600_000;

/** Whether windows move by the clocks of the zone. */
export function countsDays(wanted: JsonObject, shown: JsonObject): boolean {
  return movedTimes(wanted, shown).some((field) => Math.abs((instantOf(wanted[field]) ?? 0) - (instantOf(shown[field]) ?? 0)) >= halfADay);
}

/** By as much as the exam's own time: by the clocks of the zone from one day to another, so that 09:30 stays 09:30. */
export function movedAlong(at: Json, from: number, to: number, zone: string): number {
  const instant = instantOf(at);
  if (instant === undefined) throw new InvalidValue(sentence`it is ${stringifyJson(at)}, which is not a time that can be read.`);
  return Math.abs(to - from) < halfADay ? instant + to - from : movedEnd({ start: from, end: instant }, to, zone);
}

/** A time that cannot be moved is refused by its name. Throws `invalid_input`. */
export function moved(what: string, move: () => number): number {
  try {
    return move();
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new CliError('invalid_input', sentence`${what} cannot be moved: ${error.message}`, {
      hint: 'Nothing was sent. Set that time, then run the command again.',
    });
  }
}
