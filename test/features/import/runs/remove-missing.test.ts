/** --remove-missing: the students it deletes and keeps, its questions and its refusals. */
import { describe, expect, test } from 'vitest';

import { type Exam, exam, lastRun, one, states, three } from './importing.ts';

/** An exam with these students beside the file's. */
async function examWith(names: readonly string[], fields: Record<string, unknown> = {}) {
  const made = exam();
  for (const name of names) made.service.add({ email: `${name}@example.org`, ...fields });
  return { ...made, there: () => made.service.sessions.map(({ email }) => String(email).split('@')[0]) };
}

const twenty = Array.from({ length: 20 }, (_, at) => `s${at + 1}`);
const deletions = ({ service }: Pick<Exam, 'service'>) => service.requests().filter((request) => request.startsWith('DELETE'));
const roster = (names: readonly string[]) => `email\n${names.map((name) => `${name}@example.org`).join('\n')}\n`;

describe('The limit', () => {
  test('is a tenth of the exam: more is refused before anything is sent.', async () => {
    const made = await examWith(twenty);
    const ended = await made.imports(roster([...twenty.slice(3), 'new']), '--remove-missing');
    expect(ended.code).toBe(3);
    expect(JSON.parse(ended.stderr).error).toMatchObject({
      message: '--remove-missing would delete 3 of the 20 students of exam 6, and the limit is 10 % of the exam, 2. Nothing was sent.',
      hint: expect.stringContaining('add --max-removals 3'),
    });
    expect(made.service.requests().filter((request) => !request.startsWith('GET'))).toEqual([]);
  });

  test('keeps the roster of another exam from emptying this one.', async () => {
    const made = await examWith(twenty);
    expect((await made.imports(three, '--remove-missing')).code).toBe(3);
    expect(made.there()).toEqual(twenty);
  });

  test('lets a tenth go.', async () => {
    const made = await examWith(twenty);
    const ended = await made.imports(roster(twenty.slice(2)), '--remove-missing');
    expect(ended).toMatchObject({ code: 0, report: { unchanged: 18, removed: 2, run: expect.any(String) } });
    expect(made.there()).toEqual(twenty.slice(2));
  });

  test.each([
    ['2', 3],
    ['3', 0],
  ])('is another number with --max-removals %s.', async (most, code) => {
    const made = await examWith(twenty);
    expect((await made.imports(roster(twenty.slice(3)), `--remove-missing --max-removals ${most}`)).code).toBe(code);
    expect(made.there()).toHaveLength(code === 0 ? 17 : 20);
  });

  test.each(['--max-removals 3', '--remove-started'])('is told where it says nothing: %s alone.', async (option) => {
    const made = await examWith(twenty);
    const ended = await made.imports(one, option);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('is for --remove-missing.') });
    expect(made.service.requests()).toEqual([]);
  });
});

describe('Students who may have started', () => {
  test.each(['check_started', 'exam_started', 'exam_finished', 'something new'])('are kept: %s.', async (status) => {
    const made = await examWith(['zoe'], { status });
    const ended = await made.imports(one, '--remove-missing --max-removals 9 -o table');
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain(`zoe@example.org (${status}): its status is ${status}; --remove-started deletes it as well.`);
    expect(made.there()).toEqual(['zoe', 'ann']);
  });

  test('are deleted with --remove-started and a reason, because they make the exam run.', async () => {
    const made = await examWith(['zoe'], { status: 'exam_started' });
    const options = '--remove-missing --remove-started --max-removals 1';
    expect((await made.imports(one, options)).code).toBe(12);
    expect(made.there()).toEqual(['zoe']);
    expect((await made.imports(one, `${options} --during-exam Withdrawn`)).code).toBe(0);
    expect(made.there()).toEqual(['ann']);
  });

  test.each(['', '--remove-started'])('after the listing are kept, and that is no success: %s', async (option) => {
    const made = await examWith(['yan', 'zoe']);
    made.service.fault = ({ method }) => {
      const zoe = made.service.sessions.find(({ email }) => email === 'zoe@example.org');
      if (method === 'DELETE' && zoe) zoe.status = 'exam_started';
      return undefined;
    };
    const ended = await made.imports(one, `--remove-missing --max-removals 2 --concurrency 1 ${option}`);
    expect(ended).toMatchObject({ code: 9, report: { removed: 1 } });
    expect(ended.stderr).toMatch(/its status is now exam_started\. Nothing was sent to it\./);
    expect(made.there()).toEqual(['zoe', 'ann']);
  });
});

describe('The question', () => {
  test('names exam and number, and wants the number typed.', async () => {
    const made = await examWith(['zoe', 'zed']);
    const line = '--remove-missing --max-removals 2';
    const refused = await made.imports(one, line, { tty: true, answers: [''] });
    expect(refused.code).toBe(130);
    expect(refused.questions).toEqual([
      expect.stringMatching(
        /^Import 1 student into exam 6 \(Linear Algebra.*\), then delete 2 students of exam 6 \(.*\) that are missing from the file, at http.* \(profile .*\)\? Type 2 to confirm:$/,
      ),
    ]);
    expect(made.there()).toEqual(['zoe', 'zed']);
    expect((await made.imports(one, line, { tty: true, answers: ['2'] })).code).toBe(0);
    expect(made.there()).toEqual(['ann']);
  });

  test('comes after each of them was named.', async () => {
    const made = await examWith(['zoe']);
    const { stderr } = await made.imports(one, '--remove-missing --max-removals 1 -o table', { tty: true, answers: ['1'] });
    expect(stderr).toMatch(/^To delete: student session \d+, zoe@example\.org \(registered\)\.$/m);
  });
});

describe('A dry run', () => {
  test('lists each of them, and the students kept.', async () => {
    const made = await examWith(['zoe', 'zed']);
    made.service.add({ email: 'yan@example.org', status: 'exam_started' });
    const ended = await made.imports(one, '--remove-missing --max-removals 2 --dry-run');
    // Somebody has started, so the exam runs: the plan is refused as the import would be.
    expect(ended.code).toBe(12);
    expect(JSON.parse(ended.stdout)).toMatchObject([
      { action: 'create', email: 'ann@example.org' },
      { line: null, action: 'delete', email: 'zoe@example.org', detail: expect.stringMatching(/^session \d+, registered$/) },
      { line: null, action: 'delete', email: 'zed@example.org' },
      { line: null, action: 'keep', email: 'yan@example.org', detail: expect.stringContaining('exam_started') },
    ]);
    expect(made.there()).toHaveLength(3);
  });

  test('lists them, too, if they are too many, and ends as the import would.', async () => {
    const made = await examWith(twenty);
    const ended = await made.imports(one, '--remove-missing --dry-run');
    expect(ended.code).toBe(3);
    expect(JSON.parse(ended.stdout).filter(({ action }: { action: string }) => action === 'delete')).toHaveLength(20);
  });
});

describe('The run', () => {
  test('has each deletion, also where nothing else is to be sent.', async () => {
    const made = await examWith(['ann', 'zoe']);
    const ended = await made.imports(one, '--update --remove-missing --max-removals 1');
    expect(ended).toMatchObject({ code: 0, report: { removed: 1 } });
    expect(await lastRun(made)).toMatchObject({ run: ended.report.run, state: 'finished', done: 1 });
  });

  test('with a deletion that was refused is followed by another one, which deletes the rest.', async () => {
    const made = await examWith(['yan', 'zoe', 'zed']);
    const said = { status: 422, body: { message: 'the exam has begun' } };
    made.service.fault = ({ method, count }) => (method === 'DELETE' && count === 2 ? { answer: said } : undefined);
    const line = '--remove-missing --max-removals 3';
    const ended = await made.imports(one, line);
    expect(ended).toMatchObject({ code: 9, report: { created: 1, removed: 2 } });
    expect(ended.stderr).toContain('2 of 3 missing students deleted, 1 failed');
    expect(ended.stderr).toContain('the exam has begun');
    expect(await made.imports(one, line)).toMatchObject({ code: 0, report: { removed: 1 } });
    expect(made.there()).toEqual(['ann']);
  });

  test('that was interrupted before its deletions is resumed by the same command.', async () => {
    const made = await examWith(['zoe']);
    made.posts({ 1: { answer: { status: 401 } } });
    const line = '--remove-missing --max-removals 1';
    const ended = await made.imports(one, line);
    expect(deletions(made)).toEqual([]);
    made.posts({});
    expect(await made.imports(one, line)).toMatchObject({ code: 0, report: { created: 1, removed: 1, run: ended.report.run } });
    expect(made.there()).toEqual(['ann']);
  });
});

describe('No student is deleted', () => {
  const all = '--remove-missing --max-removals 9';

  test('after the token was refused.', async () => {
    const made = await examWith(['yan', 'zoe', 'zed']);
    made.service.fault = ({ method }) => (method === 'DELETE' ? { answer: { status: 401 } } : undefined);
    const ended = await made.imports(one, all);
    expect(ended.code).toBe(9);
    expect(deletions(made)).toHaveLength(1);
    expect(states(ended)).toEqual({ created: 1 });
  });

  test('without a visible address: the file may have them.', async () => {
    const made = await examWith(['yan']);
    made.service.add({ name: 'Zoe' });
    const ended = await made.imports(one, `${all} -o table`);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain('no address (registered): it shows no address to compare with the file.');
    expect(made.service.sessions.map(({ name, email }) => email ?? name)).toEqual(['Zoe', 'ann@example.org']);
  });

  test('whose address is in the file in another spelling.', async () => {
    const made = await examWith(['ANN']);
    await made.imports(one, `${all} --update`);
    expect(made.there()).toEqual(['ANN']);
  });

  test('by an import that was not asked to.', async () => {
    const made = await examWith(['zoe']);
    expect((await made.imports(one)).report.not_in_file).toBe(1);
    expect(made.there()).toEqual(['zoe', 'ann']);
  });

  test('while a row failed.', async () => {
    const made = await examWith(['zoe']);
    made.posts({ 1: { answer: { status: 422 } } });
    const ended = await made.imports(one, `${all} -o table`);
    expect(ended).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('No student was deleted, because the import is not complete.'),
    });
    expect(made.there()).toEqual(['zoe']);
  });

  test('while rows of the file are invalid.', async () => {
    const made = await examWith(['bob']);
    const file = 'email,close_time\nann@example.org,\nbob@example.org,tomorrow-ish\n';
    const ended = await made.imports(file, `${all} --skip-invalid -o table`);
    expect(ended).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('No student will be deleted, because lines of the file are invalid.'),
    });
    expect(made.there()).toEqual(['bob', 'ann']);
  });
});
