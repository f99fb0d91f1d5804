/** Fields: one value from two places, bodies that are none, and what no operation can set. */
import { describe, expect, test } from 'vitest';
import type { World } from '../support/run.ts';
import { embedded, requestsIn, wordsOf } from './embedded.ts';

/** Refused before any request: the exit status, and what is said. */
async function refused(line: string | string[], world: World = {}): Promise<{ code: number; said: string }> {
  const { code, stdout, stderr } = await embedded().run([...wordsOf(line), '--debug'], world);
  expect(requestsIn(stderr)).toEqual([]);
  expect(stdout).toBe('');
  return { code, said: stderr };
}

const create = 'sessions create --exam 2';

describe('--body', () => {
  test.each([
    ['--email a@example.org --body -', '{"email":"b@example.org"}', 'email', '--email', '--body'],
    ['-F x=1 --body -', '{"x":2}', 'x', '-F', '--body'],
    ['--email a@example.org -F email=b@example.org', '', 'email', '--email', '-F'],
    ['-F x=1 -f x=2', '', 'x', '-F', '-f'],
    ['-F x=1 -F x=1', '', 'x', '-F', '-F'],
    ['--name A --body -', '{"name":"B"}', 'name', '--name', '--body'],
  ])('one field from two sources is refused: %s', async (given, stdin, field, first, second) => {
    const { code, said } = await refused(`${create} ${given}`, { stdin });
    expect(code).toBe(2);
    expect(said).toContain(`The field ${field} is given twice: by ${first} and by ${second}.`);
  });

  test.each([...['{"a":1,\n "b":}', '', '{"a":1} x', '[]', '"text"', 'null']])('that is no JSON object is refused: %j', async (stdin) => {
    const said = expect.stringContaining('The body is not a JSON object (stdin, ');
    expect(await refused(`${create} --body -`, { stdin })).toEqual({ code: 3, said });
  });

  test('is sent as it is where no field is known: __proto__ and constructor, too', async () => {
    const { stdout } = await embedded().run(`${create} --body - --dry-run -o json`, {
      stdin: '{"__proto__":{"x":1},"constructor":2,"email":"a@example.org"}',
    });
    expect(stdout).toContain('"constructor":2');
  });
});

describe('a field that the operation cannot set is refused with the reason and what to do instead', () => {
  const suspicion = ['level_of_suspicion', 'read-only', 'sessions get'];
  const skip = ['skip_requirements', '--skip-requirements'];
  const open = ['open_time', 'sessions update ID --open-time'];

  test.each<[string, string[], string?]>([
    ['sessions update 5 -F level_of_suspicion=3', suspicion],
    ['sessions update 5 -F Level_Of_Suspicion=3', suspicion],
    ['sessions create --exam 2 -F level_of_suspicion=0', suspicion],
    ['students add --exam 2 -f level_of_suspicion=0', suspicion],
    ['exams create --start now+1h --end now+2h -F level_of_suspicion=3', suspicion],
    ['exams update 1 -F level_of_suspicion=3', suspicion],
    ['api POST /exams/2/add_student --body -', suspicion, '{"students":[{"a":{"level_of_suspicion":null}}]}'],
    ['sessions update 5 --skip-requirements', skip],
    ['students add --exam 2 -F open_time=2027-01-01T10:00Z', open],
    ['sessions update 5 --body -', suspicion, '{"student_session":{"level_of_suspicion":3}}'],
    ['api PATCH /student_sessions/5 -F level_of_suspicion=3', suspicion],
    ['sessions update 5 --put -F skip_requirements=true', skip],
    ['sessions create --exam 2 --email a@example.org --open-time 2027-01-01T10:00Z', open],
    ['sessions update 5 -F status=exam_finished', ['status', 'sessions get']],
  ])('%s', async (line, reasons, stdin = '') => {
    const { code, said } = await refused(line, { stdin });
    expect(code).toBe(5);
    for (const reason of [...reasons, 'Nothing was sent']) expect(said).toContain(reason);
  });
});
