/** accommodations check: a row for each accommodated student and exam, one listing for each exam, nothing written. */
import { describe, expect, test } from 'vitest';
import { listOf } from './lists.ts';
import { asFile, period } from './period.ts';

describe('accommodations check', () => {
  test('prints rows of exactly these fields, with the times in the form of the service', async () => {
    const service = period();
    const exam = await service.exam('Linear Algebra', '2027-02-01T09:00Z', '2027-02-01T11:00Z');
    const ada = await service.session(exam, 'Ada@example.org');
    const bob = await service.session(exam, 'bob@example.org', '2027-02-01T11:10Z');
    await service.session(exam, 'carol@example.org');
    const file = asFile(listOf('ada@example.org,25%,,,DS-1', 'bob@example.org,10m', 'crol@example.org,10m'));
    const before = service.everything();
    const { code, rows, stderr } = await service.check(file, `--exam ${exam}`);
    expect(rows).toEqual([
      {
        exam: Number(exam),
        session: Number(ada),
        email: 'Ada@example.org',
        state: 'missing',
        close_time: null,
        target: '2027-02-01T11:30:00Z',
        reference: 'DS-1',
      },
      {
        exam: Number(exam),
        session: Number(bob),
        email: 'bob@example.org',
        state: 'ok',
        close_time: '2027-02-01T11:10:00Z',
        target: '2027-02-01T11:10:00Z',
        reference: null,
      },
      { email: 'crol@example.org', state: 'unmatched', nearest: 'carol@example.org' },
    ]);
    expect(code).toBe(11);
    expect(stderr).toContain('error: 1 of 2 sessions differs from list.csv.');
    expect(stderr).toContain('line 4: crol@example.org has no session in the selected exams; the nearest address is carol@example.org.');
    expect(service.everything()).toEqual(before);
  });

  test('ends with 0 where all is in place, also if a student has more time, or no session', async () => {
    const service = period();
    const exam = await service.exam('Linear Algebra', '2027-02-01T09:00Z', '2027-02-01T11:00Z');
    await service.session(exam, 'ada@example.org', '2027-02-01T11:30Z');
    await service.session(exam, 'cy@example.org', '2027-02-01T11:40Z');
    const list = asFile(listOf('ada@example.org,25%', 'bob@example.org,10m', 'cy@example.org,25%'));
    const { code, rows } = await service.check(list, `--exam ${exam}`);
    expect([code, rows.map(({ state }) => state)]).toEqual([0, ['ok', 'more', 'unmatched']]);
    const strict = await service.check(list, `--exam ${exam} --strict`);
    expect([strict.code, strict.stderr]).toEqual([
      11,
      expect.stringContaining('1 entry of list.csv matches nothing: bob@example.org has no session'),
    ]);
  });

  test('lists each exam once, and the exams once', async () => {
    const service = period();
    await service.run('config set dialect.paging none');
    const ids: string[] = [];
    for (const day of ['01', '02', '03']) {
      const exam = await service.exam(`Linear Algebra ${day}`, `2027-02-${day}T09:00Z`, `2027-02-${day}T11:00Z`);
      await service.session(exam, 'ada@example.org');
      ids.push(exam);
    }
    const { rows, requests } = await service.check(asFile(listOf('ada@example.org,10m')), '--from 2027-02-01 --until 2027-02-03');
    expect(rows.map(({ exam }) => String(exam))).toEqual(ids);
    expect(requests.sort()).toEqual(['GET /exams', ...ids.map((id) => `GET /exams/${id}/student_sessions`)].sort());
  });

  test('names an exam of the list that the service does not have, with the nearest', async () => {
    const service = period();
    const exam = await service.exam('Linear Algebra', '2027-02-01T09:00Z', '2027-02-01T11:00Z');
    await service.exam('Chemistry', '2027-02-02T09:00Z', '2027-02-02T11:00Z');
    await service.session(exam, 'ada@example.org', '2027-02-01T11:10Z');
    const file = asFile(listOf('ada@example.org,10m,Linear*; Linaer*; Chemistry; Chemisty; 987'));
    const { stderr, code, rows } = await service.check(file, `--exam ${exam}`);
    expect(code).toBe(0);
    expect(rows.slice(1)).toEqual([
      { email: null, state: 'unknown_exam', exam_name: 'Linaer*', nearest: 'Lineare Algebra I' },
      { email: null, state: 'unknown_exam', exam_name: 'Chemisty', nearest: 'Chemistry' },
      { email: null, state: 'unknown_exam', exam_name: '987', nearest: null },
    ]);
    expect((await service.check(file, `--exam ${exam} --strict`)).code).toBe(11);
    expect(stderr).toContain('the service has no exam "Linaer*"; the nearest name is "Lineare Algebra I".');
    expect(stderr).toContain('the service has no exam "Chemisty"; the nearest name is "Chemistry".');
    expect(stderr).toContain('the service has no exam "987".');
    expect(stderr).not.toContain('no exam "Chemistry"');
  });

  test('refuses a list with a day where no time zone is set, before any request', async () => {
    const service = period();
    const file = asFile(listOf('ada@example.org,10m,,2027-03-31'));
    const { code, stderr } = await service.run(`accommodations check ${file} --exam 3 --debug`);
    expect([code, stderr.includes('--timezone Europe/Vienna'), stderr.includes('> GET')]).toEqual([3, true, false]);
  });

  test('shows its requests with --dry-run, and needs a selection', async () => {
    const service = period();
    const file = asFile(listOf('ada@example.org,10m'));
    const planned = await service.json<{ method: string; url: string }[]>(`accommodations check ${file} --exam 3 --dry-run`);
    expect(planned.map(({ method, url }) => `${method} ${url.replace(/.*v1/, '')}`)).toEqual([
      'GET /exams/3',
      'GET /exams/3/student_sessions',
    ]);
    expect((await service.run(`accommodations check ${file}`)).code).toBe(2);
  });
});

describe('a table with a column that decides which grants hold', () => {
  const text =
    'Adresse;Zeitzuschlag;Bescheid;Aktenzeichen\nada@example.org;25%;bewilligt;A\nbob@example.org;25%;abgelehnt;B\ncy@example.org;25%;bewilligt;A\n';
  const flags = '--map email=Adresse --only Bescheid=bewilligt';

  test('is read as it is declared', async () => {
    const service = period();
    const exam = await service.exam('Linear Algebra', '2027-02-01T09:00Z', '2027-02-01T11:00Z');
    for (const name of ['ada', 'bob', 'cy']) await service.session(exam, `${name}@example.org`);
    const file = asFile(text, 'list.csv');
    const { code, rows, stderr } = await service.check(file, `--exam ${exam} ${flags}`);
    expect([code, rows.map(({ email, state }) => [email, state])]).toEqual([
      11,
      [
        ['ada@example.org', 'missing'],
        ['cy@example.org', 'missing'],
      ],
    ]);
    expect(stderr).toMatch(/Set the missing time with: proctor-cli .*accommodations apply .*--map email=Adresse --only Bescheid=bewilligt/);
    const applied = await service.apply(file, `--exam ${exam} ${flags}`);
    expect([applied.code, applied.rows.length]).toEqual([0, 2]);
  });

  test.each([
    ['--map name=Bescheid', 'a list of accommodations has no field "name"'],
    ['--map email=Adresse --except Bescheid=abgelehnt --only Bescheid=ja', 'in neither --only nor --except: "bewilligt" 2'],
  ])('is refused with %s', async (options, message) => {
    const service = period();
    const { code, stderr } = await service.run(`accommodations check ${asFile(text, 'list.csv')} --exam 3 ${options}`);
    expect([code === 2 || code === 3, stderr]).toEqual([true, expect.stringContaining(message)]);
  });
});
