/** sessions move: a student is created in the other exam, seen there whole, and only then deleted here. */
import { describe, expect, test } from 'vitest';
import { killed } from '../../runs/small-office.ts';
import { temporaryFolder } from '../../support/run.ts';
import { type Arrived, lostAfter, lostBefore, type Reply, refused } from '../../support/service.ts';
import type { Fields } from '../../support/truth.ts';
import { exam, type Office, office } from '../times/exams.ts';
import { interruptedAtEach } from './interrupted.ts';

const [nine, eleven, one] = ['2027-03-22T08:00:00Z', '2027-03-22T10:00:00Z', '2027-03-22T12:00:00Z'];
/** A week later, when the clocks have been set on. */
const later = ['2027-03-29T07:00:00Z', '2027-03-29T09:00:00Z'] as const;
const own = { open_time: '2027-03-22T08:10:00Z', close_time: '2027-03-22T10:30:00Z' };
const ada = { exam_id: 5, name: 'Ada', number: '0123', skip_requirements: true, ...own };

/** Exam 5, with Ada (100) and one who has been mailed (101); 7 at the same time, 8 two hours later, 9 a week later. */
async function two(...more: Fields[]): Promise<Office> {
  const exams = [exam(5, nine, eleven), exam(7, nine, eleven), exam(8, eleven, one), exam(9, ...later)];
  const it = office(exams, [ada, { exam_id: 5, status: 'mail_sent' }, ...more]);
  await it.run('config set dialect.sessionNumberKey number');
  return it;
}

const session = ({ service }: Office, id: number) => service.sessions.find((each) => each.id === id);
const faults = ({ service }: Office, fault: (request: Arrived) => Reply | undefined) => Object.assign(service, { fault });
const lastRun = async (it: Office) => (await it.rows('runs list'))[0]?.run;
/** In which exams each student is. */
const where = ({ service }: Office) =>
  Object.fromEntries(
    [...Map.groupBy(service.sessions, ({ email }) => String(email).slice(0, 2))].map(([who, of]) => [who, of.map((each) => each.exam_id)]),
  );
const [moved, back] = [
  { s1: [8], s2: [8] },
  { s1: [5], s2: [5] },
];
const move = 'sessions move 100 101 --exam 8 --yes';
/** Both of them have moved. */
async function gone(): Promise<Office> {
  const it = await two();
  await it.run(move);
  return it;
}

describe('A move', () => {
  test('creates the student with everything that is declared, sees it, reads the old session once more, and deletes it', async () => {
    const it = await two();
    const { code, stdout, stderr } = await it.run('sessions move 100 --exam 7 --yes -o csv');
    expect([code, stdout.split('\r\n')[1]], stderr).toEqual([0, '7,102,s1@example.org,moved,was session 100 of exam 5']);
    expect(it.service.requests().slice(-9)).toEqual([
      'GET /exams/7/student_sessions',
      'GET /student_sessions/102',
      'PATCH /student_sessions/102',
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

  test('names before what does not go along, and -F adds it', async () => {
    const it = await two();
    it.service.change('session', 100, { seat: 12, link: 'https://a.test', note: '', tags: [] });
    const dry = await it.run('sessions move 100 --exam 7 --dry-run -o json -F seat=14');
    expect(dry.stderr).toContain('warning: not carried over: link (1 session). To add a field to the new sessions: -F FIELD=VALUE');
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
    expect(questions).toEqual([
      expect.stringMatching(
        /^Move 2 sessions \(100 s1@example.org, 101 s2@example.org\) of exam 5 \(Exam 5, .*\) to exam 7 \(Exam 7, .*\) at /,
      ),
    ]);
    expect(stderr).toContain(
      'To move: session 100 s1@example.org of exam 5, opens 2027-03-22 09:10 +01:00, closes 2027-03-22 11:30 +01:00',
    );
    const during = async () => it.service.change('session', 100, { email: 'eve@example.org' }) === undefined;
    const changed = await it.run('sessions move 100 --exam 7', { tty: true, answers: [during, false] });
    expect(changed.questions).toEqual([expect.stringContaining('s1@example.org'), expect.stringContaining('eve@example.org')]);
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
    ['is of the same student as session 100', 3, { email: 'S1@example.org' }],
    ['shows no address', 8, { email: 's***@example.org' }],
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
    expect([(await it.run(others)).code, it.service.writes()]).toEqual([8, []]);
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
    ['no open time', { open_time: undefined }, 'open_time is null, not'],
    ['the check of the requirements', { skip_requirements: false }, 'skip_requirements is false, not true'],
    ['a mask for the address', { email: 's***@example.org' }, 'email is not shown'],
    ['another exam', { exam_id: 8 }, 'exam 8'],
  ])('where the new one shows %s (9), in the answer and in each read', async (_, fields, why) => {
    const it = await two();
    const shown = (record: Fields) =>
      Object.fromEntries(Object.entries({ ...record, ...fields }).filter(([, value]) => value !== undefined));
    it.service.showing.as = (record) => (record.id === 102 ? shown(record) : record);
    const { code, stderr } = await it.run('sessions move 100 --exam 7 --yes');
    expect([code === 10 || code === 9, stderr]).toEqual([true, expect.stringContaining(why)]);
    expect(stderr).toMatch(/session 102, and session 100 of exam 5 stays: |Session 100 of exam 5 stays: /);
    expect([session(it, 100), it.service.posts()]).toEqual([expect.objectContaining(own), 1]);
    it.service.showing.as = undefined;
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

describe('A colleague between any two requests', () => {
  const acts: [string, (it: Office) => void][] = [
    ['starts the exam for the student', (it) => it.service.change('session', 100, { status: 'exam_started' })],
    ['gives the student time', (it) => it.service.change('session', 100, { close_time: '2027-03-22T11:15:00Z' })],
    ['gives the session to another student', (it) => it.service.change('session', 100, { email: 'eve@example.org' })],
    ['deletes the session', (it) => it.service.truth.remove('session', 100)],
    ['adds the student there as well', (it) => it.service.add({ exam_id: 7, email: 'S1@example.org' })],
    ['deletes the new session', (it) => it.service.truth.remove('session', 102)],
    ['starts the exam in the new session', (it) => it.service.change('session', 102, { status: 'exam_started' })],
    ['moves the other exam', (it) => it.service.change('exam', 7, { start_time: later[0] })],
  ];

  test.each(acts)('who %s costs nobody the exam, and no run ends well that did not', async (what, act) => {
    for (let at = 1, reached = true; reached; at += 1) {
      const it = await two();
      let [requests, before]: [number, Fields | undefined] = [0, undefined];
      reached = false;
      faults(it, ({ method }) => {
        requests += 1;
        if (requests !== at) return undefined;
        reached = true;
        // Once both sessions have been read, nothing can be seen before the deletion.
        if (method === 'DELETE') return undefined;
        act(it);
        before = structuredClone(session(it, 100));
        return undefined;
      });
      const { code, stderr } = await it.run('sessions move 100 --exam 7 --yes');
      const about = `before request ${at}: ${code} ${stderr}`;
      const [here, there] = [session(it, 100), it.service.sessions.filter(({ exam_id }) => exam_id === 7)];
      expect(it.service.posts(), about).toBeLessThanOrEqual(1);
      // Who was given something keeps it, here or there.
      const given: Fields = what.startsWith('gives') || what.startsWith('starts the exam for') ? (before ?? {}) : {};
      if (given.email && !here)
        expect(there, about).toEqual([expect.objectContaining({ email: given.email, close_time: given.close_time })]);
      if (code === 0) expect([here, there.length], about).toEqual([undefined, 1]);
      else expect([3, 6, 9, 10, 11], about).toContain(code);
      if (!here && there.length === 0 && what !== 'deletes the session') expect(stderr, about).toContain('proctor-cli runs undo');
    }
  });
});

describe('A move that is stopped', () => {
  test('by an interruption at any of its requests is finished by the same command: each student is there once', async () => {
    await interruptedAtEach(
      two,
      () => move,
      (it, { code }, about) => {
        expect([code, where(it), it.service.posts()], about).toEqual([0, moved, 2]);
      },
    );
  });

  test.each([1, 2, 3, 4, 5])(
    'by a kill at write %i is finished by the same command; an undo names what may be somebody else’s',
    async (writes) => {
      for (const line of [move, 'runs undo']) {
        const it = await two();
        const home = await killed(it.service, move, { writes, now: '2026-12-20T12:00:00Z' });
        const [{ run } = {}] = JSON.parse((await it.run('runs list -o json', { home })).stdout) as Fields[];
        const { code, stderr } = await it.run(line === move ? move : `runs undo ${run} --yes`, { home });
        if (line === move) expect([code, where(it)], stderr).toEqual([0, moved]);
        else if (code === 0) expect(where(it), stderr).toEqual(back);
        else
          expect([[9, 11].includes(code), where(it)], stderr).toEqual([
            true,
            { s1: expect.arrayContaining([5]), s2: expect.arrayContaining([5]) },
          ]);
      }
    },
  );

  test.each<[what: string, method: string, reply: Reply, status: number[], posts: number]>([
    ['the answer to a creation is lost', 'POST', lostAfter, [0], 2],
    ['a creation is lost', 'POST', lostBefore, [8, 9], 3],
    ['a creation is refused', 'POST', refused(401), [4], 2],
    ['a creation is rejected', 'POST', refused(422), [9], 3],
    ['the open time is rejected', 'PATCH', refused(422), [9], 2],
    ['the answer to a deletion is lost', 'DELETE', lostAfter, [0], 2],
    ['a deletion is lost', 'DELETE', lostBefore, [9], 2],
    ['a deletion is rejected', 'DELETE', refused(422), [9], 2],
  ])('because %s is finished by what it prints: the student is there once', async (_, method, reply, status, posts) => {
    const it = await two();
    it.service.next(method, reply);
    const { code, stderr } = await it.run(`${move} --timeout 1s`);
    expect(status, stderr).toContain(code);
    const [, printed = 'runs list'] = /proctor-cli (runs resume \S+)/.exec(stderr) ?? [];
    const again = await it.run(code === 4 ? move : `${printed} --yes`.replace('runs list --yes', 'runs list'));
    expect([again.code, where(it), it.service.posts() <= posts + 1], again.stderr).toEqual([0, moved, true]);
  });

  test('and then done is done: the same command says so, and sends nothing', async () => {
    const it = await two();
    const first = await it.run(move);
    expect(first.stderr).toContain('1 student mailed about the old exam: to mail about the new one, proctor-cli exams send-emails 8');
    const before = it.service.writes().length;
    expect((await it.rows(move)).map(({ session: id, result }) => [id, result])).toEqual([
      [102, 'moved before'],
      [103, 'moved before'],
    ]);
    expect(it.service.writes()).toHaveLength(before);
  });
});

describe('An undo', () => {
  test('puts the students back with all that they had, and deletes the new sessions after these were seen', async () => {
    const it = await gone();
    const { code, stderr } = await it.run(`runs undo ${await lastRun(it)} --yes`);
    expect([code, where(it)], stderr).toEqual([0, back]);
    expect(it.service.sessions.find(({ name }) => name === 'Ada')).toMatchObject(ada);
    const lines = it.service.requests();
    const between = lines.slice(lines.indexOf('POST /exams/5/student_sessions'), lines.indexOf('DELETE /student_sessions/102'));
    expect(between).toContain('GET /exams/5/student_sessions');
  });

  test.each<[what: string, act: (it: Office) => void, where: Fields]>([
    ['who has started there stays there', (it) => it.service.change('session', 102, { status: 'exam_started' }), { s1: [8], s2: [5] }],
    [
      'whom somebody has put back with less stays in both',
      (it) => it.service.add({ exam_id: 5, email: 's1@example.org' }),
      { s1: [8, 5], s2: [5] },
    ],
    ['who is gone there is put back', (it) => it.service.truth.remove('session', 102), back],
    ['whose old session a service refuses stays there', (it) => it.service.next('POST', undefined, refused(422)), { s1: [8], s2: [5] }],
  ])('loses nobody: a student %s', async (_, act, expected) => {
    const it = await gone();
    act(it);
    const { code, stderr } = await it.run(`runs undo ${await lastRun(it)} --yes --during-exam Test`);
    expect([where(it), code === 0], stderr).toEqual([expected, expected.s1?.toString() === '5']);
  });

  test('that is stopped after any of its requests is finished by the same command', async () => {
    const undo = async (it: Office) => `runs undo ${await lastRun(it)} --yes`;
    await interruptedAtEach(gone, undo, (it, { code }, about) => {
      expect([code, where(it)], about).toEqual([0, back]);
      expect(it.service.sessions.find(({ name }) => name === 'Ada')).toMatchObject(ada);
    });
  });
});

test.each([
  ['on one machine, one moves the student and the other one says that the session is gone', true],
  ['on two machines, nobody is lost, and who is in both is named', false],
])('Of two moves of one student into two exams at once %s.', async (_, isOne) => {
  const it = await two();
  const home = isOne ? it.home : temporaryFolder();
  const [a, b] = await Promise.all([it.run('sessions move 100 --exam 7 --yes'), it.run('sessions move 100 --exam 8 --yes', { home })]);
  const { s1 = [] } = where(it);
  if (isOne) expect([[a.code, b.code].toSorted(), s1], a.stderr + b.stderr).toEqual([[0, 6], [a.code === 0 ? 7 : 8]]);
  else expect([s1.includes(5), a.code === 9 || b.code === 9 || s1.length === 1], a.stderr + b.stderr).toEqual([false, true]);
});

test('While runs resume finishes a move, another move of the student waits for it, or is refused.', async () => {
  const it = await two();
  const home = await killed(it.service, 'sessions move 100 --exam 7 --yes', { now: '2026-12-20T12:00:00Z' });
  const [{ run } = {}] = JSON.parse((await it.run('runs list -o json', { home })).stdout) as Fields[];
  const other = it.run('sessions move 100 --exam 8 --yes', { home });
  const [resumed, { code, stderr }] = await Promise.all([it.run(`runs resume ${run} --yes`, { home }), other]);
  expect([resumed.code, where(it).s1, it.service.posts()], resumed.stderr + stderr).toEqual([0, [7], 1]);
  expect([6, 8, 11], stderr).toContain(code);
});

test('A service that leaves out unset fields, in lists or in records, loses nothing.', async () => {
  const it = await two();
  const set = (record: Fields) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== false));
  it.service.showing.as = set;
  const { code, stderr } = await it.run('sessions move 100 101 --exam 7 --yes');
  expect([code, where(it)], stderr).toEqual([0, { s1: [7], s2: [7] }]);
  expect(session(it, 102)).toMatchObject(own);
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
