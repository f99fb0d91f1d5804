/** What `runs resume` may still send of a run, when the exam or the run is no longer what it was. */
import { expect, test } from 'vitest';
import { lastRun, moved, two, where } from '../features/copy/moves.ts';
import { exam, office } from '../features/times/exams.ts';
import { serviceWithExam } from '../support/algebra.ts';
import { refused } from '../support/service.ts';
import { latest } from '../support/story.ts';

const [nine, eleven] = ['2027-03-22T08:00:00Z', '2027-03-22T10:00:00Z'];

/** Exam 5 was cloned a week later, as exam 9, with one of its two students: the service rejected s2, who has a window of their own. */
async function cloned() {
  const own = { open_time: '2027-03-22T08:30:00Z', close_time: '2027-03-22T10:30:00Z' };
  const students = [{ exam_id: 5 }, { exam_id: 5, ...own }];
  const it = office([exam(5, nine, eleven)], students, 'Europe/Vienna', { habits: { firstExam: 9 } });
  it.service.next('POST /exams/9/student_sessions', undefined, refused(422));
  const { code, stderr } = await it.run('exams clone 5 --start 2027-03-29T09:00 --with-students');
  expect(code, stderr).toBe(9);
  return it;
}
const copies = ({ service }: ReturnType<typeof office>) => service.truth.inExam(9).map(({ email }) => email);

test('story 12: A clone is resumed after its exam was shifted: no student is created there with a window of before.', async () => {
  const asItWas = await cloned();
  expect((await asItWas.run(`runs resume ${await lastRun(asItWas)} --yes`)).code).toBe(0);
  expect(asItWas.service.truth.inExam(9)[1]).toMatchObject({ open_time: '2027-03-29T07:30:00Z', close_time: '2027-03-29T09:30:00Z' });

  const it = await cloned();
  const run = await lastRun(it);
  expect((await it.run('exams shift 9 --by 7d --yes')).code).toBe(0);
  const before = it.service.writes().length;
  const { code, stderr } = await it.run(`runs resume ${run} --yes`);
  expect(it.service.truth.inExam(9)[1]).toBeUndefined();
  expect([[9, 11].includes(code), copies(it), it.service.writes().length], stderr).toEqual([true, ['s1@example.org'], before]);
});

test('story 13: A move of which a part was done is resumed; once that part was undone it is refused, and names the undo.', async () => {
  const begun = async () => {
    const it = await two();
    it.service.next('POST /exams/8/student_sessions', undefined, refused(422));
    expect((await it.run('sessions move 100 101 --exam 8 --yes')).code).toBe(9);
    return { it, run: await lastRun(it) };
  };
  const kept = await begun();
  expect((await kept.it.run(`runs resume ${kept.run} --yes`)).code).toBe(0);
  expect(where(kept.it)).toEqual(moved);

  const { it, run } = await begun();
  expect((await it.run(`runs undo ${run} --yes`)).code).toBe(0);
  const undo = await lastRun(it);
  const before = it.service.writes().length;
  const { code, stdout, stderr } = await it.run(`runs resume ${run} --yes`);
  expect([code, it.service.writes().length], stdout).toEqual([11, before]);
  expect(stderr).toContain(String(undo));
});

test('A shift is not resumed where the service has kept another window than was sent: the way on is its undo.', async () => {
  const it = office([exam(5, nine, eleven)], [{ exam_id: 5, close_time: '2027-03-22T10:30:00Z' }]);
  it.service.onArrival = ({ line, body }) => {
    if (line === 'PATCH /student_sessions/100') body.close_time = '2027-03-29T09:25:00Z';
  };
  const { code, stderr } = await it.run('exams shift 5 --by 7d --yes');
  const run = await lastRun(it);
  expect([code, stderr]).toEqual([9, expect.stringContaining(`runs undo ${run}`)]);
  expect(await it.run(`runs resume ${run} --yes`)).toMatchObject({ code: 11, stderr: expect.stringContaining(`runs undo ${run}`) });
});

// A promise holds on each way to a write: for a clone that is there already, an update by PUT, and an undo of proctors.
const clone = 'exams clone 5 --start 2027-03-29T09:00 --with-students';

test('story 19: A clone that is there already is a success only where it has the proctors, too.', async () => {
  const cloned = async (isRejected: boolean) => {
    const options = { pools: { 5: [4, 5] }, habits: { firstExam: 9 } };
    const it = office([exam(5, nine, eleven)], [{ exam_id: 5 }], 'Europe/Vienna', options);
    if (isRejected) it.service.next('POST /exams/9/proctor_pool', refused(422));
    expect((await it.run(clone)).code).toBe(isRejected ? 9 : 0);
    const before = it.service.writes().length;
    const { code, stderr } = await it.run(`${clone} --if-not-exists`);
    return { code, stderr, sent: it.service.writes().length - before };
  };
  expect(await cloned(false)).toMatchObject({ code: 0, sent: 0 });
  expect(await cloned(true)).toMatchObject({ code: 11, sent: 0, stderr: expect.stringContaining('proctor') });
});

test('story 20: An update by PUT is one request; with times along which the window of a student moves, it is refused.', async () => {
  const put = 'exams update 5 --end 2027-03-22T12:00 --put --yes';
  const alone = office([exam(5, nine, eleven)], [{ exam_id: 5 }]);
  expect((await alone.run(put)).code).toBe(0);
  expect(alone.service.writes()).toEqual(['PUT /exams/5']);
  expect(alone.service.exams[0]).toMatchObject({ end_time: '2027-03-22T11:00:00Z' });

  const { run, service } = office([exam(5, nine, eleven)], [{ exam_id: 5, close_time: '2027-03-22T10:30:00Z' }]);
  const { code, stderr } = await run(put);
  expect([service.writes(), code], stderr).toEqual([[], 3]);
});

test('story 21: The undo of proctors takes out who is in the pool by that run, whoever was taken out since.', async () => {
  const added = async (isTakenOut: boolean) => {
    const service = serviceWithExam({ pools: { 1: [1] } });
    const pool = () => [...(service.truth.pools.get(1) ?? [])];
    service.fault = ({ method, body }) => {
      const isUnknown = method === 'DELETE' && (body.proctors as number[]).some((id) => !pool().includes(Number(id)));
      return isUnknown ? refused(422, { error: 'is not in the pool' }) : undefined;
    };
    expect((await service.run('proctors add 1 4 5 --exam 1')).code).toBe(0);
    const run = await latest(service);
    if (isTakenOut) service.truth.pool(1, [4], 'remove');
    const { code, stderr } = await service.run(`runs undo ${run} --yes`);
    return { pool: pool(), code, stderr };
  };
  expect(await added(false)).toMatchObject({ pool: [1], code: 0 });
  const { pool, code, stderr } = await added(true);
  expect(pool, stderr).toEqual([1]);
  expect([0, 9], stderr).toContain(code);
});
