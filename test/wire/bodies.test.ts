/** The bodies of requests: field flags, -F, -f, files, stdin; and input refused before any request. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { around, created, type Exchange, exchange, get, patch, post, put, succeeds } from './exchanges.ts';

const now = '2027-01-01T00:00:00Z';
const update = (...words: string[]) => ['sessions', 'update', '7', ...words];
/** An update of the session with this text, and the reads around it. */
const sentAs = (text: string) => around({ method: 'PATCH', path: '/api/v1/student_sessions/7', text, reply: [200, { id: 7 }] });
const start = ['--start', '2027-02-01T08:00:00Z', '--end', '2027-02-01T10:00:00Z'];
const times = { start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' };

describe('a field flag of an exam', () => {
  const both = ['save-recording', 'allow-headphones', 'allow-whiteboard', 'allow-leave-room', 'allow-pen-paper'].flatMap((flag) =>
    ['--', '--no-'].map((sign): [string[], object] => [[sign + flag], { [flag.replaceAll('-', '_')]: sign === '--' }]),
  );
  const several = ['--allow-headphones', '--no-allow-whiteboard', '-F', 'name=Algebra'];
  const ofNewExams = [...both, [several, { allow_headphones: true, allow_whiteboard: false, name: 'Algebra' }] as (typeof both)[0]];
  test.each(ofNewExams)('%j of exams create is sent as %j', async (flags, fields) => {
    const create = post('/exams', { ...times, ...fields }, { id: 1, ...fields });
    await succeeds(['exams', 'create', ...start, ...flags], created(create), { now });
  });

  test.each([
    ['--start', 'start_time'],
    ['--end', 'end_time'],
  ])('%s of exams update is sent as %s', async (flag, key) => {
    const body = { [key]: '2027-02-01T09:30:00Z' };
    // No window can move along with a time that the exam has not shown.
    await succeeds(['exams', 'update', '42', flag, '2027-02-01T10:30:00+01:00'], around(patch('/exams/42', body, { id: 42, ...body })));
  });

  test('save_recording is no restriction: nothing else is sent with it', () =>
    succeeds('exams update 42 --no-save-recording', around(patch('/exams/42', { save_recording: false }, { id: 42 }))));
});

describe('a field flag of a session', () => {
  const close = '2027-02-01T10:30:00+01:00';
  const fields: [string[], object][] = [
    [['--email', 'ada@example.org'], { email: 'ada@example.org' }],
    [['--name', 'Ada Example'], { name: 'Ada Example' }],
    [['--name', '007'], { name: '007' }],
    [['--close-time', close], { close_time: '2027-02-01T09:30:00Z' }],
  ];
  const ofNewStudents = [...fields, [['--skip-requirements'], { skip_requirements: true }] as (typeof fields)[0]];
  test.each(ofNewStudents)('%j is sent as %j by sessions create and students add', async (flags, body) => {
    const to = ['--exam', '42', ...flags];
    await succeeds(['sessions', 'create', ...to], created(post('/exams/42/student_sessions', body, { id: 1 })), { now });
    await succeeds(['students', 'add', ...to], created(post('/exams/42/add_student', body, { id: 1 })), { now });
  });

  const ofStudents = [...fields, [['--open-time', close], { open_time: '2027-02-01T09:30:00Z' }] as (typeof fields)[0]];
  test.each(ofStudents)('%j is sent as %j by sessions update, with PATCH and with PUT', async (flags, body) => {
    // An address that changes is looked up in the list of the exam first.
    const isAddress = 'email' in body;
    const shown = { id: 7, ...(isAddress ? { exam_id: 42 } : {}) };
    const read = get('/student_sessions/7', shown);
    const [look, ...rest] = around(patch('/student_sessions/7', body, { ...shown, ...body }), { before: shown });
    const [, ...byPut] = around(put('/student_sessions/7', body, { ...shown, ...body }), { before: shown });
    const before = isAddress ? [read, look, get('/exams/42/student_sessions', [])] : [look];
    await succeeds(update(...flags), [...before, ...rest] as Exchange[], { now });
    await succeeds(update(...flags, '--put'), [...before, ...byPut] as Exchange[], { now });
  });
});

const inBodies = ['-F close_time=2027-02-01T10:30:00+01:00', '-f close_time=2027-02-01T10:30:00+01:00', '--body -'];
test.each(inBodies)('a time in %s is read as the flags read it', async (more) => {
  const stdin = '{"close_time":"2027-02-01T10:30:00+01:00"}';
  const sent = patch('/student_sessions/7', { close_time: '2027-02-01T09:30:00Z' }, { id: 7 });
  await succeeds(`sessions update 7 ${more}`, around(sent), { now, stdin });
});

describe('-F gives a value its type, -f never', () => {
  const values = ['true', 'false', 'null', '0', '-12', '1.5', '9007199254740993', '123456789012345678901234567890'];
  const texts = ['007', '+1', '1.', '0x1f', 'True', '', 'NaN', '{"a":1}', 'a=b', 'Zoë "Z"'];
  const typed = [...values.map((value) => [value, value]), ...texts.map((text) => [text, JSON.stringify(text)])];
  test.each(typed)('-F x=%s is sent as %s', (value, text) => succeeds(update('-F', `x=${value}`), sentAs(`{"x":${text}}`)));

  test.each(['true', 'null', '12', '@file'])('-f x=%s is sent as text', (value) =>
    succeeds(update('-f', `x=${value}`), sentAs(`{"x":"${value}"}`)),
  );

  test('-F key=@file sends the text of the file', async () => {
    const file = join(temporaryFolder(), 'note.txt');
    writeFileSync(file, 'one\ntwo "ü"\n');
    await succeeds(update('-F', `note=@${file}`), sentAs('{"note":"one\\ntwo \\"ü\\"\\n"}'));
  });

  test('a file that is missing or is no text is an error, and nothing is sent', async () => {
    const binary = join(temporaryFolder(), 'binary');
    writeFileSync(binary, Buffer.from([0xff, 0xfe, 0x00]));
    for (const file of [join(temporaryFolder(), 'missing'), binary]) {
      expect((await exchange(update('-F', `note=@${file}`), [])).code).toBe(3);
      expect((await exchange(update('--body', file), [])).code).toBe(3);
    }
  });

  test.each(['x', '=1', ''])('%j is not key=value', async (text) => {
    expect((await exchange(update('-F', text), [])).code).toBe(2);
    expect((await exchange(update('-f', text), [])).code).toBe(2);
  });
});

describe('--body', () => {
  const text = '\uFEFF{"email":"ada@example.org","number":9007199254740993,"nested":{"list":[1,null,"x"]}}';
  const sent = '{"email":"ada@example.org","number":9007199254740993,"nested":{"list":[1,null,"x"]}}';

  test('from a file', async () => {
    const file = join(temporaryFolder(), 'body.json');
    writeFileSync(file, text);
    await succeeds(
      ['sessions', 'create', '--exam', '42', '--body', file],
      created({ method: 'POST', path: '/api/v1/exams/42/student_sessions', text: sent, reply: [201, { id: 1 }] }),
    );
  });

  test('from stdin, with further fields beside it', () =>
    succeeds(
      'sessions create --exam 42 --body - --name Ada',
      created(post('/exams/42/student_sessions', { email: 'ada@example.org', name: 'Ada' }, { id: 1 })),
      { stdin: '{"email":"ada@example.org"}' },
    ));
});

test.each([
  ['exams create --start 2027-02-01T08:00:00Z', 2],
  ['exams create --end 2027-02-01T08:00:00Z', 2],
  ['sessions create --exam 42', 2],
  ['sessions create --email a@example.org', 2],
  ['sessions update 7 -F email=12', 3],
  ['exams update 42 -F allow_headphones=yes', 3],
  ['exams update 42 -f allow_headphones=true', 3],
  ['sessions create --exam 42 -F skip_requirements=1', 3],
])('refused before anything is sent: %s ends with status %i', async (line, status) => {
  const { code, stdout } = await exchange(line, [], { now });
  expect(code).toBe(status);
  expect(stdout).toBe('');
});
