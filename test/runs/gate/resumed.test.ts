/** What is left of a run is judged by the gate again when it is resumed. */
import { expect, test } from 'vitest';
import { refused } from '../../support/service.ts';
import { day, served } from './gate-office.ts';

test.each([
  ['sessions delete 51 --yes', 'DELETE /student_sessions/51'],
  ['exams delete 5 --yes', 'DELETE /exams/5'],
])('Of an exam that runs by now, a resumed run takes nothing: %s', async (line, request) => {
  const service = served();
  service.next(request, refused(422));
  expect((await service.run(line)).code).not.toBe(0);
  const [{ run } = {}] = JSON.parse((await service.run('runs list -o json')).stdout);
  await service.clock.pass((day + 30) * 60_000);
  const before = service.writes().length;
  const { code, stderr } = await service.run(`runs resume ${run} --yes`);
  expect([code, service.writes().length], stderr).toEqual([12, before]);
});
