/** Single writes: who is looked for before, what their rows say, and which commands are the same. */
import { describe, expect, test } from 'vitest';
import { embedded } from '../../commands/embedded.ts';
import { ada, bob, held } from '../../support/algebra.ts';

const rows = (stdout: string) => JSON.parse(stdout) as Record<string, unknown>[];

describe('A student who has no address', () => {
  test('and no number cannot be looked for: --if-not-exists is refused before any request.', async () => {
    const service = held();
    const { code, stderr } = await service.run('sessions create --exam 1 --name Ada --if-not-exists');
    expect({ code, requests: service.requests() }).toEqual({ code: 3, requests: [] });
    expect(stderr).toContain('--if-not-exists looks for the student, who has no address.');
  });

  test('is known by the number that the profile declares, and created once.', async () => {
    const service = held({ sessions: [] });
    await service.run('config set dialect.sessionNumberKey number');
    const line = 'students add --exam 1 -f number=0400 --if-not-exists -o id';
    const first = await service.run(line);
    expect(await service.run(line)).toMatchObject({ code: 0, stdout: first.stdout });
    expect((await service.run('students add --exam 1 -f number=0400')).code).toBe(11);
    expect(service.writes()).toEqual(['POST /exams/1/add_student']);
  });
});

test('An address that another session of the exam has is not given to a second one.', async () => {
  const service = held({ sessions: [ada, bob] });
  const line = `sessions update ${ada.id} --email ${String(bob.email).toUpperCase()}`;
  for (const more of ['', ' --yes', ' --dry-run']) expect((await service.run(line + more)).code).toBe(11);
  expect(service.writes()).toEqual([]);
});

test('The rows of proctors name exam and proctor, and who was in the pool before.', async () => {
  const service = held();
  await service.run('proctors add 3 --exam 1');
  const added = await service.run('proctors add 3 4 --exam 1 -o json');
  expect(rows(added.stdout)).toEqual([
    { exam: 1, proctor: 3, result: 'there', reason: 'was in the pool already' },
    { exam: 1, proctor: 4, result: 'added', reason: null },
  ]);
  const removed = await service.run('proctors remove 4 --exam 1 -o json');
  expect(rows(removed.stdout)).toEqual([{ exam: 1, proctor: 4, result: 'removed', reason: null }]);
});

test('A proctor is known by an address, also to the embedded service, whose institute is known once it runs.', async () => {
  const service = embedded();
  const { stdout, stderr } = await service.run('proctors add joao.pereira@staff.example.org --exam 6 -o json');
  expect(stderr).toContain('joao.pereira@staff.example.org is user');
  expect(rows(stdout)).toMatchObject([{ exam: 6, proctor: expect.any(Number) }]);
});

test('An update that changes nothing sends nothing, and says so in its row.', async () => {
  const service = held({ sessions: [{ ...ada, name: 'Ada' }] });
  const { stdout } = await service.run(`sessions update ${ada.id} --name Ada -o json`);
  expect(rows(stdout)).toMatchObject([{ exam: 1, session: ada.id, email: ada.email, result: 'there' }]);
  expect(service.writes()).toEqual([]);
});
