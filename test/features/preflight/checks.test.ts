/** Each check of an exam: what it lets pass, what it finds, with which line to fix it, and when it does not judge. */
import { describe, expect, test } from 'vitest';
import { checks, findingOf } from '../../../src/features/preflight/index.ts';
import type { Finding } from '../../../src/features/preflight/preflight-check.ts';
import type { Student, Subject } from '../../../src/features/preflight/subject.ts';
import { problemOf } from '../../cli/command-lines.ts';
import { hour, start, student, subject } from './subject.ts';

const end = start + 2 * hour;
const times = (from: number, to: number): Partial<Subject> => ({ starts: { at: from }, ends: { at: to } });
const own = (opens: number | undefined, closes: number | undefined) => {
  const time = (at: number | undefined) => (at === undefined ? ({ why: 'none' } as const) : { at });
  return { students: [student(1), student(2, { opens: time(opens), closes: time(closes) })] };
};
const hidden = { why: 'hidden' } as const;
const nobody = { email: undefined, key: undefined };
const noAddresses = { students: [student(1, { ...nobody, showsEmail: false })] };
const studentsUnread = { students: [], unread: { students: 'the students cannot be read: HTTP 500' } };
/** The address of student 1 in a session of another spelling. */
const twin = (fields: Partial<Student> = {}) => student(9, { email: 'STUDENT1@example.org', key: 'student1@example.org', ...fields });
const overlap = (person: string, exam: string, { from = start, id = '90' } = {}) => {
  const sitting = { person, from: start, to: end };
  return { own: { ...sitting, exam: '42', id: '7' }, other: { ...sitting, exam, id, from } };
};

type Case = [what: string, differences: Partial<Subject>, state: Finding['state'], detail: RegExp, remedy?: string];

const update = 'exams update 42';
const window = (closes: number) => `sessions update 2 --open-time 2027-03-22T09:00+01:00 --close-time 2027-03-22T${closes}:00+01:00`;
const night = Date.UTC(2027, 2, 27, 22);
const midnight = Date.UTC(2027, 2, 22, 23);
const extraAtNight = { ...times(night, night + 2.5 * hour), ...own(undefined, night + 3.25 * hour) };
const lordHowe = { ...times(Date.UTC(2027, 3, 3, 12), Date.UTC(2027, 3, 3, 18)), shownZone: 'Australia/Lord_Howe' };
const options = ['--yes', '--exam=2', '--status=registered'];
const bothStatistics = { studentOverlaps: [1, 2].map((number) => overlap(`student${number}@example.org`, '43')) };
const agnes = (exam: string, from: number) => ({ proctorOverlaps: [overlap('7', exam, { from, id: '7' })] });
const needed = (students: number, given: boolean) => ({ minProctors: { proctors: 1, students, given } });

const cases: Record<string, Case[]> = {
  'times: order': [
    ['a start and a later end', {}, 'ok', /^2027-03-22 09:00 \+01:00 to 2027-03-22 11:00 \+01:00$/],
    ['an end before the start', times(end, start), 'failed', /ends before it starts/, update],
    ['an end at the start', times(start, start), 'failed', /ends when it starts/, update],
    ['no end', { ends: { why: 'none' } }, 'failed', /^the exam has no end_time$/, update],
    ['neither', { starts: { why: 'none' }, ends: { why: 'none' } }, 'failed', /no start_time and no end_time/, update],
    ['an end that is not shown', { ends: hidden }, 'skipped', /^the service shows no end_time$/],
    ['a start in unknown form', { starts: { why: 'unreadable' } }, 'skipped', /start_time that the service shows cannot be read/],
  ],
  'times: past': [
    ['tomorrow', {}, 'ok', /^starts in 24 h$/],
    ['running', { now: start + hour }, 'warning', /^the exam started 1 h ago$/, update],
    ['over', { now: end + hour }, 'failed', /^the exam ended 1 h ago$/, update],
    ['no times', { starts: { why: 'none' } }, 'skipped', /^the exam has no start_time$/],
  ],
  'times: midnight': [
    ['within a day', {}, 'ok', /^on 2027-03-22$/],
    ['until midnight', times(start, midnight), 'ok', /^on 2027-03-22$/],
    ['a second longer', times(start, midnight + 1000), 'warning', /past midnight, until 2027-03-23 00:00:01/, update],
    ['across midnight of UTC only', times(Date.UTC(2027, 2, 22, 23, 30), Date.UTC(2027, 2, 23, 1)), 'ok', /^on 2027-03-23$/],
    ['no zone', { zone: undefined }, 'skipped', /^no time zone is set: --timezone$/],
  ],
  'times: clock change': [
    ['an ordinary day', {}, 'ok', /^no change in Europe\/Vienna$/],
    ['in extra time', extraAtNight, 'warning', /forward during the extra time of 1 student, until 2027-03-28 03:15 \+02:00$/, update],
    ['in March', times(night - 5 * hour, night + 18 * hour), 'warning', /set forward.* takes 23 h, .* look like 24 h/, update],
    [
      'in October',
      times(Date.UTC(2027, 9, 30, 16), Date.UTC(2027, 9, 31, 17)),
      'warning',
      /set back.* takes 25 h, .* look like 24 h/,
      update,
    ],
    ['of half an hour', lordHowe, 'warning', /set back.* takes 6 h, .* look like 5 h 30 min/, update],
    ['no zone', { zone: undefined }, 'skipped', /no time zone/],
  ],
  'times: length': [
    ['two hours', {}, 'ok', /^2 h$/],
    ['14 minutes', times(start, start + 14 * 60_000), 'warning', /^the exam takes only 14 min$/, update],
    ['seven hours', times(start, start + 7 * hour), 'warning', /^the exam takes 7 h$/, update],
    ['an end before the start', times(end, start), 'skipped', /does not end after it starts/],
    ['no end', { ends: hidden }, 'skipped', /no end_time/],
  ],
  'students: number': [
    ['three', {}, 'ok', /^3 students$/],
    ['none', { students: [] }, 'failed', /^the exam has no students$/, 'sessions import FILE --exam 42'],
    ['not read', studentsUnread, 'skipped', /HTTP 500/, 'sessions list --exam 42'],
  ],
  'students: duplicates': [
    ['three addresses', {}, 'ok', /^3 students, no address twice$/],
    [
      'one in two spellings',
      { students: [student(1), student(2), twin()] },
      'failed',
      /^1 address is in the exam more than once: student1@example\.org \(sessions 1, 9\)$/,
      'sessions delete 9',
    ],
    ['the second has begun', { students: [student(1), twin({ status: 'exam_started' })] }, 'failed', /sessions 1, 9/, 'sessions delete 1'],
    [
      'IDs that would be options',
      { students: options.map((session) => student(1, { session })) },
      'failed',
      /sessions --yes, --exam=2, --status=registered/,
      'sessions delete -- --exam=2 --status=registered',
    ],
    [
      'both have begun: a person decides',
      { students: [student(1, { status: 'exam_started' }), twin({ status: 'exam_started' })] },
      'failed',
      /sessions 1, 9/,
      'sessions list --exam 42',
    ],
    ['students without an address', { students: [student(1, nobody), student(2, nobody)] }, 'ok', /no address twice/],
    ['no addresses shown', noAddresses, 'skipped', /^the service shows no addresses$/],
  ],
  'students: addresses': [
    ['all have one', {}, 'ok', /^3 students, each with an address$/],
    [
      'one has none',
      { students: [student(1), student(2, nobody)] },
      'warning',
      /^1 of 2 students has no address: session 2$/,
      'sessions update 2',
    ],
    ['not shown', noAddresses, 'skipped', /shows no addresses/],
    ['not read', studentsUnread, 'skipped', /HTTP 500/],
  ],
  'students: clashes': [
    ['nothing at that time', {}, 'ok', /^3 students compared with 2 exams at that time$/],
    [
      'two students in another exam',
      bothStatistics,
      'failed',
      /^2 students also in exam 43, Statistics: student1@example\.org, student2@example\.org$/,
      'exams shift 43 --by DURATION',
    ],
    ['other exams that cannot be read', { unread: { others: 'HTTP 500' } }, 'skipped', /^the other exams cannot be compared: HTTP 500$/],
    ['no times', { starts: hidden }, 'skipped', /no start_time/],
  ],
  'windows: order': [
    ['none of their own', {}, 'ok', /^0 sessions with a window/],
    ['one that closes first', own(end, start), 'failed', /^1 window closes before opening: session 2$/, window(11)],
    ['one that closes before the exam starts', own(undefined, start - hour), 'failed', /session 2/, window(11)],
    ['not shown', { students: [student(1, { closes: hidden })] }, 'skipped', /^the service shows no close_time of its sessions$/],
    ['in unknown form', { students: [student(1, { opens: { why: 'unreadable' } })] }, 'skipped', /^the open_time of 1 session cannot be/],
  ],
  'windows: exam': [
    ['as long as the exam', own(start - hour, end), 'ok', /^1 session with a window of its own$/],
    ['longer', own(undefined, end + hour), 'ok', /1 session/],
    ['over before the exam', own(start - 3 * hour, start), 'failed', /^1 window is outside the exam: session 2$/, window(12)],
    [
      'shorter',
      own(undefined, end - hour),
      'warning',
      /^1 window is shorter .*, down to 1 h: session 2$/,
      'sessions extend 2 --by DURATION',
    ],
    ['a late start alone', own(start + hour, undefined), 'warning', /down to 1 h: session 2$/, 'sessions extend 2 --by DURATION'],
    ['outside, with extra time, which is kept', own(start - 48 * hour, start - 45 * hour), 'failed', /outside the exam/, window(12)],
    ['not shown', { students: [student(1, { opens: hidden })] }, 'skipped', /shows no open_time/],
  ],
  'proctors: pool': [
    ['one', {}, 'ok', /^1 proctor$/],
    ['none', { proctors: [] }, 'failed', /^the exam has no proctors$/, 'proctors add --exam 42'],
    ['not read', { unread: { proctors: 'the proctor pool cannot be read: HTTP 403' } }, 'skipped', /HTTP 403/],
  ],
  'proctors: number': [
    ['enough', {}, 'ok', /^1 proctor for 3 students, 1 needed \(1 for 30\)$/],
    ['too few', needed(2, true), 'failed', /^1 proctor for 3 students, 2 needed \(1 for 2\)$/, 'proctors add --exam 42'],
    ['too few by the default', needed(2, false), 'warning', /2 needed/, 'proctors add --exam 42'],
    ['exactly enough', needed(3, true), 'ok', /1 needed/],
    ['none at all, which is said elsewhere', { proctors: [] }, 'skipped', /no proctors/],
    ['students not read', studentsUnread, 'skipped', /HTTP 500/],
  ],
  'proctors: clashes': [
    ['nothing at that time', { compared: 0 }, 'ok', /^no other exam at that time$/],
    ['out of a later exam', agnes('43', start + hour), 'failed', /^1 proctor also .* Agnes \(7\)$/, 'proctors remove 7 --exam 43'],
    ['out of this one, which is later', agnes('41', start - hour), 'failed', /Agnes/, 'proctors remove 7 --exam 42'],
    ['no IDs shown', { proctors: [{ id: undefined, name: 'Agnes' }] }, 'skipped', /no IDs that tell its proctors apart/],
    ['other exams not read', { unread: { others: 'HTTP 500' } }, 'skipped', /cannot be compared/],
  ],
  mails: [
    ['all mailed', {}, 'ok', /^no student is waiting for a mail$/],
    [
      'none mailed',
      { students: [1, 2].map((id) => student(id, { status: 'Registered' })) },
      'warning',
      /^2 of 2 students are registered and not mailed$/,
      'exams send-emails 42',
    ],
    [
      'one left',
      { students: [student(1), student(2, { status: 'registered' })] },
      'warning',
      /^1 of 2 students is registered and not mailed; mailing them also mails the others again$/,
      'exams send-emails 42',
    ],
    ['one whom no mail reaches', { students: [student(1, { status: 'registered', ...nobody })] }, 'ok', /no student is waiting/],
    ['no status shown', { students: [student(1, { status: undefined })] }, 'skipped', /^the service shows no status$/],
  ],
};

test('each check passes, finds something, and does not judge what it does not know', () => {
  expect(Object.keys(cases)).toEqual(checks.map(({ name }) => name));
  for (const [name, those] of Object.entries(cases)) {
    const seen = new Set(those.map(([, , state]) => state));
    expect([name, seen.has('ok'), seen.has('failed') || seen.has('warning'), seen.has('skipped')]).toEqual([name, true, true, true]);
  }
});

describe.each(checks.map((check) => [check.name, check] as const))('%s', (name, check) => {
  test.each(cases[name] ?? [])('%s', async (_what, differences, state, detail, remedy) => {
    const finding = findingOf(check, subject(differences));
    expect([finding.state, finding.remedy]).toEqual([state, remedy === undefined ? undefined : `proctor-cli ${remedy}`]);
    expect(finding.detail).toMatch(detail);
    if (finding.remedy !== undefined && !/accommodations/.test(finding.remedy)) expect(await problemOf(remedy ?? '')).toBe(undefined);
  });
});
