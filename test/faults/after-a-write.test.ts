/**
 * Whatever goes wrong after a write has left: the status says that something was done or may have been, never that nothing
 * was, and the message how to look or to resume.
 */
import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { exam, office } from '../features/times/exams.ts';
import { ada, bob, serviceWithExam } from '../support/algebra.ts';
import { told } from '../support/run.ts';
import { lostBefore, refused, shown } from '../support/service.ts';
import { failureOf } from './outcome.ts';

const [nine, eleven] = ['2027-03-22T08:00:00Z', '2027-03-22T10:00:00Z'];
const own = { exam_id: 5, open_time: '2027-03-22T08:30:00Z', close_time: '2027-03-22T09:30:00Z' };
const two = () => office([exam(5, nine, eleven), exam(7, nine, eleven)], [own, own]);

/** Requests that fail from the `from`-th after the first write on. */
async function failing(line: string, from: number) {
  const { service, run } = await two();
  let wrote = false;
  let after = 0;
  service.fault = ({ method }) => {
    if (wrote) after += 1;
    wrote ||= method !== 'GET';
    return after >= from ? { answer: { status: 500 } } : undefined;
  };
  return { ...(await run(`${line} -o json`)), after };
}

describe('Requests that fail once something was written', () => {
  const lines = [
    ...['exams shift 5 --by 7d --yes', 'exams update 5 --no-allow-headphones', 'sessions extend 100 101 --by 10m --yes'],
    ...['sessions move 100 --exam 7 --yes', 'sessions delete 100 101 --yes'],
  ];

  test.each(lines)('leave no status of a command that did nothing: %s.', async (line) => {
    for (let from = 1, reached = true; reached; from += 1) {
      const { code, stderr, after } = await failing(line, from);
      reached = after >= from;
      expect([0, 7, 9, 10], `from request ${from}: ${stderr}`).toContain(code);
      if (code === 10) expect(stderr).toMatch(/[Cc]heck with: proctor-cli |proctor-cli runs resume/);
    }
  });

  test('leave the rows, also if only the last reading fails.', async () => {
    const { after } = await failing('exams delay 5 --by 10m --yes', Number.POSITIVE_INFINITY);
    const { stdout, stderr, code } = await failing('exams delay 5 --by 10m --yes', after);
    expect(code, stderr).toBe(9);
    expect(JSON.parse(stdout)).toHaveLength(3);
    expect(stderr).toMatch(/Exam 5 could not be read afterwards, .*: The service failed to list the students of exam 5 \(500\)/);
  });
});

describe('An output that cannot be written', () => {
  const breakStdout = new CliError('output_failed', 'Could not write the output: no space left on device.');
  const create = 'sessions create --exam 1 --email ada@example.org -o json';

  // A bug breaks the printing, too.
  test.each([
    [breakStdout, 3, /^Free some space.* check with: proctor-cli sessions list --exam 1$/],
    [new TypeError('x is not a function'), 1, /sessions list --exam 1/],
  ])('makes the outcome of a write unknown, and the message says how to look; of a read it is an error: %s', async (error, code, hint) => {
    const service = serviceWithExam({ sessions: [bob] });
    expect(failureOf(await service.run(create, { breakStdout: error }))).toMatchObject({
      ...{ code: 'outcome_unknown', exit: 10, hint: expect.stringMatching(hint) },
      message: expect.stringContaining('The request to add the student to exam 1 had already been sent.'),
    });
    expect((await service.run('sessions get 8 -o json', { breakStdout: error })).code).toBe(code);
  });

  test('does not hide what has failed.', async () => {
    const service = serviceWithExam({ sessions: [ada, bob] });
    service.next('write', undefined, refused(422, { message: 'no' }));
    const outcome = await service.run('sessions delete 7 8 --yes -o json', { breakStdout });
    expect(outcome.code).toBe(9);
    const { error } = JSON.parse(outcome.stderr.slice(outcome.stderr.indexOf('{"error"')));
    expect(error).toMatchObject({ message: expect.stringMatching(/^1 of 2 deleted, 1 failed: .+ no space left/), items: [{ id: 8 }] });
  });

  test('is no news after a write that was refused.', async () => {
    const service = serviceWithExam();
    service.next('write', refused(422, { message: 'no' }));
    expect((await service.run(create, { breakStdout })).code).toBe(7);
  });
});

test('A failure has stderr to itself when a program reads it, also after a warning.', async () => {
  const service = serviceWithExam({ sessions: [ada] });
  service.next('write', refused(422, { message: 'no' }));
  failureOf(await service.run('sessions update 7 --close-time 2020-01-01T00:00Z -o json'));
});

test('As IDs, only deleted ones are printed, because another command may read them.', async () => {
  const service = serviceWithExam({ sessions: [ada, bob, { ...ada, id: 9 }] });
  service.next('write', undefined, refused(422, { message: 'no' }));
  expect(await service.run('sessions delete 7 8 9 --yes -o id')).toMatchObject({ code: 9, stdout: '7\n9\n' });
});

test.each(['', ' --put'])('Of an update whose answer was lost nobody can tell, once the session is gone.%s', async (put) => {
  const service = serviceWithExam({ sessions: [ada] });
  service.next('write', lostBefore);
  service.onAnswer = ({ method }) => void (method !== 'GET' && service.truth.remove('session', 7));
  const { code, stderr } = await service.run(`sessions update 7 --close-time 2127-02-01T10:00:00Z${put}`);
  expect([code, service.writes().length, stderr]).toEqual([10, 1, expect.stringContaining('student session 7 is no longer there')]);
});

test.each(['nope', ' , '])('Columns that do not exist (%j) do not keep the result of a write from being shown.', async (columns) => {
  for (const format of ['json', 'csv', 'table']) {
    const service = serviceWithExam();
    const line = ['sessions', 'create', '--exam', '1', '-F', 'name=Ada', '-o', format, '--columns', columns];
    const { code, stdout, stderr } = await service.run(line);
    expect([code, service.writes().length]).toEqual([0, 1]);
    expect(stdout).toContain('101');
    expect(told(stderr)).toMatch(/^warning: .+ All columns are shown\.\n$/);
  }
});

test.each(['', ' '])('A create that shows an empty ID (%j) shows none: it is looked up.', async (id) => {
  const found = serviceWithExam();
  found.next(
    'write',
    shown((made) => ({ ...made, id })),
  );
  const { stdout } = await found.run('sessions create --exam 1 --email ada@example.org -o json');
  expect(JSON.parse(stdout)).toMatchObject({ id: 101, email: 'ada@example.org' });
  const unknown = serviceWithExam();
  unknown.next('write', { ...shown((made) => ({ ...made, id })), done: 'never' });
  expect(await unknown.run('sessions create --exam 1 --email bob@example.org -o id')).toMatchObject({ code: 10, stdout: '' });
});
