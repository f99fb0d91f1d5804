/** `exams status`: the watch's counts and problems once, as one value in every format. */
import { describe, expect, test } from 'vitest';
import { attempt } from '../../faults/outcome.ts';
import { answer, faultServer } from '../../faults/server.ts';

const now = '2026-11-21T09:30:00Z';
const exam = { id: 5, name: 'Optics', start_time: '2026-11-21T09:00:00Z', end_time: null };
const sessions = [
  { id: 1, status: 'mail_sent', email: 'ada@example.org', name: 'Ada' },
  { id: 2, status: 'exam_started', level_of_suspicion: 3 },
  { id: 3, status: 'exam_started' },
  { id: 4, status: 'beamed_up' },
];

async function status(options = '', listed: unknown[] = sessions, shown: { id: number | string } = exam) {
  // An ID that is no number is looked up first: it might be a name.
  const read = Array.from({ length: typeof shown.id === 'string' ? 2 : 1 }, () => answer(200, shown));
  const server = await faultServer([...read, answer(200, listed)]);
  return attempt(`exams status ${shown.id} ${options}`.trim(), server.origin, { now });
}

describe('the counts', () => {
  test('are a table for a person, all statuses in their order and unknown ones behind them; the problems are another one below', async () => {
    const { code, stdout, stderr } = await status();
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      'Students: 4',
      'STATUS               COUNT  SHARE',
      'registered           0      0.0 %',
      'mail_sent            1      25.0 %',
      'check_started        0      0.0 %',
      'check_completed      0      0.0 %',
      'exam_session_opened  0      0.0 %',
      'exam_started         2      50.0 %',
      'exam_finished        0      0.0 %',
      'beamed_up            1      25.0 %',
      '',
      'Problems: 2',
      'PROBLEM           SESSION  EMAIL            NAME  STATUS',
      'suspicion 3 of 3  2        -                -     exam_started',
      'not started       1        ada@example.org  Ada   mail_sent',
      '',
    ]);
    expect(stderr).toBe('Exam 5, Optics, has been running for 30 min, has no end.\n');
  });

  test('and the problems are a list of one for a program', async () => {
    const { stdout } = await status('-o json');
    expect(JSON.parse(stdout)).toEqual([
      {
        exam: 5,
        name: 'Optics',
        start_time: '2026-11-21T09:00:00Z',
        end_time: null,
        at: '2026-11-21T09:30:00.000Z',
        students: 4,
        statuses: expect.arrayContaining([
          { status: 'mail_sent', count: 1, share: 0.25 },
          { status: 'beamed_up', count: 1, share: 0.25 },
        ]),
        problems: [
          { session: 2, email: null, name: null, status: 'exam_started', problem: 'suspicion_3', since: null },
          {
            session: 1,
            email: 'ada@example.org',
            name: 'Ada',
            status: 'mail_sent',
            problem: 'not_started',
            since: '2026-11-21T09:10:00.000Z',
          },
        ],
      },
    ]);
  });

  test('count one status once, however the service spells it, and show it to a program as it is', async () => {
    const spelled = [
      { id: 1, status: 'EXAM_STARTED' },
      { id: 2, status: 'Exam-Started', level_of_suspicion: 3 },
      { id: 3, status: 'exam_started' },
    ];
    const { stdout } = await status('', spelled);
    expect(stdout).toMatch(/^exam_started +3 +100\.0 %$/m);
    expect(stdout).not.toContain('EXAM_STARTED');
    const [{ problems }] = JSON.parse((await status('-o json', spelled)).stdout);
    expect(problems).toMatchObject([{ session: 2, status: 'Exam-Started' }]);
  });

  test.each([5, 'ex-5'])('name the exam as the service shows its ID: %j', async (id) => {
    const { stdout } = await status('-o json', sessions, { ...exam, id });
    expect(JSON.parse(stdout)[0].exam).toBe(id);
  });

  test('have a row for each problem, however many there are; a program gets them all', async () => {
    const many = Array.from({ length: 5000 }, (_, id) => ({ id, status: 'mail_sent' }));
    expect((await status('', many)).stdout.match(/^not started +\d+ /gm)).toHaveLength(5000);
    expect(JSON.parse((await status('-o json', many)).stdout)[0].problems).toHaveLength(5000);
  });

  test('are the table that --columns chooses, and the problems are where it names theirs', async () => {
    expect((await status('--columns status,count')).stdout).toMatch(/^Students: 4\nSTATUS +COUNT\n(\w+ +\d+\n){8}$/);
    expect((await status('--columns session,problem')).stdout).toMatch(/^Problems: 2\nSESSION +PROBLEM\n2 .*\n1 .*\n$/);
    expect((await status('--columns count,nothing')).code).toBe(2);
  });

  test('stand alone where there is no problem', async () => {
    expect((await status('', [{ id: 3, status: 'exam_started' }])).stdout).toMatch(/exam_finished +0 +0\.0 %\n\nNo problems\n$/);
  });

  test('are a row for a spreadsheet, the same as beside other exams', async () => {
    const { stdout } = await status('-o csv --columns exam,students,problems,not_started_yet,writing,other');
    expect(stdout).toBe('exam,students,problems,not_started_yet,writing,other\r\n5,4,2,1,2,1\r\n');
  });

  test('of an exam without students and without times have no shares', async () => {
    const { code, stdout, stderr } = await status('', [], { id: 5 });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^exam_started {9}0 {6}-$/m);
    expect(stderr).toBe('Exam 5, has no times.\n');
  });
});

test('--late decides which students are missed', async () => {
  expect((await status('--late 31m')).stdout).not.toContain('not started');
  expect((await status('--late 30m')).stdout).toContain('not started');
});
