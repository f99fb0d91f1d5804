/** sessions move beside a colleague, interrupted, killed, answered badly, undone, and twice at once: each student is somewhere, once. */
import { describe, expect, test } from 'vitest';
import { killed } from '../../runs/small-office.ts';
import { temporaryFolder } from '../../support/run.ts';
import { lostAfter, lostBefore, type Reply, refused } from '../../support/service.ts';
import type { Fields } from '../../support/truth.ts';
import type { Office } from '../times/exams.ts';
import { ada, back, faults, gone, lastRun, later, move, moved, session, two, where } from './moves.ts';

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
      const isBack =
        (!here && there.length === 0 && what !== 'deletes the session') || (code === 9 && stderr.includes('changed meanwhile'));
      // Nobody is put back for a session that somebody has deleted.
      const isDeleted = what === 'deletes the new session' && !here && there.length === 0;
      if (isBack) expect(stderr, about).toContain(isDeleted ? 'proctor-cli sessions create --exam 7' : 'proctor-cli runs undo');
    }
  });
});

describe('A move that is stopped', () => {
  const stops = [1, 2, 3, 4, 5].flatMap((writes) => [true, false].map((isKilled) => [writes, isKilled] as const));
  test.each(stops)(
    'at write %i (killed: %s) is finished by the same command; an undo names what may be somebody else’s',
    async (writes, isKilled) => {
      for (const line of [move, 'runs undo']) {
        const it = await two();
        const dead = await killed(it.service, move, { writes, now: '2026-12-20T12:00:00Z' });
        const home = isKilled ? dead : it.home;
        const [{ run } = {}] = JSON.parse((await it.run('runs list -o json', { home })).stdout) as Fields[];
        const { code, stderr } = await it.run(line === move ? move : `runs undo ${run} --yes`, { home });
        if (line === move) expect([code, where(it), it.service.posts()], stderr).toEqual([0, moved, 2]);
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

  test('and then done is done: the same command finds the old sessions gone, and sends nothing', async () => {
    const it = await two();
    for (const session of [100, 101]) it.service.change('session', session, { status: 'mail_sent' });
    const first = await it.run(move);
    expect(first.stderr).toContain('2 students mailed about the old exam. To mail all of the new one: proctor-cli exams send-emails 8');
    const before = it.service.writes().length;
    expect(await it.run(move)).toMatchObject({ code: 6, stderr: expect.stringContaining('session 100 (does not exist)') });
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
    ['whom somebody has deleted there is not put back', (it) => it.service.truth.remove('session', 102), { s2: [5] }],
    ['whose old session a service refuses stays there', (it) => it.service.next('POST', undefined, refused(422)), { s1: [8], s2: [5] }],
  ])('loses nobody: a student %s', async (_, act, expected) => {
    const it = await gone();
    act(it);
    const { code, stderr } = await it.run(`runs undo ${await lastRun(it)} --yes --during-exam Test`);
    expect([where(it), code], stderr).toEqual([expected, 9]);
  });

  test.each([1, 2, 3, 4, 5])('that is stopped at write %i is finished by the same command', async (writes) => {
    for (const isKilled of [true, false]) {
      const it = await gone();
      const undo = `runs undo ${await lastRun(it)} --yes`;
      const home = await killed(it.service, undo, { writes, now: '2026-12-20T12:00:00Z' });
      const { code, stderr } = await it.run(undo, isKilled ? { home } : {});
      expect([code, where(it)], stderr).toEqual([0, back]);
      expect(it.service.sessions.find(({ name }) => name === 'Ada')).toMatchObject(ada);
    }
  });
});

test.each([
  ['on one machine, one moves the student and the other one says that the session is gone, or that it has waited for long enough', true],
  ['on two machines, nobody is lost, and who is in both is named', false],
])('Of two moves of one student into two exams at once %s.', async (_, isOne) => {
  const it = await two();
  const home = isOne ? it.home : temporaryFolder();
  const [a, b] = await Promise.all([it.run('sessions move 100 --exam 7 --yes'), it.run('sessions move 100 --exam 8 --yes', { home })]);
  const { s1 = [] } = where(it);
  if (isOne) {
    const codes = [a.code, b.code].toSorted();
    expect(
      [
        [0, 6],
        [0, 8],
      ],
      a.stderr + b.stderr,
    ).toContainEqual(codes);
    expect(s1).toEqual([a.code === 0 ? 7 : 8]);
  }
  if (!isOne) expect([s1.includes(5), a.code === 9 || b.code === 9 || s1.length === 1], a.stderr + b.stderr).toEqual([false, true]);
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
