/** `sessions find`: a student by whatever is known, those of today first and at once, and how to help a single one. */
import { describe, expect, test } from 'vitest';
import { told } from '../../support/run.ts';
import { refused, Service } from '../../support/service.ts';

const [ten, during] = ['2027-03-01T10:00:00Z', '2027-03-01T09:00:00Z'];
const exams = [
  { id: 42, name: 'Algebra', start_time: '2027-03-01T08:00:00Z', end_time: ten },
  { id: 43, name: 'Biology', start_time: '2027-04-01T08:00:00Z', end_time: '2027-04-01T10:00:00Z' },
  { id: 44, name: 'Chemistry', start_time: '2027-01-01T08:00:00Z', end_time: '2027-01-01T10:00:00Z' },
];
const ada = { email: 'ada@example.org', name: 'Ada Lovelace' };
const emilie = { email: null, name: 'ÉMILIE du Châtelet-Weiß', matriculation_number: '04118785', level_of_suspicion: 7 };
const sessions = [
  { id: 6, exam_id: 44, ...ada, status: 'exam_finished' },
  { id: 7, exam_id: 43, ...ada, status: 'mail_sent' },
  { id: 8, exam_id: 42, ...emilie, status: 'exam_started' },
  { id: 70, exam_id: 42, ...ada, email: 'ADA@example.org', status: 'exam_started', seat: 'B 12', close_time: '2027-03-01T10:30:00Z' },
];
const service = (all: object[] = sessions) => new Service({ exams, sessions: all as typeof sessions });

async function found(text: string, given = service()) {
  const { code, stdout, stderr } = await given.run(['sessions', 'find', ...text.split(' '), '-o', 'json'], { now: during });
  return { code, rows: JSON.parse(stdout), ids: JSON.parse(stdout).map(({ id }: { id: number }) => id), stderr: told(stderr) };
}

test.each([
  ['émilie', [8]],
  ['E\u0301MILIE', [8]],
  ['chatelet-weiss emilie', [8]],
  ['04118785', [8]],
  ['0411 87 85', [8]],
  ['04-118-785', [8]],
  ['4118785', [8]],
  ['004118785', [8]],
  ['b 12', [70]],
  ['7', [7]],
  ['07', []],
  ['42', []],
  ['0411', []],
  ['ada', [70, 7, 6]],
  ['@EXAMPLE.ORG', [70, 7, 6]],
])('%j finds %j: parts of name and address, or a whole value; those of today first, then the next', async (text, ids) => {
  expect((await found(text)).ids).toEqual(ids);
});

test.each([
  ["d'angelo", 'Chloé D’Angelo'],
  ['d’angelo', "Chloé D'Angelo"],
  ["d'angelo", 'Chloé D´Angelo'],
  ['moeller', 'Chloé Möller'],
  ['d’angelo', 'Chloé Dʼangelo'],
  ['smith-jones', 'Eve Smith–Jones'],
  ['smith-jones', 'Eve Smith\u2011Jones'],
  ['smith—jones', 'Eve Smith-Jones'],
])('%j finds %j: an apostrophe or a dash is the one of the keyboard, and ö is oe, too', async (text, name) => {
  expect((await found(text, service([{ ...sessions[1], name }]))).ids).toEqual([7]);
});

test('shows its own times, those of the exam, the name of the exam, and every field of the service', async () => {
  const { rows } = await found('ada');
  expect(rows[0]).toMatchObject({
    ...sessions[3],
    exam_name: 'Algebra',
    exam_start: '2027-03-01T08:00:00Z',
    close_time: '2027-03-01T10:30:00Z',
  });
  expect(rows[1]).toMatchObject({ exam_name: 'Biology', exam_start: '2027-04-01T08:00:00Z', exam_end: '2027-04-01T10:00:00Z' });
});

test('shows the name and the number by which a student is known, in a table and in a file', async () => {
  const world = {
    now: during,
    env: { PROCTOR_DIALECT_SESSION_NUMBER_KEY: 'matriculation_number', PROCTOR_DIALECT_SESSION_NAME_KEY: 'label' },
  };
  const given = service([{ ...sessions[2], label: 'Émilie' }]);
  expect((await given.run('sessions find 04118785', world)).stdout).toMatch(/NAME .*NUMBER .*\n8 .*Émilie.*04118785/);
  expect((await given.run('sessions find 04118785 -o csv', world)).stdout).toMatch(/,matriculation_number,.*\r\n8,.*,04118785,/);
});

test('an exam that runs for weeks, and one that ends today, are of today', async () => {
  const long = [
    { ...exams[2], end_time: '2027-03-20T10:00:00Z' },
    { ...exams[1], start_time: '2027-02-28T08:00:00Z', end_time: '2027-03-01T06:00:00Z' },
  ];
  const given = new Service({ exams: long, sessions });
  expect((await found('lovelace', given)).ids).toEqual([7, 6, 70]);
  expect(given.requests().slice(0, 3).toSorted()).toEqual([
    'GET /exams',
    'GET /exams/43/student_sessions',
    'GET /exams/44/student_sessions',
  ]);
});

test('finds no session: an empty list, success, and a sentence; an empty text is refused', async () => {
  expect(await found('ada nobody')).toMatchObject({
    code: 0,
    rows: [],
    stderr: expect.stringContaining('No session matches "ada nobody".'),
  });
  expect((await service().run(['sessions', 'find', ' '])).code).toBe(3);
});

test('reads the lists of the other exams where sessions do not name theirs', async () => {
  const given = service();
  given.showing.as = ({ exam_id: _, ...record }) => record;
  expect(await found('ada', given)).toMatchObject({ ids: [70, 7, 6], rows: [{ exam_id: 42 }, { exam_id: 43 }, { exam_id: 44 }] });
  expect(given.requests().filter((line) => line.includes('sessions'))).toEqual([
    'GET /exams/42/student_sessions',
    'GET /student_sessions',
    'GET /exams/43/student_sessions',
    'GET /exams/44/student_sessions',
  ]);
});

describe('on a terminal of 80 columns', () => {
  const seen = (text: string, now: string, all: object[], given = service(all)) =>
    given.run(['sessions', 'find', text, '--no-color', '--timezone', 'UTC'], { tty: true, columns: 80, now });

  test('the student of today is shown after the list of the exam, whatever becomes of the long one', async () => {
    const given = service();
    given.always('GET /student_sessions', refused(422, { message: 'too many' }));
    const { code, stdout, stderr } = await seen('ada', during, sessions, given);
    expect([code, stderr]).toEqual([7, expect.stringContaining('Only the exams that run and those of today were searched.\nerror: ')]);
    expect(stdout).toMatch(
      /^ID .*NAME .*START FROM \+00:00 +START BY \+00:00 .*\n70 .*Ada Lovelace .*\(2027-03-01 08:00\) +2027-03-01 10:30 .*\n$/m,
    );
  });

  test('and in 100, which of several is meant is shown by the exam and the number', async () => {
    const given = service(sessions.map((each) => ({ matriculation_number: '04118785', ...each, name: 'Ada Lovelace, Countess' })));
    const world = { tty: true, columns: 100, now: during, env: { PROCTOR_DIALECT_SESSION_NUMBER_KEY: 'matriculation_number' } };
    const { stdout } = await given.run('sessions find lovelace --no-color --timezone UTC', world);
    expect(stdout.match(/START BY \+00:00 +EXAM +NUMBER/g)).toHaveLength(2);
  });

  test('what is cut of a single student stands below', async () => {
    const email = 'soren.kjaergard@students.example.net';
    const exam = 'Algebra, with a name that fits into no table';
    const given = new Service({ exams: [{ ...exams[0], name: exam }], sessions: [{ ...sessions[3], name: null, email }] as never });
    const { stdout, stderr } = await seen('soren', during, [], given);
    expect(stdout).toMatch(/^ID .* {2}\+\d\n70 {2}- {5}\(2027-03-01 08:00\) {2}2027-03-01 10:30 {2}Algebra, with.*exam_started.*\n$/);
    expect(stderr.replaceAll('\n', ' ')).toContain(
      `${email}, exam 42, ${exam}, starts 2027-03-01 08:00 +00:00: exam_started, start from (2027-03-01 08:00 +00:00), start by 2027-03-01 10:30 +00:00 `,
    );
  });

  test('the others are in a table of their own behind a blank line, and nobody is told how to help several', async () => {
    const { stdout, stderr } = await seen('ada', during, sessions);
    expect(stdout.match(/^(\d+|ID|)(?=[ \n])/gm)).toEqual(['ID', '70', '', 'ID', '7', '6']);
    expect(stderr).not.toContain('More time');
  });

  const one = { id: 7, exam_id: 42, email: 's7@example.org', name: 'Søren Kjærgaard' };
  test.each<[status: string, now: string, possible: string[]]>([
    ['exam_started', during, ['Show', 'More time']],
    ['mail_sent', during, ['Show', 'More time']],
    ['mail_sent', '2027-03-02T09:00:00Z', ['Show', 'Start late']],
    ['exam_finished', during, ['Show']],
    ['beamed_up', during, ['Show']],
  ])('of a single student with the status %s at %s it names what is possible: %j', async (status, now, possible) => {
    const { stdout, stderr } = await seen('soren', now, [{ ...one, status }]);
    expect(stdout).toMatch(/^7 .*Søren Kjærgaard .*\(2027-03-01 10:00\)/m);
    expect(stderr.match(/^[A-Z][a-z ]+(?=: +proctor-cli )/gm)).toEqual(possible);
  });

  test('a command is quoted as a shell needs it, and names the profile', async () => {
    const given = service([{ ...one, status: 'exam_started' }]);
    given.showing.as = (record) => ({ ...record, ...(record.email === one.email ? { id: "o'clock $(id)" } : {}) });
    await given.run(['config', 'set', 'timezone', 'UTC', '--profile', 'exams']);
    const { stderr } = await given.run(['--profile', 'exams', 'sessions', 'find', 'soren'], { tty: true, now: during });
    expect(stderr).toContain(`proctor-cli sessions extend 'o'\\''clock $(id)' --by 15m --profile exams\n`);
  });
});
