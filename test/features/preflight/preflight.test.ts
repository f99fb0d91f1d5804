import { describe, expect, test } from 'vitest';
import { checks } from '../../../src/features/preflight/preflight.ts';
import { embedded, wordsOf } from '../../commands/embedded.ts';
import { examOn, type ServedExam, serviceOf, studentOf } from './world.ts';

type Row = { exam: number; check: string; state: string; detail: string; remedy: string | null };

const env = { PROCTOR_TIMEZONE: 'Europe/Vienna' };

async function rowsOf(exams: readonly ServedExam[], line: readonly string[] = ['--name', 'exam']) {
  const service = serviceOf(exams);
  const { code, stdout, stderr } = await service.run(['preflight', ...line, '-o', 'json'], { env });
  const rows: Row[] = stdout === '' ? [] : JSON.parse(stdout);
  const of = (exam: number, check: string) => rows.find((row) => row.exam === exam && row.check === check);
  const state = (exam: number, ...names: string[]) => names.map((name) => of(exam, name)?.state);
  return { code, stderr, rows, state, detail: (exam: number, check: string) => of(exam, check)?.detail, requests: service.requests() };
}

test('The last line names what is not checked, below the commands of warnings, too.', async () => {
  const service = serviceOf([examOn(1, 2, 9, { students: [studentOf(1, { status: 'registered' })] })]);
  const { code, stderr } = await service.run(['preflight', '1', '-o', 'table'], { env });
  const [remedy, last] = stderr.replaceAll(/\s+/g, ' ').split(/(?=Ready:)/);
  expect([remedy, last]).toEqual([expect.stringContaining('exams send-emails 1'), expect.stringMatching(/Not checked: .*--check\)\. ?$/)]);
  expect(code).toBe(0);
});

describe('the exam period of the embedded service', () => {
  const period = ['preflight', '--name', 'main term'];

  test('has the problems that it was made with, and each command that is shown, pasted into a terminal, corrects its own', async () => {
    const service = embedded();
    const look = async (): Promise<Row[]> => JSON.parse((await service.run([...period, '-o', 'json'], { env })).stdout);
    const wrong = async () => (await look()).filter(({ state }) => state !== 'ok');
    const rows = await look();
    expect(rows).toHaveLength(12 * checks.length);
    expect(rows.every(({ state, remedy }) => (remedy === null) === (state === 'ok' || state === 'skipped'))).toBe(true);
    const found = (state: string) => rows.filter((row) => row.state === state).map(({ exam, check }) => `${exam} ${check}`);
    expect(found('failed')).toEqual(['8 overlaps', '9 overlaps', '11 proctors', '16 students', '16 windows']);
    expect(found('warning')).toEqual([...['7 proctors', '7 mails', '14 mails', '15 mails', '16 mails', '17 mails', '18 mails']]);
    const pasted: string[] = [];
    for (let [row] = await wrong(); row; [row] = await wrong()) {
      // The second problem of a row is shown once the first is corrected: none is shown twice.
      const { remedy } = row;
      expect(pasted).not.toContain(remedy);
      pasted.push(remedy ?? '');
      const words = wordsOf((remedy ?? '').replace('ADDRESS', 'jonas@students.example.org'))
        .slice(1)
        .filter((word) => !['--profile', 'sandbox'].includes(word));
      const answers = words[0] === 'proctors' ? ['12', ''] : [true];
      const { code, stderr } = await service.run(words, { env, tty: true, columns: 80, answers });
      expect(code, `${remedy}\n${stderr}`).toBe(0);
    }
    expect(pasted.filter((line) => /proctors|shift|update|delete|extend/.test(line))).toHaveLength(6);
    expect((await service.run(period, { env })).code).toBe(0);
  });

  test('as a table shows what is not ok, and the commands that correct it once each', async () => {
    const { code, stdout, stderr } = await embedded().run(period, { env });
    const lines = stdout.trimEnd().split('\n').slice(1);
    expect(new Set(lines.map((line) => line.split(' ')[0])).size).toBe(12);
    expect(lines.filter((line) => / ok /.test(line)).map((line) => line.split(/ {2,}/))).toEqual([
      ['10', 'Bürgerliches Recht (main term)', 'all', 'ok', '7 checks'],
      ['12', 'Organic Chemistry II (main term)', 'all', 'ok', '7 checks'],
      ['13', 'Histoire moderne, take-home (main term)', 'all', 'ok', '7 checks'],
    ]);
    expect(stderr).toMatch(/^exam 7, Analysis I \(main term\), proctors: /);
    expect(stderr).toContain('exam 9, Statistik II (main term), overlaps: proctor-cli exams shift 9 --by 30m --profile sandbox\n');
    expect(stderr).toContain(
      'error: Not ready: 4 of 12 exams. 84 checks: 5 failed, 7 warning, 72 ok. Not checked: rosters (sessions import FILE --check) and extra time (accommodations apply FILE --check).\n',
    );
    expect(code).toBe(11);
  });
});

test('a warning alone ends with 0, and with --strict with 11; of one exam all checks are shown', async () => {
  const exams = [examOn(1, 22, 8, { students: [studentOf(5, { status: 'registered' })] })];
  expect((await rowsOf(exams)).code).toBe(0);
  expect(await rowsOf(exams, ['--exam', '1', '--strict'])).toMatchObject({
    code: 11,
    stderr: expect.stringContaining('Not ready: 1 of 1 exam.'),
  });
  const { stdout } = await serviceOf(exams).run(['preflight', 'Exam 1'], { env });
  expect(stdout.trimEnd().split('\n')).toHaveLength(1 + checks.length);
});

test('each listing is read once: that of the exams, and the students and proctors of each', async () => {
  const exams = Array.from({ length: 21 }, (_, index) => examOn(index + 1, 3 + index, 8));
  const { requests, code } = await rowsOf(exams, ['--from', '2027-03-01']);
  expect(code).toBe(0);
  const lists = exams.flatMap(({ id }) => [`/exams/${id}/student_sessions`, `/exams/${id}/proctor_pool`]);
  expect(requests.toSorted()).toEqual(['/exams', '/exams?page=2&offset=21', ...lists].map((path) => `GET ${path}`).toSorted());
});

describe('an exam at the same time that is not selected', () => {
  const both = { students: [studentOf(7)] };

  test('is compared as well', async () => {
    const exams = [examOn(1, 22, 8, both), examOn(2, 22, 9, both), examOn(3, 24, 9, both)];
    const { detail, requests } = await rowsOf(exams, ['--exam', '1']);
    expect(detail(1, 'overlaps')).toBe('1 student also in exam 2, Exam 2: student7@example.org');
    expect(requests).not.toContain('GET /exams/3/student_sessions');
  });

  test('counts with the window of its student: more time in the first exam reaches into the second', async () => {
    const longer = { students: [studentOf(7, { email: 'ADA@example.org', close_time: '2027-03-22T11:30:00Z' })] };
    const later = { students: [studentOf(8, { email: 'ada@example.org' })] };
    const exams = [examOn(1, 22, 8, longer), examOn(2, 22, 11, later)];
    expect((await rowsOf(exams, ['--exam', '2'])).detail(2, 'overlaps')).toBe('1 student also in exam 1, Exam 1: ada@example.org');
    expect((await rowsOf([examOn(1, 22, 8), examOn(2, 22, 11, later)], ['--exam', '2'])).state(2, 'overlaps')).toEqual(['ok']);
  });

  test('that cannot be read leaves the question open', async () => {
    const { detail, code } = await rowsOf([examOn(1, 22, 8), examOn(2, 22, 9, { students: 403, proctors: 403 })], ['--exam', '1']);
    expect(detail(1, 'overlaps')).toMatch(/^of exam 2, Exam 2: the students cannot be read: /);
    expect(code).toBe(0);
  });
});

describe('what the service does not show', () => {
  test('is skipped with its reason, and never ok', async () => {
    const bare = { id: 1, name: 'Exam 1', students: [{ id: 5 }], proctors: [{ name: 'Agnes' }] };
    const { rows, code } = await rowsOf([bare], ['--exam', '1']);
    expect(rows.map(({ check, state, detail }) => (state === 'skipped' ? `${check}: ${detail}` : `${check} ${state}`))).toEqual([
      ...['times: the service shows no start_time that can be read', 'students: the service shows no addresses'],
      ...['windows: the service shows no start_time that can be read', 'overlaps: the service shows no start_time that can be read'],
      ...['proctors ok', 'mails: the service shows no status', 'access ok'],
    ]);
    expect(code).toBe(0);
  });

  test('times that cannot be read are no times, and an exam without times is not ready', async () => {
    const { detail } = await rowsOf([examOn(1, 22, 8, { start_time: 'soon', students: [studentOf(5, { open_time: 'late' })] })]);
    expect(detail(1, 'times')).toBe('the service shows no start_time that can be read');
    const { open_time, ...other } = studentOf(6);
    const { detail: hidden } = await rowsOf([examOn(1, 22, 8, { students: [studentOf(5), other] })]);
    expect([open_time, hidden(1, 'windows')]).toEqual([null, 'the service shows no open_time that can be read']);
    const { detail: of, code } = await rowsOf([examOn(1, 22, 8, { end_time: null })]);
    expect([code, of(1, 'times'), of(1, 'windows')]).toEqual([11, 'the exam has no end', 'the exam has no start, or no end after it']);
  });

  test.each([
    ['students that cannot be read are skipped, and their exam is not ready', { students: 404 }, 11, 'skipped skipped failed'],
    ['proctors that the token may not read are skipped', { proctors: 403 }, 0, 'ok skipped skipped'],
    ['a service that is gone ends the command with its own status', { students: 500 }, 8, ''],
  ])('%s', async (_what, gone, code, states) => {
    const ended = await rowsOf([examOn(1, 22, 8, gone), examOn(2, 24, 8)]);
    expect([ended.code, ended.state(1, 'students', 'proctors', 'access').join(' ').trim()]).toEqual([code, states]);
    expect(ended.state(2, 'students')).toEqual([code === 8 ? undefined : 'ok']);
  });
});

test.each(['30', '1/0', '0/30', '-1/30', '1/2/3'])('--min-proctors %s is refused with an example, before any request', async (value) => {
  const { code, stderr, requests } = await rowsOf([examOn(1, 22, 8)], ['--exam', '1', `--min-proctors=${value}`]);
  expect([code, requests]).toEqual([2, []]);
  expect(stderr).toContain('--min-proctors 1/30');
});
