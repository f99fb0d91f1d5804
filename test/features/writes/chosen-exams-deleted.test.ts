/** Exams that are deleted by a selection: listed first, confirmed by their number, and never one that runs. */
import { expect, test } from 'vitest';
import { begins, ends, minute, stage } from '../../campaign/story/stage.ts';

/** Exam 6 of February, and 1, 2 and 3 of last autumn, with a student each. */
async function years() {
  const made = await stage();
  const { truth } = made.service;
  for (const id of [1, 2, 3]) {
    truth.createExam(
      { name: `Autumn ${id}`, start_time: `2026-10-0${id}T08:00:00Z`, end_time: `2026-10-0${id}T10:00:00Z` },
      'colleague',
      id,
    );
    truth.createSession(id, { email: `s${id}@example.org`, status: 'exam_finished' });
  }
  return { ...made, truth, left: () => [...truth.exams.keys()].toSorted() };
}

const autumn = 'exams delete --from 2026-09-01 --until 2026-12-31';

test('They are listed with names, dates and students, and confirmed by their number.', async () => {
  const { run, left } = await years();
  const { code, stderr, questions } = await run(autumn, { tty: true, answers: [async () => '3'] });
  expect(code).toBe(0);
  expect(stderr).toMatch(/To delete: exam 1 \(Autumn 1, 2026-10-01 \d\d:00 \+0\d:00\) with 1 student \(1 of them has started\)\./);
  expect(questions).toEqual([expect.stringMatching(/^Delete 3 exams at .*\? Type 3 to confirm:$/)]);
  expect(left()).toEqual([6]);
});

test('A script gives their number, and nothing is deleted where it is another one.', async () => {
  const { run, truth, left } = await years();
  const unsaid = await run(autumn);
  expect(unsaid).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('The selection has 3 exams; --yes alone does not delete them.'),
  });
  truth.createExam({ name: 'Winter', start_time: '2026-12-20T08:00:00Z', end_time: '2026-12-20T10:00:00Z' }, 'colleague', 4);
  const other = await run(`${autumn} --confirm-count 3`);
  expect(other).toMatchObject({ code: 11, stderr: expect.stringContaining('--confirm-count is 3, and the selection has 4 exams.') });
  expect(left()).toEqual([1, 2, 3, 4, 6]);
  expect((await run(`${autumn} --confirm-count 4`)).code).toBe(0);
  expect(left()).toEqual([6]);
});

test.each([
  ['--until 2026-12-31', '--until alone would delete too much.'],
  ['--from 2026-09-01', '--from alone would delete too much.'],
])('%s alone is refused', async (filter, why) => {
  const { run, left } = await years();
  expect(await run(`exams delete ${filter} --confirm-count 3`)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  expect(left()).toEqual([1, 2, 3, 6]);
});

test('A selection with an exam that runs deletes none, with a reason neither.', async () => {
  const { run, clock, left } = await years();
  await clock.pass(Date.parse(begins) - clock.now() + 10 * minute);
  const line = `exams delete --from 2026-09-01 --until ${ends} --confirm-count 4`;
  expect(await run(line)).toMatchObject({ code: 12, stderr: expect.stringContaining('hint: Select only exams that do not run;') });
  expect(await run(`${line} --during-exam Mistake`)).toMatchObject({ code: 2, stderr: expect.stringContaining('deleted by its ID only') });
  expect(left()).toEqual([1, 2, 3, 6]);
});

test('The same command once more has nothing to delete, and says so.', async () => {
  const { run } = await years();
  expect((await run(`${autumn} --confirm-count 3`)).code).toBe(0);
  expect((await run(`${autumn} --confirm-count 3`)).code).toBe(6);
});
