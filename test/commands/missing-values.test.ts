/** What is missing is asked for on a terminal, one by one, and nowhere else. */
import { expect, test } from 'vitest';
import { run } from '../support/run.ts';

const sandbox = ['--profile', 'sandbox'];

test('an argument is asked for by its name and what it is', async () => {
  const shown = await run([...sandbox, 'exams', 'get', '-o', 'id'], { tty: true, answers: ['2'] });
  expect(shown).toMatchObject({ code: 0, stdout: '2\n', questions: ['id, ID of the exam:'] });
});

test('IDs are asked for as one line', async () => {
  const { code, stdout } = await run([...sandbox, 'sessions', 'delete', '--yes', '-o', 'id'], { tty: true, answers: ['1, 2 3'] });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '1\n2\n3\n' });
});

test('so are a flag that is needed, and fields that an exam needs', async () => {
  const listed = await run([...sandbox, 'proctors', 'list', '-o', 'id'], { tty: true, answers: ['1'] });
  expect(listed.questions).toEqual(['--exam, ID of the exam:']);
  const argv = [...sandbox, '--timezone', 'Europe/Vienna', 'exams', 'create', '-o', 'json', '--columns', 'start_time,end_time'];
  const created = await run(argv, { tty: true, answers: ['2027-02-01T09:00', '2027-02-01T11:00'] });
  expect(created.questions).toEqual(['--start, when it starts:', '--end, when it ends at the latest:']);
  expect(JSON.parse(created.stdout)).toEqual({ start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' });
});

test.each([
  ['without a terminal', {}, []],
  ['in CI', { tty: true, env: { CI: 'true' } }, []],
  ['with --no-input', { tty: true }, ['--no-input']],
])('never %s', async (_where, world, more) => {
  const { code, stderr, questions } = await run([...sandbox, 'exams', 'create', ...more], world);
  expect({ code, stderr, questions }).toEqual({
    code: 2,
    stderr: 'error: Missing: --start, --end.\nhint: See: proctor-cli exams create --help\n',
    questions: [],
  });
});
