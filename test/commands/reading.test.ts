/** Reads: lists, one resource, filters, the students and proctors of an exam, users. */
import { describe, expect, test } from 'vitest';
import { run, temporaryFolder } from '../support/run.ts';
import { type Data, embedded, requestsIn, seededExams } from './embedded.ts';

const ids = (rows: Data[]) => rows.map(({ id }) => id);

describe('lists', () => {
  test('are arrays in JSON, and [] where there is nothing', async () => {
    const service = embedded();
    expect(ids(await service.json<Data[]>('exams list'))).toEqual(seededExams);
    expect(await service.json('proctors list --exam 6')).toEqual([]);
    expect(await service.run('sandbox outbox -o json')).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
    expect(await service.run('proctors list --exam 6')).toMatchObject({ code: 0, stdout: '' });
  });

  test('are one object a line in NDJSON, one ID a line in id', async () => {
    const service = embedded();
    const { stdout } = await service.run('exams list -o ndjson');
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual(seededExams);
    expect((await service.run('exams list -o id')).stdout).toBe(`${seededExams.join('\n')}\n`);
  });
});

describe('sessions list', () => {
  test('of one exam, of one status', async () => {
    const service = embedded();
    const all = await service.json<Data[]>('sessions list');
    expect(await service.json('sessions list --exam 3')).toEqual(all.filter(({ exam_id }) => exam_id === 3));
    expect(await service.json('sessions list --status mail_sent')).toEqual(all.filter(({ status }) => status === 'mail_sent'));
    expect(await service.json('sessions list --exam 6 --status mail_sent')).toEqual([]);
  });

  test('refuses the former name of a status with the present one, before any request', async () => {
    const { code, stdout, stderr } = await embedded().run('sessions list --status mail_send --debug');
    expect(requestsIn(stderr)).toEqual([]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('mail_sent since 2022-03-27');
  });

  test('refuses an unknown status with those that there are', async () => {
    const { code, stderr } = await embedded().run('sessions list --status started --debug');
    expect(code).toBe(3);
    expect(stderr).toContain('exam_started');
    expect(requestsIn(stderr)).toEqual([]);
  });

  test('shows how suspicious a student is, of how much, to a person; the number to a script', async () => {
    const service = embedded();
    expect((await service.run('sessions get 8')).stdout).toMatch(/^Suspicion +3 of 3$/m);
    expect(await service.json('sessions get 8')).toHaveProperty('level_of_suspicion', 3);
  });
});

describe('students', () => {
  test('show: the one of that session, if in that exam', async () => {
    const service = embedded();
    expect(await service.json('students show --exam 1 --session 2')).toEqual(await service.json('sessions get 2'));
    expect((await service.run('students show --exam 2 --session 2')).code).toBe(6);
  });

  test.each(['students add', 'sessions create'])('%s: registers one student, once', async (command) => {
    const service = embedded();
    const before = await service.json<Data[]>('sessions list --exam 6');
    const added = await service.json(
      `${command} --exam 6 --email ada@example.org --name "Ada Example" --skip-requirements -F matriculation=0042`,
    );
    expect(added).toMatchObject({
      email: 'ada@example.org',
      name: 'Ada Example',
      status: 'registered',
      skip_requirements: true,
      matriculation: '0042',
      exam_id: 6,
    });
    expect(await service.json('sessions list --exam 6')).toEqual([...before, added]);
  });

  test('may be added without an address', async () => {
    expect(await embedded().json('sessions create --exam 6 --name Ada')).toMatchObject({ name: 'Ada', email: null });
  });
});

test('proctors are added and removed', async () => {
  const service = embedded();
  const pool = async (exam: number) => ids(await service.json<Data[]>(`proctors list --exam ${exam}`));
  expect(await service.json('proctors add 4 5 --exam 6')).toEqual([{ id: 6, result: 'added' }]);
  expect(await service.json('proctors add 4 --exam 6')).toEqual([{ id: 6, result: 'added' }]);
  expect(await pool(6)).toEqual([4, 5]);
  expect(await service.json('proctors remove 4 --exam 6')).toEqual([{ id: 6, result: 'removed' }]);
  expect(await pool(6)).toEqual([5]);
  expect((await service.run('proctors add 999 --exam 6')).code).toBe(7);
});

test('proctors are added to the exams of a selection, with one question', async () => {
  const service = embedded();
  const pools = () => Promise.all([7, 8].map(async (exam) => ids(await service.json<Data[]>(`proctors list --exam ${exam}`))));
  const before = await pools();
  const line = "proctors add 4 --name '*physics (main term)' --exam 7 --exam 8";
  expect((await service.run('proctors add 4 --name physics')).code).toBe(0);
  expect((await service.run('proctors add 4 --exam 7 --exam 8')).code).toBe(2);
  const { code, questions } = await service.run('proctors add 4 --exam 7 --exam 8', { tty: true, answers: [true] });
  expect([code, questions]).toEqual([0, [expect.stringMatching(/^Add proctor 4 to 2 exams \(7, 8\) at /)]]);
  expect(await pools()).toEqual(before.map((pool) => [...new Set([...pool, 4])]));
  expect((await service.run(line)).code).toBe(0);
  expect((await service.run('proctors remove 4 --name Algbera --yes')).code).toBe(6);
});

describe('users list', () => {
  const env = { PROCTOR_BASE_URL: 'https://proctor.example', PROCTOR_TOKEN: 'a-token-of-the-tests', PROCTOR_PROFILE: 'default' };

  test('knows the institute of the embedded service', async () => {
    expect(await embedded().json('users list')).toEqual(await embedded().json('users list --institute 1'));
  });

  test('without an institute says where it comes from, and sends nothing', async () => {
    const { code, stdout, stderr } = await run(['users', 'list', '--debug'], { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--institute ID');
    expect(stderr).toContain('proctor-cli config set institute ID');
    expect(requestsIn(stderr)).toEqual([]);
  });

  test('takes it from the flag, the environment, the profile, in this order', async () => {
    const home = temporaryFolder();
    const asked = async (options: string[], more: Record<string, string> = {}) =>
      JSON.parse((await run(['users', 'list', '--dry-run', '-o', 'json', ...options], { home, env: { ...env, ...more } })).stdout)[0].url;
    await run(['config', 'set', 'institute', '3'], { home });
    expect(await asked([])).toMatch(/\/institutes\/3\/users$/);
    expect(await asked([], { PROCTOR_INSTITUTE: '4' })).toMatch(/\/institutes\/4\/users$/);
    expect(await asked(['--institute', '5'], { PROCTOR_INSTITUTE: '4' })).toMatch(/\/institutes\/5\/users$/);
  });
});

test('exams send-emails sends one mail to each student, once', async () => {
  const service = embedded();
  const students = await service.json<Data[]>('sessions list --exam 5');
  expect((await service.run('exams send-emails 5 --resend --yes')).code).toBe(0);
  const mails = await service.json<Data[]>('sandbox outbox --exam 5');
  const addresses = students.map(({ email }) => email).filter(Boolean);
  expect(mails.map(({ email }) => email).sort()).toEqual(addresses.sort());
  expect(await service.json('sandbox outbox --exam 6')).toEqual([]);
});

test('exams create, get, update and delete one exam', async () => {
  const service = embedded();
  const made = await service.json<Data>(
    'exams create --start 2027-02-01T09:00+01:00 --end 2027-02-01T11:00+01:00 --allow-leave-room -F name="Linear Algebra"',
  );
  expect(made).toMatchObject({
    start_time: '2027-02-01T08:00:00Z',
    end_time: '2027-02-01T10:00:00Z',
    allow_leave_room: true,
    save_recording: true,
    name: 'Linear Algebra',
  });
  expect(await service.json(`exams get ${made.id}`)).toEqual(made);
  expect(await service.json(`exams update ${made.id} --end 2027-02-01T12:00Z`)).toEqual({ ...made, end_time: '2027-02-01T12:00:00Z' });
  expect((await service.run(`exams delete ${made.id} --yes`)).code).toBe(0);
  expect((await service.run(`exams get ${made.id}`)).code).toBe(6);
});

describe('--debug', () => {
  test('shows requests and answers with their times, and no token', async () => {
    const { stdout, stderr } = await embedded().run('exams get 1 --debug -o json');
    expect(stderr).toMatch(/^> GET http:\/\/127\.0\.0\.1:\d+\/api\/v1\/exams\/1$/m);
    expect(stderr).toMatch(/^< 200 after \d+ ms$/m);
    expect(stderr).toContain('authorization: apiServiceToken ********');
    expect(stderr).not.toMatch(/[0-9a-f]{32}/);
    expect(JSON.parse(stdout)).toHaveProperty('id', 1);
  });
});
