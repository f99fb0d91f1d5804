/** When the gate of the running exam refuses, asks, lets through and records; and what it costs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { embedded } from '../../commands/embedded.ts';
import { ungatedFolder } from '../../support/run.ts';
import { refused } from '../../support/service.ts';
import { at, failureIn, Served } from './gate-service.ts';

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
  test('names the exam, where in its time it is, how many are taking it, and both ways on', async () => {
    const { stderr } = await new Served().run(deletion);
    expect(stderr).toBe(
      'error: Exam 3 (Running, 2026-11-22 08:00 +00:00) has been running for 1 h, ends in 1 h, with 1 student taking it and 1 in the check; the request would take it from its students. Nothing was sent.\n' +
        'hint: Wait until it is over, or leave it out. To send it all the same: --during-exam "REASON", then type the ID of the exam (3); in a script, add --yes.\n',
    );
  });

  test.each([
    ['exams delete 6 --yes', 'starts in 20 min; the request would take it from its students'],
    ['exams delete 4 --yes', "ended 10 min ago, and a student's window is open until 2026-11-22 09:20 +00:00, with 1 student taking it"],
    ['exams delete 7 --yes', 'Exam 7 (Timeless) shows no times that can be read, with 1 student taking it'],
    [`exams update 3 --end ${at(1)}`, 'the request would end it earlier'],
    ['exams update 3 --no-allow-headphones', 'the request would withdraw allow_headphones'],
    ['exams send-emails 3 --yes --resend', 'the request would disturb its students'],
    [`sessions update 32 --close-time ${at(1)}`, "the request would close a student's window earlier"],
  ])('of %s says: %s', async (line, words) => {
    expect((await new Served().run(line)).stderr).toContain(words);
  });

  test('is an error also with --quiet, and one line of JSON for a script', async () => {
    const service = new Served();
    expect((await service.run(`${deletion} --quiet`)).stderr).toMatch(/^error: Exam 3 \(Running,/);
    const printed = await service.run([...deletion.split(' '), ...json]);
    expect(printed).toMatchObject({
      code: 12,
      stdout: '',
      stderr: expect.stringMatching(/^\{"error":\{"code":"exam_running",.*"exit":12\}\}\n$/),
    });
  });

  test('comes although the students cannot be counted', async () => {
    const service = new Served();
    service.fault = ({ line }) => (line === 'GET /exams/3/student_sessions' ? refused(403) : undefined);
    const { code, stderr } = await service.run('exams update 3 --no-allow-headphones');
    expect([code, service.writes()]).toEqual([12, []]);
    expect(stderr).toContain('ends in 1 h; the request');
  });

  test('comes before any question: only a reason makes it one', async () => {
    const service = new Served();
    const { code, questions } = await service.run('exams delete 3', { tty: true });
    expect([code, questions, service.writes()]).toEqual([12, [], []]);
  });

  test('of one of several IDs is one of all of them: nothing is sent', async () => {
    const service = new Served();
    for (const ids of [
      ['3', '5'],
      ['5', '3'],
      ['3', '6'],
    ]) {
      const printed = await service.run(['exams', 'delete', ...ids, '--yes', ...json]);
      expect([printed.code, service.writes()]).toEqual([12, []]);
    }
  });

  test('is what a dry run ends with, too, and the requests are printed', async () => {
    const service = new Served();
    const printed = await service.run([...deletion.split(' '), '--dry-run', ...json]);
    expect([printed.code, service.writes()]).toEqual([12, []]);
    expect(JSON.parse(printed.stdout)).toMatchObject([{ method: 'DELETE', url: `${service.origin}/api/v1/exams/3` }]);
    expect(failureIn(printed).code).toBe('exam_running');
    const permitted = await service.run([...deletion.split(' '), '--dry-run', '--during-exam', 'Fire alarm']);
    expect([permitted.code, service.writes()]).toEqual([0, []]);
  });
});

describe('the clock is that of the service', () => {
  test.each([
    ['two hours behind the service', at(-120)],
    ['two hours ahead of it', at(120)],
  ])('on a machine that is %s', async (_which, now) => {
    const service = new Served();
    expect(await service.run(deletion, { now })).toMatchObject({ code: 12 });
    expect(await service.run('exams delete 5 --yes', { now })).toMatchObject({ code: 0 });
    expect(await service.run('exams delete 2 --yes', { now })).toMatchObject({ code: 0 });
    expect(service.writes()).toEqual(['DELETE /exams/5', 'DELETE /exams/2']);
  });

  test.each([
    ['90 minutes ahead', 90, 0],
    ['95 minutes behind', -95, 0],
  ])('when it is %s of what is right', async (_which, ahead, code) => {
    const service = new Served({ ahead });
    for (const each of service.sessions) Object.assign(each, { status: 'registered', open_time: null, close_time: null });
    expect(await service.run(deletion)).toMatchObject({ code });
  });

  test("or this machine's, where the service sends no Date", async () => {
    const service = new Served({ dated: false });
    for (const each of service.sessions) Object.assign(each, { status: 'registered', open_time: null, close_time: null });
    expect(await service.run(deletion)).toMatchObject({ code: 12 });
    expect(await service.run(deletion, { now: at(-240) })).toMatchObject({ code: 0 });
  });

  test.each([
    ['old, as its Age says', 1, 12],
    ['new', 0, 0],
  ])('by the Date of an answer that is %s', async (_which, age, code) => {
    const service = new Served({ ahead: 90, headers: { age: String(age) } });
    withStatus(service, 'registered');
    expect(await service.run(deletion)).toMatchObject({ code });
  });

  test.each([
    [31, 0],
    [30, 12],
  ])('and an exam that begins in %i minutes ends with %i', async (minutes, code) => {
    const service = new Served();
    for (const { id } of service.sessions) if (id !== 61) service.truth.remove('session', id);
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
    ['seconds since 1970', { as: (fields: Record<string, unknown>) => epoch(fields, 1000) }, { 'dialect.timeFormat': 'epoch-s' }],
    ['milliseconds since 1970', { as: (fields: Record<string, unknown>) => epoch(fields, 1) }, {}],
    ['in a wrapper', { as: (data: Record<string, unknown>) => ({ data }) }, {}],
  ])('are read as the dialect has them: %s', async (_how, options, settings) => {
    const service = new Served(options);
    await config(service, settings as Record<string, string>);
    for (const line of [`exams update 3 --end ${at(59)}`, `sessions update 32 --close-time ${at(29)}`, deletion])
      expect(await service.run(line), line).toMatchObject({ code: 12 });
    expect(service.writes()).toEqual([]);
    await service.run(`exams update 3 --end ${at(90)}`);
    await service.run(`sessions update 32 --close-time ${at(31)}`);
    expect(service.writes()).toEqual(['PATCH /exams/3', 'PATCH /student_sessions/32']);
  });

  test('that are the wrong way round count from the first to the last', async () => {
    const service = new Served();
    Object.assign(service.exams[1] as object, { start_time: at(60), end_time: at(-60) });
    expect(await service.run(deletion)).toMatchObject({ code: 12 });
  });

  test('that are missing leave it to the students: in the check or later, and not otherwise', async () => {
    const service = new Served();
    const line = 'exams send-emails 7 --yes --resend';
    expect(await service.run(line)).toMatchObject({ code: 12 });
    withStatus(service, 'check_started', 71);
    expect(await service.run(line)).toMatchObject({ code: 12 });
    withStatus(service, 'mail_sent', 71);
    expect(await service.run(line)).toMatchObject({ code: 0 });
    expect(service.writes()).toEqual(['POST /exams/7/send_emails']);
  });

  test('of an exam that does not exist protect nothing', async () => {
    const service = new Served();
    expect(await service.run('exams delete 99 --yes')).toMatchObject({ code: 6 });
    expect(service.writes()).toEqual([]);
  });

  test.each([
    [500, 8],
    [429, 8],
    [401, 4],
  ])('that cannot be read, %i, keep the write from being sent, and the error says why', async (status, code) => {
    const service = new Served();
    service.fault = ({ line }) => (line === 'GET /exams/3' ? refused(status) : undefined);
    const printed = await service.run(['sessions', 'delete', '31', '--yes', ...json]);
    expect([printed.code, service.writes()]).toEqual([code, []]);
    expect(failureIn(printed).message).toMatch(/^It is unknown whether an exam is running, so nothing was sent: .+/);
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
    const service = new Served();
    const session = service.sessions.find(({ id }) => id === 31) as Record<string, unknown>;
    Object.assign(session, { exam_id: reference, close_time: at(30) });
    for (const line of ['sessions delete 31 --yes', `sessions update 31 --close-time ${at(29)}`]) {
      const printed = await service.run(line);
      expect(printed.code, printed.stderr).toBe(12);
    }
    expect(service.writes()).toEqual([]);
    for (const { id } of service.exams.slice(1)) service.truth.exams.delete(id);
    Object.assign(session, { close_time: null });
    const printed = await service.run('sessions delete 31 --yes');
    expect(printed.code, printed.stderr).toBe(0);
  });
});

describe("a session's own window", () => {
  test('that has opened counts although the exam begins tomorrow', async () => {
    const service = new Served();
    Object.assign(service.sessions.find(({ id }) => id === 51) as object, { open_time: at(-5) });
    for (const line of ['sessions delete 51 --yes', 'exams delete 5 --yes', `sessions update 51 --close-time ${at(1500)}`]) {
      const printed = await service.run(line);
      expect(printed.code, printed.stderr).toBe(12);
      expect(printed.stderr).toContain("but a student's own window is open");
    }
    expect(service.writes()).toEqual([]);
  });

  test('keeps one session protected after the exam has ended for the others', async () => {
    const service = new Served();
    service.truth.set('session', {
      ...service.sessions.find(({ id }) => id === 41),
      id: 42,
      email: 'b@example.org',
      close_time: null,
      status: 'exam_finished',
    });
    expect(await service.run('sessions delete 41 --yes')).toMatchObject({ code: 12 });
    expect(await service.run('sessions delete 42 --yes')).toMatchObject({ code: 0 });
  });
});

describe('students in the check, or who have started, make an exam run, although it is yet to begin', () => {
  const taking = [
    'exams delete 5 --yes',
    `exams update 5 --end ${at(1500)}`,
    'exams send-emails 5 --yes --resend',
    'sessions delete 51 --yes',
    `sessions update 51 --close-time ${at(1500)}`,
  ];

  test.each(
    ['check_started', 'check_completed', 'exam_session_opened', 'exam_started'].flatMap((status) =>
      taking.map((line) => [status, line] as const),
    ),
  )('a day before it starts, with %s: %s', async (status, line) => {
    const service = new Served();
    withStatus(service, status, 51);
    const { code, stderr } = await service.run(line);
    expect([code, service.writes()]).toEqual([12, []]);
    expect(stderr).toMatch(/starts in 24 h, with (1 student|no student) taking it/);
  });

  test('and not after its last window: such a student has left it', async () => {
    const service = new Served();
    withStatus(service, 'exam_started', 21);
    expect(await service.run('exams delete 2 --yes')).toMatchObject({ code: 0 });
  });

  test('and an exam whose students cannot be listed is not changed', async () => {
    const service = new Served();
    service.fault = ({ line }) => (line === 'GET /exams/5/student_sessions' ? refused(403) : undefined);
    const printed = await service.run('exams update 5 --no-allow-headphones');
    expect([printed.code === 0, service.writes()]).toEqual([false, []]);
    expect(printed.stderr).toContain('It is unknown whether an exam is running, so nothing was sent');
  });
});

describe('what begins meanwhile', () => {
  test('while the question is open keeps the whole plan from being sent', async () => {
    const service = new Served();
    const { code, stderr } = await service.run('exams send-emails 5', {
      tty: true,
      answers: [
        async () => {
          Object.assign(service.exams.find(({ id }) => id === 5) as object, { start_time: at(29) });
          return true;
        },
      ],
    });
    expect([code, service.writes()]).toEqual([12, []]);
    expect(stderr).toContain('Nothing was sent.');
  });

  test('after the first step skips the steps of that exam, and the others are sent', async () => {
    const service = new Served();
    const [other] = service.sessions.filter(({ id }) => id === 21);
    for (const [id, exam_id] of [
      [52, 5],
      [53, 5],
      [22, 2],
    ])
      service.truth.set('session', {
        ...other,
        id,
        exam_id,
        email: `student${id}@example.org`,
        status: 'registered',
        open_time: null,
        close_time: null,
      });
    service.fault = ({ line }) => {
      if (line === 'DELETE /student_sessions/52') Object.assign(service.exams.find(({ id }) => id === 5) as object, { start_time: at(29) });
      return undefined;
    };
    // Each request takes a while, so that no read of the exam is young enough for two steps.
    const now = () => Date.parse(at(0)) + 1100 * service.requests().length;
    const printed = await service.run(['sessions', 'delete', '52', '53', '22', '--yes', ...json], { now });
    expect(service.writes()).toEqual(['DELETE /student_sessions/52', 'DELETE /student_sessions/22']);
    expect(printed.code, printed.stderr).toBe(9);
    expect(JSON.parse(printed.stdout).map(({ id, result }: { id: number; result: string }) => [id, result])).toEqual([
      [52, 'deleted'],
      [53, 'skipped'],
      [22, 'deleted'],
    ]);
    expect(printed.stderr).toContain('the request would take the exam from a student (53 student53@example.org). It was not sent.');
  });
});

describe('--during-exam', () => {
  const reason = ['--during-exam', 'Fire alarm'];
  const withReason = ['exams', 'delete', '3', ...reason];

  test('with --yes lets the write through, and the run is recorded with the reason, which is in no file in clear', async () => {
    const service = new Served();
    const { code, stderr } = await service.run([...withReason, '--yes']);
    expect([code, service.writes()], stderr).toEqual([0, ['DELETE /exams/3']]);
    await service.run(['exams', 'delete', '6', '--during-exam', 'Once more', '--yes']);
    expect((await service.reasons()).toSorted()).toEqual(['Fire alarm', 'Once more']);
    for (const file of readdirSync(join(service.home, 'state'), { withFileTypes: true }))
      if (file.isFile()) expect(readFileSync(join(service.home, 'state', file.name), 'latin1')).not.toMatch(/Fire alarm|Once more/);
  });

  test('neither records nor repeats a secret in the reason', async () => {
    const service = new Served();
    const { stderr } = await service.run([
      'exams',
      'delete',
      '3',
      '--during-exam',
      'Locked: password=open-sesame gate-token-0123456789',
      '--yes',
    ]);
    expect(stderr).not.toMatch(/open-sesame|gate-token/);
    const [recorded] = await service.reasons();
    expect(recorded).toMatch(/^Locked: password=\*+/);
    expect(recorded).not.toContain('gate-token');
  });

  test('on a terminal has the ID of the exam typed, before the question of the command', async () => {
    const service = new Served();
    const refused = await service.run(withReason, { tty: true, answers: ['y', ''] });
    expect([refused.code, refused.refusals, service.writes()]).toEqual([130, ['Type 3 to confirm, or press Enter to cancel.'], []]);
    expect(await service.reasons()).toEqual([]);
    const { code, questions } = await service.run(withReason, { tty: true, answers: ['3', '3'] });
    expect([code, service.writes()]).toEqual([0, ['DELETE /exams/3']]);
    expect(questions[0]).toMatch(
      /^Exam 3 \(Running, .*\) has been running for 1 h, .*\. The request would take it from its students\. Send it at http.* \(profile default\)\? Type 3 to confirm:$/,
    );
  });

  test('without a terminal needs --yes, too', async () => {
    const service = new Served();
    expect(await service.run(['exams', 'update', '3', '--end', at(1), ...reason])).toMatchObject({ code: 2 });
    expect(service.writes()).toEqual([]);
  });

  test.each(['', '  '])('with the reason %j is refused', async (empty) => {
    const service = new Served();
    expect(await service.run(['exams', 'delete', '3', '--yes', '--during-exam', empty])).toMatchObject({ code: 2 });
    expect(service.requests()).toEqual([]);
  });

  test('is confirmed once for an exam', async () => {
    const service = new Served();
    const { code, questions } = await service.run(['sessions', 'delete', '31', '33', ...reason], { tty: true, answers: ['3', true] });
    expect(code).toBe(0);
    expect(questions).toHaveLength(2);
    expect(service.writes()).toEqual(['DELETE /student_sessions/31', 'DELETE /student_sessions/33']);
  });

  test('is in the help of commands that change something, and only there', async () => {
    const service = new Served();
    expect((await service.run('exams delete --help')).stdout).toContain('--during-exam <reason>  act on a running exam');
    expect((await service.run('exams list --help')).stdout).not.toContain('act on a running exam');
  });
});

describe('the gate is off', () => {
  test('in a profile with protectRunningExams off, and on again with on', async () => {
    const service = new Served();
    await config(service, { protectRunningExams: 'off' });
    expect(await service.run('exams delete 6 --yes')).toMatchObject({ code: 0 });
    expect(service.writes()).toEqual(['DELETE /exams/6']);
    await config(service, { protectRunningExams: 'on' });
    expect(await service.run(deletion)).toMatchObject({ code: 12 });
    expect(await service.run('config set protectRunningExams maybe')).toMatchObject({ code: 3 });
  });

  test('and on for the embedded service, too', async () => {
    const sandbox = embedded();
    expect(await sandbox.run(deletion)).toMatchObject({ code: 12 });
    expect(await sandbox.run('config set protectRunningExams off')).toMatchObject({ code: 0 });
    expect(await sandbox.run(deletion)).toMatchObject({ code: 0 });
  });
});

test.each([
  ['exams delete 5 --yes', 0],
  [`exams update 5 --end ${at(1500)}`, 0],
  [`exams update 5 --end ${at(1600)} --yes`, 0],
  ['exams send-emails 5 --yes', 0],
  ['exams update 5 --name Other', 0],
  // A restriction is withdrawn only from students who are there.
  ['exams update 5 --no-allow-headphones', 1],
  ['sessions delete 51 --yes', 1],
])('what %s has read is not read again: it costs %i requests more than without the gate', async (line, more) => {
  const gated = new Served();
  const without = new Served();
  ungatedFolder(without.home);
  for (const service of [gated, without]) expect(await service.run(line)).toMatchObject({ code: 0 });
  expect(gated.requests().length - without.requests().length, gated.requests().join('\n')).toBe(more);
});
