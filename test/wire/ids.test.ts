/** IDs as the service has them, number or text, in what is printed of them later and of several (specification, section 1). */
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { del, type Exchange, exchange, get, patch, post } from './exchanges.ts';

const [ten, half] = ['2027-03-01T10:00:00Z', '2027-03-01T10:30:00Z'];

async function json(line: string, exchanges: readonly Exchange[], home: string) {
  const { stdout, stderr } = await exchange([...line.split(' '), '-o', 'json'], exchanges, { home });
  return {
    printed: stdout === '' ? undefined : JSON.parse(stdout),
    error: stderr.includes('{"error"') ? JSON.parse(stderr).error : undefined,
  };
}

describe.each([
  ['numbers', 7, 42],
  ['text', '7', '42'],
] as const)('where IDs are %s', (_type, id, exam) => {
  const path = '/api/v1/student_sessions/7';
  const session = { id, email: 'ada@example.org', status: 'registered', close_time: ten, open_time: null };
  const look: Exchange = get(path, session);
  const change: Exchange = patch(path, { close_time: half }, { ...session, close_time: half });
  const list: Exchange = get('/exams/42/student_sessions', [session]);
  const getExam: Exchange = get('/exams/42', { id: exam, name: 'Algebra' });

  test('an extension, its record and its undo have them so', async () => {
    const home = temporaryFolder();
    const extended: Exchange = { ...look, reply: [200, { ...session, close_time: half }] };
    expect((await json('sessions extend 7 --by 30m', [look, look, change, extended], home)).printed).toMatchObject([{ session: id }]);
    const { printed } = await json('runs list', [], home);
    const [{ run }] = printed;
    expect((await json(`runs show ${run}`, [], home)).printed).toMatchObject({ steps: [{ session: 7 }] });
    const undone = await json(
      `runs undo ${run} --yes`,
      [extended, { ...change, body: { close_time: ten }, reply: [200, session] }, look],
      home,
    );
    expect(undone.printed).toMatchObject([{ session: id }]);
  });

  test('an import has them so', async () => {
    const home = temporaryFolder();
    const created: Exchange = post('/exams/42/student_sessions', { email: 'ada@example.org' }, session);
    const empty: Exchange = { ...list, reply: [200, []] };
    const argv = ['sessions', 'import', '-', '--exam', '42', '--yes', '-o', 'json'];
    const { stdout } = await exchange(argv, [getExam, empty, created, list], { home, stdin: 'email\nada@example.org\n' });
    const { run, exam: shown } = JSON.parse(stdout);
    expect(shown).toBe(exam);
    expect(run).toMatch(/^\d{8}T\d{6}-/);
  });

  test('deletions have them so once one was shown', async () => {
    const missing: Exchange = get('/student_sessions/8', {}, 404);
    const removed: Exchange = del(path, undefined, session);
    const gone: Exchange = get(path, {}, 404);
    const { printed, error } = await json('sessions delete 7 8 --yes', [look, missing, look, removed, missing, gone], temporaryFolder());
    const other = typeof id === 'number' ? 8 : '8';
    expect([printed, error.items]).toMatchObject([[{ session: id }, { session: other }], [{ id: other }]]);
  });
});
