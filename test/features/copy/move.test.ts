/** sessions move: a student is created in the other exam, seen there whole, and only then deleted here. */
import { describe, expect, test } from 'vitest';
import { told } from '../../support/run.ts';
import { type Fields, withoutUnset } from '../../support/truth.ts';
import { ada, back, eleven, faults, lastRun, move, moved, one, own, session, two, where } from './moves.ts';

describe('A move', () => {
  test('creates the student with everything that is declared, sees it, reads both sessions once more, and deletes the old one', async () => {
    const it = await two();
    const { code, stdout, stderr } = await it.run('sessions move 100 --exam 7 --yes -o csv');
    expect([code, stdout.split('\r\n')[1]], stderr).toEqual([0, '7,102,s1@example.org,moved,was session 100 of exam 5']);
    expect(it.service.requests().slice(-10)).toEqual([
      'GET /exams/7/student_sessions',
      'GET /student_sessions/102',
      'PATCH /student_sessions/102',
      'GET /student_sessions/102',
      // Right before the deletion, the student is seen in the new session with all values, and the old one as it was.
      'GET /student_sessions/102',
      'GET /student_sessions/100',
      'DELETE /student_sessions/100',
      'GET /student_sessions/100',
      // Nothing that it relied on has changed meanwhile.
      'GET /exams/7',
      'GET /exams/7/student_sessions',
    ]);
    expect(session(it, 102)).toMatchObject({ ...ada, exam_id: 7, email: 's1@example.org', status: 'registered' });
    expect(session(it, 100)).toBeUndefined();
  });

  test.each([
    ['an hour', 8, { open_time: '2027-03-22T10:10:00Z', close_time: '2027-03-22T12:30:00Z' }],
    ['days: 09:10 stays 09:10 though the clocks change', 9, { open_time: '2027-03-29T07:10:00Z', close_time: '2027-03-29T09:30:00Z' }],
  ])('takes own windows along by the difference of the starts, by %s', async (_, to, window) => {
    const it = await two();
    expect((await it.run(`sessions move 100 101 --exam ${to} --yes`)).code).toBe(0);
    expect([session(it, 102), session(it, 103)]).toEqual([expect.objectContaining(window), expect.objectContaining({ close_time: null })]);
  });

  test('says that the other exam is over', async () => {
    const it = await two();
    it.service.change('exam', 7, { start_time: '2020-03-22T08:00:00Z', end_time: '2020-03-22T10:00:00Z' });
    expect((await it.run('sessions move 100 --exam 7 --yes')).stderr).toContain('Exam 7 is over: 2020-03-22 11:00 +01:00.');
  });

  test('names before what does not go along, and -F adds it', async () => {
    const it = await two();
    it.service.change('session', 100, { seat: 12, link: 'https://a.test', note: '', tags: [] });
    const dry = await it.run('sessions move 100 --exam 7 --dry-run -o json -F seat=14');
    expect(told(dry.stderr)).toContain('warning: not copied: link. To add a field to the new sessions: -F FIELD=VALUE');
    expect(JSON.parse(dry.stdout).map(({ method, body }: Fields) => [method, body])).toEqual([
      ['POST', { email: 's1@example.org', name: 'Ada', number: '0123', skip_requirements: true, close_time: own.close_time, seat: 14 }],
      ['PATCH', { open_time: own.open_time }],
      ['DELETE', undefined],
    ]);
    const at = '2027-03-22T08:20:00Z';
    expect((await it.run(`sessions move 100 --exam 7 --yes -F seat=14 -F open_time=${at}`)).code).toBe(0);
    expect(session(it, 102)).toMatchObject({ seat: 14, open_time: at, close_time: own.close_time });
  });

  test('is asked about with names and exams; a script needs --yes, and silence sends nothing', async () => {
    const it = await two();
    expect([(await it.run('sessions move 100 --exam 7')).code, it.service.requests()]).toEqual([2, []]);
    const { code, stderr, questions } = await it.run('sessions move 100 101 --exam 7', { tty: true, answers: [false] });
    expect([code, it.service.writes()]).toEqual([130, []]);
    expect(questions).toEqual([expect.stringMatching(/^Move 2 sessions of exam 5 \(Exam 5, .*\) to exam 7 \(Exam 7, .*\) at /)]);
    expect(stderr).toContain(
      'Will move: session 100 s1@example.org of exam 5, start from 2027-03-22 09:10 +01:00, start by 2027-03-22 11:30 +01:00',
    );
    const during = async () => it.service.change('session', 100, { email: 'eve@example.org' }) === undefined;
    const changed = await it.run('sessions move 100 --exam 7', { tty: true, answers: [during, false] });
    expect(changed.questions).toEqual([expect.stringContaining('s1@example.org'), expect.stringContaining('eve@example.org')]);
  });

  test('says where a window closes otherwise beside the end of the new exam, and of no window that is only to start in', async () => {
    const it = await two({ exam_id: 5, close_time: '2027-03-22T08:15:00Z' });
    const said = async (end: string, given = '') => {
      it.service.change('exam', 8, { end_time: end });
      return told((await it.run(`sessions move 100 102 --exam 8 --dry-run${given}`)).stderr);
    };
    expect(await said(one)).not.toContain('end of the new exam');
    const moved = 'warning: session 100 s1@example.org: start by 2027-03-22 13:30 +01:00 is';
    const set = ' To set another time: proctor-cli sessions update ID --close-time TIME';
    const was = ' (in the old one, 30m after).';
    expect(await said('2027-03-22T11:00:00Z')).toContain(`${moved} 1h30m after the end of the new exam${was}${set}`);
    expect(await said('2027-03-22T14:00:00Z')).toContain(`${moved} 1h30m before the end of the new exam${was}${set}`);
    expect(await said('2027-03-22T12:30:00Z')).toContain(`${moved} at the end of the new exam${was}${set}`);
    expect(await said('2027-03-22T12:30:00Z')).not.toContain('session 102 s3@example.org: start by');
    expect(await said('2027-03-22T14:00:00Z', ' -F close_time=2027-03-22T14:30:00Z')).not.toContain('end of the new exam');
  });

  test('takes sessions of several exams at once', async () => {
    const it = await two({ exam_id: 7, close_time: own.close_time });
    expect((await it.run('sessions move 100 102 --exam 8 --yes')).code).toBe(0);
    expect(where(it)).toEqual({ s1: [8], s2: [5], s3: [8] });
    expect(session(it, 104)).toMatchObject({ close_time: '2027-03-22T12:30:00Z' });
  });

  test('takes nobody out of an exam that is running, unless a reason is given', async () => {
    const it = await two();
    const now = '2027-03-22T08:30:00Z';
    expect([(await it.run(move, { now })).code, it.service.writes()]).toEqual([12, []]);
    expect((await it.run(`${move} --during-exam Booked`, { now })).code).toBe(0);
    expect(where(it)).toEqual(moved);
  });

  test.each<[what: string, status: number, change: Fields, line?: string]>([
    ['its status is check_started', 3, { status: 'check_started' }],
    ['its status is exam_started', 3, { status: 'exam_started' }],
    ['its status is exam_finished', 3, { status: 'exam_finished' }],
    ['its status is paused', 3, { status: 'paused' }],
    ['in exam 5 already', 11, {}, 'sessions move 100 101 --exam 5 --yes'],
    ['in exam 8 already, as session 102', 11, { email: 's3@Example.ORG' }],
    ['has the same student as session 100', 3, { email: 'S1@example.org' }],
    ['has the same student as session 100', 3, { email: null, number: '0123' }],
    ['shows no address', 3, { email: 's***@example.org' }],
    ['shows no exam', 8, { exam_id: null }],
    ['does not exist', 6, {}, 'sessions move 100 999 --exam 8 --yes'],
    ['A move keeps name as it is', 3, {}, `${move} -F name=Eve`],
    ['one of the exams shows no start', 3, { close_time: own.close_time }, 'sessions move 101 --exam 10 --yes'],
  ])('of which one %s sends nothing (%i)', async (what, status, change, line = move) => {
    const it = await two({ exam_id: 8 });
    it.service.truth.createExam({ name: 'Untimed' }, 'colleague', 10);
    it.service.change('session', 101, change);
    const { code, stderr } = await it.run(line);
    expect([code, stderr, it.service.writes()]).toEqual([status, expect.stringContaining(what), []]);
  });

  test('of which one cannot go prints the command for the others, and a list that hides who is there sends nothing', async () => {
    const it = await two({ exam_id: 5, status: 'exam_finished' }, { exam_id: 8 });
    const { stderr } = await it.run('sessions move 100 101 102 --exam 8 --yes');
    const [, others = ''] = /To move the others: proctor-cli (.*)/.exec(stderr) ?? [];
    it.service.showing.as = (record, { path }) =>
      path === '/exams/8/student_sessions' ? { ...record, email: 's***@example.org' } : record;
    expect([(await it.run(others)).code, it.service.writes()]).toEqual([3, []]);
    it.service.showing.as = undefined;
    expect((await it.run(others)).code).toBe(0);
    expect(where(it)).toEqual({ ...moved, s3: [5], s4: [8] });
  });
});

describe('The old session stays, both are named, and an undo takes the new one back', () => {
  test.each<[what: string, fields: Fields, why: string]>([
    ['another name', { name: 'Eve' }, 'name is "Eve", not "Ada"'],
    ['no name', { name: undefined }, 'name is not shown'],
    ['no number', { number: undefined }, 'number is not shown'],
    ['an empty number', { number: '' }, 'number is "", not "0123"'],
    ['another close time', { close_time: eleven }, 'close_time is 2027-03-22 11:00 +01:00, not'],
    ['no open time', { open_time: undefined }, 'open_time is empty, not'],
    ['the check of the requirements', { skip_requirements: false }, 'skip_requirements is false, not true'],
    ['a mask for the address', { email: 's***@example.org' }, 'email is not shown'],
    ['another exam', { exam_id: 8 }, 'exam 8'],
  ])('where the new one shows %s (9), in the answer and in each read', async (what, fields, why) => {
    const it = await two();
    const shown = (record: Fields) =>
      Object.fromEntries(Object.entries({ ...record, ...fields }).filter(([, value]) => value !== undefined));
    it.service.showing.as = (record) => (record.id === 102 ? shown(record) : record);
    const { code, stderr } = await it.run('sessions move 100 --exam 7 --yes');
    expect([code === 10 || code === 9, stderr]).toEqual([true, expect.stringContaining(why)]);
    expect(stderr).toMatch(/session 102, and session 100 of exam 5 stays: |Session 100 of exam 5 stays: /);
    expect([session(it, 100), it.service.posts()]).toEqual([expect.objectContaining(own), 1]);
    // The session is still shown as the run saw it last, or is in its exam again.
    if (what === 'another exam') it.service.showing.as = undefined;
    const undone = await it.run(`runs undo ${await lastRun(it)} --yes`);
    expect([undone.code, where(it)], undone.stderr).toEqual([0, back]);
  });

  test.each<[what: string, change: Fields, why: string]>([
    ['has started', { status: 'exam_started' }, 'status is now'],
    ['was given time', { close_time: one }, 'close_time is now'],
    ['was given to another student', { email: 'eve@example.org' }, 'it now belongs to eve@example.org'],
    ['was given a number', { number: '999' }, 'number is now "999"'],
  ])('where it %s since the plan', async (_, change, why) => {
    const it = await two();
    it.service.onArrival = ({ method }) => (method === 'PATCH' ? it.service.change('session', 100, change) : undefined);
    const { code, stderr } = await it.run('sessions move 100 --exam 7 --yes');
    expect([code, stderr]).toEqual([9, expect.stringContaining(why)]);
    expect([session(it, 100), session(it, 102)]).toEqual([expect.objectContaining(change), expect.objectContaining(own)]);
  });

  test.each([
    ['of another student', 101],
    ['that does not exist', 990],
    ['that was to be moved', 100],
    ['of the other exam', 103],
  ])('where the service has answered with a session %s: unknown (10), and nothing is deleted', async (_, id) => {
    const it = await two({ exam_id: 8 }, { exam_id: 7 });
    faults(it, ({ method }) =>
      method === 'POST' ? { answer: { status: 201, body: { id, email: 's1@example.org', exam_id: 7 } } } : undefined,
    );
    const { code, stderr } = await it.run('sessions move 100 --exam 7 --yes');
    expect(code, stderr).toBe(10);
    expect(it.service.writes()).toEqual(['POST /exams/7/student_sessions']);
  });
});

test('A service that leaves out unset fields, in lists or in records, loses nothing.', async () => {
  const it = await two();
  it.service.showing.as = withoutUnset;
  const { code, stderr } = await it.run('sessions move 100 101 --exam 7 --yes');
  expect([code, where(it), session(it, 102)], stderr).toEqual([0, { s1: [7], s2: [7] }, expect.objectContaining(own)]);
});

test('A student whom the service stores under another spelling is moved once, and the spelling is said.', async () => {
  const it = await two({ exam_id: 5, email: 'a+one@example.org', ...own });
  faults(it, ({ method, body }) => {
    if (method === 'POST') body.email = 'a@example.org';
    return undefined;
  });
  const { code, stderr } = await it.run('sessions move 102 --exam 7 --yes');
  expect([code, stderr]).toEqual([0, expect.stringContaining('Stored as a@example.org.')]);
  expect([it.service.posts(), session(it, 103)]).toEqual([1, expect.objectContaining({ ...own, exam_id: 7 })]);
  faults(it, () => undefined);
  expect((await it.run(`runs undo ${await lastRun(it)} --yes`)).code).toBe(0);
  expect(where(it)).toMatchObject({ 'a+': [5] });
});

test('A student without an address is recognised by the number.', async () => {
  const it = await two({ exam_id: 5, email: null, number: '77' }, { exam_id: 8, email: null, number: '78' });
  expect((await it.run('sessions move 102 --exam 8 --yes')).code).toBe(0);
  it.service.change('session', 101, { email: null, number: '78' });
  const { code, stderr } = await it.run('sessions move 101 --exam 8 --yes');
  expect([code, stderr]).toEqual([11, expect.stringContaining('is in exam 8 already, as session 103')]);
});
