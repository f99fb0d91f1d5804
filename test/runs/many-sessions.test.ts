/** How many requests the extra time of a whole period takes, and how long they take. */
import { expect, test } from 'vitest';
import { ada, algebra, held } from '../support/algebra.ts';

test('A list of 3,000 students against 40 exams: one reading of each exam, one PATCH for each student who lacks time, in 1.3 times the ideal.', async () => {
  const exams = Array.from({ length: 40 }, (_, at) => ({ ...algebra, id: 1 + at, name: `Exam ${1 + at}` }));
  const hasIt = (at: number) => at % 10 === 0;
  const sessions = Array.from({ length: 3000 }, (_, at) => ({
    ...{ ...ada, id: 1001 + at, exam_id: 1 + (at % 40), email: `s${at}@example.org` },
    close_time: hasIt(at) ? '2127-02-01T10:30:00Z' : null,
  }));
  const service = held({ exams, sessions });
  const answerTakes = 80;
  for (const method of ['GET', 'PATCH']) service.always(method, { takes: answerTakes });
  const stdin = `email,extra\n${sessions.map(({ email }) => `${email},25%\n`).join('')}`;
  const began = service.clock.now();
  const { code, stderr } = await service.run('accommodations apply - --name Exam* --yes -q -o json', { stdin });
  expect(code, stderr.slice(0, 500)).toBe(0);
  expect(service.sessions.filter(({ close_time }) => close_time !== '2127-02-01T10:30:00Z')).toEqual([]);
  const lacking = sessions.filter((_, at) => !hasIt(at)).length;
  const first = service.arrived.findIndex(({ method }) => method !== 'GET');
  const count = (pattern: RegExp, to?: number) =>
    service
      .requests()
      .slice(0, to)
      .filter((line) => pattern.test(line)).length;
  expect(count(/^GET .*\/student_sessions$/, first)).toBe(40);
  // Before a request a reading that is younger than two seconds, and one that shows the results; no student is read alone.
  expect([count(/^PATCH/), count(/^GET \/student_sessions/), count(/^GET/) < 8 * 40]).toEqual([lacking, 0, true]);
  const ideal = ((40 + lacking) / 64) * answerTakes;
  expect(service.clock.now() - began).toBeLessThanOrEqual(1.3 * ideal);
});
