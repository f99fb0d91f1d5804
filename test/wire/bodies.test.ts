/** The bodies of requests: field flags, -F, -f, files, stdin; and input refused before any request. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { around, created, exchange, shown } from './exchanges.ts';

const now = '2027-01-01T00:00:00Z';
const start = ['--start', '2027-02-01T08:00:00Z', '--end', '2027-02-01T10:00:00Z'];
const times = { start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' };

describe('a field flag of an exam', () => {
  test.each([
    [['--save-recording'], { save_recording: true }],
    [['--no-save-recording'], { save_recording: false }],
    [['--allow-headphones'], { allow_headphones: true }],
    [['--no-allow-headphones'], { allow_headphones: false }],
    [['--allow-whiteboard'], { allow_whiteboard: true }],
    [['--no-allow-whiteboard'], { allow_whiteboard: false }],
    [['--allow-leave-room'], { allow_leave_room: true }],
    [['--no-allow-leave-room'], { allow_leave_room: false }],
    [['--allow-pen-paper'], { allow_pen_paper: true }],
    [['--no-allow-pen-paper'], { allow_pen_paper: false }],
    [
      ['--allow-headphones', '--no-allow-whiteboard', '-F', 'name=Algebra'],
      { allow_headphones: true, allow_whiteboard: false, name: 'Algebra' },
    ],
  ])('%j of exams create is sent as %j', async (flags, fields) => {
    const reply: [number, unknown] = [201, { id: 1, ...fields }];
    const { code } = await exchange(
      ['exams', 'create', ...start, ...flags],
      created({ method: 'POST', path: '/api/v1/exams', body: { ...times, ...fields }, reply }),
      { now },
    );
    expect(code).toBe(0);
  });

  test.each([
    ['--start', 'start_time'],
    ['--end', 'end_time'],
  ])('%s of exams update is sent as %s', async (flag, key) => {
    const body = { [key]: '2027-02-01T09:30:00Z' };
    const { code } = await exchange(
      ['exams', 'update', '42', flag, '2027-02-01T10:30:00+01:00'],
      // No window can move along with a time that the exam has not shown.
      around({ method: 'PATCH', path: '/api/v1/exams/42', body, reply: [200, { id: 42, ...body }] }),
    );
    expect(code).toBe(0);
  });

  test('save_recording is no restriction: nothing else is sent with it', async () => {
    const { code } = await exchange(
      'exams update 42 --no-save-recording'.split(' '),
      around({ method: 'PATCH', path: '/api/v1/exams/42', body: { save_recording: false }, reply: [200, { id: 42 }] }),
    );
    expect(code).toBe(0);
  });
});

describe('a field flag of a session', () => {
  const close = '2027-02-01T10:30:00+01:00';
  test.each([
    [['--email', 'ada@example.org'], { email: 'ada@example.org' }],
    [['--name', 'Ada Example'], { name: 'Ada Example' }],
    [['--name', '007'], { name: '007' }],
    [['--close-time', close], { close_time: '2027-02-01T09:30:00Z' }],
    [['--skip-requirements'], { skip_requirements: true }],
  ])('%j is sent as %j by sessions create and students add', async (flags, body) => {
    for (const [command, path] of [
      ['sessions create', 'student_sessions'],
      ['students add', 'add_student'],
    ] as const) {
      const { code } = await exchange(
        [...command.split(' '), '--exam', '42', ...flags],
        created({ method: 'POST', path: `/api/v1/exams/42/${path}`, body, reply: [201, { id: 1 }] }),
        { now },
      );
      expect(code).toBe(0);
    }
  });

  test.each([
    [['--email', 'ada@example.org'], { email: 'ada@example.org' }],
    [['--name', 'Ada Example'], { name: 'Ada Example' }],
    [['--close-time', close], { close_time: '2027-02-01T09:30:00Z' }],
    [['--open-time', close], { open_time: '2027-02-01T09:30:00Z' }],
  ])('%j is sent as %j by sessions update, with PATCH and with PUT', async (flags, body) => {
    // Where an address changes, the exam is looked up first: its students are the place that is written to.
    const placed = 'email' in body ? [shown('/api/v1/student_sessions/7', { id: 7 })] : [];
    for (const [method, put] of [
      ['PATCH', []],
      ['PUT', ['--put']],
    ] as const) {
      const { code } = await exchange(
        ['sessions', 'update', '7', ...flags, ...put],
        [...placed, ...around({ method, path: '/api/v1/student_sessions/7', body, reply: [200, { id: 7 }] })],
        { now },
      );
      expect(code).toBe(0);
    }
  });
});

describe('times', () => {
  test.each([
    ['2027-02-01T09:00', ['--timezone', 'Europe/Vienna'], '2027-02-01T08:00:00Z'],
    ['2027-07-01T09:00', ['--timezone', 'Europe/Vienna'], '2027-07-01T07:00:00Z'],
    ['2027-02-01T09:00:00.5Z', [], '2027-02-01T09:00:00Z'],
    ['now+15m', [], '2027-01-01T00:15:00Z'],
    ['+2h30m', [], '2027-01-01T02:30:00Z'],
  ])('%j %j is sent as %s', async (typed, more, sent) => {
    const { code, stderr } = await exchange(
      ['sessions', 'update', '7', '--close-time', typed, ...more],
      around({ method: 'PATCH', path: '/api/v1/student_sessions/7', body: { close_time: sent }, reply: [200, { id: 7 }] }),
      { now },
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test('in -F and --body they are read as the flags read them', async () => {
    for (const more of [
      ['-F', 'close_time=2027-02-01T10:30:00+01:00'],
      ['-f', 'close_time=2027-02-01T10:30:00+01:00'],
      ['--body', '-'],
    ]) {
      const { code } = await exchange(
        ['sessions', 'update', '7', ...more],
        around({
          method: 'PATCH',
          path: '/api/v1/student_sessions/7',
          body: { close_time: '2027-02-01T09:30:00Z' },
          reply: [200, { id: 7 }],
        }),
        { now, stdin: '{"close_time":"2027-02-01T10:30:00+01:00"}' },
      );
      expect(code).toBe(0);
    }
  });

  test.each([
    ['2027-02-01T09:00', []],
    ['03/04/2026', []],
    ['2027-03-28T02:30', ['--timezone', 'Europe/Vienna']],
    ['2027-10-31T02:30', ['--timezone', 'Europe/Vienna']],
  ])('%j %j is refused, and nothing is sent', async (typed, more) => {
    expect((await exchange(['sessions', 'update', '7', '--close-time', typed, ...more], [], { now })).code).toBe(3);
    expect((await exchange(['sessions', 'update', '7', '-F', `close_time=${typed}`, ...more], [], { now })).code).toBe(3);
  });

  test('an end that is not after its start is refused, however they are given', async () => {
    const swapped = ['--start', '2027-02-01T10:00:00Z', '--end', '2027-02-01T08:00:00Z'];
    expect((await exchange(['exams', 'create', ...swapped], [])).code).toBe(3);
    expect(
      (await exchange(['exams', 'update', '1', '-F', 'start_time=2027-02-01T10:00:00Z', '--end', '2027-02-01T10:00:00Z'], [])).code,
    ).toBe(3);
  });
});

describe('-F gives a value its type, -f never', () => {
  const typed: [string, string][] = [
    ['true', 'true'],
    ['false', 'false'],
    ['null', 'null'],
    ['0', '0'],
    ['-12', '-12'],
    ['1.5', '1.5'],
    ['9007199254740993', '9007199254740993'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['007', '"007"'],
    ['+1', '"+1"'],
    ['1.', '"1."'],
    ['0x1f', '"0x1f"'],
    ['True', '"True"'],
    ['', '""'],
    ['NaN', '"NaN"'],
    ['{"a":1}', '"{\\"a\\":1}"'],
    ['a=b', '"a=b"'],
    ['Zoë "Z"', '"Zoë \\"Z\\""'],
  ];
  test.each(typed)('-F x=%s is sent as %s', async (value, text) => {
    const { code } = await exchange(
      ['sessions', 'update', '7', '-F', `x=${value}`],
      around({ method: 'PATCH', path: '/api/v1/student_sessions/7', text: `{"x":${text}}`, reply: [200, { id: 7 }] }),
    );
    expect(code).toBe(0);
  });

  test.each(['true', 'null', '12', '@file'])('-f x=%s is sent as text', async (value) => {
    const { code } = await exchange(
      ['sessions', 'update', '7', '-f', `x=${value}`],
      around({ method: 'PATCH', path: '/api/v1/student_sessions/7', text: `{"x":"${value}"}`, reply: [200, { id: 7 }] }),
    );
    expect(code).toBe(0);
  });

  test('-F key=@file sends the text of the file', async () => {
    const file = join(temporaryFolder(), 'note.txt');
    writeFileSync(file, 'one\ntwo "ü"\n');
    const { code } = await exchange(
      ['sessions', 'update', '7', '-F', `note=@${file}`],
      around({ method: 'PATCH', path: '/api/v1/student_sessions/7', body: { note: 'one\ntwo "ü"\n' }, reply: [200, { id: 7 }] }),
    );
    expect(code).toBe(0);
  });

  test('a file that is missing or is no text is an error, and nothing is sent', async () => {
    const binary = join(temporaryFolder(), 'binary');
    writeFileSync(binary, Buffer.from([0xff, 0xfe, 0x00]));
    for (const file of [join(temporaryFolder(), 'missing'), binary]) {
      expect((await exchange(['sessions', 'update', '7', '-F', `note=@${file}`], [])).code).toBe(3);
      expect((await exchange(['sessions', 'update', '7', '--body', file], [])).code).toBe(3);
    }
  });

  test.each(['x', '=1', ''])('%j is not key=value', async (text) => {
    expect((await exchange(['sessions', 'update', '7', '-F', text], [])).code).toBe(2);
    expect((await exchange(['sessions', 'update', '7', '-f', text], [])).code).toBe(2);
  });
});

describe('--body', () => {
  const text = '\uFEFF{"email":"ada@example.org","number":9007199254740993,"nested":{"list":[1,null,"x"]}}';
  const sent = '{"email":"ada@example.org","number":9007199254740993,"nested":{"list":[1,null,"x"]}}';

  test('from a file', async () => {
    const file = join(temporaryFolder(), 'body.json');
    writeFileSync(file, text);
    const { code } = await exchange(
      ['sessions', 'create', '--exam', '42', '--body', file],
      created({ method: 'POST', path: '/api/v1/exams/42/student_sessions', text: sent, reply: [201, { id: 1 }] }),
    );
    expect(code).toBe(0);
  });

  test('from stdin, with further fields beside it', async () => {
    const { code } = await exchange(
      ['sessions', 'create', '--exam', '42', '--body', '-', '--name', 'Ada'],
      created({
        method: 'POST',
        path: '/api/v1/exams/42/student_sessions',
        body: { email: 'ada@example.org', name: 'Ada' },
        reply: [201, { id: 1 }],
      }),
      { stdin: '{"email":"ada@example.org"}' },
    );
    expect(code).toBe(0);
  });

  test.each(['', '[]', '"text"', '{"a":', 'null', '{"a":1} x'])('%j is no JSON object: refused, and nothing is sent', async (stdin) => {
    expect((await exchange(['sessions', 'create', '--exam', '42', '--body', '-'], [], { stdin })).code).toBe(3);
  });

  test('a syntax error is told with its line', async () => {
    const { stderr } = await exchange(['sessions', 'create', '--exam', '42', '--body', '-'], [], {
      stdin: '{\n  "email": "ada"\n  "name": "Ada"\n}',
    });
    expect(stderr).toMatch(/stdin, line 3, column 3/);
  });
});

describe('refused before anything is sent', () => {
  test.each([
    ['sessions create --exam 42 --level-of-suspicion 0', 'level_of_suspicion'],
    ['sessions create --exam 42 -F level_of_suspicion=0', 'level_of_suspicion'],
    ['students add --exam 42 -f level_of_suspicion=0', 'level_of_suspicion'],
    ['sessions update 7 --level-of-suspicion 3', 'level_of_suspicion'],
    ['sessions update 7 -F Level_Of_Suspicion=3', 'level_of_suspicion'],
    ['exams create --start now+1h --end now+2h -F level_of_suspicion=3', 'level_of_suspicion'],
    ['exams update 1 -F level_of_suspicion=3', 'level_of_suspicion'],
    ['api PATCH /student_sessions/7 -F level_of_suspicion=1', 'level_of_suspicion'],
    ['sessions update 7 --skip-requirements', 'skip_requirements'],
    ['sessions update 7 -F skip_requirements=true', 'skip_requirements'],
    ['sessions update 7 --put -F skip_requirements=false', 'skip_requirements'],
    ['sessions create --exam 42 --email a@example.org --open-time 2027-02-01T08:00:00Z', 'open_time'],
    ['students add --exam 42 -F open_time=2027-02-01T08:00:00Z', 'open_time'],
    ['sessions update 7 -F status=exam_finished', 'status'],
  ])('%s names %s and the reason', async (line, field) => {
    const { code, stdout, stderr } = await exchange(line.split(' '), [], { now });
    expect(code).toBe(5);
    expect(stdout).toBe('');
    expect(stderr).toContain(field);
    expect(stderr).toContain('Nothing was sent');
  });

  test('a field that is read-only, at any depth of a body', async () => {
    for (const stdin of ['{"student":{"level_of_suspicion":1}}', '{"students":[{"a":{"level_of_suspicion":null}}]}']) {
      expect((await exchange(['sessions', 'create', '--exam', '42', '--body', '-'], [], { stdin })).code).toBe(5);
      expect((await exchange(['api', 'POST', '/exams/42/add_student', '--body', '-'], [], { stdin })).code).toBe(5);
    }
  });

  test.each([
    ['exams create --start 2027-02-01T08:00:00Z', 2],
    ['exams create --end 2027-02-01T08:00:00Z', 2],
    ['exams update 42', 2],
    ['sessions update 7', 2],
    ['sessions create --exam 42', 2],
    ['sessions create --email a@example.org', 2],
    ['sessions update 7 --email a@example.org -F email=b@example.org', 2],
    ['sessions update 7 -F x=1 -F x=2', 2],
    ['sessions update 7 -F email=12', 3],
    ['exams update 42 -F allow_headphones=yes', 3],
    ['exams update 42 -f allow_headphones=true', 3],
    ['sessions create --exam 42 -F skip_requirements=1', 3],
  ])('%s ends with status %i', async (line, status) => {
    const { code, stdout } = await exchange(line.split(' '), [], { now });
    expect(code).toBe(status);
    expect(stdout).toBe('');
  });
});
