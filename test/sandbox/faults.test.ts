/** Each kind of fault over plain HTTP: how the request ends, and whether it was carried out, seen by a second server without faults. */
import { expect, test } from 'vitest';
import { type FaultKind, faultKinds, parseFault, withFaults } from '../../src/sandbox/faults.ts';
import { temporaryFolder } from '../support/run.ts';
import { type Item, newExam, serve } from './harness.ts';

/** One for all tests, each of which has an exam of its own: seeding takes longer than a request. */
const folder = temporaryFolder();

async function faulty(...faults: string[]) {
  const plain = await serve({ folder });
  const lines: string[] = [];
  const waits: number[] = [];
  const sleep = async (milliseconds: number) => void waits.push(milliseconds);
  const inFront = withFaults({ faults: faults.map(parseFault), told: (line) => lines.push(line), sleep });
  const service = await serve({ folder, inFront });
  const { path } = await newExam(plain.send);
  /** A request to whatever end it has: its status, or the code of the error. */
  const ask = (method: string, where = `${path}/student_sessions`) =>
    service.send(method, where, method === 'GET' ? undefined : {}).then(
      (reply) => reply,
      (error: NodeJS.ErrnoException) => ({ status: error.code, headers: {}, body: {} }),
    );
  const students = async () => (await plain.send<Item[]>('GET', `${path}/student_sessions`)).body.length;
  return { ask, students, lines, waits, path };
}

/** What a POST of a student ends with, how many students there are then, and what is told. */
const ends: Record<FaultKind, [status: number | string, students: number, told: string]> = {
  late: [201, 1, 'carried out, the answer 2 s late'],
  'lost-before': ['ECONNRESET', 0, 'not carried out, connection reset'],
  'lost-after': ['ECONNRESET', 1, 'carried out, connection reset'],
  '401': [401, 0, 'not carried out, 401'],
  '409': [409, 0, 'not carried out, 409'],
  '429': [429, 0, 'not carried out, 429'],
  '500': [500, 0, 'not carried out, 500'],
  '503': [503, 0, 'not carried out, 503'],
  '504': [504, 1, 'carried out, 504'],
};

test.each(faultKinds)('a request that meets %s ends as it should, and is told', async (kind) => {
  const { ask, students, lines, waits, path } = await faulty(kind);
  const [status, count, told] = ends[kind];
  const { status: answered, headers, body } = await ask('POST');
  expect([answered, await students(), lines]).toEqual([status, count, [`#1 POST ${path}/student_sessions: ${told}`]]);
  expect(waits).toEqual(kind === 'late' ? [2000] : []);
  if (kind === '429') expect(headers).toMatchObject({ 'retry-after': '1' });
  if (Number(status) >= 400) expect(body).toMatchObject({ message: expect.stringContaining('a fault that was asked for') });
});

test('a write that the service refuses is not said to be carried out, and a read says nothing of it', async () => {
  const { ask, lines } = await faulty('lost-after');
  await ask('POST', '/exams/none/student_sessions');
  await ask('GET', '/exams/1');
  expect(lines).toEqual(['#1 POST /exams/none/student_sessions: refused (404), connection reset', '#2 GET /exams/1: connection reset']);
});

test('every Nth request meets a fault, or every Nth of a method; of several the first happens', async () => {
  const { ask } = await faulty('503=3', '429=2,GET', '500=2,GET');
  const methods = ['GET', 'GET', 'POST', 'GET', 'POST', 'GET', 'POST', 'GET'];
  const statuses: unknown[] = [];
  for (const method of methods) statuses.push((await ask(method)).status);
  expect(statuses).toEqual([200, 429, 503, 200, 201, 503, 201, 200]);
});

test.each([
  ...['', 'lst-after', 'toString', '429x', ' 429', '429=0', '429=', '429=x', '429=1%', '429=-1', '429,', '429,post', '429=1,FETCH'],
  ...['429=1,POST,x'],
])('there is no fault "%s", and it is told what there is', (text) => {
  const refused = {
    code: 'usage',
    message: expect.stringContaining('late, lost-before'),
    hint: expect.stringContaining('lost-after=5,POST'),
  };
  expect(() => parseFault(text)).toThrow(expect.objectContaining(refused));
});
