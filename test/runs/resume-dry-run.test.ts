/** `runs resume --dry-run`: the requests that are left, as the run would send them, and nothing is sent or recorded. */
import { expect, test } from 'vitest';
import { ada, bob, held } from '../support/algebra.ts';
import { refused, type Service } from '../support/service.ts';

const clone = 'exams clone 1 --start 2127-03-01T09:00Z --with-students --yes';

async function stopped(service: Service, line: string): Promise<string> {
  const { code, stderr } = await service.run(line);
  expect(code, stderr).not.toBe(0);
  const [{ run = '' } = {}] = JSON.parse((await service.run('runs list -o json')).stdout) as { run?: string }[];
  return run;
}

/** What a dry run prints and what the run then sends: method, path and body. */
async function printedAndSent(service: Service, run: string, ...options: string[]) {
  const before = service.writes().length;
  const dry = await service.run(['runs', 'resume', run, '--dry-run', '-o', 'json', ...options]);
  expect(service.writes()).toHaveLength(before);
  const printed = (JSON.parse(dry.stdout) as { method: string; url: string }[]).map(
    ({ method, url }) => `${method} ${url.replace(/^.*\/api\/v1/, '')}`,
  );
  const real = await service.run(['runs', 'resume', run, '--yes', '-o', 'json', ...options]);
  return { printed, sent: service.writes().slice(before), dry, real };
}

test('prints what was not sent, with the ID of the exam that the run has created', async () => {
  const service = held({ sessions: [ada, bob] });
  service.next('write', undefined, refused(401));
  const { printed, sent, dry, real } = await printedAndSent(service, await stopped(service, clone));
  expect([dry.code, real.code], real.stderr).toEqual([0, 0]);
  expect(printed).toEqual(Array(2).fill('POST /exams/101/student_sessions'));
  expect(sent).toEqual(printed);
});

test('names the request that creates the exam, where that was not sent either', async () => {
  const service = held({ sessions: [ada] });
  service.next('write', refused(401));
  const { dry, sent } = await printedAndSent(service, await stopped(service, clone));
  expect(JSON.parse(dry.stdout)).toMatchObject([
    { method: 'POST', body: { start_time: '2127-03-01T09:00:00Z' } },
    { method: 'POST', url: expect.stringMatching(/\/exams\/ID\/student_sessions$/), note: 'ID: of the exam that request 1 creates' },
  ]);
  expect(sent).toHaveLength(2);
});
