/** Windows of a roster that would shut its students out: warned of before anything is asked. */
import { expect, test } from 'vitest';
import { embedded } from '../../../commands/embedded.ts';

const hours = (time: unknown, by: number) => new Date(Date.parse(String(time)) + by * 3_600_000).toISOString();

async function imported(line: (exam: { start: string; end: string }) => string, more = '--dry-run') {
  const service = embedded();
  const exam = service.everything().exams?.find(({ id }) => id === 6);
  const file = line({ start: String(exam?.start_time), end: String(exam?.end_time) });
  const world = { stdin: `email,open_time,close_time\n${file}\n`, tty: true, answers: [false] };
  return service.run(`sessions import - --exam 6 ${more}`, more === '--dry-run' ? { ...world, tty: false } : world);
}

test.each([
  ['over already', () => 'ada@example.org,,2020-01-10T09:00:00Z', 'the window closes 2020-01-10 09:00 +00:00, which is in the past'],
  [
    'closed before the exam',
    ({ start }: { start: string }) => `ada@example.org,,${hours(start, -1)}`,
    /closes 20.*, before the exam starts \(20/,
  ],
  [
    'opened after the exam',
    ({ end }: { end: string }) => `ada@example.org,${hours(end, 1)},${hours(end, 2)}`,
    /opens 20.*, after the exam ends \(20/,
  ],
  [
    'open before the exam',
    ({ start }: { start: string }) => `ada@example.org,${hours(start, -1)},${hours(start, 1)}`,
    /opens 20.*, before the exam starts/,
  ],
  ['open after the exam', ({ end }: { end: string }) => `ada@example.org,,${hours(end, 1)}`, /closes 20.*, after the exam ends/],
])('A window that is %s is named with its line and its student.', async (_, line, said) => {
  const { code, stderr } = await imported(line);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^warning: line 2, ada@example\.org: the window /m);
  expect(stderr).toMatch(said);
});

test('The warning comes before the question.', async () => {
  const { code, stderr, questions } = await imported(() => 'ada@example.org,,2020-01-10T09:00:00Z', '');
  expect({ code, asked: questions.length }).toEqual({ code: 130, asked: 1 });
  expect(stderr).toMatch(/which is in the past/);
  expect(questions[0]).toMatch(/^Import 1 student into exam 6 \(.+, 20\d\d-\d\d-\d\d \d\d:\d\d \+00:00\) at http/);
});

test('A window inside its exam, or none, is no matter.', async () => {
  const { stderr } = await imported(({ start, end }) => `ada@example.org,${start},${end}\nbob@example.org,,`);
  expect(stderr).not.toContain('warning');
});

test('Of many windows the first are named and the others counted.', async () => {
  const lines = Array.from({ length: 30 }, (_, at) => `s${at}@example.org,,2020-01-10T09:00:00Z`);
  const { stderr } = await imported(() => lines.join('\n'));
  expect(stderr.match(/^warning: /gm)).toHaveLength(20);
  expect(stderr).toContain('… and 10 more windows like these.');
});
