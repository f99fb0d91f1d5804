/** `--to FILE`: a result in a file, in the format of its ending, whole or not at all. */
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { read } from '../roster/reading.ts';
import { temporaryFolder, type World } from '../support/run.ts';
import { refused, Service } from '../support/service.ts';

const exams = [{ id: 1, name: 'Algebra', start_time: '2031-02-03T08:00:00Z', end_time: '2031-02-03T10:00:00Z' }];
const sessions = [
  { id: 11, exam_id: 1, email: 'ada@example.org', name: '=Ada "A" <&>', status: 'registered', close_time: '2031-02-03T09:30:15Z' },
  { id: 12, exam_id: 1, email: 'bob@example.org', name: 'Bob', status: 'registered', open_time: '2031-02-03T08:10:00Z' },
  { id: 13, exam_id: 1, email: 'eve@example.org', name: null, status: 'registered', token: 'hidden-value' },
];
const service = () => new Service({ exams, sessions });
const place = (name: string) => join(temporaryFolder(), name);
const known = { rows: 'students', isKnown: () => true } as const;
const text = (path: string) => readFileSync(path, 'utf8');
const list = (path: string, more = '') => `sessions list --exam 1 --to ${path}${more}`;

test.each(['csv', 'json', 'ndjson'])('a file of %s holds what stdout would, which is empty, and is for its owner only', async (format) => {
  const path = place(`students.${format}`);
  const [printed, written] = [await service().run(`sessions list --exam 1 -o ${format}`), await service().run(list(path))];
  expect(written).toMatchObject({ code: 0, stdout: '', stderr: `Wrote 3 rows to ${path}.\n` });
  expect(text(path)).toBe(printed.stdout);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a record, chosen columns, and the table of operations go into a file, too', async () => {
  const [one, chosen, table] = [place('exam.JSON'), place('students.csv'), place('operations.xlsx')];
  expect(await service().run(`exams get 1 --to ${one}`)).toMatchObject({ code: 0, stderr: `Wrote the result to ${one}.\n` });
  expect(JSON.parse(text(one))).toMatchObject({ id: 1, name: 'Algebra' });
  await service().run(list(chosen, ' --columns id,email'));
  expect(text(chosen)).toMatch(/^id,email\r\n11,/);
  expect((await service().run(`api --list --to ${table}`)).code).toBe(0);
  expect((await read(readFileSync(table), {}, known)).cells).toHaveLength(21);
});

describe('before the first request', () => {
  const unsent = async (line: string, world: World = {}) => {
    const given = service();
    const ended = await given.run(line, world);
    expect(given.requests()).toEqual([]);
    return ended;
  };

  test.each(['students.txt', 'students', '-'])('a file that names no format is refused (%s)', async (path) => {
    expect(await unsent(list(path))).toMatchObject({ code: 2, stderr: expect.stringContaining('names no format') });
  });

  test('another format beside the file is refused, and the same one is not', async () => {
    expect((await unsent(list(place('a.csv'), ' -o json'))).code).toBe(2);
    expect((await service().run(list(place('a.csv'), ' -o csv'))).code).toBe(0);
    expect((await service().run(list(place('a.csv')), { env: { PROCTOR_OUTPUT: 'json' } })).code).toBe(0);
  });

  test.each([
    ...['exams create --name A --start 2031-02-03T08:00Z --end 2031-02-03T09:00Z', 'exams delete 1 --yes'],
    ...['exams update 1 --name B --dry-run', 'sessions watch --exam 1', 'auth token', 'completion bash', 'api DELETE /exams/1 --yes'],
    'api POST /exams -F name=B --dry-run',
  ])('%s has no result for a file', async (line) => {
    const path = place('a.json');
    expect(await unsent(`${line} --to ${path}`)).toMatchObject({ code: 2, stderr: expect.stringContaining('has no result for a file') });
    expect(existsSync(path)).toBe(false);
  });

  test('an import has a result with --check only, which the hint says', async () => {
    const line = (more: string) => unsent(`sessions import roster.csv --exam 1 --to ${place('a.csv')}${more}`);
    expect((await line('')).stderr).toContain('hint: Add --check, or leave out --to.');
    expect((await unsent(`exams delete 1 --to ${place('a.csv')}`)).stderr).toContain('hint: Leave out --to.');
  });

  test('a place that cannot be written is refused', async () => {
    const folder = temporaryFolder();
    expect((await unsent(list(join(folder, 'none', 'a.csv')))).code).toBe(3);
    mkdirSync(join(folder, 'folder.csv'));
    expect((await unsent(list(join(folder, 'folder.csv'), ' --force'))).code).toBe(2);
    writeFileSync(join(folder, 'real.csv'), '');
    symlinkSync(join(folder, 'real.csv'), join(folder, 'link.csv'));
    expect((await unsent(list(join(folder, 'link.csv'), ' --force'))).code).toBe(2);
  });

  test('the file that the command reads, and another that it writes, are refused', async () => {
    const roster = place('roster.csv');
    writeFileSync(roster, 'email\nada@example.org\n');
    const check = `sessions import ${roster} --exam 1 --check`;
    expect((await unsent(`${check} --to ${roster} --force`)).code).toBe(2);
    const rejects = place('rejects.csv');
    expect((await unsent(`${check} --rejects ${rejects} --to ${rejects}`)).code).toBe(2);
    expect(text(roster)).toBe('email\nada@example.org\n');
  });

  test('an existing file needs --force in a script, whatever --yes says', async () => {
    const path = place('a.csv');
    writeFileSync(path, 'precious');
    expect(await unsent(list(path, ' --yes'))).toMatchObject({ code: 2, stderr: expect.stringContaining('add --force to replace it') });
    expect(text(path)).toBe('precious');
    expect((await service().run(list(path, ' --force'))).code).toBe(0);
    expect(text(path)).toMatch(/^id,email/);
  });

  test.each([true, false])('an existing file is asked about on a terminal, and replaced after a yes only (%s)', async (answer) => {
    const path = place('a.csv');
    writeFileSync(path, 'precious');
    const { code, questions } = await service().run(list(path), { tty: true, answers: [answer] });
    expect([code, questions]).toEqual([answer ? 0 : 130, [`Replace ${path}?`]]);
    expect(text(path).startsWith('precious')).toBe(!answer);
  });
});

test('a roster that a timetable names is not written over', async () => {
  const folder = temporaryFolder();
  const [roster, timetable] = [join(folder, 'roster.csv'), join(folder, 'timetable.csv')];
  writeFileSync(roster, 'email\nnew@example.org\n');
  writeFileSync(timetable, 'id,roster\n1,roster.csv\n');
  const given = `exams apply ${timetable} --check --force --to`;
  expect(await service().run(`${given} ${roster}`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is in use by this command'),
  });
  expect(text(roster)).toBe('email\nnew@example.org\n');
  expect((await service().run(`${given} ${join(folder, 'plan.csv')}`)).code).toBe(11);
});

describe('a failure', () => {
  test('leaves the old file, also in the middle of a list', async () => {
    const path = place('a.csv');
    writeFileSync(path, 'precious');
    const given = new Service({ exams, sessions, showing: { pageSize: 1 } });
    given.fault = ({ query }) => (query.get('page') === '3' ? refused(404) : undefined);
    const env = { PROCTOR_DIALECT_PAGING: 'page' };
    const { code, stdout } = await given.run(list(path, ' --force'), { env });
    expect([code, stdout, text(path)]).toEqual([8, '', 'precious']);
  });

  test('of a command that looked and cannot say leaves it, which is said; a difference is none', async () => {
    const [roster, path] = [place('roster.csv'), place('plan.csv')];
    writeFileSync(path, 'precious');
    writeFileSync(roster, 'email,close_time\nada@example.org,never\n');
    const check = `sessions import ${roster} --exam 1 --check --to ${path} --force`;
    const invalid = await service().run(check);
    expect([invalid.code, text(path)]).toEqual([3, 'precious']);
    expect(invalid.stderr).toContain(`${path} was not written`);
    writeFileSync(roster, 'email\nada@example.org\nnew@example.org\n');
    expect(await service().run(check)).toMatchObject({ code: 11, stdout: '' });
    expect(text(path)).toContain('new@example.org,create,to_create');
  });

  test('of doctor is in the rows: they go to the file, then it is told', async () => {
    const [given, path] = [service(), place('doctor.csv')];
    given.fault = ({ path: asked }) => (asked === '/exams' ? refused(418) : undefined);
    const { code, stderr } = await given.run(`doctor --to ${path}`);
    expect([code, stderr]).toEqual([7, expect.stringMatching(/^Wrote \d+ rows to .*error: service: /s)]);
    expect(text(path)).toContain('service,failed,');
  });

  test('a list that may not be whole is printed with a warning, and refused for a file', async () => {
    const long = Array.from({ length: 30 }, (_, at) => ({ id: at + 20, exam_id: 1, email: `s${at}@example.org` }));
    const unsure = (headers = {}) => {
      const given = new Service({ exams, sessions: long, showing: { headers } });
      given.fault = ({ query }) => (query.size > 0 ? refused(400) : undefined);
      return given;
    };
    const path = place('a.csv');
    expect((await unsure().run('sessions list --exam 1 -o csv')).code).toBe(0);
    expect((await unsure().run(list(path))).code).toBe(3);
    const shownInPart = unsure({ link: '<https://example.org/?page=2>; rel="next"' });
    expect((await shownInPart.run(`api GET /exams/1/student_sessions --to ${path}`)).code).toBe(3);
    expect(existsSync(path)).toBe(false);
  });
});

test('the hint of a check that was written to a file repairs without it', async () => {
  const [roster, path] = [place('roster.csv'), place('plan.xlsx')];
  writeFileSync(roster, 'email\nnew@example.org\n');
  for (const to of [`--to ${path}`, `--to=${path}`]) {
    const { stderr } = await service().run(`sessions import ${roster} --exam 1 --check ${to} --force --accept extra`);
    expect(stderr).toMatch(/^hint: Import it: proctor-cli sessions import \S+ --exam 1 --accept extra$/m);
  }
});

test('secrets are masked in a file as on stdout', async () => {
  for (const format of ['csv', 'json', 'ndjson', 'xlsx']) {
    const path = place(`a.${format}`);
    await service().run(list(path, ' --columns id,token'));
    const content = format === 'xlsx' ? (await read(readFileSync(path), {}, known)).cells.flat().join() : text(path);
    expect(content).not.toContain('hidden-value');
    expect(content).toContain('***');
  }
});

describe('a workbook', () => {
  const vienna = { env: { PROCTOR_TIMEZONE: 'Europe/Vienna' } };
  const exported = async (given: Service, world: World = vienna) => {
    const path = place('students.xlsx');
    expect(await given.run(`sessions export --exam 1 --to ${path}`, world)).toMatchObject({ code: 0, stdout: '' });
    return path;
  };

  test('of an exported exam, imported again, changes nothing, with the times of any zone', async () => {
    for (const zone of ['Europe/Vienna', 'UTC', 'Asia/Kathmandu', 'America/St_Johns']) {
      const given = service();
      const world = { env: { PROCTOR_TIMEZONE: zone } };
      const path = await exported(given, world);
      const { code, stdout } = await given.run(`sessions import ${path} --exam 1 --check -o json`, world);
      expect([code, JSON.parse(stdout).counts.unchanged]).toEqual([0, 3]);
    }
  });

  test('is not read by the clocks of another zone: its times would be others', async () => {
    const given = service();
    const path = await exported(given);
    const elsewhere = { env: { PROCTOR_TIMEZONE: 'UTC' } };
    const { code, stderr } = await given.run(`sessions import ${path} --exam 1 --update --yes`, elsewhere);
    expect([code, given.writes()]).toEqual([3, []]);
    expect(stderr).toContain('--timezone Europe/Vienna');
    expect((await given.run(`sessions import ${path} --exam 1 --update --yes --timezone Europe/Vienna`, elsewhere)).code).toBe(0);
  });

  test('of a service with names of its own for fields is read back, too', async () => {
    const own = sessions.map(({ name, ...each }, at) => ({ ...each, label: name ?? 'Eve', candidate_ref: `00${at}12` }));
    const given = new Service({ exams, sessions: own });
    const world = {
      env: { ...vienna.env, PROCTOR_DIALECT_SESSION_NAME_KEY: 'label', PROCTOR_DIALECT_SESSION_NUMBER_KEY: 'candidate_ref' },
    };
    const path = await exported(given, world);
    const { code, stdout } = await given.run(`sessions import ${path} --exam 1 --check -o json`, world);
    expect([code, JSON.parse(stdout).counts?.unchanged]).toEqual([0, 3]);
    expect((await read(readFileSync(path), {}, known)).cells[1]?.slice(0, 3)).toEqual(['bob@example.org', 'Bob', '00112']);
  });

  test('has times by the clocks of the zone in force, and as they were sent where these cannot tell or no zone is', async () => {
    const twice = [{ ...sessions[0], close_time: '2031-10-26T00:30:00Z', open_time: '2031-10-26T03:30:00Z' }];
    const given = () => new Service({ exams, sessions: twice });
    const rows = async (world?: World) => (await read(readFileSync(await exported(given(), world)), {}, known)).cells;
    expect(await rows()).toEqual([['ada@example.org', '=Ada "A" <&>', '2031-10-26T04:30:00', '2031-10-26T00:30:00Z', '']]);
    expect(await rows({})).toEqual([['ada@example.org', '=Ada "A" <&>', '2031-10-26T03:30:00Z', '2031-10-26T00:30:00Z', '']]);
  });

  test('that was edited plans what was edited: one student more, one less, a name and a later close time', async () => {
    const [ada, bob, eve] = sessions;
    const edited = [
      { ...ada, close_time: '2031-02-03T09:45:15Z' },
      { ...bob, name: 'Robert' },
      { id: 14, exam_id: 1, email: 'new@example.org' },
    ];
    const others = [20, 21, 22].map((id) => ({ id, exam_id: 1, email: `s${id}@example.org`, open_time: '2031-02-03T08:20:00Z' }));
    const path = await exported(new Service({ exams, sessions: [...edited, ...others] }));
    const given = new Service({ exams, sessions: [ada, bob, eve, ...others].flatMap((each) => each ?? []) });
    const { code, stdout } = await given.run(`sessions import ${path} --exam 1 --check --update -o json`, vienna);
    const { counts, notInFile } = JSON.parse(stdout);
    expect(code).toBe(11);
    expect(counts).toMatchObject({ to_create: 1, to_update: 2, unchanged: 3, not_in_file: 1 });
    expect(notInFile).toMatchObject([{ email: 'eve@example.org' }]);
  });
});
