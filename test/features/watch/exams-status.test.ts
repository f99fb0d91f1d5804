/** `exams status` of several exams: a row for each, and the problems of all. */
import { describe, expect, test } from 'vitest';
import { type Data, embedded, requestsIn } from '../../commands/embedded.ts';

const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().replace(/ {2,}/g, '  '));

describe('the status of several exams', () => {
  test('is a row for each, in the order of their starts, and stderr lists the problems', async () => {
    const { code, stdout, stderr } = await embedded().run(
      'exams status 5 3 --columns exam,students,not_started_yet,checking,writing,finished,problems',
    );
    expect(code).toBe(0);
    expect(lines(stdout)).toEqual([
      'EXAM  ALL  NOT STARTED YET  CHECK  WRITE  DONE  PROBLEMS',
      '3  12  2  4  5  1  8',
      '5  5  5  0  0  0  0',
    ]);
    expect(stderr).toContain('2 exams, 17 students, 8 problems.');
    expect(stderr.match(/^Exam 3, Introduction to Programming: .+: (suspicion \d of 3|not started|check not completed)$/gm)).toHaveLength(
      8,
    );
    expect(stderr).toContain('Exam 3, Introduction to Programming: 佐藤 花子, hanako.sato@example.net: not started\n');
  });

  test('has all its columns at 80, with headings of several lines', async () => {
    const { stdout, stderr } = await embedded().run('exams status 5 3 --no-color', { tty: true, columns: 80 });
    expect(stdout.split('\n')[2]?.replace(/ {2,}/g, '  ')).toBe('EXAM  NAME  START +00:00  ALL  PROBLEMS  YET  CHECK  WRITE  DONE');
    expect(stderr).not.toContain('do not fit');
  });

  test('is for a program what each exam has alone, in a list', async () => {
    const service = embedded();
    const now = { now: new Date().toISOString() };
    const rows = await service.json<Data[]>('exams status 3 5', now);
    expect(rows).toEqual([...(await service.json<Data[]>('exams status 3', now)), ...(await service.json<Data[]>('exams status 5', now))]);
    expect(await service.json('exams status --exam 3', now)).toMatchObject([{ exam: 3 }]);
    expect(await service.json('exams status -', { ...now, stdin: '3\n' })).toMatchObject([{ exam: 3 }]);
  });

  test('reads each page of each listing once', async () => {
    const { stderr } = await embedded().run('exams status --name "main term" --debug');
    const all = requestsIn(stderr);
    const requests = all.filter((each) => !each.includes('?page=2'));
    expect(requests.filter((each) => each.includes('sessions')).length).toBe(12);
    expect(new Set(all).size).toBe(all.length);
    expect(requests).toHaveLength(13);
  });
});
