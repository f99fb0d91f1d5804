/** An exam that is brought forward to within half an hour: it does not count as running because of the times that the run itself sets. */
import { expect, test } from 'vitest';
import { inventedClock } from '../../support/clock.ts';
import { Service } from '../../support/service.ts';

test('An exam that is brought forward to twenty minutes from now gets all of its new times, and so do the windows of its students.', async () => {
  const exams = [{ id: 5, name: 'Law', start_time: '2026-11-22T10:00:00Z', end_time: '2026-11-22T12:00:00Z' }];
  const own = { open_time: '2026-11-22T10:00:00Z', close_time: '2026-11-22T12:30:00Z' };
  const sessions = [{ id: 51, exam_id: 5, email: 'eva@example.org', name: 'Eva', status: 'registered', ...own }];
  const service = new Service({ exams, sessions, clock: inventedClock('2026-11-22T09:10:00Z') });
  const printed = await service.run('exams shift --exam 5 --by=-30m --yes --timezone UTC');
  expect(printed.code, printed.stderr).toBe(0);
  expect(service.exams).toMatchObject([{ start_time: '2026-11-22T09:30:00Z', end_time: '2026-11-22T11:30:00Z' }]);
  expect(service.sessions).toMatchObject([{ open_time: '2026-11-22T09:30:00Z', close_time: '2026-11-22T12:00:00Z' }]);
});
