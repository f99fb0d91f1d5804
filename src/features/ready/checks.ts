/**
 * The seven checks of an exam, in the order in which they are shown. Each is a function from what was read to what is wrong: it sends
 * nothing, and knows no other check. Each command that corrects something works as it is pasted; it asks for what only a person knows, or has a
 * word in capitals there.
 */
import { addressKey } from '../../model/address-key.ts';
import { count, students as studentsInWords } from '../../model/count.ts';
import { durationInWords, spelledDuration } from '../../model/duration.ts';
import { firstInLine } from '../../model/first-of.ts';
import type { Json } from '../../model/json.ts';
import type { Overlap, Sitting } from '../../model/overlaps.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { phaseOf, statusOf } from '../../model/status.ts';
import { showTime, typedTime } from '../../model/time.ts';
import type { SelectedExam } from '../exam-selection.ts';

/** `opens` and `closes`: the own window, in milliseconds since 1970. */
export type Student = {
  session: string | undefined;
  email: string | undefined;
  status: Json | undefined;
  opens: number | undefined;
  closes: number | undefined;
};

export type Proctor = { id: string | undefined; name: string };

/** How long somebody is in an exam; `name`: for people. */
export type Attendance = Sitting & { role: 'student' | 'proctor'; name: string };

/** At least so many proctors for so many students. `given`: by the user. */
export type MinProctors = { proctors: number; students: number; given: boolean };

/** What a check may need. `span`: the times of the exam, both; `others`: the students and proctors of the exams at the same time. */
type Need = 'times' | 'span' | 'students' | 'addresses' | 'statuses' | 'windows' | 'proctors' | 'proctorIds' | 'others';

export type Subject = {
  exam: SelectedExam;
  students: readonly Student[];
  proctors: readonly Proctor[];
  /** Why something is not known, for people. */
  unknown: Partial<Record<Need, string | undefined>>;
  /** Who is in another exam at the same time. */
  overlaps: readonly Overlap<Attendance>[];
  /** How many exams were compared with this one. */
  compared: number;
  minProctors: MinProctors;
  /** Milliseconds since 1970. */
  now: number;
  zone: string;
  /** A command line of this program, for the current profile. */
  command(line: string, operands?: readonly string[], ...options: readonly string[]): string;
};

export const states = ['failed', 'warning', 'skipped', 'ok'] as const;

/** `detail`: for people, with numbers; it may contain foreign text. `remedy`: the command that corrects it. */
export type Finding = { state: (typeof states)[number]; detail: string; remedy?: string };

/** Without any of its needs a check is skipped, with the reason: what is not known is never ok. */
type Check = { name: string; needs: readonly Need[]; judge(subject: Subject): Finding | readonly Finding[] };

const ok = (detail: string): Finding => ({ state: 'ok', detail });
const skipped = (detail: string): Finding => ({ state: 'skipped', detail });
const warning = (detail: string, remedy: string): Finding => ({ state: 'warning', detail, remedy });
const failed = (detail: string, remedy: string): Finding => ({ state: 'failed', detail, remedy });

export const checks: readonly Check[] = [
  { name: 'times', needs: ['times'], judge: judgeTimes },
  { name: 'students', needs: ['students', 'addresses'], judge: judgeStudents },
  { name: 'windows', needs: ['students', 'span', 'windows'], judge: judgeWindows },
  { name: 'overlaps', needs: ['span'], judge: judgeOverlaps },
  { name: 'proctors', needs: ['proctors', 'students'], judge: judgeProctors },
  { name: 'mails', needs: ['students', 'statuses'], judge: judgeMails },
  { name: 'access', needs: [], judge: judgeAccess },
];

/** Of several findings, the worst decides about the state and the command; all are named. */
export function findingOf({ needs, judge }: Check, subject: Subject): Finding {
  const unknown = needs.map((need) => subject.unknown[need]).find((why) => why !== undefined);
  if (unknown !== undefined) return skipped(unknown);
  const found = [judge(subject)].flat().toSorted((a, b) => states.indexOf(a.state) - states.indexOf(b.state));
  return { ...(found[0] as Finding), detail: found.map(({ detail }) => detail).join('; ') };
}

function judgeTimes({ exam: { id, start, end }, now, zone, command }: Subject): Finding {
  const change = command('exams update', [id], '--start TIME --end TIME');
  const shown = (instant: number) => showTime(instant / 1000, zone);
  if (start === undefined || end === undefined) return failed(`the exam has no ${start === undefined ? 'start' : 'end'}`, change);
  if (end <= start) return failed(`the exam does not end after it starts: ${shown(start)} to ${shown(end)}`, change);
  if (now >= end) return failed(`the exam ended ${durationInWords(now - end)} ago`, change);
  if (now >= start) return warning(`the exam started ${durationInWords(now - start)} ago`, change);
  return ok(`${shown(start)} to ${shown(end)}`);
}

function judgeStudents({ exam: { id }, students, command }: Subject): Finding | Finding[] {
  if (students.length === 0) return failed('the exam has no students', command('sessions import', ['FILE'], typedOption('--exam', id)));
  const found: Finding[] = [];
  const list = command('sessions list', [], typedOption('--exam', id));
  const twice = [...Map.groupBy(students, ({ email }) => email && addressKey(email))].flatMap(([key, group]) =>
    key !== undefined && group.length > 1 ? [group] : [],
  );
  if (twice.length > 0) {
    const surplus = idsOf(twice.flatMap(surplusOf));
    const words = firstInLine(twice, (group) => `${group[0]?.email} (${sessionsInWords(group)})`, namedAtMost);
    const detail = `${count(twice.length, 'address is', 'addresses are')} in the exam more than once: ${words}`;
    found.push(failed(detail, surplus.length > 0 ? command('sessions delete', surplus) : list));
  }
  const without = students.filter(({ email }) => email === undefined);
  if (without.length > 0) {
    const [session] = idsOf(without);
    const detail = `${without.length} of ${studentsInWords(students.length)} without an address: ${sessionsInWords(without)}`;
    found.push(warning(detail, session === undefined ? list : command('sessions update', [session], '--email ADDRESS')));
  }
  return found.length > 0 ? found : ok(`${studentsInWords(students.length)}, each with an address, and none twice`);
}

/** The later ones of a student who is registered several times, as long as they have not begun. */
function surplusOf(group: readonly Student[]): Student[] {
  const isWaiting = ({ status }: Student) => phaseOf(status) === 'waiting';
  const kept = group.find((student) => !isWaiting(student)) ?? group[0];
  return group.filter((student) => student !== kept && isWaiting(student));
}

function judgeWindows({ exam, students, zone, command }: Subject): Finding | Finding[] {
  const [start, end] = [exam.start ?? 0, exam.end ?? 0];
  if (end <= start) return skipped('the exam does not end after it starts');
  const own = students.flatMap((student) => {
    const { opens = start, closes = end } = student;
    return student.opens === undefined && student.closes === undefined ? [] : [{ ...student, opens, closes }];
  });
  const isOutside = ({ opens, closes }: (typeof own)[number]) => closes <= Math.max(start, opens) || opens >= end;
  const outside = own.filter(isOutside);
  const lacks = ({ opens, closes }: (typeof own)[number]) => end - start - (closes - Math.max(start, opens));
  const short = own.filter((student) => !isOutside(student) && lacks(student) > 0);
  const found: Finding[] = [];
  const [first] = outside;
  if (first) {
    // The window of the exam, and never a shorter one than the student has: of the first, and of all who then close when the first does.
    const closing = ({ opens, closes }: (typeof own)[number]) => Math.max(end, start + closes - opens);
    const last = closing(first);
    const alike = idsOf(outside.filter((student) => closing(student) === last));
    const times = `--open-time ${typedTime(start, zone)} --close-time ${typedTime(last, zone)}`;
    found.push(failed(`outside the exam: the window of ${sessionsInWords(outside)}`, command('sessions update', alike, times)));
  }
  if (short.length > 0) {
    const most = Math.max(...short.map(lacks));
    const alike = idsOf(short.filter((student) => lacks(student) === most));
    const detail = `shorter than the exam, by up to ${durationInWords(most)}: the window of ${sessionsInWords(short)}`;
    found.push(warning(detail, command('sessions extend', alike, `--by ${spelledDuration(most)}`)));
  }
  return found.length > 0 ? found : ok(`${count(own.length, 'session')} with a window of ${own.length === 1 ? 'its' : 'their'} own`);
}

function judgeOverlaps({ exam, overlaps, unknown, compared, command }: Subject): Finding {
  const ofStudents = overlaps.filter(({ own }) => own.role === 'student');
  const [first] = [...ofStudents, ...overlaps];
  if (first) {
    const detail = overlapsInWords(overlaps, exam.id).join('; ');
    const { own: earlier, other: later } = first;
    if (later.role === 'proctor') return failed(detail, command('proctors remove', [later.id ?? ''], typedOption('--exam', later.exam)));
    // The later exam begins when the last of them has finished the earlier one.
    const alike = ofStudents.filter(({ own, other }) => own.exam === earlier.exam && other.exam === later.exam);
    const by = Math.max(...alike.map(({ own, other }) => own.to - other.from));
    return failed(detail, command('exams shift', [later.exam], `--by ${spelledDuration(by)}`));
  }
  if (unknown.others === undefined && compared === 0) return ok('no other exam at that time');
  const why = unknown.others ?? unknown.students ?? unknown.addresses;
  if (why !== undefined) return skipped(why);
  const whyNoProctors = unknown.proctors ?? unknown.proctorIds;
  const others = `in one of the ${count(compared, 'other exam')} at that time`;
  return whyNoProctors === undefined ? ok(`nobody is ${others}`) : skipped(`no student is ${others}; ${whyNoProctors}`);
}

/** "2 students also in exam 9: a, b", for each of the other exams. All are named: no other command names them. */
function overlapsInWords(overlaps: Subject['overlaps'], exam: string): string[] {
  const seen = overlaps.map(({ own, other }) => (own.exam === exam ? { here: own, there: other } : { here: other, there: own }));
  return [...Map.groupBy(seen, ({ here, there }) => `${here.role} ${there.exam}`).values()].map((those) => {
    const names = [...new Set(those.map(({ here }) => here.name))];
    return `${count(names.length, those[0]?.here.role ?? '')} also in exam ${those[0]?.there.exam}: ${names.join(', ')}`;
  });
}

function judgeProctors({ exam: { id }, proctors, students, minProctors, command }: Subject): Finding {
  const add = command('proctors add', [], typedOption('--exam', id));
  if (proctors.length === 0) return failed('the exam has no proctors', add);
  const needed = Math.ceil((students.length * minProctors.proctors) / minProctors.students);
  const detail = `${count(proctors.length, 'proctor')} for ${studentsInWords(students.length)}, ${needed} needed`;
  if (proctors.length >= needed) return ok(detail);
  return minProctors.given ? failed(detail, add) : warning(detail, add);
}

function judgeMails({ exam: { id }, students, unknown, command }: Subject): Finding {
  const isReached = ({ email }: Student) => email !== undefined || unknown.addresses !== undefined;
  const waiting = students.filter((student) => statusOf(student.status) === 'registered' && isReached(student));
  if (waiting.length === 0) return ok('no student is waiting for a mail');
  const mailed = students.some(({ status }) => statusOf(status) !== 'registered');
  const rest = mailed ? '; the others are mailed again with them' : '';
  const detail = `${waiting.length} of ${studentsInWords(students.length)} registered and not mailed${rest}`;
  return warning(detail, command('exams send-emails', [id], mailed ? '--resend' : ''));
}

/** An exam whose students cannot be read is not ready, as far as is known. */
function judgeAccess({ unknown: { students, proctors, others }, command }: Subject): Finding {
  if (students !== undefined) return failed(students, command('doctor'));
  const why = proctors ?? others;
  return why === undefined ? ok('students and proctors can be read') : skipped(why);
}

const namedAtMost = 3;

function idsOf(students: readonly Student[]): string[] {
  return students.flatMap(({ session }) => session ?? []);
}

/** "session 12", "sessions 12, 14, 15 and 3 more". */
function sessionsInWords(students: readonly Student[]): string {
  const ids = idsOf(students);
  return ids.length === 0
    ? 'sessions without an ID'
    : `${ids.length === 1 ? 'session' : 'sessions'} ${firstInLine(ids, (id) => id, namedAtMost)}`;
}
