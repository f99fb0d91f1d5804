/** A promise holds on each way to a write: for a clone that is there already, an update by PUT, and an undo of proctors. */
import { expect, test } from 'vitest';
import { exam, office } from '../features/times/exams.ts';
import { serviceWithExam } from '../support/algebra.ts';
import { refused } from '../support/service.ts';

const [nine, eleven] = ['2027-03-22T08:00:00Z', '2027-03-22T10:00:00Z'];
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
    const run = JSON.parse((await service.run('runs list -o json')).stdout)[0].run;
    if (isTakenOut) service.truth.pool(1, [4], 'remove');
    const { code, stderr } = await service.run(`runs undo ${run} --yes`);
    return { pool: pool(), code, stderr };
  };
  expect(await added(false)).toMatchObject({ pool: [1], code: 0 });
  const { pool, code, stderr } = await added(true);
  expect(pool, stderr).toEqual([1]);
  expect([0, 9], stderr).toContain(code);
});
