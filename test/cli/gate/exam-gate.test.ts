/** When the gate of the running exam refuses, asks, lets through and records; and what it costs. */
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { embedded } from '../../commands/embedded.ts';
import { ungatedFolder } from '../../support/run.ts';
import { at, failureIn, type Served, served } from './service.ts';

const json = ['-o', 'json'];
const deletion = 'exams delete 3 --yes';

/** Gives all students the status, or those sessions. */
function withStatus({ sessions }: Served, status: string, ...ids: number[]) {
  for (const session of sessions) if (ids.length === 0 || ids.includes(Number(session.id))) session.status = status;
}

async function config(service: Served, settings: Record<string, string>) {
  for (const [key, value] of Object.entries(settings)) {
    const { code, stderr } = await service.run(['config', 'set', key, value]);
    expect(code, stderr).toBe(0);
  }
}

describe('the refusal', () => {
  test('names the exam, where in its time it is, how many are taking it, and how to do it anyway', async () => {
    const { stderr } = await (await served()).run(deletion);
    expect(stderr).toBe(
      'error: Refused to delete exam 3, which takes it from its students: exam 3 (Running, 2026-11-22 08:00 +00:00) has been running for 1 h, ends in 1 h, with 1 student taking it and 1 in the check. The request was not sent.\n' +
        'hint: To send it all the same, add --during-exam "REASON" and type the ID of the exam; in a script, add --yes as well.\n',
    );
  });

  test.each([
    ['exams delete 6 --yes', 'starts in 20 min, with no student taking it'],
    ['exams delete 4 --yes', "ended 10 min ago, and a student's window is open until 2026-11-22 09:20 +00:00, with 1 student taking it"],
    ['exams delete 7 --yes', 'exam 7 (Timeless) shows no times that can be read, so it may be running'],
  ])('of %s says: %s', async (line, words) => {
    expect((await (await served()).run(line)).stderr).toContain(words);
  });

  test('is an error also with --quiet, and one line of JSON for a script', async () => {
    const service = await served();
    expect((await service.run(`${deletion} --quiet`)).stderr).toMatch(/^error: Refused to delete exam 3,/);
    const printed = await service.run([...deletion.split(' '), ...json]);
    expect(printed).toMatchObject({
      code: 12,
      stdout: '',
      stderr: expect.stringMatching(/^\{"error":\{"code":"exam_running",.*"exit":12\}\}\n$/),
    });
  });

  test('comes although the students cannot be counted', async () => {
    const service = await served();
    service.fault = (request) => (request === 'GET /exams/3/student_sessions' ? 403 : undefined);
    const { code, stderr } = await service.run(deletion);
    expect([code, service.writes()]).toEqual([12, []]);
    expect(stderr).toContain('ends in 1 h. The request was not sent.');
  });

  test('on a terminal is no question: only a reason makes it one', async () => {
    const service = await served();
    const { code, questions } = await service.run('exams delete 3', { tty: true, answers: ['3'] });
    expect([code, service.writes()]).toEqual([12, []]);
    expect(questions).toHaveLength(1);
  });

  test('of one of several IDs keeps none of the others', async () => {
    const service = await served();
    const printed = await service.run(['exams', 'delete', '3', '5', '--yes', ...json]);
    expect([printed.code, service.writes()]).toEqual([9, ['DELETE /exams/5']]);
    const none = await service.run(['exams', 'delete', '3', '6', '--yes', ...json]);
    expect(none.code).toBe(12);
  });
});

describe('the clock is that of the service', () => {
  test.each([
    ['two hours behind the service', at(-120)],
    ['two hours ahead of it', at(120)],
  ])('on a machine that is %s', async (_which, now) => {
    const service = await served();
    expect(await service.run(deletion, { now })).toMatchObject({ code: 12 });
    expect(await service.run('exams delete 5 --yes', { now })).toMatchObject({ code: 0 });
    expect(await service.run('exams delete 2 --yes', { now })).toMatchObject({ code: 0 });
    expect(service.writes()).toEqual(['DELETE /exams/5', 'DELETE /exams/2']);
  });

  test.each([
    ['90 minutes ahead', 90, 0],
    ['90 minutes behind', -95, 0],
  ])('when it is %s of what is right', async (_which, ahead, code) => {
    const service = await served({ ahead });
    withStatus(service, 'registered');
    expect(await service.run(deletion)).toMatchObject({ code });
  });

  test('or this machine\u2019s, where the service sends no Date', async () => {
    const service = await served({ dated: false });
    withStatus(service, 'registered');
    expect(await service.run(deletion)).toMatchObject({ code: 12 });
    expect(await service.run(deletion, { now: at(-240) })).toMatchObject({ code: 0 });
  });

  test.each([
    ['old, as its Age says', 1, 12],
    ['new', 0, 0],
  ])('by the Date of an answer that is %s', async (_which, age, code) => {
    const service = await served({ ahead: 90, age });
    withStatus(service, 'registered');
    expect(await service.run(deletion)).toMatchObject({ code });
  });

  test.each([
    [31, 0],
    [30, 12],
  ])('and an exam that begins in %i minutes ends with %i', async (minutes, code) => {
    const service = await served();
    Object.assign(service.exams[4] as object, { start_time: at(minutes), end_time: at(minutes + 60) });
    expect(await service.run('exams delete 6 --yes')).toMatchObject({ code });
  });
});

describe('the times of an exam', () => {
  const epoch = (fields: Record<string, unknown>, unit: number) =>
    Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key, key.endsWith('_time') && value ? Date.parse(String(value)) / unit : value]),
    );

  test.each([
    ['seconds since 1970', { shown: (fields: Record<string, unknown>) => epoch(fields, 1000) }, { 'dialect.timeFormat': 'epoch-s' }],
    ['milliseconds since 1970', { shown: (fields: Record<string, unknown>) => epoch(fields, 1) }, { 'dialect.timeFormat': 'epoch-ms' }],
    [
      'in attributes',
      { shown: ({ id, ...attributes }: Record<string, unknown>) => ({ id, attributes }) },
      { 'dialect.recordKeys': 'attributes' },
    ],
    ['in a wrapper', {}, { 'dialect.examWrapper': 'exam', 'dialect.sessionWrapper': 'student_session' }],
  ])('are read as the dialect has them: %s', async (_how, options, settings) => {
    const service = await served(options);
    await config(service, settings as Record<string, string>);
    for (const line of [`exams update 3 --end ${at(59)}`, `sessions update 32 --close-time ${at(29)}`, deletion])
      expect(await service.run(line), line).toMatchObject({ code: 12 });
    expect(service.writes()).toEqual([]);
    await service.run(`exams update 3 --end ${at(90)}`);
    await service.run(`sessions update 32 --close-time ${at(31)}`);
    expect(service.writes()).toEqual(['PATCH /exams/3', 'PATCH /student_sessions/32']);
  });

  test('that are the wrong way round count from the first to the last', async () => {
    const service = await served();
    Object.assign(service.exams[1] as object, { start_time: at(60), end_time: at(-60) });
    expect(await service.run(deletion)).toMatchObject({ code: 12 });
  });

  test('that are missing have its ID asked for on a terminal, and are refused elsewhere', async () => {
    const service = await served();
    const asked = await service.run('exams send-emails 7', { tty: true, answers: [true, '7'] });
    expect(asked.code, asked.stderr).toBe(0);
    expect(asked.questions[1]).toMatch(/^Exam 7 \(Timeless\) shows no times .* Type 7 to confirm:$/);
    expect(await service.run('exams send-emails 7', { tty: true, answers: [true, ''] })).toMatchObject({ code: 130 });
    expect(await service.run('exams send-emails 7 --yes', { tty: true })).toMatchObject({ code: 12 });
    expect(service.writes()).toEqual(['POST /exams/7/send_emails']);
  });

  test('of an exam that does not exist protect nothing: the request finds out', async () => {
    const service = await served();
    expect(await service.run('exams delete 99 --yes')).toMatchObject({ code: 6 });
    expect(service.writes()).toEqual(['DELETE /exams/99']);
  });

  test.each([
    [500, 8],
    [429, 8],
    [401, 4],
  ])('that cannot be read, %i, keep the write from being sent, and the error says why', async (status, code) => {
    const service = await served();
    service.fault = (request) => (request === 'GET /exams/3' ? status : undefined);
    const printed = await service.run([...deletion.split(' '), ...json]);
    expect([printed.code, service.writes()]).toEqual([code, []]);
    expect(failureIn(printed).message).toMatch(
      /^It is unknown whether an exam is running, so the request to delete exam 3 was not sent: .+/,
    );
  });

  test.each([
    ['not shown', undefined],
    ['null', null],
    ['an object', { id: 3 }],
    ['a list', [3]],
    ['a boolean', true],
    ['empty', ''],
    ['not among the exams', 99],
  ])('of a session whose exam is %s are those of any exam', async (_what, reference) => {
    const service = await served();
    const session = service.sessions.find(({ id }) => id === 31) as Record<string, unknown>;
    Object.assign(session, { exam_id: reference, close_time: at(30) });
    for (const line of ['api DELETE /student_sessions/31 --yes', `api PATCH /student_sessions/31 -F close_time=${at(29)}`]) {
      const printed = await service.run(line);
      expect(printed.code, printed.stderr).toBe(12);
    }
    expect(service.writes()).toEqual([]);
    service.exams.splice(1);
    expect(await service.run('sessions delete 31 --yes')).toMatchObject({ code: 0 });
  });
});

test('which of all exams ended long ago is told by the clock of the service', async () => {
  const service = await served();
  service.exams.splice(0, service.exams.length, ...service.exams.filter(({ id }) => id === 4));
  for (const each of service.sessions) if (each.id === 31) each.exam_id = null;
  const { code, stderr } = await service.run('sessions delete 31 --yes', { now: at(4 * 1440) });
  expect([code, service.writes()]).toEqual([12, []]);
  expect(stderr).toContain("a student's window is open until");
});

describe('--during-exam', () => {
  const reason = ['--during-exam', 'Fire alarm'];
  const withReason = ['exams', 'delete', '3', ...reason];

  test('with --yes lets the write through, says so, and records the reason for its owner only', async () => {
    const service = await served();
    const { code, stderr } = await service.run([...withReason, '--yes']);
    expect([code, service.writes()]).toEqual([0, ['DELETE /exams/3']]);
    const path = join(service.home, 'state', 'during-exam.ndjson');
    expect(stderr).toContain(`exam 3 (Running, 2026-11-22 08:00 +00:00) is recorded in ${path}: Fire alarm`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(service.reasons()).toEqual([
      {
        at: '2026-11-22T09:00:00.000Z',
        origin: service.origin,
        profile: 'default',
        exam: '3',
        method: 'DELETE',
        path: '/exams/3',
        reason: 'Fire alarm',
      },
    ]);
    await service.run(['exams', 'delete', '6', '--during-exam', 'Once more', '--yes']);
    expect(service.reasons().map((line) => line.reason)).toEqual(['Fire alarm', 'Once more']);
  });

  test('neither records nor repeats a secret in the reason', async () => {
    const service = await served();
    const { stderr } = await service.run(['exams', 'delete', '3', '--during-exam', 'Locked: password=open-sesame', '--yes']);
    expect(stderr).toContain('Locked: password=********');
    expect(service.reasons().map((line) => line.reason)).toEqual(['Locked: password=********']);
  });

  test('on a terminal has the ID of the exam typed, after the question of the command', async () => {
    const service = await served();
    const refused = await service.run(withReason, { tty: true, answers: ['3', 'y', ''] });
    expect([refused.code, refused.refusals, service.writes()]).toEqual([130, ['Type 3 to confirm, or press Enter to cancel.'], []]);
    expect(service.reasons()).toEqual([]);
    const { code, questions } = await service.run(withReason, { tty: true, answers: ['3', '3'] });
    expect([code, service.writes()]).toEqual([0, ['DELETE /exams/3']]);
    expect(questions[1]).toMatch(
      /^Exam 3 \(Running, .*\) has been running for 1 h, .* at http.* \(profile default\)\? Type 3 to confirm:$/,
    );
  });

  test('without a terminal needs --yes, too', async () => {
    const service = await served();
    expect(await service.run(['exams', 'update', '3', '--end', at(1), ...reason])).toMatchObject({ code: 2 });
    expect(service.requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
  });

  test.each(['', '  '])('with the reason %j is refused', async (empty) => {
    const service = await served();
    expect(await service.run(['exams', 'delete', '3', '--yes', '--during-exam', empty])).toMatchObject({ code: 2 });
    expect(service.requests).toEqual([]);
  });

  test('records no secret, and no line break', async () => {
    const service = await served();
    const token = 'gate-token-0123456789';
    await service.run([
      'api',
      'PATCH',
      `/exams/3?token=abcdef&x=${token}`,
      '-F',
      `end_time=${at(1)}`,
      '--yes',
      '--during-exam',
      `see ${token}\n{"exam":9}`,
    ]);
    const text = readFileSync(join(service.home, 'state', 'during-exam.ndjson'), 'utf8');
    expect(text).not.toMatch(/gate-token|abcdef/);
    expect(service.reasons()).toHaveLength(1);
  });

  test('sends nothing where the reason cannot be recorded', async () => {
    const service = await served();
    mkdirSync(join(service.home, 'state', 'during-exam.ndjson'), { recursive: true });
    expect(await service.run([...withReason, '--yes'])).toMatchObject({ code: 3 });
    expect(service.writes()).toEqual([]);
  });

  test('is recorded for each write, and confirmed once for an exam', async () => {
    const service = await served();
    const { code, questions } = await service.run(['sessions', 'delete', '31', '33', ...reason], { tty: true, answers: [true, '3'] });
    expect(code).toBe(0);
    expect(questions).toHaveLength(2);
    expect(service.reasons().map(({ path }) => path)).toEqual(['/student_sessions/31', '/student_sessions/33']);
    expect(service.requests.filter((request) => request === 'GET /exams/3')).toHaveLength(1);
  });

  test('changes nothing for what is free, and records nothing', async () => {
    const service = await served();
    expect(await service.run(['exams', 'delete', '5', '--yes', ...reason])).toMatchObject({ code: 0 });
    expect(service.reasons()).toEqual([]);
  });

  test('is in the help of commands that change something, and only there', async () => {
    const service = await served();
    expect((await service.run('exams delete --help')).stdout).toContain('--during-exam <reason>  act on a running exam');
    expect((await service.run('exams list --help')).stdout).not.toContain('do it although');
  });
});

describe('the gate is off', () => {
  test('in a profile with examGate off, and on again with on', async () => {
    const service = await served();
    await config(service, { examGate: 'off' });
    expect(await service.run('exams delete 6 --yes')).toMatchObject({ code: 0 });
    expect(service.requests).toEqual(['DELETE /exams/6']);
    await config(service, { examGate: 'on' });
    expect(await service.run(deletion)).toMatchObject({ code: 12 });
    expect(await service.run('config set examGate maybe')).toMatchObject({ code: 3 });
  });

  test('during a dry run, which sends nothing for it and says nothing of it', async () => {
    const service = await served();
    const { code, stderr } = await service.run(`${deletion} --dry-run`);
    expect({ code, stderr, requests: service.requests }).toEqual({ code: 0, stderr: '', requests: [] });
  });

  test('and on for the embedded service, too', async () => {
    const sandbox = embedded();
    expect(await sandbox.run(deletion)).toMatchObject({ code: 12 });
    expect(await sandbox.run('config set examGate off')).toMatchObject({ code: 0 });
    expect(await sandbox.run(deletion)).toMatchObject({ code: 0 });
  });
});

describe('an import', () => {
  const importing = (service: Served, roster: string, options = '', exam = 3) =>
    service.run(['sessions', 'import', '-', '--exam', String(exam), '--yes', '-o', 'json', ...options.split(' ').filter(Boolean)], {
      stdin: roster,
    });

  test('of late students is free, also with windows of their own that are yet to open', async () => {
    const service = await served();
    const { code, stderr } = await importing(service, `email,open_time,close_time\nlate@example.org,${at(10)},${at(90)}\n`);
    expect(code, stderr).toBe(0);
    expect(service.writes()).toEqual(['POST /exams/3/student_sessions', expect.stringMatching(/^PATCH \/student_sessions\/9\d\d$/)]);
  });

  test('with --update is free for later close times, and refused for earlier ones', async () => {
    const service = await served();
    const later = await importing(service, `email,close_time\nstudent32@example.org,${at(40)}\n`, '--update');
    expect(later.code, later.stderr).toBe(0);
    expect(service.writes()).toEqual(['PATCH /student_sessions/32']);
    const earlier = await importing(
      service,
      `email,close_time\nstudent32@example.org,${at(5)}\nstudent31@example.org,${at(5)}\n`,
      '--update',
    );
    expect(earlier.code, earlier.stderr).toBe(12);
    expect(service.writes()).toEqual(['PATCH /student_sessions/32']);
    expect(failureIn(earlier).code).toBe('exam_running');
  });

  test('sends the rows that give something, whichever rows are refused', async () => {
    const service = await served();
    const roster = `email,close_time\nstudent32@example.org,${at(5)}\nstudent31@example.org,${at(5)}\nstudent33@example.org,${at(5)}\n${['a', 'b', 'c', 'd'].map((name) => `${name}@example.org,${at(90)}\n`).join('')}`;
    const { code, stderr } = await importing(service, roster, '--update');
    expect(code, stderr).toBe(12);
    expect(service.writes()).toEqual(Array(4).fill('POST /exams/3/student_sessions'));
    expect(stderr).toContain('4 rows done, 3 not done.');
    const again = await service.run(['sessions', 'import', '-', '--exam', '3', '--yes', '--update', '--during-exam', 'Ends early'], {
      stdin: roster,
    });
    expect(again.code, again.stderr).toBe(0);
    expect(service.writes().slice(4).sort()).toEqual([31, 32, 33].map((id) => `PATCH /student_sessions/${id}`));
  });

  test('with --remove-missing is refused as a whole, before anything is sent', async () => {
    const service = await served();
    const roster = 'email\nlate@example.org\nstudent31@example.org\nstudent33@example.org\n';
    const refused = await importing(service, roster, '--remove-missing --max-removals 3');
    expect(refused.code, refused.stderr).toBe(12);
    expect(service.writes()).toEqual([]);
    expect(failureIn(refused).message).toMatch(/^Refused to delete 1 student of exam 3, which takes the exam from them: /);
    const given = await service.run(
      ['sessions', 'import', '-', '--exam', '3', '--yes', '--remove-missing', '--max-removals', '3', '--during-exam', 'Wrong list'],
      { stdin: roster },
    );
    expect(given.code, given.stderr).toBe(0);
    expect(service.writes()).toEqual(['POST /exams/3/student_sessions', 'DELETE /student_sessions/32']);
    expect(service.reasons().map(({ path }) => path)).toEqual(['/student_sessions/32']);
  });

  test('can be taken back only while the exam does not run', async () => {
    const service = await served();
    const { stdout } = await importing(service, 'email\nlate@example.org\n');
    const { run } = JSON.parse(stdout);
    const writes = service.writes().length;
    expect(await service.run(`imports undo ${run} --yes`)).toMatchObject({ code: 12 });
    expect(service.writes()).toHaveLength(writes);
    withStatus(service, 'registered');
    Object.assign(service.exams[1] as object, { start_time: at(60), end_time: at(180) });
    expect(await service.run(`imports undo ${run} --yes`)).toMatchObject({ code: 0 });
    expect(service.writes()).toHaveLength(writes + 1);
  });

  test('into an exam that is far ahead reads it at most once more than without the gate', async () => {
    const roster = `email,close_time\nstudent51@example.org,${at(1500)}\n${Array.from({ length: 12 }, (_, row) => `new${row}@example.org,${at(1550)}\n`).join('')}`;
    const count = async (gated: boolean) => {
      const service = await served();
      if (!gated) ungatedFolder(service.home);
      const { code, stderr } = await importing(service, roster, '--update --remove-missing', 5);
      expect(code, stderr).toBe(0);
      return service.requests.filter((request) => request.startsWith('GET ')).length;
    };
    expect((await count(true)) - (await count(false))).toBeLessThanOrEqual(1);
  });

  test('with many requests at once looks once, and asks once', async () => {
    const service = await served();
    for (let id = 100; id < 120; id += 1)
      service.sessions.push({ ...service.sessions[2], id, email: `student${id}@example.org`, close_time: at(30) });
    const roster = `email,close_time\n${Array.from({ length: 20 }, (_, row) => `student${100 + row}@example.org,${at(20)}\n`).join('')}`;
    const { code, stderr, questions } = await service.run(
      ['sessions', 'import', '-', '--exam', '3', '--update', '--concurrency', '8', '--during-exam', 'Room closes'],
      { tty: true, stdin: roster, answers: [true, '3'] },
    );
    expect(code, stderr).toBe(0);
    expect(questions.filter((question) => question.includes('Type 3 to confirm'))).toHaveLength(1);
    // Besides, nine reads try whether the service takes eight requests at once.
    expect(service.requests.filter((request) => request === 'GET /exams/3').length).toBeLessThanOrEqual(2 + 9);
    expect(service.reasons()).toHaveLength(20);
  });
});

test('changes undo is refused where it takes time back, and changes resume is free', async () => {
  const service = await served();
  expect(await service.run('sessions extend 31 33 --by 15m --yes')).toMatchObject({ code: 0 });
  const [{ change }] = JSON.parse((await service.run(['changes', 'list', ...json])).stdout);
  const writes = service.writes().length;
  const refused = await service.run(['changes', 'undo', change, '--yes', ...json]);
  expect([refused.code, service.writes().length]).toEqual([12, writes]);
  expect(failureIn(refused).code).toBe('exam_running');
  const undone = await service.run(['changes', 'undo', change, '--yes', '--during-exam', 'Given to the wrong room']);
  expect(undone.code, undone.stderr).toBe(0);
  expect(service.writes()).toHaveLength(writes + 2);
  expect(service.reasons()).toHaveLength(2);
});

describe('students in the check, or who have started, make an exam run, although it is yet to begin', () => {
  const taking = [
    'exams delete 5 --yes',
    `exams update 5 --end ${at(1500)}`,
    'sessions delete 51 --yes',
    `sessions update 51 --close-time ${at(1500)}`,
  ];

  test.each(
    ['check_started', 'check_completed', 'exam_session_opened', 'exam_started'].flatMap((status) =>
      taking.map((line) => [status, line] as const),
    ),
  )('a day before it starts, with %s: %s', async (status, line) => {
    const service = await served();
    withStatus(service, status, 51);
    const { code, stderr } = await service.run(line);
    expect([code, service.writes()]).toEqual([12, []]);
    expect(stderr).toMatch(/starts in 24 h, with (1 student|no student) taking it/);
    expect(service.requests.filter((request) => request === 'GET /exams/5/student_sessions').length).toBeLessThanOrEqual(1);
  });

  test('mails disturb those who have started, not those in the check', async () => {
    const service = await served();
    withStatus(service, 'check_started', 51);
    expect(await service.run('exams send-emails 5 --yes')).toMatchObject({ code: 0 });
    withStatus(service, 'exam_started', 51);
    expect(await service.run('exams send-emails 5 --yes')).toMatchObject({ code: 12 });
  });

  test('and not after its last window: such a student has left it', async () => {
    const service = await served();
    withStatus(service, 'exam_started', 21);
    expect(await service.run('exams delete 2 --yes')).toMatchObject({ code: 0 });
  });

  test('are listed once for a command, and not for what gives something', async () => {
    const service = await served();
    await service.run('exams delete 5 6 --yes');
    await service.run(`exams update 6 --end ${at(200)}`);
    expect(service.requests.filter((request) => request === 'GET /exams/5/student_sessions')).toHaveLength(1);
    expect(service.requests.filter((request) => request === 'GET /exams/6/student_sessions')).toHaveLength(1);
  });

  test('and an exam whose students cannot be listed is not deleted', async () => {
    const service = await served();
    service.fault = (request) => (request === 'GET /exams/5/student_sessions' ? 403 : undefined);
    const printed = await service.run('exams delete 5 --yes');
    expect([printed.code === 0, service.writes()]).toEqual([false, []]);
    expect(printed.stderr).toContain('It is unknown whether an exam is running');
  });
});

describe('an exam that is about to begin', () => {
  const later = [`api PATCH /exams/6 -F start_time=${at(180)} -F end_time=${at(300)}`, `exams update 6 --start ${at(30)} --end ${at(150)}`];

  test.each(later)('is not put off once a student is in the check: %s', async (line) => {
    const service = await served();
    withStatus(service, 'check_completed', 61);
    expect(await service.run(line)).toMatchObject({ code: 12 });
    expect(await service.run('exams delete 6 --yes')).toMatchObject({ code: 12 });
    expect(service.writes()).toEqual([]);
  });

  test.each(later)('is protected after it was put off, once a student is in the check: %s', async (line) => {
    const service = await served();
    expect(await service.run(line)).toMatchObject({ code: 0 });
    withStatus(service, 'check_started', 61);
    expect(await service.run('exams delete 6 --yes')).toMatchObject({ code: 12 });
  });

  test('lets no window of a student in the check open later', async () => {
    const service = await served();
    withStatus(service, 'check_started', 62);
    expect(await service.run(`sessions update 62 --open-time ${at(30)} --close-time ${at(150)}`)).toMatchObject({ code: 12 });
    expect(service.writes()).toEqual([]);
  });
});

test.each(['exams delay 3 --by 10m --yes', 'sessions extend --exam 3 --by 10m --yes'])(
  'an undo that was refused leaves its change as it was, so that %s is free',
  async (line) => {
    const service = await served();
    expect(await service.run('exams delay 3 --by 15m --yes')).toMatchObject({ code: 0 });
    const changes = async () => JSON.parse((await service.run(['changes', 'list', ...json])).stdout);
    const [{ change, state }] = await changes();
    const writes = service.writes().length;
    expect(await service.run(`changes undo ${change} --yes`)).toMatchObject({ code: 12 });
    expect(service.writes()).toHaveLength(writes);
    expect(await changes()).toMatchObject([{ change, state }]);
    const { code, stderr } = await service.run(line);
    expect(code, stderr).toBe(0);
    expect(service.writes().length).toBeGreaterThan(writes);
  },
);

test('what the command itself has just read is not read again', async () => {
  const service = await served();
  await service.run('sessions extend --exam 3 --by 15m --yes');
  const gated = service.requests.length;
  const without = await served();
  ungatedFolder(without.home);
  await without.run('sessions extend --exam 3 --by 15m --yes');
  expect(gated).toBe(without.requests.length);
});

describe('commands of an exam period', () => {
  test('exams delay gives time to an exam that runs, and its undo is refused', async () => {
    const service = await served();
    const { code, stderr } = await service.run('exams delay 3 --by 15m --yes');
    expect(code, stderr).toBe(0);
    expect(service.writes()[0]).toBe('PATCH /exams/3');
    const writes = service.writes().length;
    const [{ change }] = JSON.parse((await service.run(['changes', 'list', ...json])).stdout);
    expect((await service.run(`changes undo ${change} --yes`)).code).not.toBe(0);
    expect(service.writes()).toHaveLength(writes);
  });

  test('exams shift puts off an exam that is about to begin, with all windows, and advances none that runs', async () => {
    const service = await served();
    const later = await service.run('exams shift --exam 6 --by 15m --yes --timezone UTC');
    expect(later.code, later.stderr).toBe(0);
    expect(service.exams.find(({ id }) => id === 6)).toMatchObject({ start_time: at(35), end_time: at(155) });
    expect(service.sessions.find(({ id }) => id === 62)).toMatchObject({ open_time: at(35), close_time: at(155) });
    const writes = service.writes().length;
    const earlier = await service.run(['exams', 'shift', '--exam', '3', '--by=-15m', '--yes', '--timezone', 'UTC']);
    expect(earlier.code).not.toBe(0);
    expect(service.writes()).toHaveLength(writes);
  });

  test('sessions move takes along a student who has not started', async () => {
    const service = await served();
    const { code, stderr } = await service.run('sessions move 32 --exam 5 --yes');
    expect(code, stderr).toBe(0);
    expect(service.writes().at(-1)).toBe('DELETE /student_sessions/32');
  });
});
