/** Each check of an exam: what it lets pass, what it finds, with which command that corrects it, and when it does not judge. */
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/features/finding.ts';
import { type CheckedExam, type CheckedStudent, checks, findingOf } from '../../../src/features/preflight/preflight.ts';
import { typedCommand } from '../../../src/model/shell-quote.ts';
import { problemOf } from '../../cli/command-lines.ts';

const start = Date.UTC(2027, 2, 22, 8);
const hour = 3_600_000;
const end = start + 2 * hour;

function student(number: number, differences: Partial<CheckedStudent> = {}): CheckedStudent {
  const email = `student${number}@example.org`;
  return { session: String(number), email, status: 'mail_sent', opens: undefined, closes: undefined, ...differences };
}

/** An exam in which nothing is wrong; a case changes what it is about. */
function subject(differences: Partial<CheckedExam>): CheckedExam {
  return {
    exam: { id: '42', name: 'Algebra', start, end, shown: {} },
    students: [student(1), student(2), student(3)],
    proctors: 1,
    unknown: {},
    others: [],
    overlaps: [],
    minProctors: { proctors: 1, students: 30, given: true },
    now: start - 24 * hour,
    zone: 'Europe/Vienna',
    command: (line, operands = [], ...options) => `proctor-cli ${typedCommand(line, operands, ...options)}`,
    ...differences,
  };
}

const times = (from: number | undefined, to: number | undefined): Partial<CheckedExam> => ({
  exam: { id: '42', name: 'Algebra', start: from, end: to, shown: {} },
});
const own = (opens: number | undefined, closes: number | undefined) => ({ students: [student(1), student(2, { opens, closes })] });
const after = (id: number, hours: number) => student(id, { opens: end + hour, closes: end + (hours + 1) * hour });
const late = { students: [after(2, 1), after(3, 3)] };
const unknown = (need: keyof CheckedExam['unknown']) => ({ unknown: { [need]: 'HTTP 500' } });
const unread = { others: [{ ...subject({}), exam: { ...subject({}).exam, id: '43' }, ...unknown('students') }] };
const nobody = { email: undefined };
/** The address of student 1 in a session of another spelling. */
const twin = (fields: Partial<CheckedStudent> = {}) => student(9, { email: 'STUDENT1@example.org', ...fields });
const begun = { status: 'exam_started' };
const two = (fields: Partial<CheckedStudent>) => ({ students: [student(1, fields), student(2, fields)] });
const three = { students: [student(1), twin(), student(3, nobody)] };
const left = { students: [student(1), student(2, { status: 'registered' })] };
/** A student in exam 42, and in another one that begins so many hours later. */
const overlap = (name: string, exam: string, later: number) => {
  const sitting = (id: string, from: number) => ({ person: name, name, exam: id, from, to: from + 2 * hour });
  const [own, other] = [sitting('42', start), sitting(exam, start + later * hour)];
  return later < 0 ? { own: other, other: own } : { own, other };
};
const ada = (exam: string, later: number) => ({ overlaps: [overlap('Ada', exam, later)] });
const both = { overlaps: [overlap('Ada', '43', 1), overlap('Bob', '44', 0.5)] };
const needed = (students: number, given: boolean) => ({ minProctors: { proctors: 1, students, given } });
const update = 'exams update 42 --start TIME --end TIME';
const window = (closes: number) => `sessions update 2 --open-time 2027-03-22T09:00+01:00 --close-time 2027-03-22T${closes}:00+01:00`;
const options = ['--yes', '--exam=2', '--status=registered'];

type Case = [what: string, differences: Partial<CheckedExam>, state: Finding['state'], detail: RegExp, remedy?: string];

const cases: Record<string, Case[]> = {
  times: [
    ['tomorrow', {}, 'ok', /^2027-03-22 09:00 \+01:00 to 2027-03-22 11:00 \+01:00$/],
    ['an end at the start', times(start, start), 'failed', /does not end after it starts/, update],
    ['neither', times(undefined, undefined), 'failed', /^the exam has no start$/, update],
    ['running', { now: start + hour }, 'warning', /^the exam started 1 h ago$/, update],
    ['over', { now: end + hour }, 'failed', /^the exam ended 1 h ago$/, update],
    ['not known', unknown('times'), 'skipped', /HTTP 500/],
  ],
  students: [
    ['three', {}, 'ok', /^3 students, each with an address, and none twice$/],
    ['none', { students: [] }, 'failed', /^the exam has no students$/, 'sessions import FILE --exam 42'],
    ['one in two spellings', { students: [student(1), twin()] }, 'failed', /once .* student1@.* \(sessions 1, 9\)$/, 'sessions delete 9'],
    ['the second has begun', { students: [student(1), twin({ status: 'exam_started' })] }, 'failed', /sessions 1, 9/, 'sessions delete 1'],
    [
      'IDs that would be options',
      { students: options.map((session) => student(1, { session })) },
      'failed',
      /sessions --yes, --exam=2, --status=registered/,
      'sessions delete -- --exam=2 --status=registered',
    ],
    ['both have begun: you decide', { students: [student(1, begun), twin(begun)] }, 'failed', /sessions 1, 9/, 'sessions list --exam 42'],
    ['two without an address: no duplicates', two(nobody), 'warning', /^2 of 2 .*: sessions 1, 2$/, 'sessions update 1 --email ADDRESS'],
    ['a duplicate does not hide a missing address', three, 'failed', /more than once.*; 1 of 3 .*: session 3$/, 'sessions delete 9'],
    ['no addresses shown', unknown('addresses'), 'skipped', /HTTP 500/],
    ['not read', unknown('students'), 'skipped', /HTTP 500/],
  ],
  windows: [
    ['none of their own', {}, 'ok', /^own windows: 0$/],
    ['longer than the exam', own(undefined, end + hour), 'ok', /^own windows: 1$/],
    [
      'one that closes before it opens',
      own(start + hour, start + hour / 2),
      'failed',
      /^outside the exam: the window of session 2$/,
      window(11),
    ],
    ['two after the exam, one of them longer', late, 'failed', /sessions 2, 3$/, window(11)],
    ['over before the exam, with extra time, which is kept', own(start - 48 * hour, start - 45 * hour), 'failed', /session 2/, window(12)],
    ['no times', unknown('span'), 'skipped', /HTTP 500/],
    ['not shown', unknown('windows'), 'skipped', /HTTP 500/],
  ],
  overlaps: [
    ['nobody', {}, 'ok', /^nobody is in another exam at that time$/],
    [
      'two in a later exam, which moves behind this one',
      { overlaps: [overlap('Ada', '43', 1), overlap('Bob', '43', 1.5)] },
      'failed',
      /^2 students also in exam 43: Ada, Bob$/,
      'exams shift 43 --by 1h',
    ],
    ['one in an earlier exam, behind which this one moves', ada('41', -1), 'failed', /1 student also.* 41: Ada/, 'exams shift 42 --by 1h'],
    ['of two exams, the first moves', both, 'failed', /43: Ada; .* 44: Bob$/, 'exams shift 43 --by 1h'],
    ['one, and an exam that cannot be read', { ...ada('43', 1), ...unread }, 'failed', /43, Algebra: Ada/, 'exams shift 43 --by 1h'],
    ['other exams that cannot be read', unread, 'skipped', /^of exam 43, Algebra: HTTP 500$/],
    ['no addresses shown', unknown('addresses'), 'skipped', /^HTTP 500$/],
    ['no times', unknown('span'), 'skipped', /HTTP 500/],
  ],
  proctors: [
    ['enough', {}, 'ok', /^1 proctor for 3 students, 1 needed$/],
    ['none', { proctors: 0 }, 'failed', /^the exam has no proctors$/, 'proctors add --exam 42'],
    ['too few', needed(2, true), 'failed', /^1 proctor for 3 students, 2 needed$/, 'proctors add --exam 42'],
    ['too few by the default', needed(2, false), 'warning', /2 needed/, 'proctors add --exam 42'],
    ['not read', unknown('proctors'), 'skipped', /HTTP 500/],
  ],
  mails: [
    ['all mailed', {}, 'ok', /^no student is waiting for a mail$/],
    ['none mailed', two({ status: 'Registered' }), 'warning', /^2 of 2 students registered and not mailed$/, 'exams send-emails 42'],
    [
      'one left: the command asks before it mails the other one again',
      left,
      'warning',
      /^1 of 2 .*; with them, 1 would be mailed a second time$/,
      'exams send-emails 42 --resend',
    ],
    ['one whom no mail reaches', { students: [student(1, { status: 'registered', ...nobody })] }, 'ok', /no student is waiting/],
    ['no status shown', unknown('statuses'), 'skipped', /HTTP 500/],
  ],
  access: [
    ['all can be read', {}, 'ok', /^students and proctors can be read$/],
    ['students that cannot', unknown('students'), 'failed', /^HTTP 500$/, 'doctor'],
    ['proctors that cannot', unknown('proctors'), 'skipped', /^HTTP 500$/],
  ],
};

describe.each(checks.map((check) => [check.name, check] as const))('%s', (name, check) => {
  test.each(cases[name] ?? [])('%s', async (_what, differences, state, detail, remedy) => {
    const finding = findingOf(check, subject(differences));
    expect([finding.state, finding.remedy]).toEqual([state, remedy === undefined ? null : `proctor-cli ${remedy}`]);
    expect(finding.detail).toMatch(detail);
    // A word in capitals is what a person knows.
    const line = remedy?.replaceAll('TIME', '2027-03-22T09:00Z').replace('ADDRESS', 'ada@example.org') ?? '';
    if (remedy !== undefined) expect(await problemOf(line)).toBe(undefined);
  });
});
