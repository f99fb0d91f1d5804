/** `preflight`: each check judges each selected exam. */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { readExam } from '../../api/reading.ts';
import type { Context, Result, Row } from '../../command.ts';
import { commandOf } from '../../config/profiles.ts';
import { CliError, type ErrorCode, orElse } from '../../errors.ts';
import { examNamed, namedAtMost } from '../../model/describe.ts';
import { durationInWords, spelledDuration } from '../../model/duration.ts';
import { type Json, type JsonObject, shownId, textOfJson } from '../../model/json.ts';
import { addressKey, maskIn } from '../../model/listing.ts';
import { type Overlap, overlapsIn, type Sitting, studentWindow } from '../../model/overlaps.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { phaseOf, statusOf } from '../../model/status.ts';
import { instantOf, showTime, typedTime } from '../../model/time.ts';
import { count, firstInLine, largest, sentence } from '../../text/sentence.ts';
import { type ExamSelection, listedExams, type SelectedExam, selectExams } from '../exam-selection.ts';
import { type Finding, failed, ok, skipped, states, warning } from '../finding.ts';

export async function preflight(context: Context, selection: ExamSelection, minProctors: MinProctors, strict: boolean): Promise<Result> {
  const client = await context.client();
  const all = await listedExams(client);
  const selected = await selectExams(context, selection, { exams: all });
  const ids = new Set(selected.map(({ id }) => id));
  const beside = all.filter((exam) => !ids.has(exam.id) && selected.some((other) => isBeside(exam, other)));
  const reads = await client.pacer.map([...selected, ...beside], (exam) => readForChecks(client, exam));
  const overlaps = overlapsIn(reads.flatMap(sittingsOf));
  const { profile } = context.settings();
  const rows = reads.slice(0, selected.length).flatMap((own) => {
    const { exam } = own;
    const subject: CheckedExam = {
      ...own,
      others: reads.filter((other) => other !== own && isBeside(exam, other.exam)),
      overlaps: overlaps.filter((pair) => pair.own.exam === exam.id || pair.other.exam === exam.id),
      minProctors,
      now: context.host.now(),
      zone: context.zone(),
      command: (...words) => commandOf(profile, ...words),
    };
    const shown = shownId(exam.shown.id) ?? exam.id;
    return checks.map((check) => ({ exam: shown, check: check.name, ...findingOf(check, subject) }));
  });
  const names = new Map(selected.map(({ id, name }) => [id, name]));
  return preflightResult(context, rows, strict, names);
}

/** Extra time at most doubles an exam. */
function isBeside(one: SelectedExam, other: SelectedExam): boolean {
  const last = ({ start = NaN, end = NaN }: SelectedExam) => end + (end - start);
  return (one.start ?? NaN) < last(other) && (other.start ?? NaN) < last(one);
}

/** Errors of one exam, or of a token that may not read everything: the rest can be judged. */
const ofOnePart: readonly ErrorCode[] = ['not_found', 'rejected', 'token_refused'];

function readOrWhy<T>(what: string, list: Promise<readonly T[]>) {
  const read = list.then((items) => ({ items, why: undefined }));
  const unread = ({ message }: CliError) => ({ items: [], why: `the ${what} cannot be read: ${message.replace(/\.$/, '')}` });
  return orElse(read, unread, ...ofOnePart);
}

async function readForChecks(client: Client, exam: SelectedExam): Promise<ExamRead> {
  const inExam = readExam(client, exam.id).then(({ all }) => all);
  const [{ items: listed, why }, pool] = await Promise.all([
    readOrWhy('students', inExam),
    readOrWhy('proctors', client.list(operations.listProctors, { params: { id: exam.id } })),
  ]);
  const sessions = listed.map(({ data }) => data);
  const students = listed.map(({ id, email, data: { status, open_time, close_time } }) => ({
    session: id,
    email,
    status,
    opens: instantOf(open_time),
    closes: instantOf(close_time),
  }));
  const times = unreadableTimes([exam.shown], 'start_time', 'end_time');
  const { start = NaN, end = NaN } = exam;
  const noSpan = start < end ? undefined : 'the exam has no start, or no end after it';
  const isHidden = (hides: (each: JsonObject) => boolean) => sessions.length > 0 && sessions.every(hides);
  const hidesAddress = isHidden(({ email = null }) => email === null) || sessions.some(maskIn);
  const unknown = {
    times,
    span: times ?? noSpan,
    students: why,
    addresses: hidesAddress ? 'the service shows no addresses' : undefined,
    statuses: isHidden(({ status = null }) => status === null) ? 'the service shows no status' : undefined,
    windows: unreadableTimes(sessions, 'open_time', 'close_time'),
    proctors: pool.why,
  };
  return { exam, students, proctors: pool.items.length, unknown };
}

function unreadableTimes(records: readonly JsonObject[], ...fields: readonly string[]): string | undefined {
  const isRead = (value?: Json) => value === null || instantOf(value) !== undefined;
  const unread = fields.find((field) => !records.every(({ [field]: value }) => isRead(value)));
  return unread && `the service shows no ${unread} that can be read`;
}

function sittingsOf({ exam: { id, start, end }, students, unknown }: ExamRead): Sitting[] {
  if (unknown.addresses !== undefined) return [];
  return students.flatMap(({ email: name, opens, closes }) => {
    const window = studentWindow({ start, end }, { opens, closes });
    return name === undefined || !window ? [] : [{ exam: id, person: addressKey(name), name, ...window }];
  });
}

type ExamNames = ReadonlyMap<string, string | undefined>;
type PreflightRow = Finding & { exam: string | number | bigint; check: string };

/** For several exams, a person reads the checks that are not ok, and one row for the rest. */
function preflightResult({ columns, host }: Context, rows: readonly PreflightRow[], strict: boolean, names: ExamNames): Result {
  const { isTTY, columns: width = 0 } = host.stdout;
  const exams = [...Map.groupBy(rows, ({ exam }) => exam)];
  const isBad = ({ state }: PreflightRow) => state === 'failed' || (strict && state === 'warning');
  const bad = exams.filter(([, own]) => own.some(isBad)).length;
  const byState = Map.groupBy(rows, ({ state }) => state);
  const counts = states.filter((state) => byState.has(state)).map((state) => `${byState.get(state)?.length} ${state}`);
  const ready = bad === 0 ? 'Ready:' : `Not ready: ${bad} of`;
  const checked = `${count(rows.length, 'check')}: ${counts.join(', ')}`;
  const others = 'Not checked: rosters (sessions import FILE --check) and extra time (accommodations apply FILE --check).';
  const message = sentence`${ready} ${count(exams.length, 'exam')}. ${checked}. ${others}`;
  const told = exams.flatMap(([exam, own]): Row[] => {
    const notOk = own.filter(({ state }) => state !== 'ok');
    const shown = notOk.length > 0 ? notOk : [{ exam, check: 'all', state: 'ok', detail: count(own.length, 'check') }];
    return shown.map((row) => ({ ...row, name: names.get(textOfJson(exam)) }));
  });
  const remedies = new Map(rows.map((row) => [row.remedy, row]));
  remedies.delete(null);
  const inWords = (id: string) => examNamed({ id, name: names.get(id) });
  const advice = [...remedies].map(([remedy, { exam, check }]) => sentence`exam ${inWords(textOfJson(exam))}, ${check}: ${remedy ?? ''}`);
  const named = isTTY && width < 100 ? columns : columns.toSpliced(1, 0, { key: 'name' });
  const sheet = exams.length === 1 ? { rows, columns } : { rows: told, columns: named };
  const list = { kind: 'list', rows, columns, id: 'exam', sheet } as const;
  if (bad === 0) return { ...list, advice: [...advice, message] };
  const hint = 'Run the command of each failed check, then preflight again.';
  return { ...list, advice, failure: new CliError('differences', message, { hint }) };
}

/** `opens` and `closes`: the own window, in milliseconds since 1970. */
export type CheckedStudent = {
  session: string;
  email?: string | undefined;
  status?: Json | undefined;
  opens?: number | undefined;
  closes?: number | undefined;
};

/** `given`: by the user. */
export type MinProctors = {
  proctors: number;
  students: number;
  given: boolean;
};

/** What a check may need. `span`: a start and an end after it. */
type Need = 'times' | 'span' | 'students' | 'addresses' | 'statuses' | 'windows' | 'proctors';

type ExamRead = {
  exam: SelectedExam;
  students: readonly CheckedStudent[];
  proctors: number;
  /** Why something is not known, for people. */
  unknown: Partial<Record<Need, string | undefined>>;
};

export type CheckedExam = ExamRead & {
  /** The exams at the same time. */
  others: readonly ExamRead[];
  overlaps: readonly Overlap[];
  minProctors: MinProctors;
  now: number;
  zone: string;
  command(line: string, operands?: readonly string[], ...options: readonly string[]): string;
};

/** Where one of its needs is unknown, a check is skipped with the reason: it is never ok. */
type PreflightCheck = {
  name: string;
  needs: readonly Need[];
  judge(subject: CheckedExam): Finding | readonly Finding[];
};

export const checks: readonly PreflightCheck[] = [
  { name: 'times', needs: ['times'], judge: judgeTimes },
  { name: 'students', needs: ['students', 'addresses'], judge: judgeStudents },
  { name: 'windows', needs: ['students', 'span', 'windows'], judge: judgeWindows },
  { name: 'overlaps', needs: ['span'], judge: judgeOverlaps },
  { name: 'proctors', needs: ['proctors', 'students'], judge: judgeProctors },
  { name: 'mails', needs: ['students', 'statuses'], judge: judgeMails },
  { name: 'access', needs: [], judge: judgeAccess },
];

/** The worst of several findings decides; all are named. */
export function findingOf({ needs, judge }: PreflightCheck, subject: CheckedExam): Finding {
  const unknown = needs.map((need) => subject.unknown[need]).find((why) => why !== undefined);
  if (unknown !== undefined) return skipped(unknown);
  const found = [judge(subject)].flat();
  found.sort((a, b) => states.indexOf(a.state) - states.indexOf(b.state));
  return { ...(found[0] as Finding), detail: found.map(({ detail }) => detail).join('; ') };
}

function judgeTimes({ exam: { id, start, end }, now, zone, command }: CheckedExam): Finding {
  const change = command('exams update', [id], '--start TIME --end TIME');
  if (start === undefined) return failed('the exam has no start', change);
  if (end === undefined) return failed('the exam has no end', change);
  const [starts, ends] = [start, end].map((instant) => showTime(instant / 1000, zone));
  if (end <= start) return failed(`the exam does not end after it starts: ${starts} to ${ends}`, change);
  if (now >= end) return failed(`the exam ended ${durationInWords(now - end)} ago`, change);
  if (now >= start) return warning(`the exam started ${durationInWords(now - start)} ago`, change);
  return ok(`${starts} to ${ends}`);
}

function judgeStudents({ exam: { id }, students, command }: CheckedExam): Finding | Finding[] {
  const ofExam = typedOption('--exam', id);
  if (students.length === 0) return failed('the exam has no students', command('sessions import', ['FILE'], ofExam));
  const found: Finding[] = [];
  const byAddress = Map.groupBy(students, ({ email }) => email && addressKey(email));
  const without = byAddress.get(undefined) ?? [];
  byAddress.delete(undefined);
  const twice = [...byAddress.values()].filter(({ length }) => length > 1);
  if (twice.length > 0) {
    const surplus = twice.flatMap(surplusOf);
    const words = firstInLine(twice, (group) => `${group[0]?.email} (${sessionsInWords(group)})`, namedAtMost);
    const detail = `${count(twice.length, 'address', 'addresses')} more than once in the exam: ${words}`;
    const list = command('sessions list', [], ofExam);
    found.push(failed(detail, surplus.length > 0 ? command('sessions delete', surplus) : list));
  }
  const all = count(students.length, 'student');
  if (without[0]) {
    const detail = `${without.length} of ${all} without an address: ${sessionsInWords(without)}`;
    found.push(warning(detail, command('sessions update', [without[0].session], '--email ADDRESS')));
  }
  return found.length > 0 ? found : ok(`${all}, each with an address, and none twice`);
}

/** The later sessions of a student that have not begun. */
function surplusOf(group: readonly CheckedStudent[]): string[] {
  const isWaiting = ({ status }: CheckedStudent) => phaseOf(status) === 'waiting';
  const kept = group.find((student) => !isWaiting(student)) ?? group[0];
  return sessionIds(group.filter((student) => student !== kept && isWaiting(student)));
}

function judgeWindows({ exam: { start = 0, end = 0 }, students, zone, command }: CheckedExam): Finding {
  const own = students.filter(({ opens, closes }) => (opens ?? closes) !== undefined);
  const isOutside = ({ opens = start, closes = end }: CheckedStudent) => closes <= Math.max(start, opens) || opens >= end;
  const outside = own.filter(isOutside);
  const [first] = outside;
  if (!first) return ok(`own windows: ${own.length}`);
  // The window of the exam, and never a shorter one than the student has.
  const closingOf = ({ opens = start, closes = end }: CheckedStudent) => Math.max(end, start + closes - opens);
  const closing = closingOf(first);
  const alike = sessionIds(outside.filter((student) => closingOf(student) === closing));
  const times = `--open-time ${typedTime(start, zone)} --close-time ${typedTime(closing, zone)}`;
  const detail = `outside the exam: the window of ${sessionsInWords(outside)}`;
  return failed(detail, command('sessions update', alike, times));
}

function judgeOverlaps({ exam: { id }, others, overlaps, unknown, command }: CheckedExam): Finding {
  const [first] = overlaps;
  const unread = others.find((other) => other.unknown.students !== undefined);
  const ofOther = unread && `of exam ${examNamed(unread.exam)}: ${unread.unknown.students}`;
  const why = ofOther ?? unknown.students ?? unknown.addresses;
  if (!first) return why === undefined ? ok('nobody is in another exam at that time') : skipped(why);
  const isSame = (pair: Overlap) => pair.own.exam === first.own.exam && pair.other.exam === first.other.exam;
  const byExam = Map.groupBy(overlaps, ({ own, other }) => (own.exam === id ? other.exam : own.exam));
  // All are named: no other command names them.
  const told = [...byExam].map(([there, pairs]) => {
    const names = new Set(pairs.map(({ own, other }) => (own.exam === id ? own : other).name));
    const other = others.find(({ exam }) => exam.id === there)?.exam ?? { id: there, name: undefined };
    return `${count(names.size, 'student')} also in exam ${examNamed(other)}: ${[...names].join(', ')}`;
  });
  // The later exam begins when the last of them has finished the earlier one.
  const by = spelledDuration(largest(overlaps.filter(isSame).map(({ own, other }) => own.to - other.from)));
  return failed(told.join('; '), command('exams shift', [first.other.exam], `--by ${by}`));
}

function judgeProctors({ exam: { id }, proctors, students, minProctors, command }: CheckedExam): Finding {
  const add = command('proctors add', [], typedOption('--exam', id));
  if (proctors === 0) return failed('the exam has no proctors', add);
  const needed = Math.ceil((students.length * minProctors.proctors) / minProctors.students);
  const detail = `${count(proctors, 'proctor')} for ${count(students.length, 'student')}, ${needed} needed`;
  if (proctors >= needed) return ok(detail);
  return minProctors.given ? failed(detail, add) : warning(detail, add);
}

function judgeMails({ exam: { id }, students, unknown, command }: CheckedExam): Finding {
  const isReached = ({ email }: CheckedStudent) => email !== undefined || unknown.addresses !== undefined;
  const waiting = students.filter((student) => statusOf(student.status) === 'registered' && isReached(student));
  if (waiting.length === 0) return ok('no student is waiting for a mail');
  const mailed = students.filter(({ status }) => statusOf(status) !== 'registered').length;
  // It asks on a terminal, with both numbers, and needs --yes in a script.
  const [rest, all] = mailed > 0 ? [`; with them, ${mailed} would be mailed a second time`, '--resend'] : ['', ''];
  const detail = `${waiting.length} of ${count(students.length, 'student')} registered and not mailed${rest}`;
  return warning(detail, command('exams send-emails', [id], all));
}

function judgeAccess({ unknown: { students, proctors }, command }: CheckedExam): Finding {
  if (students !== undefined) return failed(students, command('doctor'));
  return proctors === undefined ? ok('students and proctors can be read') : skipped(proctors);
}

function sessionIds(students: readonly CheckedStudent[]): string[] {
  return students.map(({ session }) => session);
}

function sessionsInWords(students: readonly CheckedStudent[]): string {
  const which = firstInLine(students, ({ session }) => session, namedAtMost);
  return `${students.length === 1 ? 'session' : 'sessions'} ${which}`;
}
