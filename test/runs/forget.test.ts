/** `runs forget` looks up what is unknown before it erases the record by which alone it could be looked up. */
import { expect, test } from 'vitest';
import { held } from '../support/algebra.ts';
import { lostAfter, refused, type Service } from '../support/service.ts';

const runsOf = async (service: Service) => JSON.parse((await service.run('runs list -o json')).stdout) as unknown[];

/** A student whose create was lost while no list could be read. */
async function lost(): Promise<Service> {
  const service = held();
  service.next('write', lostAfter);
  service.fault = ({ line: request }) => (service.writes().length > 0 && request.startsWith('GET') ? refused(502) : undefined);
  const { code, stderr } = await service.run('sessions create --exam 1 --email ada@example.org --yes');
  expect(code, stderr).toBe(10);
  return service;
}

const forgetting = ['runs forget --student Ada@Example.org --yes -o json', 'runs forget --exam 1 --yes -o json'];

test.each(forgetting)('%s erases nothing while the outcome stays unknown, and says how to settle it', async (line) => {
  const service = await lost();
  const { code, stdout, stderr } = await service.run(line);
  expect([code, stdout]).toEqual([10, '']);
  expect(stderr).toMatch(/Nothing was erased.*runs settle \S+/);
  expect(await runsOf(service)).toMatchObject([{ state: 'open', open: 1 }]);
});

test.each(forgetting)('%s looks it up, then erases it', async (line) => {
  const service = await lost();
  service.fault = () => undefined;
  const before = service.requests().length;
  const { code, stdout, stderr } = await service.run(line);
  expect(code, stderr).toBe(0);
  expect(service.requests().slice(before)).toContain('GET /exams/1/student_sessions');
  expect(JSON.parse(stdout)).toEqual({ runs: 1, steps: 1 });
  expect(await runsOf(service)).toEqual([]);
});

test('it asks the service nothing about others', async () => {
  const service = await lost();
  const before = service.requests().length;
  const { code, stderr } = await service.run('runs forget --student bob@example.org --yes');
  expect(code, stderr).toBe(0);
  expect(service.requests()).toHaveLength(before);
  expect(await runsOf(service)).toHaveLength(1);
});
