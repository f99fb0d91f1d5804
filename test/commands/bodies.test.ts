/** Fields: flags, -F, -f and --body; what each means, and what no operation can set. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, temporaryFolder, type World } from '../support/run.ts';
import { type Data, embedded, requestsIn, wordsOf } from './embedded.ts';

/** The body that would be sent. */
async function bodyOf(line: string | string[], world: World = {}): Promise<Data> {
  const requests = await embedded().json<{ body: Data }[]>([...wordsOf(line), '--dry-run'], world);
  expect(requests).toHaveLength(1);
  return requests[0]?.body ?? {};
}

/** Refused before any request: the exit status, and what is said. */
async function refused(line: string | string[], world: World = {}): Promise<{ code: number; said: string }> {
  const { code, stdout, stderr } = await embedded().run([...wordsOf(line), '--debug'], world);
  expect(requestsIn(stderr)).toEqual([]);
  expect(stdout).toBe('');
  return { code, said: stderr };
}

const create = 'sessions create --exam 2';

describe('-F', () => {
  test('types true, false, null and numbers, and nothing else', async () => {
    const pairs = ['a=true', 'b=false', 'c=null', 'd=12', 'e=-1.5e3', 'f=012', 'g=True', 'h=', 'i=x=y', 'j="q"', 'k=[1]', 'l=1 '];
    expect(await bodyOf([...wordsOf(create), ...pairs.flatMap((pair) => ['-F', pair])])).toEqual({
      a: true,
      b: false,
      c: null,
      d: 12,
      e: -1500,
      f: '012',
      g: 'True',
      h: '',
      i: 'x=y',
      j: '"q"',
      k: '[1]',
      l: '1 ',
    });
  });

  test('keeps every digit', async () => {
    const { stdout } = await embedded().run(`${create} -F big=9007199254740993 --dry-run -o json`);
    expect(stdout).toContain('"big":9007199254740993');
  });

  test('reads a file behind @', async () => {
    const file = join(temporaryFolder(), 'note.txt');
    writeFileSync(file, 'true\nsecond line');
    expect(await bodyOf([...wordsOf(create), '-F', `note=@${file}`, '-f', `raw=@${file}`])).toEqual({
      note: 'true\nsecond line',
      raw: `@${file}`,
    });
    const { code, said } = await refused([...wordsOf(create), '-F', `note=@${file}.missing`]);
    expect(code).toBe(3);
    expect(said).toContain(`${file}.missing`);
  });

  test.each(['name', '=x', ''])('without a key and a =: %j', async (pair) => {
    for (const flag of ['-F', '-f']) {
      const { code, said } = await refused([...wordsOf(create), flag, pair]);
      expect(code).toBe(2);
      expect(said).toContain(`${flag} takes key=value`);
    }
  });
});

test('-f is text, always', async () => {
  expect(await bodyOf(`${create} -f a=true -f b=12 -f c=null`)).toEqual({ a: 'true', b: '12', c: 'null' });
});

describe('--body', () => {
  test('from a file, from stdin, with a byte order mark', async () => {
    const file = join(temporaryFolder(), 'body.json');
    writeFileSync(file, '\uFEFF{"email":"a@example.org","x":{"y":[1]}}');
    expect(await bodyOf([...wordsOf(create), '--body', file])).toEqual({ email: 'a@example.org', x: { y: [1] } });
    expect(await bodyOf(`${create} --body -`, { stdin: '{"name":"Ada"}' })).toEqual({ name: 'Ada' });
  });

  test('and flags for other fields go together', async () => {
    expect(await bodyOf(`${create} --body - --email a@example.org -F x=1`, { stdin: '{"y":2}' })).toEqual({
      email: 'a@example.org',
      x: 1,
      y: 2,
    });
  });

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

  test.each([
    ['{"name":"A",\n "name":"B"}', 'name', 'line 2, column 2'],
    ['{"a":{"b":[0,{"c":1,"\\u0063":2}]}}', 'a.b[1].c', 'line 1, column 21'],
  ])('that has a field twice is refused with the place of the second: %j', async (stdin, field, position) => {
    const { code, said } = await refused(`${create} --body -`, { stdin });
    expect([code, said]).toEqual([3, expect.stringContaining(`${field} occurs twice in the body (stdin, ${position}).`)]);
  });

  test.each([
    ['{"a":1,\n "b":}', 'line 2, column 6'],
    ['{"a":', 'line 1, column 6'],
    ['', 'line 1, column 1'],
    ["{'a':1}", 'line 1, column 2'],
    ['{"a":1} x', 'line 1, column 9'],
  ])('that is not JSON is refused with the position: %j', async (stdin, position) => {
    const { code, said } = await refused(`${create} --body -`, { stdin });
    expect(code).toBe(3);
    expect(said).toContain(`The body is not JSON (stdin, ${position}).`);
  });

  test.each(['[]', '"x"', 'null', '1'])('that is no object is refused: %s', async (stdin) => {
    const { code, said } = await refused(`${create} --body -`, { stdin });
    expect(code).toBe(3);
    expect(said).toContain('not a JSON object');
  });

  test('is sent as it is where no field is known: __proto__ and constructor, too', async () => {
    const { stdout } = await embedded().run(`${create} --body - --dry-run -o json`, {
      stdin: '{"__proto__":{"x":1},"constructor":2,"email":"a@example.org"}',
    });
    expect(stdout).toContain('"constructor":2');
  });
});

describe('a value of the wrong kind is refused', () => {
  test.each([
    ['exams update 1 -F allow_headphones=yes', 'allow_headphones must be true or false'],
    ['exams update 1 -f allow_headphones=true', 'allow_headphones must be true or false'],
    ['exams update 1 -F save_recording=1', 'save_recording must be true or false'],
    [`${create} -F email=12`, 'email must be text'],
    [`${create} -F close_time=tomorrow`, 'tomorrow'],
  ])('%s', async (line, reason) => {
    const { code, said } = await refused(line);
    expect(code).toBe(3);
    expect(said).toContain(reason);
  });
});

describe('a field that the operation cannot set is refused with the reason and what to do instead', () => {
  const suspicion = ['level_of_suspicion', 'read-only', '2022-03-27', 'sessions get'];
  const skip = ['skip_requirements', '2022-03-27', '--skip-requirements'];
  const open = ['open_time', '2022-03-27', 'sessions update ID --open-time'];

  test.each<[string, string[], string?]>([
    ['sessions update 5 --level-of-suspicion 3', suspicion],
    ['sessions create --exam 2 --level-of-suspicion=3', suspicion],
    ['sessions update 5 -F level_of_suspicion=3', suspicion],
    ['sessions update 5 -f Level_Of_Suspicion=3', suspicion],
    ['sessions update 5 --body -', suspicion, '{"student_session":{"level_of_suspicion":3}}'],
    ['students add --exam 2 -F level_of_suspicion=0', suspicion],
    ['exams update 1 -F level_of_suspicion=0', suspicion],
    ['api PATCH /student_sessions/5 -F level_of_suspicion=3', suspicion],
    ['api POST /anything --body -', suspicion, '{"list":[{"level_of_suspicion":3}]}'],
    ['sessions update 5 --skip-requirements', skip],
    ['sessions update 5 --put -F skip_requirements=true', skip],
    ['sessions create --exam 2 --email a@example.org --open-time 2027-01-01T10:00Z', open],
    ['students add --exam 2 -F open_time=2027-01-01T10:00Z', open],
    ['sessions update 5 -F status=exam_finished', ['status', 'sessions get']],
  ])('%s', async (line, reasons, stdin = '') => {
    const { code, said } = await refused(line, { stdin });
    expect(code).toBe(5);
    for (const reason of reasons) expect(said).toContain(reason);
    expect(said).toContain('Nothing was sent');
  });

  test('also without a login', async () => {
    expect((await run(['sessions', 'update', '5', '--level-of-suspicion', '3'])).code).toBe(5);
    expect((await run(['sessions', 'end', '5'])).code).toBe(5);
    expect((await run(['api', 'POST', '/student_sessions/5/end_exam'])).code).toBe(5);
  });
});

describe('ending an exam', () => {
  test.each([
    'sessions end 5',
    'sessions end 5 --yes --dry-run',
    'api POST /student_sessions/5/end_exam',
    'api POST student_sessions/5/END_EXAM/',
    'api POST /student_sessions/5/end%5Fexam',
    'api POST /student_sessions/5/%65nd_exam',
    'api POST /student_sessions/5//end_exam',
    'api POST /student_sessions/5/end_exam.json',
    'api POST /student_sessions/5/end_exam?x=1',
    'api POST /api/v1/student_sessions/5/end_exam',
    'api GET /student_sessions/5/end_exam',
    'api PUT /student_sessions/x/../5/end_exam',
    'api post https://elsewhere.example/api/v1/student_sessions/5/end_exam',
  ])('is refused however it is spelled: %s', async (line) => {
    const { code, said } = await refused(line);
    expect(code).toBe(5);
    expect(said).toContain('2022-05-17');
    expect(said).toContain('sessions update ID --close-time');
  });
});
