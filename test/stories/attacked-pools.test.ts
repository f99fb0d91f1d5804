/** Pools of proctors at a service that replaces or empties them, and beside a colleague. */
import { describe, expect, test } from 'vitest';
import { doneButReplies, lostAfter, refused, type Service } from '../support/service.ts';
import { codesOf, latest, timetable } from '../support/story.ts';
import type { Fields } from '../support/truth.ts';
import { done, office, undo } from './attacked-office.ts';

const poolOf = (service: Service) => [...(service.truth.pools.get(1) ?? [])];
const withPool = (...pool: number[]) => office({ pools: { 1: pool } });

/** From now on a POST leaves only those whom it names, and a DELETE leaves nobody. */
function replacePools(service: Service): Service {
  service.onAnswer = ({ method, path, body }) => {
    if (method === 'GET' || !path.endsWith('proctor_pool')) return;
    const named = method === 'POST' ? (body.proctors as number[]) : [];
    const others = poolOf(service).filter((proctor) => !named.includes(proctor));
    service.truth.pool(1, others, 'remove');
  };
  return service;
}

const left = 'The pool of exam 1 is as planned, but 1, 2 left it with this change.';

describe('Whoever leaves a pool along with a request is named', () => {
  const stdin = '{"proctors":[3]}';
  test.each([
    ['proctors add 3 --exam 1', [1, 2]],
    ['api POST /exams/1/proctor_pool --body - --yes', [1, 2]],
    ['proctors remove 3 --exam 1 --yes', [1, 2, 3]],
    ['api DELETE /exams/1/proctor_pool --body - --yes', [1, 2, 3]],
  ])('by %s', async (line, pool) => {
    const { stderr } = await done(replacePools(withPool(...pool)), line, 9, { stdin });
    expect(stderr).toBe(`error: ${left}\nhint: Look at it: proctor-cli proctors list --exam 1\n`);
  });

  test('after a lost answer, by the undo, and by the undo of that', async () => {
    const { service } = await done(withPool(1, 2), 'proctors add 3 --exam 1');
    replacePools(service);
    service.next('DELETE', lostAfter);
    expect((await undo(service, 9)).stderr).toContain(left);
    service.truth.pool(1, [1, 2], 'add');
    expect((await undo(service, 9)).stderr).toContain(left);
    // What was added can still be taken back.
    await undo(service);
    expect(poolOf(service)).toEqual([]);
  });

  test('also where the request itself was not carried out', async () => {
    const service = withPool(1, 2);
    service.onAnswer = ({ method }) => void (method === 'POST' && service.truth.pool(1, [1, 2, 3], 'remove'));
    await done(service, 'proctors add 3 --exam 1', 7, 'the pool does not show 3, and 1, 2 left it with this change.');
  });
});

test.each([
  ['POST', '1,2,3'],
  ['DELETE', '1'],
])('An undo of api %s /exams/1/proctor_pool takes back what the request has changed alone', async (method, after) => {
  const { service } = await done(withPool(1, 2), `api ${method} /exams/1/proctor_pool --body - --yes`, 0, { stdin: '{"proctors":[2,3]}' });
  expect(poolOf(service).join()).toBe(after);
  await undo(service);
  expect(poolOf(service).join()).toBe('1,2');
});

describe('A proctor whom a colleague adds while a request waits', () => {
  const waiting = (...added: number[]) => {
    const service = withPool(1);
    service.next('POST', refused(429, {}, { 'retry-after': '15' }));
    service.onAnswer = ({ method }) => void (method === 'POST' && service.truth.pool(1, added, 'add'));
    return service;
  };

  test('is there, and stays when the run is undone', async () => {
    const { service, writes } = await done(waiting(3), 'proctors add 3 --exam 1');
    await undo(service);
    expect([writes.length, poolOf(service)]).toEqual([1, [1, 3]]);
  });

  test('holds back a request that names others, too; the same command adds these', async () => {
    const { service, stderr } = await done(waiting(3), 'proctors add 3 4 --exam 1', 11);
    expect(stderr).toContain('Exam 1 was changed meanwhile: 3 joined its pool. This request was not sent.');
    await done(service, 'proctors add 3 4 --exam 1');
    await undo(service);
    expect(poolOf(service)).toEqual([1, 3]);
  });
});

test('A request of api that names proctors by records is answered as the service does: no read shows whom they mean', async () => {
  const service = withPool(1, 2);
  service.always('write', doneButReplies(200, {}));
  const stdin = '{"proctors":[{"user_id":3,"role":"proctor"}]}';
  await done(service, 'api POST /exams/1/proctor_pool --body - --yes', 0, { stdin });
  await undo(service, 11, 'a request of this kind cannot be taken back');
});

describe('A number in another field of a proctor', () => {
  /** Each record of a pool has these, too. */
  const poolWith = (more: Fields, ...pool: number[]) =>
    office({
      pools: { 1: pool },
      showing: { dated: true, as: (record, { path }) => (path.endsWith('pool') ? { ...record, ...more } : record) },
    });

  test.each([
    ['exam_id', 0],
    // Whether the other field still means that proctor, nobody knows.
    ['institute_id', 7],
  ])('is not the proctor of this ID: %s', async (field, undone) => {
    const { service } = await done(poolWith({ [field]: 1 }, 2), 'proctors add 1 --exam 1');
    expect(poolOf(service)).toEqual([2, 1]);
    await undo(service, undone);
    expect(poolOf(service)).toEqual([2]);
  });

  test('stops a timetable, which would take the others out of the pool', async () => {
    const service = poolWith({ institute_id: 3 }, 1, 2);
    const apply = ['exams', 'apply', timetable(service, '', 'id,proctors\n1,3\n'), '--yes'];
    await done(service, apply, 3, '3 is the ID of no proctor of the exam, but stands in another field of one.');
    timetable(service, '', 'id,proctors\n1,proctor3@example.org\n');
    await done(service, apply, 0, { env: { PROCTOR_INSTITUTE: '1' } });
    expect(poolOf(service)).toEqual([3]);
  });

  test('is the ID of its exam: a timetable does not take it for the proctor', async () => {
    const service = poolWith({ exam_id: 1 }, 2);
    await done(service, ['exams', 'apply', timetable(service, '', 'id,proctors\n1,1\n'), '--yes']);
    expect(poolOf(service)).toEqual([1]);
  });
});

describe('An exam that is deleted by a colleague', () => {
  test.each(['proctors add 3 --exam 1', 'proctors remove 1 --exam 1 --yes'])(
    'while the request is on its way does not leave it unknown: %s',
    async (line) => {
      const service = withPool(1, 2);
      service.onArrival = ({ method }) => void (method !== 'GET' && service.truth.remove('exam', 1));
      const { code, stderr } = await done(service, line, 6);
      expect([code, stderr]).toEqual([6, expect.stringContaining('not found (404)')]);
      expect(await codesOf(service, `runs resume ${await latest(service)}`)).toEqual([11]);
    },
  );

  test('keeps no other exam of the run from being undone', async () => {
    const { service } = await done(withPool(1, 2), 'proctors add 3 --exam 1 --exam 2 --yes');
    service.truth.remove('exam', 1);
    await undo(service, 9, '1 step of the run was not undone: exam 1 (it is no longer there)');
    expect(service.truth.pools.get(2)).toEqual(new Set());
  });
});

test('A change of a pool that runs forget has erased is no deletion of a student: what else its run created can be undone', async () => {
  const service = withPool(1);
  const apply = ['exams', 'apply', timetable(service, 'email\nzoe@example.org\n', 'id,proctors,roster\n1,none,\n2,,r.csv\n'), '--yes'];
  await done(service, apply);
  const run = await latest(service);
  await done(service, 'runs forget --exam 1 --yes');
  await done(service, `runs undo ${run} --yes`, 9, 'runs forget has erased it');
  expect(service.truth.inExam(2)).toEqual([]);
});

test('A pool whose undo added one proctor, and did not take out the other, is not undone yet: the same command does the rest', async () => {
  const service = withPool(1);
  await done(service, ['exams', 'apply', timetable(service, '', 'id,proctors\n1,3\n'), '--yes']);
  const run = await latest(service);
  service.next('DELETE', refused(422, {}));
  await done(service, `runs undo ${run} --yes`, 9);
  expect(poolOf(service)).toEqual([3, 1]);
  await done(service, `runs undo ${run} --yes`);
  expect(poolOf(service)).toEqual([1]);
});

test.each(['exams apply', 'exams clone'])(
  '%s reads a pool again that does not show yet what a run from here has added',
  async (command) => {
    const { service } = await done(withPool(1), 'proctors add 3 --exam 1');
    service.next('GET /exams/1/proctor_pool', refused(200, [{ id: 1, name: 'Proctor 1' }]));
    const clone = ['exams', 'clone', '1', '--start', '2127-05-01T08:00Z'];
    await done(service, command === 'exams clone' ? clone : ['exams', 'apply', timetable(service, '', 'id,proctors\n1,1\n'), '--yes']);
    const pools = [1, 101].flatMap((exam) => [...(service.truth.pools.get(exam) ?? [])].join());
    expect(pools).toEqual(command === 'exams clone' ? ['1,3', '1,3'] : ['1', '']);
  },
);
