/** `preflight` as a whole: what it reads, what it prints, with which status it ends. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checks } from '../../../src/features/preflight/check-table.ts';
import { type Data, embedded, wordsOf } from '../../commands/embedded.ts';
import { temporaryFolder } from '../../support/run.ts';
import { examOn, now, type ServedExam, serviceOf, studentOf } from './world.ts';

type Row = { exam: unknown; check: string; state: string; detail: string; remedy: string | null };

async function rowsOf(exams: readonly ServedExam[], line: readonly string[] = ['--name', 'exam']) {
  const service = await serviceOf(exams);
  const { code, stdout, stderr } = await service.run(['preflight', ...line, '-o', 'json']);
  const rows: Row[] = stdout === '' ? [] : JSON.parse(stdout);
  const state = (exam: number, check: string) => rows.find((row) => row.exam === exam && row.check === check)?.state;
  const detail = (exam: number, check: string) => rows.find((row) => row.exam === exam && row.check === check)?.detail;
  return { code, stderr, rows, state, detail, requests: service.requests };
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
      const { stdout } = await service.run([...period, '--like', '7', '-o', 'json'], { env });
      return (JSON.parse(stdout) as Row[]).filter(({ state }) => state === 'failed');
    };
    const fixable = (await failed()).filter(({ check }) => !['students: clashes', 'proctors: pool'].includes(check));
    expect(new Set(fixable.map(({ check }) => check)).size).toBe(4);
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
    expect(lines.map((line) => line.split(' ')[0]).filter((id, index, all) => id !== all[index - 1])).toEqual([
      '8',
      '9',
      '11',
      '16',
      '7',
      '10',
      '13',
      '14',
      '15',
      '17',
      '18',
      '12',
    ]);
    expect(lines.at(-1)).toMatch(/^12 +all checks +ok +15 checks; 3 skipped$/);
    expect(stderr).toMatch(/^12 exams, 216 checks: \d+ ok, \d+ warning, 7 failed, \d+ skipped\.$/m);
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
  const { requests, code } = await rowsOf(exams, ['--from', '2027-03-01', '--like', '20']);
  expect(code).toBe(0);
  expect(requests.toSorted()).toEqual(
    [
      ...['/exams', '/exams/20', ...exams.flatMap(({ id }) => [`/exams/${id}/student_sessions`, `/exams/${id}/proctor_pool`])].map(
        (path) => `GET ${path}`,
      ),
    ].toSorted(),
  );
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
    const { rows, code } = await rowsOf([bare], ['--exam', '1', '--like', '1']);
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

describe('the clock of the service', () => {
  test('decides what is past, and a difference is told', async () => {
    const service = await serviceOf([examOn(1, 22, 8)]);
    const { stdout, stderr } = await service.run(['preflight', '--exam', '1', '-o', 'json'], { now: '2027-04-01T09:00:00Z' });
    expect((JSON.parse(stdout) as Row[]).find(({ check }) => check === 'times: past')).toMatchObject({ state: 'ok' });
    expect(stderr).toContain("behind this machine's");
    expect(Date.parse(now)).toBeLessThan(Date.parse('2027-03-22T08:00:00Z'));
  });
});

describe('--accommodations', () => {
  const env = { PROCTOR_TIMEZONE: 'Europe/Vienna' };
  const sample = 'test/demo/accommodations.yaml';
  const list = (text: string) => {
    const path = join(temporaryFolder(), 'accommodations.yaml');
    writeFileSync(path, `version: 1\nstudents:\n${text}`);
    return path;
  };
  const row = (email: string, rest: string) => `  - email: ${email}\n    ${rest}\n`;

  test('each exam fails until the list is applied, by the lines that preflight gives', async () => {
    const service = embedded();
    const rows = async (): Promise<Row[]> => {
      const { stdout } = await service.run(['preflight', '--name', 'main term', '--accommodations', sample, '-o', 'json'], { env });
      return (JSON.parse(stdout) as Row[]).filter(({ check }) => check === 'accommodations');
    };
    const before = await rows();
    const failed = before.filter(({ state }) => state === 'failed');
    expect(failed.map(({ exam }) => exam)).toEqual([7, 8, 9, 10, 11, 12, 14, 15, 17, 18]);
    for (const line of new Set(failed.map(({ remedy }) => remedy ?? ''))) {
      const { code, stderr } = await service.run(
        [...wordsOf(line.replace('proctor-cli ', '').replace(' --profile sandbox', '')), '--yes'],
        { env },
      );
      expect([0, 11], `${line}\n${stderr}`).toContain(code);
    }
    // In exam 17 a student has more time than was granted, which is never taken away.
    expect((await rows()).filter(({ state }) => state !== 'ok').map(({ exam, state }) => `${exam} ${state}`)).toEqual(['17 warning']);
  });

  test('extra time that is granted and not set yet counts when exams are compared, also in one that is not selected', async () => {
    const ada = (id: number) => ({ students: [studentOf(id, { email: 'ada@example.org' })], proctors: [{ id: 9 }] });
    const exams = [examOn(1, 22, 8, ada(1)), examOn(2, 22, 10, ada(2))];
    const half = list(row('Ada@Example.org', 'extra: 50%'));
    const clashes = ['students: clashes', 'proctors: clashes'];
    for (const exam of [1, 2]) {
      const without = await rowsOf(exams, ['--exam', String(exam)]);
      expect(clashes.map((check) => without.state(exam, check))).toEqual(['ok', 'ok']);
      const counted = await rowsOf(exams, ['--exam', String(exam), '--accommodations', half]);
      expect(clashes.map((check) => counted.state(exam, check))).toEqual(['failed', 'failed']);
    }
  });

  test('reads each listing once, and has a warning for a student of the list whom no selected exam has', async () => {
    const { requests, rows, code, state } = await rowsOf(
      [examOn(1, 22, 8)],
      ['--exam', '1', '--accommodations', list(row('studnet100@example.org', 'plus: 10m'))],
    );
    expect(requests.toSorted()).toEqual(
      ['/exams', '/exams/1', '/exams/1', '/exams/1/proctor_pool', '/exams/1/student_sessions'].map((path) => `GET ${path}`),
    );
    expect(rows.at(-1)).toMatchObject({
      exam: null,
      check: 'accommodations.yaml, line 3, column 5',
      state: 'warning',
      detail: 'studnet100@example.org has no session in the selected exams; the nearest address is student100@example.org',
    });
    expect(code).toBe(0);
    expect(state(1, 'accommodations')).toBe('ok');
  });

  test('a misspelt name of an exam in the list is a warning too, a failure with --strict, and a case of the JUnit file', async () => {
    const junit = join(temporaryFolder(), 'preflight.xml');
    const file = list(row('student100@example.org', 'plus: 10m\n    exams: [Exam 1, Exma*]'));
    const line = ['--exam', '1', '--accommodations', file];
    const { rows } = await rowsOf([examOn(1, 22, 8)], line);
    expect(rows.at(-1)).toMatchObject({
      exam: null,
      state: 'warning',
      detail: 'the service has no exam "Exma*"; the nearest name is "Exam 1"',
    });
    const strict = await rowsOf([examOn(1, 22, 8)], [...line, '--strict', '--junit', junit]);
    expect(strict.code).toBe(11);
    expect(readFileSync(junit, 'utf8')).toMatch(
      /<testsuite name="list of accommodations accommodations\.yaml" .*\n.*classname="accommodations".*<failure message="the service has no exam &quot;Exma\*&quot;/,
    );
  });

  test.each([
    ['an amount without a unit', row('ada@example.org', 'extra: 125'), 3],
    ['an unknown key', row('ada@example.org', 'exrta: 25%'), 3],
  ])('%s is refused before any request', async (_what, text, status) => {
    const { code, requests } = await rowsOf([examOn(1, 22, 8)], ['--exam', '1', '--accommodations', list(text)]);
    expect([code, requests]).toEqual([status, []]);
  });

  test('two equally specific rows are refused, unless --combine says how they count', async () => {
    const path = list(row('student100@example.org', 'plus: 10m') + row('student100@example.org', 'plus: 20m'));
    expect((await rowsOf([examOn(1, 22, 8)], ['--exam', '1', '--accommodations', path])).code).toBe(3);
    const combined = await rowsOf([examOn(1, 22, 8)], ['--exam', '1', '--accommodations', path, '--combine', 'max']);
    expect([combined.code, combined.state(1, 'accommodations')]).toEqual([11, 'failed']);
  });

  test('the line that sets extra time reads the list as preflight did: --combine and --timezone', async () => {
    const path = list(row('student100@example.org', 'plus: 10m') + row('student100@example.org', 'plus: 20m'));
    const flags = ['--exam', '1', '--accommodations', path, '--combine', 'max', '--timezone', 'Europe/Helsinki'];
    const { rows } = await rowsOf([examOn(1, 22, 8)], flags);
    expect(rows.find(({ check }) => check === 'accommodations')?.remedy).toMatch(
      /accommodations apply \S+ --exam 1 --combine max --timezone Europe\/Helsinki/,
    );
  });

  test('--combine without a list is refused', async () => {
    const { code, stderr, requests } = await rowsOf([examOn(1, 22, 8)], ['--exam', '1', '--combine', 'max']);
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain('--combine needs --accommodations, which is missing.');
  });

  test('stdin is refused: no line that fixes something could name it', async () => {
    const { code, requests } = await rowsOf([examOn(1, 22, 8)], ['--exam', '1', '--accommodations', '-']);
    expect([code, requests]).toEqual([2, []]);
  });
});

describe('--roster', () => {
  const file = (text: string) => {
    const path = join(temporaryFolder(), 'roster.csv');
    writeFileSync(path, text);
    return path;
  };
  const exams = [
    examOn(1, 22, 8, { students: [studentOf(1, { email: 'Ada@Example.org' }), studentOf(2, { email: 'extra@example.org' })] }),
  ];

  test('names the missing and the extra students by folded address', async () => {
    const { detail, state, code } = await rowsOf(exams, [
      '--exam',
      '1',
      '--roster',
      file('email,name\nada@example.org,Ada\nbo@example.org,Bo\n'),
    ]);
    expect(detail(1, 'students: roster')).toBe(
      '1 student of the roster missing: bo@example.org; 1 student not in the roster: extra@example.org',
    );
    expect([code, state(1, 'students: roster')]).toEqual([11, 'failed']);
  });

  test('leaves out whom an import leaves out, and counts rows without an address', async () => {
    const roster = file(
      'email,name,role\nada@example.org,Ada,student\nextra@example.org,E,student\nprof@example.org,P,teacher\nnone,N,student\n',
    );
    const { detail, state } = await rowsOf(exams, ['--exam', '1', '--roster', roster, '--only', 'role=student']);
    expect([state(1, 'students: roster'), detail(1, 'students: roster')]).toEqual([
      'warning',
      '1 line of the roster without a usable address',
    ]);
  });

  test.each([
    ['a file that is not there', 'missing.csv', 3],
    ['stdin', '-', 2],
  ])('%s is refused before any request', async (_what, path, status) => {
    const { code, requests } = await rowsOf(exams, ['--exam', '1', '--roster', path]);
    expect([code, requests]).toEqual([status, []]);
  });

  test('a table without addresses, or with a column of which nothing is declared, is refused before any request', async () => {
    for (const [text, hint] of [
      ['a,b\n1,2\n', '--map email='],
      ['email,Status\nada@example.org,in\n', '--ignore-column'],
    ] as const) {
      const { code, stderr, requests } = await rowsOf(exams, ['--exam', '1', '--roster', file(text)]);
      expect([code, requests]).toEqual([3, []]);
      expect(stderr).toContain(hint);
    }
  });

  test('a roster whose lines name exams is refused, with the line that checks one of them', async () => {
    const roster = file('email,Exam\nada@example.org,Algebra\nextra@example.org,Algebra\nbo@example.org,Physics\n');
    const ended = await rowsOf(exams, ['--exam', '1', '--roster', roster, '--map', 'exam=Exam']);
    expect([ended.code, ended.requests]).toEqual([2, []]);
    expect(ended.stderr).toContain('--only Exam=NAME');
    const one = await rowsOf(exams, ['--exam', '1', '--roster', roster, '--only', 'Exam=Algebra']);
    expect(one.state(1, 'students: roster')).toBe('ok');
  });

  test('the remedy reads the roster as it was read here', async () => {
    const roster = file('email,Status\nada@example.org,in\nbo@example.org,in\ncy@example.org,out\n');
    const { rows } = await rowsOf(exams, ['--exam', '1', '--roster', roster, '--only', 'Status=in']);
    expect(rows.find(({ check }) => check === 'students: roster')?.remedy).toContain('--only Status=in');
  });

  test('flags of a roster need a roster', async () => {
    const { code, stderr } = await rowsOf(exams, ['--exam', '1', '--ignore-column', 'Status']);
    expect(code).toBe(2);
    expect(stderr).toContain('--ignore-column is for --roster.');
  });
});

describe('--junit', () => {
  test('writes a file for its owner only, replaces it only with --force, and never a file that is read', async () => {
    const folder = temporaryFolder();
    const [junit, roster] = [join(folder, 'preflight.xml'), join(folder, 'roster.csv')];
    writeFileSync(roster, 'email\nstudent100@example.org\n');
    const service = await serviceOf([examOn(1, 22, 8)]);
    const line = ['preflight', '--exam', '1', '--roster', roster, '--junit'];
    expect((await service.run([...line, junit])).code).toBe(0);
    const first = readFileSync(junit, 'utf8');
    expect(first).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="proctor-cli preflight" tests="18" failures="0" /);
    expect(first).toContain('<testsuite name="exam 1 (Exam 1, 2027-03-22 09:00 +01:00)" ');
    const before = service.requests.length;
    const again = await service.run([...line, junit]);
    expect([again.code, service.requests.length]).toEqual([2, before]);
    expect((await service.run([...line, junit, '--force'])).code).toBe(0);
    const over = await service.run([...line, roster, '--force']);
    expect(over.code).toBe(2);
    expect(readFileSync(roster, 'utf8')).toContain('student100');
  });

  test('holds no token and no character that breaks XML, whatever the service shows', async () => {
    const path = join(temporaryFolder(), 'preflight.xml');
    const name = 'a-token \u0000<!--\u001b[2J';
    const service = await serviceOf([examOn(1, 22, 8, { name })]);
    expect((await service.run(['preflight', '--exam', '1', '--junit', path])).code).toBe(0);
    const xml = readFileSync(path, 'utf8');
    expect(xml).not.toContain('a-token');
    expect(xml).not.toContain('<!--');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(xml).not.toMatch(/[\u0000-\u0008\u001b]/);
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
  const { code, rows, requests } = await rowsOf([examOn(1, 22, 8)], ['--exam', '1', '--like', '2', '--dry-run']);
  expect([code, requests]).toEqual([0, []]);
  expect((rows as unknown as Data[]).map(({ url }) => String(url).replace(/.*\/api\/v1/, ''))).toEqual([
    ...['/exams/1', '/exams', '/exams/2', '/exams/1/student_sessions', '/exams/1/proctor_pool'],
  ]);
});
