/** What an import does with rows of each kind, and with the options that change it. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lineStateNames } from '../../../../src/model/line-states.ts';
import { run } from '../../../support/run.ts';
import type { Service } from '../../../support/service.ts';
import { timeLimit } from '../../../support/time-limit.ts';
import { exam, lastRun, one, states, three } from './importing.ts';

test('A name that has lost a letter is imported, with a warning that names the lines.', async () => {
  const { imports } = exam();
  const ended = await imports('email,name\nayse@example.org,Ay?e Demir\nann@example.org,Ann Lee\nsule@example.org,?ule Kaya\n');
  expect(states(ended)).toEqual({ created: 3 });
  expect(ended.stderr).toContain(
    'warning: names with a question mark instead of a letter, such as "Ay?e Demir", in lines 2, 4. Letters were probably lost',
  );
  expect((await imports('email,name\nann@example.org,"Ann Lee (?)"\n', '--dry-run')).stderr).not.toContain('question mark');
});

test('The result has the count of every state, also of those that no line has.', async () => {
  const { imports } = exam();
  expect(Object.keys((await imports(one)).report)).toEqual(expect.arrayContaining([...lineStateNames]));
});

test('An import that is not verified says why.', async () => {
  const { imports } = exam();
  const ended = await imports('email,name\nann@example.org,Ann\nnobody,Nobody\n', '--skip-invalid');
  expect(ended.report).toMatchObject({ created: 1, verified: false, not_verified: '1 line invalid; the other students are verified' });
  const table = await imports('email,name\nann@example.org,Ann\nnobody,Nobody\n', '--skip-invalid -o table');
  expect(table.stdout).toMatch(/^Not verified +1 line invalid; the other students are verified$/m);
  expect((await imports('email,name\nann@example.org,Ann\n')).report).toMatchObject({ verified: true, not_verified: null });
});

describe('Students already in the exam', () => {
  test('stay unchanged.', async () => {
    const { service, imports } = exam();
    service.add({ email: 'ann@example.org', name: 'Ann' });
    const ended = await imports(three);
    expect(states(ended)).toEqual({ created: 2, unchanged: 1 });
    expect(service.posts('ann@example.org')).toBe(0);
  });

  test('and differ are shown, and changed only with --update.', async () => {
    const { service, imports } = exam();
    const roster = 'email,close_time\nann@example.org,2027-01-10T12:00:00Z\n';
    service.add({ email: 'ann@example.org', close_time: '2027-01-10T11:00:00Z' });
    expect(states(await imports(roster))).toEqual({ different: 1 });
    expect(service.writes()).toEqual([]);
    const [planned] = JSON.parse((await imports(roster, '--update --dry-run')).stdout);
    const change = { field: 'close_time', from: '2027-01-10T11:00:00Z', to: '2027-01-10T12:00:00Z' };
    expect(planned).toMatchObject({ action: 'update', changes: [change] });
    const asked = await imports(roster, '--update -o table', { tty: true, answers: [false] });
    expect(asked.stderr).toContain('line 2, ann@example.org: close_time: 2027-01-10 11:00 +00:00 → 2027-01-10 12:00 +00:00');
    const updated = await imports(roster, '--update');
    expect(states(updated)).toEqual({ updated: 1 });
    expect(service.sessions).toMatchObject([{ close_time: '2027-01-10T12:00:00Z' }]);
    expect(service.writes()).toEqual(['PATCH /student_sessions/100']);
  });

  test('whose number the service keeps as a number are unchanged, although the file has a text.', async () => {
    const { service, imports } = exam();
    service.add({ email: 'ann@example.org', seat: 12 });
    const ended = await imports('email,Seat\nann@example.org,12\n', '--map seat=Seat --update');
    expect({ code: ended.code, states: states(ended) }).toEqual({ code: 0, states: { unchanged: 1 } });
    expect(service.writes()).toEqual([]);
  });

  test.each([
    ['in another case', 'Ann@Example.org', 'ann@example.org'],
    ['in another Unicode form', 'rene\u0301@example.org', 'ren\u00e9@example.org'],
  ])('under an address %s are the same, and it is told how they are stored.', async (_, stored, email) => {
    const { service, imports } = exam();
    service.add({ email: stored });
    const ended = await imports(`email\n${email}\n`, '--update --resend-absent');
    expect(states(ended)).toEqual({ unchanged: 1 });
    expect(ended.code).toBe(0);
    expect(ended.report.stored_as).toEqual([{ line: 2, email, stored }]);
    expect(service.writes()).toEqual([]);
  });

  test('twice are duplicates.', async () => {
    const { service, imports } = exam();
    service.add({ email: 'ann@example.org' });
    service.add({ email: 'ann@example.org' });
    const ended = await imports(one);
    expect(states(ended)).toEqual({ duplicate: 1 });
    expect(ended.report.problems[0]?.reason).toContain('2 students');
    expect(service.writes()).toEqual([]);
  });

  test('on a later page of the listing are found.', async () => {
    const { service, imports } = exam({ showing: { pageSize: 3 } });
    for (let at = 1; at <= 7; at += 1) service.add({ email: `other${at}@example.org` });
    service.add({ email: 'ann@example.org' });
    expect(states(await imports(one))).toEqual({ unchanged: 1 });
    expect(service.writes()).toEqual([]);
  });

  test('and are on a page that does not come keep the import from beginning.', async () => {
    const { service, imports } = exam({ showing: { pageSize: 3 } });
    for (let at = 1; at <= 7; at += 1) service.add({ email: `other${at}@example.org` });
    service.fault = ({ query }) => (query.get('page') === '2' ? { answer: { status: 500 } } : undefined);
    const ended = await imports(one);
    expect(ended.code).toBe(8);
    expect(service.writes()).toEqual([]);
  });
});

describe('Invalid rows', () => {
  const roster = 'email,name,note\nann@example.org,Ann,a\nnobody,Bob,b\nann@example.org,Again,c\ncy@example.org,Cy,d\n';
  const declared = '--ignore-column note';

  test('keep everything from being sent.', async () => {
    const { service, imports, home } = exam();
    const rejects = join(home, 'rejects.csv');
    const ended = await imports(roster, `${declared} --rejects ${rejects}`);
    expect(ended.code).toBe(3);
    expect(ended.stdout).toBe('');
    expect(JSON.parse(ended.stderr).error.message).toContain('Nothing was sent');
    expect(service.requests()).toEqual([]);
    expect(readFileSync(rejects, 'utf8').trim().split('\n')).toHaveLength(3);
    expect(existsSync(join(home, 'state'))).toBe(false);
  });

  test('are left out with --skip-invalid; corrected, the rejects are imported as they are.', async () => {
    const { service, imports, home } = exam();
    const rejects = join(home, 'rejects.csv');
    const ended = await imports(roster, `${declared} --skip-invalid --rejects ${rejects}`);
    expect(ended.code).toBe(9);
    expect(states(ended)).toEqual({ created: 2, invalid: 2 });
    const corrected = readFileSync(rejects, 'utf8').replace('nobody', 'bob@example.org').replace('ann@', 'dan@');
    const again = await imports(corrected);
    expect(again.code).toBe(0);
    expect(states(again)).toEqual({ created: 2 });
    expect(service.sessions.map(({ email }) => email).toSorted()).toEqual([
      'ann@example.org',
      'bob@example.org',
      'cy@example.org',
      'dan@example.org',
    ]);
  });

  test('that the service rejected stand in the rejects file, in its words.', async () => {
    const { imports, posts, home } = exam();
    posts({ 2: { answer: { status: 422, body: { message: 'mailbox unknown' } } } });
    const rejects = join(home, 'rejects.csv');
    await imports(three, `--concurrency 1 --rejects ${rejects}`);
    const [, line] = readFileSync(rejects, 'utf8').split('\r\n');
    expect(line).toMatch(/^bob@example\.org,Bob,3,rejected,.*mailbox unknown/);
  });
});

describe('Rows without an address', () => {
  const roster = 'email,name\n,Ann\nbob@example.org,Bob\n';

  test('are refused.', async () => {
    const { service, imports } = exam();
    expect((await imports(roster)).code).toBe(3);
    expect(service.requests()).toEqual([]);
  });

  test('are sent with --allow-no-email, and reported.', async () => {
    const { service, imports } = exam();
    const ended = await imports(roster, '--allow-no-email');
    expect(states(ended)).toEqual({ created: 2 });
    expect(service.sessions.map(({ name }) => name).toSorted()).toEqual(['Ann', 'Bob']);
    expect(ended.stderr).toContain('Verified: all 2 students of the file are in exam 6.');
  });

  test('are proven by the sessions that the service named.', async () => {
    const { service, imports } = exam();
    service.fault = ({ method }) => {
      const ann = service.sessions.find(({ name }) => name === 'Ann');
      if (method === 'GET' && service.posts() === 2 && ann) service.truth.remove('session', ann.id);
      return undefined;
    };
    const ended = await imports(roster, '--allow-no-email');
    expect(states(ended)).toEqual({ created: 1, changed: 1 });
    expect(ended.code).toBe(9);
  });

  test('in doubt stay in doubt: no listing can tell, and none is sent again.', async () => {
    const { service, imports, posts } = exam();
    posts({ 1: { answer: 'lost', done: 'never' } });
    const ended = await imports(roster, '--allow-no-email --resend-absent --concurrency 1');
    expect(states(ended)).toEqual({ created: 1, unknown: 1 });
    expect(ended.code).toBe(10);
    const again = await imports(roster, '--allow-no-email --resend-absent');
    expect(states(again)).toEqual({ created: 1, unknown: 1 });
    expect(service.posts()).toBe(2);
  });
});

describe('What an import says', () => {
  test('is one JSON document, and the same in the report.', async () => {
    const { imports, home } = exam();
    const path = join(home, 'report.json');
    const ended = await imports(three, `--result ${path}`);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(ended.report);
    expect(ended.report).toMatchObject({ exam: 6, lines: 3, created: 3, unknown: 0, verified: true, problems: [] });
    expect(ended.report.run).toMatch(/^\d{8}T\d{6}-[0-9a-f]{6}$/);
  });

  test.each([
    ['--result', '--rejects'],
    ['--rejects', '--result'],
  ])('is said all the same where %s cannot be written any more, and stands where %s says.', async (lost, kept) => {
    const { service, imports, home } = exam();
    const [gone, there] = [join(home, 'gone'), join(home, 'there')];
    mkdirSync(gone);
    service.fault = () => void rmSync(gone, { recursive: true, force: true });
    const ended = await imports(one, `${lost} ${join(gone, 'file')} ${kept} ${there}`);
    expect(ended.code).toBe(10);
    expect(states(ended)).toEqual({ created: 1 });
    expect(JSON.parse(ended.stderr).error).toMatchObject({
      message: expect.stringContaining(gone),
      hint: `Name another place: ${lost} FILE. Before you run the command again, check with: proctor-cli sessions list --exam 6`,
    });
    expect(existsSync(there)).toBe(true);
  });

  test('is no proof without a student to prove.', async () => {
    const { imports } = exam();
    const ended = await imports('email,role\nann@example.org,teacher\n', '-o table --except role=teacher');
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(/\nNo students in the file\.\n$/);
  });

  test.each(['--result', '--rejects'])(
    'never replaces what exists, nor the roster: %s is refused before anything is sent.',
    async (flag) => {
      const { service, imports, home } = exam();
      const place = join(home, 'place');
      writeFileSync(place, 'precious');
      const other = `--result ${home}/x --rejects ${home}/./X`;
      for (const options of [`${flag} ${place}`, `${flag} ${join(home, '.', 'roster.csv')} --force`, `${other} --force`]) {
        const { code } = await imports(one, options);
        expect({ code, requests: service.requests() }, options).toEqual({ code: 2, requests: [] });
      }
      expect([place, join(home, 'roster.csv')].map((path) => readFileSync(path, 'utf8'))).toEqual(['precious', one]);
      expect((await imports(one, `${flag} ${place} --force`)).code).toBe(0);
      expect(readFileSync(place, 'utf8')).not.toBe('precious');
    },
  );

  test('may replace the rejects of a run that rejected nothing, and none else.', async () => {
    const { imports, home, posts } = exam();
    const rejects = join(home, 'rejects.csv');
    expect((await imports(one, `--rejects ${rejects}`)).code).toBe(0);
    posts({ 2: { answer: { status: 422, body: { message: 'no' } } } });
    expect((await imports('email\nzoe@example.org\n', `--rejects ${rejects}`)).code).toBe(9);
    expect((await imports('email\nyan@example.org\n', `--rejects ${rejects}`)).code).toBe(2);
  });

  test.each(['--result', '--rejects'])('needs a folder that %s can be written to, before anything is sent.', async (flag) => {
    const { service, imports, home } = exam();
    for (const place of [join(home, 'nowhere', 'file'), home]) {
      const ended = await imports(one, `${flag} ${place}`);
      expect({ code: ended.code, requests: service.requests() }).toEqual({ code: 3, requests: [] });
      expect(JSON.parse(ended.stderr).error).toMatchObject({ code: 'output_failed', message: expect.stringContaining(place) });
    }
  });

  test('is partly done if the last listing does not come: after 8 nothing would be created.', async () => {
    const { service, imports } = exam();
    service.fault = ({ method }) => (method === 'GET' && service.posts() > 0 ? { answer: { status: 500 } } : undefined);
    const ended = await imports(three);
    expect(ended.code).toBe(9);
    expect(states(ended)).toEqual({ created: 3 });
    expect(ended.report.verified).toBe(false);
    service.fault = () => undefined;
    expect((await imports(three)).code).toBe(0);
    expect(service.posts()).toBe(3);
  });

  test('shows changed and duplicate students after it.', async () => {
    const { service, imports } = exam();
    service.fault = ({ method }) => {
      if (method !== 'GET' || service.posts() < 3) return undefined;
      for (const { id, email } of service.sessions) if (email === 'bob@example.org') service.truth.remove('session', id);
      if (service.sessions.length === 2) service.add({ email: 'cy@example.org' });
      return undefined;
    };
    const ended = await imports(three);
    expect(states(ended)).toEqual({ created: 1, changed: 1, duplicate: 1 });
    expect(ended).toMatchObject({ code: 9, report: { verified: false } });
  });

  test.each([
    ['is there twice', (service: Service) => service.add({ email: 'ann@example.org' }), ''],
    ['is twice in the file', () => {}, '--skip-invalid'],
  ])('is not verified if a student %s.', async (_, prepare, args) => {
    const { service, imports } = exam();
    service.add({ email: 'ann@example.org' });
    prepare(service);
    const twice = args === '' ? '' : 'ann@example.org,Ann\n';
    const ended = await imports(`email,name\nann@example.org,Ann\nbob@example.org,Bob\n${twice}`, `--update ${args}`);
    expect(ended).toMatchObject({ code: 9, report: { verified: false } });
  });
});

describe('Nothing is sent', () => {
  test('where the state cannot be written.', async () => {
    const { service, imports, home } = exam();
    writeFileSync(join(home, 'state'), 'a file where the folder should be');
    const ended = await imports(one);
    expect(ended.code).toBe(3);
    expect(service.requests()).toEqual([]);
  });

  test('without a yes.', async () => {
    const { service, imports } = exam();
    const ended = await imports(one, '', { tty: true, answers: [false] });
    expect(ended.code).toBe(130);
    expect(service.writes()).toEqual([]);
  });

  test('without a terminal.', async () => {
    const { service, imports } = exam();
    const ended = await imports(one, '--no-input', { tty: true });
    expect(ended.code).toBe(2);
    expect(service.writes()).toEqual([]);
  });
});

test('--rate takes requests a second, with their unit or without.', async () => {
  const { imports } = exam();
  expect((await imports(one, '--rate 100/s')).code).toBe(0);
  expect((await imports(one, '--rate 100')).code).toBe(0);
  expect((await imports(one, '--rate 100/min')).code).toBe(2);
});

test('--rate has as many requests in flight as are allowed, and hardly more in the record.', async () => {
  const { service, imports, home } = exam();
  const { option, end } = timeLimit();
  service.fault = ({ method }) => {
    if (method !== 'POST') return undefined;
    if (service.posts() >= 8) setImmediate(end);
    return { answer: 'none', done: 'never' };
  };
  const roster = `email\n${Array.from({ length: 40 }, (_, at) => `s${at}@example.org`).join('\n')}\n`;
  const ended = await imports(roster, `--rate 10000 ${option}`);
  expect(ended.code).toBe(9);
  expect(service.posts()).toBeGreaterThanOrEqual(8);
  const { steps } = JSON.parse((await run(['runs', 'show', (await lastRun({ home })).run, '-o', 'json'], { home })).stdout);
  expect(steps.filter(({ result }: { result: string }) => result !== 'planned').length).toBeLessThanOrEqual(13);
});
