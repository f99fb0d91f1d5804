/**
 * The table of answers: what each kind of write ends with after each answer, where it was carried out and where it was not. What comes
 * after it is in `creates.test.ts`, `mails.test.ts` and `sending.test.ts`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import { lostAfter, type Reply, refused, type Service } from '../support/service.ts';
import { create, failureIn, newExam } from './small-office.ts';

const office = () =>
  serviceWithExam({ exams: [algebra, { ...algebra, id: 2, name: 'Analysis' }], sessions: [ada, bob], pools: { 1: [5] } });
const settleTime = 60_000;

/** What a write that was not carried out ends with where its answer was lost, and where it was a success: what a look shows, or not. */
type Kind = { is: 'update' | 'deletion' | 'pool' | 'create' | 'mails'; lost: number; acknowledged: number };
const update: Kind = { is: 'update', lost: 7, acknowledged: 7 };
const kinds: [line: string, kind: Kind][] = [
  ['sessions update 7 --name Eve', update],
  ['sessions update 7 --name Eve --put', update],
  ['exams update 1 --allow-headphones', update],
  ['api PATCH /exams/1 -F save_recording=false', update],
  ['sessions delete 7 --yes', { ...update, is: 'deletion' }],
  ['exams delete 2 --yes', { ...update, is: 'deletion' }],
  ['proctors add 4 --exam 1', { ...update, is: 'pool' }],
  ['proctors remove 5 --exam 1 --yes', { ...update, is: 'pool' }],
  [create, { is: 'create', lost: 8, acknowledged: 10 }],
  [newExam, { is: 'create', lost: 8, acknowledged: 10 }],
  ['exams send-emails 1 --yes', { is: 'mails', lost: 10, acknowledged: 0 }],
];

const words = { message: 'Seldom heard words' };
const unclear: [string, Reply][] = [
  ...[408, 425, 499, 500, 502, 503, 504, 521].map((status): [string, Reply] => [`${status}`, refused(status, words)]),
  ['a lost answer', lostAfter],
  ['an answer that is cut short', { answer: 'cut' }],
  ['a success with JSON that is cut short', refused(201, '{"id":101')],
  ['a success that is a page', refused(200, '<html><title>Sign in</title></html>', { 'content-type': 'text/html' })],
  ['a redirect', refused(307, undefined, { location: '/api/v1/elsewhere' })],
];
const bodies = (text: string) => text.split(/ \| |\n */).map((body) => JSON.parse(body) as object);
const successes: [status: number, body?: unknown, headers?: Record<string, string>][] = [
  ...bodies(`{} | {"message":"No changes"} | [] | {"status":"failed"} | {"deleted":false} | false | "no" | [{"success":false}]
    {"data":{"success":false}} | {"deleted":0,"code":403} | {"success":true,"errors":[]} | {"errors":{},"error":""}
    {"success":"no","error":null}`).map((body): [number, unknown] => [200, body]),
  [202, { accepted: true }],
  [204],
  [200, '', { 'content-type': 'text/html; charset=utf-8' }],
];
const denials: { errors?: unknown; success?: unknown }[] =
  bodies(`{"success":false} | {"success":0} | {"ok":"false","message":"Seldom heard words"} | {"ok":false,"message":"Seldom heard words"}
    {"error":"full"} | {"errors":{"email":["bad"]}} | {"id":7,"errors":["x"]} | {"success":true,"error":"x"}`);

/** What came of a write that was answered so; it is never sent twice. */
async function answered(line: string, reply: Reply, done: boolean) {
  const service = office();
  service.next('write', { ...reply, done: done ? 'now' : 'never' });
  const began = service.clock.now();
  const outcome = await service.run(`${line} -o json`);
  expect(service.writes(), outcome.stderr).toHaveLength(1);
  return { service, outcome, code: outcome.code, took: service.clock.now() - began };
}
const looked = (service: Service) => service.requests().at(-1)?.startsWith('GET ');

describe.each(kinds)('%s', (line, { is, lost, acknowledged }) => {
  /** Each kind of write gets each answer: lines of the same kind share them. */
  const alike = kinds.flatMap(([other, kind]) => (kind.is === is ? other : []));
  const shared = <T>(answers: readonly T[]) => answers.filter((_, n) => n % alike.length === alike.indexOf(line));

  test.each(shared(unclear))('a look decides, and nothing is called undone while it may come late: %s', async (_what, reply) => {
    expect((await answered(line, reply, true)).code).toBe(0);
    const { code, took, service } = await answered(line, reply, false);
    expect([code, looked(service)]).toEqual([lost, true]);
    expect(settleTime <= took && took < settleTime + 1000, `${took} ms`).toBe(true);
  });

  test.each(shared(successes))('%i %j: only a look shows that it is so', async (...reply) => {
    expect((await answered(line, refused(...reply), true)).code).toBe(0);
    const { code, outcome } = await answered(line, refused(...reply), false);
    expect(code, outcome.stderr).toBe(acknowledged);
    if (code === 7) expect(failureIn(outcome).code).toBe('not_applied');
  });

  test.each(shared(denials))('a success that says %j is not applied, until a look shows otherwise', async (body) => {
    expect((await answered(line, refused(200, body), true)).code).toBe(0);
    const { code, outcome, took } = await answered(line, refused(200, body), false);
    // Of mails that were not all denied, some may have been sent.
    const isPart = line.includes('send-emails') && ('errors' in body || body.success === true);
    expect([code, failureIn(outcome).code, took]).toEqual(isPart ? [10, 'outcome_unknown', settleTime] : [7, 'not_applied', 0]);
  });

  const rejections = shared([400, 402, 404, 405, 409, 410, 413, 415, 418, 422, 451]);
  test.each(rejections)('%i: once, in the words of the service, which are not kept', async (status) => {
    const { code, outcome, took, service } = await answered(line, refused(status, words), false);
    expect([took, failureIn(outcome).message], outcome.stderr).toEqual([0, expect.stringContaining(words.message)]);
    expect(code, outcome.stderr).toEqual(status === 404 && is !== 'deletion' ? 6 : 7);
    for (const file of readdirSync(join(service.home, 'state'), { withFileTypes: true }))
      if (file.isFile()) expect(readFileSync(join(service.home, 'state', file.name), 'latin1')).not.toContain('Seldom');
    // Somebody else may have done it, or the service has, and refuses what it has done.
    expect(looked(service)).toBe(is !== 'mails');
    const isDone = status === 404 && is === 'deletion' ? 6 : 0;
    if (is !== 'mails') expect((await answered(line, refused(status), true)).code).toBe(isDone);
  });

  test.each([401, 403])('%i: nothing more is asked', async (status) => {
    const { code, service } = await answered(line, refused(status, words), false);
    expect([code, looked(service)]).toEqual([4, false]);
  });

  test.each([
    ['lost', lostAfter, 500],
    ['a success', {}, 403],
  ])('%s stays unknown where it cannot be looked at', async (what, reply, status) => {
    const service = office();
    service.next('write', reply);
    service.fault = ({ method }) => (method === 'GET' && service.writes().length > 0 ? refused(status) : undefined);
    const { code, stderr } = await service.run(line);
    expect([code, service.writes().length], stderr).toEqual([is === 'mails' && what !== 'lost' ? 0 : 10, 1]);
  });

  test('a request that never left is sent once the service is back, by the same command or the next one', async () => {
    for (const back of [1000, undefined]) {
      const [alone, service] = [office(), office()];
      await alone.run(line);
      const reads = alone.requests().findIndex((request) => !request.startsWith('GET '));
      service.onAnswer = ({ index: n }) => {
        if (n !== reads) return;
        service.isAway = true;
        if (back !== undefined) service.clock.later(back, () => Object.assign(service, { isAway: false }));
      };
      const { code, stderr } = await service.run(line);
      expect([code, service.writes().length], stderr).toEqual(back === undefined ? [8, 0] : [0, 1]);
      service.isAway = false;
      if (back === undefined) expect([(await service.run(line)).code, service.writes().length]).toEqual([0, 1]);
    }
  });
});

test.each([
  ['lost', lostAfter, 10],
  ['denied', refused(200, { success: false }), 7],
  ['answered', refused(200, {}), 0],
])('A change of the pool by api that names its proctors in another way is what its answer says: %s', async (_what, reply, exit) => {
  expect((await answered('api POST /exams/1/proctor_pool -F users=4', reply, false)).code).toBe(exit);
});

test('A success with an ID that was there before proves nothing: the list decides, and nobody else counts as created.', async () => {
  const { code, service } = await answered(create, refused(200, bob), false);
  expect([code, service.sessions]).toEqual([10, [ada, bob]]);
});
