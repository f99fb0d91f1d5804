/** The imports of a machine: their list, resume, and undo without harm to students who have started. */
import { describe, expect, test } from 'vitest';
import { run, temporaryFolder, type World } from '../support/run.ts';

const roster = 'email,name\nada@example.org,Ada\ngrace@example.org,Grace\nalan@example.org,Alan\n';

async function imported(world: World = {}) {
  const home = temporaryFolder();
  const sandbox = (argv: string[], more: World = {}) => run(['--profile', 'sandbox', ...argv], { home, ...world, ...more });
  const { code, stdout } = await sandbox(['sessions', 'import', '-', '--exam', '6', '--yes', '-o', 'json'], { stdin: roster });
  expect(code).toBe(0);
  return { sandbox, id: (JSON.parse(stdout) as { run: string }).run };
}

test('a run is listed with what became of its rows', async () => {
  const { sandbox, id } = await imported();
  const { stdout } = await sandbox(['imports', 'list', '-o', 'json']);
  expect(JSON.parse(stdout)).toEqual([
    expect.objectContaining({ run: id, exam: 6, state: 'finished', rows: 3, created: 3, unknown: 0, not_sent: 0 }),
  ]);
  expect(JSON.parse((await sandbox(['imports', 'show', id, '-o', 'json'])).stdout)).toMatchObject({ run: id, created: 3, next: null });
});

test('a run counts every row of its file, in one state each', async () => {
  const { sandbox, id } = await imported();
  const more = ['sessions', 'import', '-', '--exam', '6', '--yes', '-o', 'json'];
  await sandbox(more, { stdin: `${roster}edsger@example.org,Edsger\n` });
  const runs = JSON.parse((await sandbox(['imports', 'list', '-o', 'json'])).stdout) as { run: string }[];
  expect(runs.filter(({ run }) => run !== id)).toEqual([expect.objectContaining({ rows: 4, created: 1, unchanged: 3, not_sent: 0 })]);
});

test('an unknown run is not found', async () => {
  const { code, stderr } = await run(['imports', 'show', 'nothing']);
  expect(code).toBe(6);
  expect(stderr).toContain('imports list');
});

describe('taking a run back', () => {
  test('deletes exactly the students it created who have not started, and names the others', async () => {
    const { sandbox, id } = await imported();
    const before = JSON.parse((await sandbox(['sessions', 'list', '--exam', '6', '-o', 'json'])).stdout) as { id: number; email: string }[];
    const others = before.filter(({ email }) => !roster.includes(email)).map((session) => session.id);
    await sandbox(['exams', 'send-emails', '6', '--yes']);
    const ada = before.find(({ email }) => email === 'ada@example.org')?.id;
    await sandbox(['sessions', 'delete', String(ada), '--yes']);
    const undone = await sandbox(['imports', 'undo', id, '--yes', '-o', 'json']);
    expect(undone.code).toBe(0);
    const rows = JSON.parse(undone.stdout) as { email: string; result: string }[];
    expect(rows.map(({ email, result }) => [email, result]).sort()).toEqual([
      ['alan@example.org', 'deleted'],
      ['grace@example.org', 'deleted'],
    ]);
    const after = JSON.parse((await sandbox(['sessions', 'list', '--exam', '6', '-o', 'json'])).stdout) as { id: number }[];
    expect(after.map((session) => session.id)).toEqual(others);
  });

  test('is asked about, with the number of those it would delete', async () => {
    const { sandbox, id } = await imported();
    const { code, questions } = await sandbox(['imports', 'undo', id], { tty: true, answers: [false] });
    expect(code).toBe(130);
    expect(questions).toEqual([
      expect.stringMatching(
        /^Delete 3 sessions \(\d+ ada@example\.org, \d+ \S+@\S+, \d+ \S+@\S+\) of exam 6 \(.+, 20\d\d-.+\) at http:\/\/127\.0\.0\.1:\d+ \(profile sandbox\)\?$/,
      ),
    ]);
    expect((await sandbox(['imports', 'undo', id, '-o', 'json'], { tty: false })).code).toBe(2);
  });

  test('can be rehearsed', async () => {
    const { sandbox, id } = await imported();
    const { stdout } = await sandbox(['imports', 'undo', id, '--dry-run', '-o', 'csv', '--columns', 'email,result']);
    expect(stdout.split('\r\n')).toContain('ada@example.org,would be deleted');
    expect(JSON.parse((await sandbox(['imports', 'list', '-o', 'json'])).stdout)[0]).toMatchObject({ created: 3, deleted: 0 });
  });

  test('cannot be undone a second time', async () => {
    const { sandbox, id } = await imported();
    await sandbox(['imports', 'undo', id, '--yes']);
    const again = await sandbox(['imports', 'undo', id, '--yes', '-o', 'json']);
    expect(again).toMatchObject({ code: 0, stdout: '[]\n' });
  });
});
