/**
 * The seven checks of an exam, in the order in which they are shown. Each is a function from what was read to what is wrong: it sends
 * nothing, and knows no other check. Each command that corrects something works as it is pasted; it asks for what only a person knows, or has a
 * word in capitals there.
 */
import { addressKey } from '../../model/address-key.ts';
import { count, firstInLine, students as studentsInWords } from '../../model/count.ts';
import { namedAtMost } from '../../model/describe.ts';
import { durationInWords, spelledDuration } from '../../model/duration.ts';
import type { Json } from '../../model/json.ts';
import type { Overlap } from '../../model/overlaps.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { phaseOf, statusOf } from '../../model/status.ts';
import { showTime, typedTime } from '../../model/time.ts';
import type { SelectedExam } from '../exam-selection.ts';
import { type Finding, failed, ok, skipped, states, warning } from '../finding.ts';

/** `opens` and `closes`: the own window. All times are in milliseconds since 1970. */
export type Student = { session: string; email?: string | undefined; status?: Json | undefined } & Window;
type Window = { opens?: number | undefined; closes?: number | undefined };

/** At least so many proctors for so many students. `given`: by the user. */
export type MinProctors = { proctors: number; students: number; given: boolean };

/** What a check may need. `span`: a start and an end behind it; `others`: who is in the exams at the same time. */
type Need = 'times' | 'span' | 'students' | 'addresses' | 'statuses' | 'windows' | 'proctors' | 'others';

export type Subject = {
  exam: SelectedExam;
  students: readonly Student[];
  proctors: number;
  /** Why something is not known, for people. */
  unknown: Partial<Record<Need, string | undefined>>;
  /** Who is in another exam at the same time. */
  overlaps: readonly Overlap[];
  minProctors: MinProctors;
  now: number;
  zone: string;
  /** A command line of this program, for the current profile. */
  command(line: string, operands?: readonly string[], ...options: readonly string[]): string;
};

/** Without any of its needs a check is skipped, with the reason: what is not known is never ok. */
type Check = { name: string; needs: readonly Need[]; judge(subject: Subject): Finding | readonly Finding[] };

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
  const byAddress = Map.groupBy(students, ({ email }) => email && addressKey(email));
  byAddress.delete(undefined);
  const twice = [...byAddress.values()].filter(({ length }) => length > 1);
  if (twice.length > 0) {
    const surplus = twice.flatMap(surplusOf);
    const words = firstInLine(twice, (group) => `${group[0]?.email} (${sessionsInWords(group)})`, namedAtMost);
    const detail = `${count(twice.length, 'address is', 'addresses are')} in the exam more than once: ${words}`;
    const list = command('sessions list', [], typedOption('--exam', id));
    found.push(failed(detail, surplus.length > 0 ? command('sessions delete', surplus) : list));
  }
  const without = students.filter(({ email }) => email === undefined);
  if (without[0]) {
    const detail = `${without.length} of ${studentsInWords(students.length)} without an address: ${sessionsInWords(without)}`;
    found.push(warning(detail, command('sessions update', [without[0].session], '--email ADDRESS')));
  }
  return found.length > 0 ? found : ok(`${studentsInWords(students.length)}, each with an address, and none twice`);
}

/** The later ones of a student who is registered several times, as long as they have not begun. */
function surplusOf(group: readonly Student[]): string[] {
  const isWaiting = ({ status }: Student) => phaseOf(status) === 'waiting';
  const kept = group.find((student) => !isWaiting(student)) ?? group[0];
  return idsOf(group.filter((student) => student !== kept && isWaiting(student)));
}

function judgeWindows({ exam: { start = 0, end = 0 }, students, zone, command }: Subject): Finding | Finding[] {
  const own = students
    .filter(({ opens, closes }) => opens !== undefined || closes !== undefined)
    .map((student) => {
      const { opens = start, closes = end } = student;
      const isOutside = closes <= Math.max(start, opens) || opens >= end;
      // The window of the exam, and never a shorter one than the student has.
      const closing = Math.max(end, start + closes - opens);
      return { ...student, isOutside, closing, lacks: end - start - closes + Math.max(start, opens) };
    });
  const outside = own.filter(({ isOutside }) => isOutside);
  const short = own.filter(({ isOutside, lacks }) => !isOutside && lacks > 0);
  const found: Finding[] = [];
  const [first] = outside;
  if (first) {
    const alike = idsOf(outside.filter(({ closing }) => closing === first.closing));
    const times = `--open-time ${typedTime(start, zone)} --close-time ${typedTime(first.closing, zone)}`;
    found.push(failed(`outside the exam: the window of ${sessionsInWords(outside)}`, command('sessions update', alike, times)));
  }
  if (short.length > 0) {
    const most = Math.max(...short.map(({ lacks }) => lacks));
    const alike = idsOf(short.filter(({ lacks }) => lacks === most));
    const detail = `shorter than the exam, by up to ${durationInWords(most)}: the window of ${sessionsInWords(short)}`;
    found.push(warning(detail, command('sessions extend', alike, `--by ${spelledDuration(most)}`)));
  }
  return found.length > 0 ? found : ok(`${count(own.length, 'session')} with a window of ${own.length === 1 ? 'its' : 'their'} own`);
}

function judgeOverlaps({ exam: { id }, overlaps, unknown, command }: Subject): Finding {
  const [first] = overlaps;
  const why = unknown.others ?? unknown.students ?? unknown.addresses;
  if (!first) return why === undefined ? ok('nobody is in another exam at that time') : skipped(why);
  const seen = overlaps.map(({ own, other }) => (own.exam === id ? [own.name, other.exam] : [other.name, own.exam]));
  // All are named: no other command names them.
  const told = [...Map.groupBy(seen, ([, there]) => there)].map(([there, those]) => {
    const names = new Set(those.map(([name]) => name));
    return `${studentsInWords(names.size)} also in exam ${there}: ${[...names].join(', ')}`;
  });
  // The later exam begins when the last of them has finished the earlier one.
  const alike = overlaps.filter(({ own, other }) => own.exam === first.own.exam && other.exam === first.other.exam);
  const by = spelledDuration(Math.max(...alike.map(({ own, other }) => own.to - other.from)));
  return failed(told.join('; '), command('exams shift', [first.other.exam], `--by ${by}`));
}

function judgeProctors({ exam: { id }, proctors, students, minProctors, command }: Subject): Finding {
  const add = command('proctors add', [], typedOption('--exam', id));
  if (proctors === 0) return failed('the exam has no proctors', add);
  const needed = Math.ceil((students.length * minProctors.proctors) / minProctors.students);
  const detail = `${count(proctors, 'proctor')} for ${studentsInWords(students.length)}, ${needed} needed`;
  if (proctors >= needed) return ok(detail);
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

function idsOf(students: readonly Student[]): string[] {
  return students.map(({ session }) => session);
}

/** "session 12", "sessions 12, 14, 15 and 3 more". */
function sessionsInWords(students: readonly Student[]): string {
  return `${students.length === 1 ? 'session' : 'sessions'} ${firstInLine(students, ({ session }) => session, namedAtMost)}`;
}
