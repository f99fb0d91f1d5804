/**
 * Whom new times of an exam leave behind: students with a window of their own that fitted the old times and does not fit the new ones.
 * `exams shift` and `exams delay` move such windows along. Students who were mailed the old times are named as well.
 */
import { students } from '../../model/count.ts';
import { firstInLine } from '../../model/first-of.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { phaseOf, statusOf } from '../../model/status.ts';
import { instantOf, showTime } from '../../model/time.ts';
import type { ListedSession, Reading } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

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
    return [sentence`To end it later for them as well: proctor-cli ${typedCommand('exams delay', [id], typedOption('--by', amount(end)))}`];
  if (start === undefined || start === 0) return [];
  const rest = start === end ? '' : `, then set the other time with exams update`;
  return [
    sentence`To move them along with the exam${rest}: proctor-cli ${typedCommand('exams shift', [id], typedOption('--by', amount(start)))}`,
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
