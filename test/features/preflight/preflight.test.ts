import { describe, expect, test } from 'vitest';
import { checks } from '../../../src/features/preflight/index.ts';
import { type Data, embedded, wordsOf } from '../../commands/embedded.ts';
import { examOn, type ServedExam, serviceOf, studentOf } from './world.ts';

type Row = { exam: unknown; check: string; state: string; detail: string; remedy: string | null };

async function rowsOf(exams: readonly ServedExam[], line: readonly string[] = ['--name', 'exam']) {
  const service = serviceOf(exams);
  const { code, stdout, stderr } = await service.run(['preflight', ...line, '-o', 'json'], { env: { PROCTOR_TIMEZONE: 'Europe/Vienna' } });
  const rows: Row[] = stdout === '' ? [] : JSON.parse(stdout);
  const state = (exam: number, check: string) => rows.find((row) => row.exam === exam && row.check === check)?.state;
  const detail = (exam: number, check: string) => rows.find((row) => row.exam === exam && row.check === check)?.detail;
  return { code, stderr, rows, state, detail, requests: service.requests() };
}

describe('the exam period of the embedded service', () => {
  const period = ['preflight', '--name', 'main term'];
  const env = { PROCTOR_TIMEZONE: 'Europe/Vienna' };

  test('has the problems that it was made with, and no others', async () => {
    const { code, stdout } = await embedded().run([...period, '-o', 'json'], { env });
    const rows: Row[] = JSON.parse(stdout);
    expect(code).toBe(11);
    expect(rows).toHaveLength(12 * checks.length);
    expect(rows.filter(({ state }) => state === 'failed').map(({ exam, check }) => `${exam} ${check}`)).toEqual([
      ...['8 students: clashes', '8 proctors: clashes', '9 students: clashes', '9 proctors: clashes', '11 proctors: pool'],
      ...['16 students: duplicates', '16 windows: exam'],
    ]);
    expect(
      rows.filter(({ state, check }) => state === 'warning' && check !== 'mails').map(({ exam, check }) => `${exam} ${check}`),
    ).toEqual([
      ...['7 proctors: number', '10 windows: exam', '13 times: midnight', '13 times: clock change', '13 times: length'],
      ...['16 students: addresses', '18 times: midnight'],
    ]);
    expect(rows.every(({ state, remedy }) => (remedy === null) === (state === 'ok' || state === 'skipped'))).toBe(true);
  });

  test('is ready once the lines of the failed checks have been run', async () => {
    const service = embedded();
    const failed = async () => {
      const { stdout } = await service.run([...period, '-o', 'json'], { env });
      return (JSON.parse(stdout) as Row[]).filter(({ state }) => state === 'failed');
    };
    const fixable = (await failed()).filter(({ check }) => !['students: clashes', 'proctors: pool'].includes(check));
    expect(new Set(fixable.map(({ check }) => check)).size).toBe(3);
    for (const line of new Set(fixable.map(({ remedy }) => remedy ?? ''))) {
      const { code, stderr } = await service.run(
        [...wordsOf(line.replace('proctor-cli ', '').replace(' --profile sandbox', '')), '--yes'],
        { env },
      );
      expect(code, `${line}\n${stderr}`).toBe(0);
    }
    expect((await failed()).map(({ exam, check }) => `${exam} ${check}`)).toEqual([
      ...['8 students: clashes', '9 students: clashes', '11 proctors: pool'],
    ]);
  });

  test('as a table shows what is not ok, the worst exams first, and the lines that fix it once each', async () => {
    const { stdout, stderr } = await embedded().run(period, { env });
    const lines = stdout.trimEnd().split('\n').slice(1);
    const shown = lines.map((line) => line.split(' ')[0]).filter((id, index, all) => id !== all[index - 1]);
    expect(shown.join(' ')).toBe('8 9 11 16 7 10 13 14 15 17 18 12');
    expect(lines.at(-1)).toMatch(/^12 +all checks +ok +15 checks$/);
    expect(stderr).toMatch(/^12 exams, 180 checks: \d+ ok, \d+ warning, 7 failed, \d+ skipped\.$/m);
    expect(stderr).toContain(
      'exam 8, proctors: clashes; exam 9, proctors: clashes: proctor-cli proctors remove 4 --exam 9 --profile sandbox\n',
    );
    expect(stderr).toMatch(/^error: 4 of 12 exams are not ready: 7 checks failed\.$/m);
  });
});

test('a warning alone ends with 0, and with --strict with 11', async () => {
  const exams = [examOn(1, 22, 8, { students: [studentOf(5, { status: 'registered' })] })];
  expect((await rowsOf(exams)).code).toBe(0);
  const { code, stderr } = await rowsOf(exams, ['--exam', '1', '--strict']);
  expect(code).toBe(11);
  expect(stderr).toContain('The exam is not ready: 1 check failed, warnings counted.');
});

test('each listing is read once: that of the exams, and the students and proctors of each', async () => {
  const exams = Array.from({ length: 21 }, (_, index) => examOn(index + 1, 3 + index, 8));
  const { requests, code } = await rowsOf(exams, ['--from', '2027-03-01']);
  expect(code).toBe(0);
  const lists = exams.flatMap(({ id }) => [`/exams/${id}/student_sessions`, `/exams/${id}/proctor_pool`]);
  expect(requests.toSorted()).toEqual(['/exams', '/exams?page=2&offset=21', ...lists].map((path) => `GET ${path}`).toSorted());
});

describe('an exam at the same time that is not selected', () => {
  const both = { students: [studentOf(7)], proctors: [{ id: 9, name: 'Agnes' }] };

  test('is compared as well', async () => {
    const { state, detail, requests } = await rowsOf(
      [examOn(1, 22, 8, both), examOn(2, 22, 9, both), examOn(3, 24, 9, both)],
      ['--exam', '1'],
    );
    expect([state(1, 'students: clashes'), state(1, 'proctors: clashes')]).toEqual(['failed', 'failed']);
    expect(detail(1, 'proctors: clashes')).toBe('1 proctor also in exam 2, Exam 2: Agnes (9)');
    expect(requests).not.toContain('GET /exams/3/student_sessions');
  });

  test('counts with the window of its student: more time in the first exam reaches into the second', async () => {
    const longer = { students: [studentOf(7, { email: 'ADA@example.org', close_time: '2027-03-22T11:30:00Z' })] };
    const later = { students: [studentOf(8, { email: 'ada@example.org' })] };
    const exams = [examOn(1, 22, 8, longer), examOn(2, 22, 11, later)];
    expect((await rowsOf(exams, ['--exam', '2'])).detail(2, 'students: clashes')).toBe('1 student also in exam 1, Exam 1: ada@example.org');
    expect((await rowsOf([examOn(1, 22, 8), examOn(2, 22, 11, later)], ['--exam', '2'])).state(2, 'students: clashes')).toBe('ok');
  });

  test('that cannot be read leaves the question open', async () => {
    const { state, detail, code } = await rowsOf([examOn(1, 22, 8), examOn(2, 22, 9, { students: 403, proctors: 403 })], ['--exam', '1']);
    expect([state(1, 'students: clashes'), state(1, 'proctors: clashes')]).toEqual(['skipped', 'skipped']);
    expect(detail(1, 'students: clashes')).toMatch(/^the other exams cannot be compared: exam 2: the students cannot be read: /);
    expect(code).toBe(0);
  });
});

describe('what the service does not show', () => {
  test('is skipped with its reason, and never ok', async () => {
    const bare = { id: 1, name: 'Exam 1', students: [{ id: 5 }], proctors: [{ name: 'Agnes' }] };
    const { rows, code } = await rowsOf([bare], ['--exam', '1']);
    expect(rows.filter(({ state }) => state !== 'skipped').map(({ check, state }) => `${check} ${state}`)).toEqual([
      ...['students: number ok', 'proctors: pool ok', 'proctors: number ok'],
    ]);
    const details = new Set(rows.map(({ detail }) => detail));
    for (const reason of ['the service shows no start_time', 'the service shows no addresses', 'the service shows no status'])
      expect(details).toContain(reason);
    expect(code).toBe(0);
  });

  test('students that cannot be read are skipped, and their exam is not ready', async () => {
    const { state, detail, code } = await rowsOf([examOn(1, 22, 8, { students: 404 }), examOn(2, 24, 8)]);
    expect([code, state(1, 'students: number'), state(1, 'mails'), state(2, 'students: number')]).toEqual([11, 'skipped', 'skipped', 'ok']);
    expect(detail(1, 'students: number')).toMatch(/^the students cannot be read: /);
  });

  test('proctors that the token may not read are skipped', async () => {
    const { state, code } = await rowsOf([examOn(1, 22, 8, { proctors: 403 })]);
    expect([code, state(1, 'proctors: pool'), state(1, 'proctors: number')]).toEqual([0, 'skipped', 'skipped']);
  });

  test('a service that is gone ends the command with its own status', async () => {
    const { code, rows } = await rowsOf([examOn(1, 22, 8, { students: 500 })], ['--exam', '1']);
    expect([code, rows]).toEqual([8, []]);
  });
});

test.each([
  ['--min-proctors', '30'],
  ['--min-proctors', '1/0'],
  ['--min-proctors', '0/30'],
  ['--min-proctors', '-1/30'],
  ['--min-proctors', '1/2/3'],
])('%s %s is refused with an example, before any request', async (option, value) => {
  const { code, stderr, requests } = await rowsOf([examOn(1, 22, 8)], ['--exam', '1', `${option}=${value}`]);
  expect([code, requests]).toEqual([2, []]);
  expect(stderr).toContain('--min-proctors 1/30');
});

test('the dry run shows the requests that are known, and sends none', async () => {
  const { code, rows, requests } = await rowsOf([examOn(1, 22, 8)], ['--exam', '1', '--dry-run']);
  expect([code, requests]).toEqual([0, []]);
  expect((rows as unknown as Data[]).map(({ url }) => String(url).replace(/.*\/api\/v1/, ''))).toEqual([
    ...['/exams/1', '/exams', '/exams/1/student_sessions', '/exams/1/proctor_pool'],
  ]);
});
