/**
 * Updates that set times, on the older engine: `exams update` says whom new times leave behind, and asks where they do. The next change
 * of the engine moves them, and deletes this file.
 */
import { examOf } from '../../api/client.ts';
import { examInWords } from '../../api/in-words.ts';
import { operations } from '../../api/operations.ts';
import { requestFor } from '../../api/request.ts';
import type { Context, Result } from '../../command.ts';
import { CliError, orGone } from '../../errors.ts';
import { addressIn } from '../../model/address-key.ts';
import { students } from '../../model/count.ts';
import { firstInLine } from '../../model/first-of.ts';
import { isJsonObject, type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import { restrictionKeys } from '../../model/restrictions.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { phaseOf, statusOf } from '../../model/status.ts';
import { instantOf, showTime } from '../../model/time.ts';
import { carryOut, type ListedSession, type Reading, readRecord, readStudents, type Step } from '../../runs-before/index.ts';
import { inLines, type Sentence, sentence } from '../../text/sentence.ts';
import { oneResult, sessionsResult } from './outcome-rows-before.ts';
import { type ExamUpdate, replacedBy, restrictionChange, type SessionUpdates, warnIfPast, withRestrictions } from './sent-values.ts';

export function updateTimesOfExam(context: Context, { id, body, typedTimes, put, columns }: ExamUpdate): Promise<Result> {
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
      const always = put ? { always: true as const } : {};
      const step: Step = { operation, params: { id }, body: sent, exam: id, expects, before: replacedBy(body, before), ...always };
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

export function updateTimesOfSessions(
  context: Context,
  { ids, body, typedTimes, put, columns, consents }: SessionUpdates,
): Promise<Result> {
  const operation = put ? operations.putSession : operations.patchSession;
  warnIfPast(context, body);
  return carryOut(context, {
    kind: 'sessions update',
    identity: [...ids, put ? 'put' : 'patch', stringifyJson({ ...body, ...typedTimes })],
    again: 'anew',
    async plan() {
      const client = await context.client();
      // All requests are built before the first is sent.
      for (const id of ids) requestFor(operation, { params: { id } });
      const steps = await client.pacer.map([...new Set(ids)], async (id): Promise<Step> => {
        const shown = await orGone(readRecord(context, 'session', id));
        const step = { operation, params: { id }, body, ...(put ? { always: true as const } : {}) };
        if (!shown) return step;
        return { ...step, exam: examOf(shown, client), email: addressIn(shown, { plain: true }), before: replacedBy(body, shown) };
      });
      return { steps, readings: await refuseTaken(context, steps[0], consents) };
    },
    result: (ended) => sessionsResult(context, ended, columns),
  });
}

/** A new address that another session of the exam has already. Throws `already_there`. */
async function refuseTaken(context: Context, step: Step | undefined, { allowDuplicate }: SessionUpdates['consents']) {
  const { exam, body: { email } = {}, params: { id } = {} } = step ?? {};
  const readings = new Map<string, Reading>();
  if (typeof email !== 'string' || email === '' || exam === undefined || allowDuplicate) return readings;
  const reading = await readStudents(context, exam);
  readings.set(exam, reading);
  const other = reading.withAddress(email).find((each) => each.id !== id);
  if (!other) return readings;
  throw new CliError('already_there', sentence`${email} is in exam ${exam} already, as session ${other.id ?? 'without an ID'}.`, {
    hint: 'Nothing was sent. To give both sessions this address: --allow-duplicate',
  });
}

/** `behind`: how many students; `lines`: what is to be said of them, and of those who were mailed. */
type LeftBehind = { behind: number; lines: Sentence[] };

type Moved = { id: string; before: JsonObject; body: JsonObject; reading: Reading; zone: string };
type Times = { start: number | undefined; end: number | undefined };

function movesTimes(body: JsonObject, before: JsonObject): boolean {
  return ['start_time', 'end_time'].some((field) => Object.hasOwn(body, field) && instantOf(body[field]) !== instantOf(before[field]));
}

function leftBehind({ id, before, body, reading, zone }: Moved): LeftBehind {
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
