/** What an import does with each kind of line, and what it says, where the service does as it is told. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { refused } from '../../support/service.ts';
import { algebra, counted, errorOf, exam, one, opening, three } from './importing.ts';

const closing = (time: string) => `email,close_time\nann@example.org,${time}\n`;

test.each([
  ['the same address', 'email,name\nann@example.org,Ann\nann@example.org,Bob\n'],
  ['the same address in another spelling', 'email,name\nann@example.org,Ann\n Ann@EXAMPLE.org ,Bob\n'],
  ['the same address, its domain once in letters', 'email,name\nann@m\u00fcnchen.example,Ann\nann@xn--mnchen-3ya.example,Bob\n'],
  ['a cell too many', 'email,name\nann@example.org,Ann,Lee\nbob@example.org,Bob\n'],
  ['no address', 'email,name\n,Ann\nbob@example.org,Bob\n'],
  ['a damaged address', 'email,name\nann@example,Ann\nbob@example.org,Bob\n'],
])('a student who is there twice, and a line that is damaged, stop the file: %s', async (_what, roster) => {
  const { service, imports } = exam();
  expect([(await imports(roster)).code, service.writes()]).toEqual([3, []]);
});

describe('An import', () => {
  test('creates who is missing by one POST each and two readings, and sends nothing when it is run again.', async () => {
    const { service, imports } = exam();
    const first = await imports(three);
    expect([first.code, counted(first)]).toEqual([0, { created: 3 }]);
    const reading = 'GET /exams/6/student_sessions';
    const post = 'POST /exams/6/student_sessions';
    expect(service.requests()).toEqual(['GET /exams/6', reading, post, post, post, reading]);
    const again = await imports(three);
    expect([again.code, counted(again), service.posts()]).toEqual([0, { unchanged: 3 }, 3]);
  });

  test('sends what -F gives to each student, and what columns give.', async () => {
    const { service, imports } = exam();
    const ended = await imports(
      'email,Seat,skip_requirements\nann@example.org,12,yes\n',
      '--map seat=Seat -F room=A1 -F close_time=2127-02-01T10:00Z',
    );
    expect([ended.code, service.sessions]).toMatchObject([
      0,
      [{ email: 'ann@example.org', seat: '12', room: 'A1', skip_requirements: true, close_time: '2127-02-01T10:00:00Z' }],
    ]);
  });

  test.each([
    ['-F status=registered', 5, 'status is set by the service'],
    ['-F level_of_suspicion=1', 5, 'level_of_suspicion is read-only'],
    ['-F email=x@example.org', 2, 'email identifies a student'],
    ['-F exam_id=7', 2, 'exam_id is not sent'],
    ['-F name=X', 2, 'The field name is given twice'],
    ['-F close_time=noon', 3, '-F close_time: '],
    ['--remove-missing some', 2, '--remove-missing takes a whole number'],
    ['-F open_time=2127-02-01T08:00Z -F close_time=2127-02-01T08:00Z', 3, 'It closes before it opens.'],
    ['--rate 0', 2, '--rate takes a whole number'],
    ['--exam 1 --map exam=Exam', 2, '--exam does not belong to the rest of the line'],
    ['--from 2127-01-01T00:00Z', 2, '--from does not belong to the rest of the line'],
    ['--map email=email --from 2127-01-01T00:00Z', 2, '--from does not belong to the rest of the line'],
  ])('refuses %s, and sends nothing.', async (args, code, said) => {
    const { service, imports } = exam();
    const ended = await imports(one, args);
    expect([ended.code, errorOf(ended.stderr).message]).toEqual([code, expect.stringContaining(said)]);
    expect(service.writes()).toEqual([]);
  });
});

test('Whom a run from here has moved to another exam, a plan that would create the student again says so.', async () => {
  const { service, imports } = exam({ exams: [algebra, { ...algebra, id: 7 }] });
  await imports(three);
  await service.run('sessions move 100 101 --exam 7 --yes');
  const dry = await imports(three, '--dry-run -o table');
  expect(dry.stderr).toContain('A run has moved these students to another exam: line 2, line 3. This import puts them in both.');
  const runs = JSON.parse((await service.run('runs list -o json')).stdout) as { run: string; command: string }[];
  await service.run(`runs undo ${runs.find(({ command }) => command.includes('move'))?.run} --yes`);
  service.clock.set(new Date(service.clock.now() + 60_000).toISOString());
  const back = service.sessions.flatMap(({ id, exam_id }) => (exam_id === 6 ? String(id) : []));
  expect((await service.run(`sessions delete ${back.join(' ')} --yes`)).code).toBe(0);
  expect((await imports(three, '--dry-run -o table')).stderr, 'who was put back, and deleted').not.toContain('Moved');
});

describe('Who is in the exam already', () => {
  test('is left as is, and changed with --update only, in the fields that differ.', async () => {
    const { service, imports } = exam();
    service.add({ email: 'ann@example.org', name: 'Ann', close_time: '2127-02-01T10:00:00Z' });
    const roster = closing('2127-02-01T10:30Z');
    const first = await imports(roster);
    expect([first.code, counted(first), service.writes()]).toEqual([11, { different: 1 }, []]);
    const change = { field: 'close_time', from: '2127-02-01T10:00:00Z', to: '2127-02-01T10:30:00Z' };
    expect(first.report.lines).toMatchObject([{ line: 2, session: 100, action: 'different', result: 'different', changes: [change] }]);
    const hint =
      /^To update these students: proctor-cli sessions import .* --update\. To leave .*: proctor-cli sessions import .* --accept=different\.?$/;
    expect(errorOf(first.stderr).hint).toMatch(hint);
    expect([(await imports(roster, '--dry-run')).code, (await imports(roster, '--accept different')).code]).toEqual([11, 0]);
    const updated = await imports(roster, '--update');
    expect([updated.code, counted(updated), service.writes()]).toEqual([0, { updated: 1 }, ['PATCH /student_sessions/100']]);
    expect(service.written()[0]?.body).toEqual({ close_time: '2127-02-01T10:30:00Z' });
  });

  test('keeps every minute, with --update too, every night of a week.', async () => {
    const { service, imports } = exam();
    const roster = 'email,close_time\nann@example.org,2127-02-01T10:00Z\nbob@example.org,2127-02-01T10:00Z\n';
    await imports(roster);
    service.change('session', 100, { close_time: '2127-02-01T10:45:00Z' });
    for (let night = 1; night <= 7; night += 1) {
      const ended = await imports(roster, '--update');
      expect([ended.code, counted(ended)]).toEqual([0, { more: 1, unchanged: 1 }]);
    }
    expect(service.sessions[0]).toMatchObject({ close_time: '2127-02-01T10:45:00Z' });
    expect(service.writes()).toHaveLength(2);
    expect((await imports(roster, '--check')).code).toBe(0);
  });

  test('gets another name and keeps the later close time.', async () => {
    const { service, imports } = exam();
    service.add({ email: 'ann@example.org', name: 'Ann', close_time: '2127-02-01T10:45:00Z' });
    const ended = await imports('email,name,close_time\nann@example.org,Anna,2127-02-01T10:00Z\n', '--update');
    expect([ended.code, service.written()[0]?.body]).toEqual([0, { name: 'Anna' }]);
  });

  test('is different in what no update can set, whatever is asked for.', async () => {
    const { service, imports } = exam();
    service.add({ email: 'ann@example.org', name: 'Ann', skip_requirements: false });
    const roster = 'email,name,skip_requirements\nann@example.org,Ann,yes\n';
    expect((await imports(roster, '--update')).code).toBe(11);
    expect((await imports(roster, '--update --check -o table')).stderr).toContain('Plan: 1 different (--update cannot change it).');
    const both = await imports(roster.replace('Ann,', 'Anna,'), '--update');
    expect([both.code, counted(both), service.written()[0]?.body]).toEqual([9, { different: 1 }, { name: 'Anna' }]);
    const { stderr } = await imports(roster.replace('Ann,', 'Annie,'), '--update -o table');
    expect(stderr).toContain('line 2, ann@example.org: different: skip_requirements is false, not true');
  });

  test('twice is a duplicate, and nothing is sent for the line.', async () => {
    const { service, imports } = exam();
    for (const _ of [1, 2]) service.add({ email: 'ann@example.org' });
    const ended = await imports(three);
    expect([ended.code, counted(ended)]).toEqual([9, { created: 2, duplicate: 1 }]);
    expect(ended.report.lines[0]).toMatchObject({ result: 'duplicate', reason: expect.stringContaining('sessions 100, 101') });
  });
});

describe('Invalid lines', () => {
  const roster =
    'email,name,close_time\nann@example.org,Ann,\nbob@example.org,Bob,31.02.2127 10:00\nann@EXAMPLE.org,Again,\nx y@example.org,Cy,\n';

  test('keep everything from being sent, and all of them are named with column, value and reason.', async () => {
    const { service, imports } = exam();
    const ended = await imports(roster);
    expect([ended.code, service.writes()]).toEqual([3, []]);
    expect(ended.report).toMatchObject({ run: null, counts: { total: 4, not_sent: 1, invalid: 3 } });
    expect(ended.report.lines[0]).toMatchObject({ email: 'ann@example.org', result: 'not_sent' });
    expect(counted(await imports(roster, '--check'))).toEqual({ invalid: 3 });
    expect(ended.report.problems).toMatchObject([
      { line: 3, column: 'column 3 (close_time)', value: '"31.02.2127 10:00"' },
      { line: 4, column: 'column 1 (email)', reason: '"ann@EXAMPLE.org" is in line 2, too.' },
      { line: 5, column: 'column 1 (email)', reason: expect.stringContaining('contains a space') },
    ]);
    expect(errorOf(ended.stderr)).toMatchObject({
      items: ended.report.problems,
      hint: expect.stringMatching(/proctor-cli .* --skip-invalid$/),
    });
    expect(existsSync(join(service.home, 'state'))).toBe(false);
  });

  test('of which there are more than anybody corrects end the reading, whatever the options say.', async () => {
    const lines = Array.from({ length: 20_000 }, () => 'x y@example.org\n');
    for (const args of ['', '--check', '--skip-invalid']) {
      const { service, imports } = exam();
      const ended = await imports(`email\nann@example.org\n${lines.join('')}`, args);
      expect([ended.code, service.writes()]).toEqual([3, []]);
      expect(ended.report.problems).toHaveLength(5001);
      expect(errorOf(ended.stderr).message).toContain('has more than 5000 problems');
    }
  });

  test('are left out with --skip-invalid, and that is no complete success.', async () => {
    const { service, imports } = exam();
    const ended = await imports(roster, '--skip-invalid');
    expect([ended.code, counted(ended), service.posts()]).toEqual([9, { created: 1, invalid: 3 }, 1]);
    expect(ended.report.lines.map(({ line, action, result }) => [line, action, result])).toEqual([
      [2, 'create', 'created'],
      [3, 'invalid', 'invalid'],
      [4, 'invalid', 'invalid'],
      [5, 'invalid', 'invalid'],
    ]);
    const again = await imports(roster, '--skip-invalid');
    expect([again.code, service.posts()]).toEqual([11, 1]);
    expect(again.stderr.match(/contains a space/g), 'said once').toHaveLength(1);
  });

  test('are a question on a terminal; after a no nothing is sent.', async () => {
    for (const yes of [true, false]) {
      const { service, imports } = exam();
      const ended = await imports(roster, '-o table', { tty: true, answers: yes ? [true, true] : [false] });
      expect(ended.questions[0]).toMatch(
        /^3 lines cannot be imported, and will be written to .*roster\.csv\.rejects\.csv\. Import the other 1\?/,
      );
      expect([ended.code, service.posts()]).toEqual(yes ? [9, 1] : [130, 0]);
      expect(existsSync(join(service.home, 'roster.csv.rejects.csv'))).toBe(yes);
    }
    const { questions } = await exam().imports('email\na@b.org\nb@b\n', '-o table', { tty: true, answers: [false] });
    expect(questions[0]).toMatch(/^1 line cannot be imported, and will be written to /);
    for (const [text, args] of [
      ['email\na@b.org\nb@b\n', '--yes'],
      ['email\nb@b\n', ''],
      ['email\na@b.org\nb@b\n', '--check'],
    ] as const)
      expect(await exam().imports(text, args, { tty: true })).toMatchObject({ code: 3, questions: [] });
  });
});

describe('A question', () => {
  test('names exam and number; without a yes nothing is sent, and nobody can be asked off a terminal.', async () => {
    const { service, imports } = exam();
    const ended = await imports(three, '-o table', { tty: true, answers: [false] });
    expect(ended.questions).toEqual([
      expect.stringMatching(/^Import 3 students into exam 6 \(Linear Algebra, 2127-02-01 08:00 .*\) at https.*\?$/),
    ]);
    expect(ended.code).toBe(130);
    expect((await imports(three, '--no-input', { tty: true })).code).toBe(2);
    expect((await service.run('sessions import missing.csv --exam 6 --no-input')).code).toBe(3);
    expect(service.writes()).toEqual([]);
  });

  test('names the undo of each run that has created a part, where two were stopped', async () => {
    const { service, imports } = exam();
    for (const _stopped of [1, 2]) {
      service.next('POST', undefined, refused(401));
      expect((await imports(three)).code).toBe(10);
    }
    const ended = await imports(three, '-o table', { tty: true, answers: [true] });
    const undos = ended.stderr.match(/(?<=proctor-cli )runs undo \S+/g) ?? [];
    for (const line of undos) expect((await service.run(`${line} --yes`)).code).toBe(0);
    expect([undos.length, service.sessions]).toEqual([3, []]);
  });

  test('is followed by the counts and the command that takes it back.', async () => {
    const { imports } = exam();
    const ended = await imports(three, '-o table --no-color', { tty: true, answers: [true] });
    expect(ended.stdout).toMatch(/Run +\d{8}T\d{6}-[0-9a-f]{6}\nExam +6\nTotal +3\nCreated +3\n$/);
    expect(ended.stderr).toMatch(/Undo it with: proctor-cli runs undo \S+\n/);
    expect(ended.stderr).not.toContain('does not show');
  });
});

describe('The result', () => {
  test('is one object at every status from the reading of the file on.', async () => {
    const made = exam();
    const keys = ['run', 'exam', 'counts', 'lines', 'problems', 'notInFile'];
    const seen: number[] = [];
    const has = async (roster: string, args = '', world = {}) => {
      const ended = await made.imports(roster, args, world);
      expect(Object.keys(JSON.parse(ended.stdout))).toEqual([...keys, ...(args.includes('--dry-run') ? ['steps'] : [])]);
      seen.push(ended.code);
    };
    await has(three);
    await has(three, '--dry-run');
    for (const lines of ['ann@example.org,Anna', 'ann@example.org,Anna\ndan@example.org,Dan', 'nobody@here,X'])
      await has(`email,name\n${lines}\n`);
    await has('email,name\nzed@example.org,Z\n', '', { tty: true, answers: [false] });
    for (const status of [422, 401]) {
      made.service.next('POST', { answer: { status } });
      await has(`email\nanswered${status}@example.org\n`);
    }
    made.service.next('GET /exams/6/student_sessions', ...Array(3).fill({ answer: { status: 500 } }));
    await has('email\naway@example.org\n');
    expect(seen).toEqual([0, 0, 11, 9, 3, 130, 7, 4, 8]);
  });

  test('is lines as CSV and NDJSON, and the IDs of what was written.', async () => {
    const { imports } = exam();
    const csv = await imports(one, '-o csv');
    expect(csv.stdout.split('\r\n')).toEqual([
      'line,exam,session,email,action,result,reason,changes',
      '2,6,100,ann@example.org,create,created,,[]',
      '',
    ]);
    const lines = await imports(three, '-o ndjson');
    expect(
      lines.stdout
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text).result),
    ).toEqual(['unchanged', 'created', 'created']);
    expect((await imports(`${three.replace('Bob', 'Rob')}dan@example.org,Dan\n`, '--update -o id')).stdout).toBe('101\n103\n');
  });

  test('of a dry run has the requests, and nothing is sent or recorded.', async () => {
    const { service, imports } = exam();
    const { report, code } = await imports(`${opening}bob@example.org,\n`, '--dry-run');
    expect([code, service.writes(), existsSync(join(service.home, 'state', 'runs.db'))]).toEqual([0, [], false]);
    expect(report.steps?.map(({ method, url }) => `${method} ${url.replace(/^.*v1/, '')}`)).toEqual([
      'POST /exams/6/student_sessions',
      expect.stringMatching(/^PATCH \/student_sessions\//),
      'POST /exams/6/student_sessions',
    ]);
    expect(report.counts).toMatchObject({ to_create: 2, created: 0 });
  });
});

describe('--check', () => {
  test('is 0 while the exam follows the roster, else 11 with the lines, and writes nothing.', async () => {
    const { service, imports } = exam();
    const missing = await imports(three, '--check');
    expect([missing.code, missing.report.counts.to_create, service.writes()]).toEqual([11, 3, []]);
    await imports(three);
    service.add({ email: 'zoe@example.org', name: 'Zoe' });
    const same = await imports(three, '--check');
    expect([same.code, same.report.notInFile]).toEqual([11, [expect.objectContaining({ name: 'Zoe', result: 'kept' })]]);
    expect(same.stderr).toContain('does not follow the roster: 1 student of exam 6 not in the file (left-out lines do not count).');
    expect(same.stderr).toMatch(
      /This deletes 1 of 4 students of exam 6: proctor-cli sessions import (?!.*--(?:yes|check)).* --remove-missing=1/,
    );
    expect((await imports(three, '--check --accept extra')).code).toBe(0);
    expect((await imports(three, '--check --remove-missing 1')).code).toBe(11);
    service.change('session', 100, { name: 'Anna' });
    const other = await imports(three, '--check -o table');
    expect(other.stderr).toContain('Plan: 2 unchanged, 1 different (--update changes them), 1 in the exam but not in the file.');
    expect(other.stdout).toMatch(/^LINE .*\n2 +6 +100 +ann@example\.org +different +different +name is "Anna", not "Ann"\n$/);
    expect([(await imports(three, '--check')).code, (await imports(three, '--check --accept different,extra')).code]).toEqual([11, 0]);
    expect((await imports(three, '--check')).stderr).toMatch(/Import it: proctor-cli sessions import (?!.*--(?:yes|check)).* --update/);
    service.change('session', 103, { status: 'exam_started' });
    expect((await imports(three, '--check --accept different')).code, 'who has started is no difference').toBe(0);
  });

  test('of no line at all is no answer; what a rule leaves out is counted.', async () => {
    const { imports } = exam();
    expect((await imports('email,role\ntom@example.org,teacher\n', '--except role=teacher --check')).code).toBe(6);
    const ended = await imports('email,role\nann@example.org,student\ntom@example.org,teacher\n', '--only role=student');
    expect([ended.code, counted(ended)]).toEqual([0, { created: 1, left_out: 1 }]);
  });
});

test.each([
  [three, 0],
  [closing('2127-02-01T10:00Z'), 8],
])('An import at work keeps another out, and says who; an exam is extended where the roster has no times.', async (roster, extended) => {
  const { service, imports } = exam();
  service.add({ email: 'zoe@example.org', close_time: '2127-02-01T10:00:00Z' });
  const [go, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  service.fault = ({ method, countOfMethod: count }) => {
    if (method !== 'POST' || count > 1) return undefined;
    arrived.resolve();
    return { takes: go.promise };
  };
  const first = imports(roster);
  await arrived.promise;
  const second = await imports(roster);
  expect(errorOf(second.stderr).message).toMatch(/^This command is running already: .*sessions import/);
  expect(second.code).toBe(8);
  expect((await service.run('sessions extend 100 --by 10m')).code).toBe(extended);
  go.resolve();
  expect((await first).code).toBe(0);
});
