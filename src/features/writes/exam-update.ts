/**
 * `exams update`. An update that names a restriction carries all four (specification 2.1, rule 2), the others as the exam has them, and
 * is sent only while it has them. New times say whom they leave behind, and are asked about where they do.
 */
import { examInWords } from '../../api/in-words.ts';
import { operations } from '../../api/operations.ts';
import type { Column, Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { students } from '../../model/count.ts';
import { firstInLine } from '../../model/first-of.ts';
import { isJsonObject, type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import { missingRestrictions, restrictionKeys, restrictionsOf, wouldResetRestrictions } from '../../model/restrictions.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { phaseOf, statusOf } from '../../model/status.ts';
import { instantOf, showTime } from '../../model/time.ts';
import { carryOut, type ListedSession, type Reading, readRecord, readStudents, type Step } from '../../runs-before/index.ts';
import { inLines, type Sentence, sentence } from '../../text/sentence.ts';
import { oneResult } from './outcome-rows.ts';

type Updating = { id: string; body: JsonObject; typedTimes: Readonly<Record<string, string>>; put: boolean; columns: readonly Column[] };

export function updateExam(context: Context, { id, body, typedTimes, put, columns }: Updating): Promise<Result> {
  const operation = put ? operations.putExam : operations.patchExam;
  let before: JsonObject | undefined;
  let named = sentence`exam ${id}`;
  let left: LeftBehind | undefined;
  return carryOut(context, {
    kind: 'exams update',
    identity: [id, put ? 'put' : 'patch', stringifyJson({ ...body, ...typedTimes })],
    again: 'anew',
    async plan() {
      const client = await context.client();
      before = await readRecord(context, 'exam', id);
      named = examInWords(id, before, client, context.zone());
      const { sent, expects } = withRestrictions(id, before, body);
      const step: Step = {
        operation,
        params: { id },
        body: sent,
        exam: id,
        expects,
        before: replacedBy(body, before),
        ...(put ? { always: true } : {}),
      };
      left = undefined;
      if (!movesTimes(body, before)) return { steps: [step] };
      const reading = await readStudents(context, id);
      left = leftBehind({ id, before, body, reading, zone: context.zone() });
      // Whom it leaves behind depends on the times that it replaces.
      const { start_time = null, end_time = null } = before;
      const about = left.lines.length > 0 ? inLines(left.lines) : undefined;
      return { steps: [{ ...step, expects: { ...expects, start_time, end_time }, about }], readings: new Map([[id, reading]]) };
    },
    tell() {
      if (left && left.lines.length > 0) context.warn(inLines(left.lines));
    },
    question() {
      if (!left || left.behind === 0) return undefined;
      return sentence`Change the times of ${named}, and leave the windows of ${students(left.behind)} as they are,`;
    },
    async result(ended) {
      const [outcome] = ended.outcomes();
      const result = await oneResult(context, ended, 'updated', columns);
      const names = restrictionKeys.some((key) => Object.hasOwn(body, key));
      if (names && before && isJsonObject(outcome?.shown)) context.say(restrictionChange(id, before, outcome.shown));
      return result;
    },
  });
}

/** The values that an update replaces, as the resource has them; what it does not show cannot be set back. */
export function replacedBy(body: JsonObject, shown: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(body).flatMap((field) => (Object.hasOwn(shown, field) ? [[field, shown[field] ?? null]] : [])));
}

/** The body with all four restrictions where it names one, and the values that the exam has to have still. Throws `invalid_input`. */
export function withRestrictions(id: string, before: JsonObject, body: JsonObject): { sent: JsonObject; expects: JsonObject } {
  if (!wouldResetRestrictions(body)) return { sent: body, expects: {} };
  const missing = missingRestrictions({ ...before, ...body });
  if (missing.length > 0) {
    throw new CliError(
      'invalid_input',
      sentence`The service does not show ${missing.join(', ')} of exam ${id}, and would reset the restrictions that the update leaves out.`,
      {
        hint: sentence`Give all four: ${restrictionKeys.map((key) => `--[no-]${key.replaceAll('_', '-')}`).join(' ')}`,
      },
    );
  }
  const kept = Object.fromEntries(Object.entries(restrictionsOf(before)).filter(([key]) => !Object.hasOwn(body, key)));
  return { sent: { ...kept, ...body }, expects: kept };
}

/** The restrictions before and after, changed ones first. */
function restrictionChange(id: string, before: JsonObject, after: JsonObject): Sentence {
  const was = restrictionsOf(before);
  const is = restrictionsOf(after);
  const word = (value: boolean | undefined) => (value === undefined ? 'not shown' : value ? 'yes' : 'no');
  const changed = restrictionKeys.filter((key) => was[key] !== is[key]).map((key) => `${key} ${word(was[key])} → ${word(is[key])}`);
  const kept = restrictionKeys.filter((key) => was[key] === is[key]).map((key) => `${key} ${word(is[key])}`);
  return sentence`Exam ${id}: ${changed.length > 0 ? changed.join(', ') : 'no restriction changed'}${kept.length > 0 ? `; kept: ${kept.join(', ')}` : ''}.`;
}

/** `behind`: how many students; `lines`: what is to be said of them, and of those who were mailed. */
export type LeftBehind = { behind: number; lines: Sentence[] };

type Moved = { id: string; before: JsonObject; body: JsonObject; reading: Reading; zone: string };
type Times = { start: number | undefined; end: number | undefined };

export function movesTimes(body: JsonObject, before: JsonObject): boolean {
  return ['start_time', 'end_time'].some((field) => Object.hasOwn(body, field) && instantOf(body[field]) !== instantOf(before[field]));
}

export function leftBehind({ id, before, body, reading, zone }: Moved): LeftBehind {
  const [old, now] = [timesOf(before), timesOf({ ...before, ...body })];
  const problems: readonly [why: Sentence, has: (session: JsonObject, times: Times) => boolean][] = [
    [sentence`before exam ${id} starts at ${time(now.start, zone)}`, ({ close_time }, { start }) => isBefore(close_time, start, true)],
    [sentence`before exam ${id} ends at ${time(now.end, zone)}`, ({ close_time }, { end }) => isBefore(close_time, end, false)],
    [sentence`after exam ${id} ends at ${time(now.end, zone)}`, ({ open_time }, { end }) => isAfter(open_time, end)],
  ];
  const left = new Set<ListedSession>();
  const lines: Sentence[] = [];
  for (const [at, [why, has]] of problems.entries()) {
    const found = reading.sessions.filter(
      (session) => !left.has(session) && phaseOf(session.data.status) !== 'finished' && has(session.data, now) && !has(session.data, old),
    );
    if (found.length === 0) continue;
    for (const session of found) left.add(session);
    const who = firstInLine(found, ({ id: session, email }) => [session, email].filter(Boolean).join(' '), 3);
    lines.push(
      sentence`warning: ${students(found.length)} with a window of their own would ${at === 2 ? 'open' : 'close'} ${why}: ${who}.`,
    );
  }
  if (left.size > 0) lines.push(...wayOn(id, old, now));
  const mailed = reading.sessions.filter(({ data }) => statusOf(data.status) === 'mail_sent').length;
  if (mailed > 0) {
    const were = mailed === 1 ? 'was' : 'were';
    lines.push(
      sentence`${students(mailed)} of exam ${id} ${were} mailed the old times. To mail all of them the new ones afterwards: proctor-cli ${typedCommand('exams send-emails', [id], '--resend')}`,
    );
  }
  return { behind: left.size, lines };
}

/** The command that moves students along with their exam, by as much as the new times do. */
function wayOn(id: string, old: Times, now: Times): Sentence[] {
  const [start, end] = [between(old.start, now.start), between(old.end, now.end)];
  if (start === 0 && end !== undefined && end > 0)
    return [
      sentence`To end it later for them as well, run this instead: proctor-cli ${typedCommand('exams delay', [id], typedOption('--by', amount(end)))}`,
    ];
  if (start === undefined || start === 0) return [];
  const rest = start === end ? '' : `, then set the other time with exams update`;
  return [
    sentence`To move them along with the exam, run this instead${rest}: proctor-cli ${typedCommand('exams shift', [id], typedOption('--by', amount(start)))}`,
  ];
}

function timesOf({ start_time, end_time }: JsonObject): Times {
  return { start: instantOf(start_time), end: instantOf(end_time) };
}

function between(old: number | undefined, now: number | undefined): number | undefined {
  return old === undefined || now === undefined ? undefined : now - old;
}

function isBefore(time: Json | undefined, limit: number | undefined, orAt: boolean): boolean {
  const at = instantOf(time);
  return at !== undefined && limit !== undefined && (at < limit || (orAt && at === limit));
}

function isAfter(time: Json | undefined, limit: number | undefined): boolean {
  const at = instantOf(time);
  return at !== undefined && limit !== undefined && at >= limit;
}

function time(instant: number | undefined, zone: string): string {
  return showTime(instant === undefined ? null : instant / 1000, zone);
}

/** As --by takes it: `-1h30m`. */
function amount(milliseconds: number): string {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const written = parts.map((number, at) => (number === 0 ? '' : `${number}${['h', 'm', 's'][at]}`)).join('');
  return `${milliseconds < 0 ? '-' : ''}${written}`;
}
