/** IDs as the service has them, number or text, in what is printed of them later and of several (specification, section 1). */
import { describe, expect, test } from 'vitest';
import { createJournal } from '../../src/features/import/journal/journal.ts';
import { nameOfRow } from '../../src/features/import/journal/records.ts';
import { targetFolder } from '../../src/features/import/journal/runs.ts';
import { temporaryFolder } from '../support/run.ts';
import { type Exchange, exchange } from './exchanges.ts';

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
  const look: Exchange = { method: 'GET', path, reply: [200, session] };
  const patch: Exchange = { method: 'PATCH', path, body: { close_time: half }, reply: [200, { ...session, close_time: half }] };
  const list: Exchange = { method: 'GET', path: '/api/v1/exams/42/student_sessions', reply: [200, [session]] };
  const getExam: Exchange = { method: 'GET', path: '/api/v1/exams/42', reply: [200, { id: exam, name: 'Algebra' }] };

  test('an extension, its journal and its undo have them so', async () => {
    const home = temporaryFolder();
    expect((await json('sessions extend 7 --by 30m', [look, look, patch], home)).printed).toMatchObject([{ session: id }]);
    const { printed } = await json('changes list', [], home);
    const [{ change }] = printed;
    expect((await json(`changes show ${change}`, [], home)).printed).toMatchObject([{ session: id }]);
    const extended: Exchange = { ...look, reply: [200, { ...session, close_time: half }] };
    expect((await json(`changes undo ${change} --dry-run`, [extended], home)).printed).toMatchObject([{ session: id }]);
  });

  test('an import, its journal and its undo have them so', async () => {
    const home = temporaryFolder();
    const created: Exchange = {
      method: 'POST',
      path: '/api/v1/exams/42/student_sessions',
      body: { email: 'ada@example.org' },
      reply: [201, session],
    };
    const empty: Exchange = { ...list, reply: [200, []] };
    const argv = ['sessions', 'import', '-', '--exam', '42', '--yes', '-o', 'json'];
    const { stdout } = await exchange(argv, [getExam, empty, created, list], { home, stdin: 'email\nada@example.org\n' });
    const { run, exam: shown } = JSON.parse(stdout);
    expect(shown).toBe(exam);
    expect((await json('imports list', [], home)).printed).toMatchObject([{ exam }]);
    expect((await json(`imports undo ${run} --dry-run`, [list], home)).printed).toMatchObject([{ session: id }]);
  });

  test('deletions have them so once one was shown', async () => {
    const missing: Exchange = { method: 'GET', path: '/api/v1/student_sessions/8', reply: [404, {}] };
    const removed: Exchange = { method: 'DELETE', path, reply: [200, session] };
    const gone: Exchange = { method: 'GET', path, reply: [404, {}] };
    const { printed, error } = await json('sessions delete 7 8 --yes', [look, missing, removed, missing, gone], temporaryFolder());
    const other = typeof id === 'number' ? 8 : '8';
    expect([printed, error.items]).toMatchObject([[{ id }, { id: other }], [{ id: other }]]);
  });
});

describe('a row that is open', () => {
  const identity = { origin: 'https://proctor.example', exam: '42', input: '', mapping: '' };

  test.each([
    ['number', 41, 42],
    ['text', '41', '42'],
    // Journals of earlier versions do not tell.
    [undefined, 41, 42],
  ] as const)('has the ID of its session and exam as its journal tells: %s', async (type, session, exam) => {
    const home = temporaryFolder();
    const folder = targetFolder(`${home}/state/imports`, identity);
    const journal = await createJournal(
      folder,
      { ...identity, baseline: '', rows: 1, ...(type ? { ids: type } : {}) },
      { now: Date.now, idType: () => type },
    );
    await journal.intent({ row: 1, key: journal.keyOf(nameOfRow(1)), intent: 'create', next: 'update' });
    journal.outcome({ row: 1, outcome: 'done', session: '41' });
    await journal.close();
    const { printed } = await json(`imports show ${journal.header.run}`, [], home);
    expect(printed).toMatchObject({ exam, open_rows: [{ session }] });
  });
});
