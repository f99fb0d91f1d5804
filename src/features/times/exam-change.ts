/**
 * The steps that give an exam other values, and move its students' own windows along. What gives more
 * goes first, what takes away last: wherever a run stops, a student has the whole old window or the new.
 */
import { replacedBy, shownOf } from '../../model/compare.ts';
import {
  along,
  type ExamTime,
  examTimes,
  missingRestrictions,
  restrictionKeys,
  restrictionsOf,
  windowInForce,
  wouldResetRestrictions,
} from '../../model/fields.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { booleanIn, type JsonObject } from '../../model/json.ts';
import type { Listed, Reading } from '../../model/listing.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { type Phase, phaseOf } from '../../model/status.ts';
import { formatTime, instantOf, type TimeFormat } from '../../model/time.ts';
import { halfADayMs, movedAlong, movedTimes } from '../../model/typed-time.ts';
import { nothingRequired, notSent, type Step, type StepDraft, StepList, targetOf } from '../../runs/index.ts';
import { firstInLine, type Sentence, sentence } from '../../text/sentence.ts';
import { amountInWords } from './amount.ts';

type ExamChange = {
  id: string;
  shown: JsonObject;
  /** Where its times change. */
  reading: Reading | undefined;
  /** The fields of the exam, as they are sent. */
  wanted: JsonObject;
  /** Fields that are to stay as they are shown. */
  kept: readonly string[];
  /** All in one PUT; refused where windows move along, for which one request is not enough. */
  put: boolean;
  zone: string;
  timeFormat: TimeFormat;
  /** Milliseconds since 1970. */
  now: number;
};

/** Adds its steps to those of a plan. Throws `invalid_input` for times that cannot be. */
export function examChange(change: ExamChange, steps = new StepList()): readonly Step[] {
  const before = steps.all.length;
  const { id, shown, reading, wanted, kept, put } = change;
  // Clocks turn an exam round that begins in an hour which they show twice.
  if (isNowOpen(shown) && !isNowOpen({ ...shown, ...wanted })) {
    const set = typedCommand('exams update', [id], '--start TIME --end TIME');
    throw notSent(sentence`Exam ${id} would end before it starts.`, sentence`Give both of its times: proctor-cli ${set}`);
  }
  const sent = withRestrictions(id, shown, wanted);
  const times = movedTimes(wanted, shown);
  const own = () => steps.all.slice(before);
  const allBefore = () => own().map(({ number }) => number);
  const addUpdate = (body: JsonObject, now: JsonObject, isPut = false) => {
    const fields = Object.keys(body);
    if (fields.length === 0) return;
    const isKept = (field: string) => !Object.hasOwn(wanted, field);
    const relied: string[] = [...kept, ...restrictionKeys.filter((key) => fields.includes(key) && isKept(key))];
    if (times.length > 0) relied.push(...examTimes.filter((field) => times.includes(field) || isKept(field)));
    const target = shownOf(relied, now);
    steps.add({
      kind: 'update',
      resource: 'exam',
      id,
      exam: id,
      method: isPut ? 'PUT' : 'PATCH',
      body,
      requires: { ...nothingRequired, target },
      previous: { ...target, ...replacedBy([...restrictionKeys, ...fields], now) },
      dependsOn: allBefore(),
    });
  };
  const sessions = reading?.all ?? [];
  const planned = sessions.map((session) => ({ session, body: windowOf(session, times, change) }));
  const windows = planned.filter(({ body }) => Object.keys(body).length > 0);
  if (windows.length === 0) {
    addUpdate(sent, shown, put);
    return own();
  }
  if (put) {
    const what = sentence`Windows of students move along with exam ${id}, so it cannot be changed by one PUT.`;
    throw notSent(what, sentence`Run the command without --put.`);
  }
  const takes = takenIn(sent, shown, times);
  const givenTimes: readonly string[] = times.filter((field) => !takes.has(field));
  const goesFirst = (field: string) => takes.size === 0 || givenTimes.includes(field);
  const [wider, rest]: [JsonObject, JsonObject] = [{}, {}];
  for (const [field, value] of Object.entries(sent)) {
    const part = goesFirst(field) ? wider : rest;
    part[field] = value;
  }
  const widened = { ...shown, ...wider };
  addUpdate(wider, shown);
  const after = allBefore();
  const expectsExam = shownOf(examTimes, widened);
  for (const { session, body } of windows) {
    const { id: target = '', email, data } = session;
    // A student who has begun the exam keeps the start.
    const notIn: Phase[] = Object.hasOwn(body, along.start_time) ? ['writing', 'finished'] : ['finished'];
    const previous = replacedBy(Object.keys(body), data);
    steps.add({ ...sessionUpdate({ id: target, exam: id, email }, body, previous, expectsExam, notIn), dependsOn: after });
  }
  addUpdate(rest, widened);
  return own();
}

type ChangedRecord = { id: string; exam: string | undefined; email: string | undefined };
const finishedPhase: readonly Phase[] = ['finished'];

/** Updates a session, as long as it and its exam still show the values from which the update was computed. */
export function sessionUpdate(
  subject: ChangedRecord,
  body: JsonObject,
  target: JsonObject,
  exam: JsonObject,
  notIn = finishedPhase,
): StepDraft {
  const { email, ...place } = subject;
  const common = { kind: 'update', resource: 'session', ...place, method: 'PATCH' } as const;
  return { ...common, student: { email, number: undefined }, body, requires: { target, exam, notIn }, previous: target };
}

/** All four restrictions where the body names one (specification 2.1, rule 2). */
function withRestrictions(id: string, shown: JsonObject, body: JsonObject): JsonObject {
  if (!wouldResetRestrictions(body)) return body;
  const missing = [...new Set([shown, { ...shown, ...body }].flatMap(missingRestrictions))];
  if (missing.length === 0) return { ...restrictionsOf(shown), ...body };
  const unseen = sentence`The service does not show ${missing.join(', ')} of exam ${id}`;
  const what = sentence`${unseen}, and would reset the restrictions that the update leaves out.`;
  const flags = restrictionKeys.map((key) => `--[no-]${key.replaceAll('_', '-')}`).join(' ');
  throw notSent(what, sentence`Give all four: ${flags}`);
}

/** The fields that take something; all restrictions where one is narrowed. */
function takenIn(sent: JsonObject, shown: JsonObject, times: readonly ExamTime[]): ReadonlySet<string> {
  const takesTime = (field: ExamTime) => {
    const later = movedBy(field, shown, sent);
    return field === 'start_time' ? later > 0 : later < 0;
  };
  const named = restrictionKeys.filter((key) => Object.hasOwn(sent, key));
  const isNarrowed = named.some((key) => booleanIn(sent[key]) !== true && booleanIn(shown[key]) !== false);
  return new Set([...times.filter(takesTime), ...(isNarrowed ? named : [])]);
}

/** Milliseconds. */
function movedBy(field: ExamTime, from: JsonObject, to: JsonObject): number {
  return (instantOf(to[field]) ?? 0) - (instantOf(from[field]) ?? 0);
}

/** The window that a session gets, if it has times of its own and has not finished. */
function windowOf({ id = '', data }: Listed, times: readonly ExamTime[], change: ExamChange): JsonObject {
  const { shown, wanted, zone, timeFormat, now } = change;
  const phase = phaseOf(data.status);
  const body: JsonObject = {};
  if (phase === 'finished') return body;
  for (const field of times) {
    const own = along[field];
    const at = data[own] ?? null;
    if (at === null || (field === 'start_time' && phase === 'writing')) continue;
    const [from = 0, to = 0] = [instantOf(shown[field]), instantOf(wanted[field])];
    const until = moved(`The ${own} of session ${id}`, () => movedAlong(at, from, to, zone));
    // A window that is over before and after the change stays as it is.
    if (times.length === 1 && field === 'end_time' && Math.max(instantOf(at) ?? until, until) <= now) continue;
    body[own] = formatTime(until, timeFormat);
  }
  // A student who is taking the exam no longer needs its start.
  const [before, after] = phase === 'writing' ? [{}, {}] : [shown, { ...shown, ...wanted }];
  if (isNowOpen(before, data) && !isNowOpen(after, { ...data, ...body })) {
    const set = typedCommand('sessions update', [id], '--open-time TIME --close-time TIME');
    const what = sentence`The window of session ${id} would close before it opens.`;
    throw notSent(what, sentence`First give it another one: proctor-cli ${set}`);
  }
  return body;
}

function isNowOpen(exam: JsonObject, own?: JsonObject): boolean {
  const { open, close } = windowInForce(exam, own);
  return open < close;
}

/** Whether windows move by the clocks of the zone. */
export function countsDays(wanted: JsonObject, shown: JsonObject): boolean {
  return movedTimes(wanted, shown).some((field) => Math.abs(movedBy(field, shown, wanted)) >= halfADayMs);
}

/** Throws `invalid_input` for a time that cannot be moved. */
export function moved(what: string, move: () => number): number {
  try {
    return move();
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    const refused = sentence`${what} cannot be moved: ${error.message}`;
    throw notSent(refused, sentence`Set that time, then run the command again.`);
  }
}

/** By how much the end alone moves. Milliseconds. */
export function laterEnd(wanted: JsonObject, shown: JsonObject): number {
  return movedTimes(wanted, shown).join() === 'end_time' ? movedBy('end_time', shown, wanted) : 0;
}

/** `later`: milliseconds. The windows that are over all the same. */
export function stillOver(readings: readonly Reading[], steps: readonly Step[], later: number, now: number): Sentence[] {
  if (later <= 0) return [];
  const targets = new Set(steps.map(targetOf));
  const isOver = ({ id, data: { close_time, status } }: Listed) => {
    return (instantOf(close_time) ?? Infinity) <= now && phaseOf(status) !== 'finished' && !targets.has(id);
  };
  const over = readings.flatMap(({ all }) => all.filter(isOver));
  if (over.length === 0) return [];
  const who = firstInLine(over, ({ id, email }) => [id, email].filter(Boolean).join(' '), 5);
  const amount = amountInWords({ milliseconds: later });
  const extend = typedCommand(
    'sessions extend',
    over.flatMap(({ id }) => id ?? []),
    typedOption('--by', amount),
  );
  const windows = over.length === 1 ? `The window of ${who} is over, and stays` : `The windows of ${who} are over, and stay`;
  return [sentence`${windows} so: ${amount} more would end before now. To give time from now on: proctor-cli ${extend}`];
}
