/** The gate of the running exam: what is asked of exams before, in and after their time, and what is sent of it. */
import { describe, expect, test } from 'vitest';
import type { OperationId, operations } from '../../src/api/operations.ts';
import { allCommands } from '../cli/all-commands.ts';
import { refused, type Service, type ServiceOptions, type Showing } from '../support/service.ts';
import { done } from '../support/story.ts';
import type { Fields } from '../support/truth.ts';
import { at, day, exam, exams, now, served, session, sessions } from './gate/gate-office.ts';

/** It is sent, or refused before anything is. */
async function expectSent(service: Service, line: string, code: number, words = ''): Promise<void> {
  const printed = await service.run(line);
  expect([printed.code, service.writes().length > 0], `${line}\n${printed.stderr}`).toEqual([code, code === 0]);
  expect(printed.stderr).toContain(words);
}

const deletion = 'exams delete 3 --yes';
const open = '--allow-headphones --allow-whiteboard --allow-leave-room --allow-pen-paper';
const others = '-F allow_whiteboard=true -F allow_leave_room=true -F allow_pen_paper=true';
const unclear = 'do what the specification does not describe';

type Writing = { [Id in OperationId]: (typeof operations)[Id]['method'] extends 'GET' ? never : Id }[OperationId];

/** `free`: lines that are sent; the others are refused, by what is said of what they would take. */
const asked: Record<Writing | 'other', Record<string, string>> = {
  createExam: { free: `exams create --start ${at(-10)} --end ${at(10)}` },
  addStudent: { free: 'students add --exam 3 --email late@example.org' },
  createSession: {
    [unclear]: 'api POST /exams/5/student_sessions?notify=false -F email=l@example.org',
    free: 'sessions create --exam 3 --email l@example.org | api POST /exams/3/student_sessions -F email=l@example.org',
  },
  addProctors: { [unclear]: 'api POST /exams/5/proctor_pool?notify=false -F proctors=5', free: 'proctors add 5 --exam 3' },
  removeProctors: {
    'leave it without proctors': `proctors remove 4 --exam 3 | proctors remove 5 4 --exam 4 | api DELETE /exams/3/proctor_pool --yes
      proctors remove 4 --exam 4 --exam 5 --exam 3 | proctors remove 4 5 --exam 3`,
    free: 'proctors remove 4 --exam 4 | proctors remove 4 --exam 5',
  },
  deleteExam: {
    'take it from its students': `exams delete 3 --yes | exams delete 4 --yes | exams delete 6 --yes | exams delete 7 --yes
      exams delete 3 5 --yes | exams delete 5 3 --yes | api DELETE /exams/3 --yes | api DELETE /api/v1/exams/3 --yes`,
    [unclear]: 'api DELETE /exams/5?force=1 --yes',
    free: 'exams delete 5 --yes | exams delete 2 --yes | api DELETE /exams/5 --yes',
  },
  sendEmails: {
    'mail its': `exams send-emails 3 --yes --resend | exams send-emails 3 --yes | exams send-emails 7 --yes --resend
      exams send-emails 3 6 --yes | api POST /exams/7/send_emails --yes`,
    // Nobody is in the check, and mails are what they need.
    free: `exams send-emails 5 --yes | exams send-emails 6 --yes | api POST /exams/6/send_emails --yes
      exams send-emails 2 --yes --resend`,
  },
  patchExam: {
    'end it earlier': `exams update 3 --end ${at(59)} | exams update 4 --end ${at(-11)} | exams update 7 --end ${at(600)}
      exams update 3 -F end_time=null | api PATCH /exams/3 -F end_time=soon | api PATCH /exams/3 -F end_time=${at(1)}
      exams shift --exam 6 --by=-10m --yes | exams update 6 --start ${at(10)} --end ${at(130)}`,
    'start it later': `exams shift --exam 6 --by 15m --yes | exams shift --exam 5 --exam 6 --by 1d --yes
      exams update 3 --start ${at(10)} --end ${at(240)} | api PATCH /exams/6 -F start_time=${at(30)}`,
    'withdraw allow_headphones': `exams update 3 --no-allow-headphones | api PATCH /exams/3 -F allow_headphones=false ${others}`,
    [unclear]: `api PATCH /exams/5?end_time=1 | api PATCH /exams/5 -F exam[End-Time]=1 | exams update 5 -F endTime=1`,
    free: `exams update 3 --end ${at(61)} --yes | exams update 3 --start ${at(-61)} --yes | exams update 3 --no-save-recording
      exams update 3 --allow-leave-room | api PATCH /exams/3 -F end_time=${at(75)} | api PATCH /exams/3 -F allow_headphones=true ${others}
      exams update 5 --end ${at(1500)} --yes | exams update 5 --start ${at(1450)} --no-allow-headphones | exams update 2 --end ${at(-1400)}
      exams delay --exam 3 --by 15m --yes | exams delay --exam 3 --exam 6 --by 15m --yes | exams shift --exam 5 --by 1d --yes`,
  },
  // What a PUT leaves out counts as lost.
  putExam: {
    'end it earlier': `exams update 7 --put --end ${at(600)} | api PUT /exams/3 -F end_time=${at(59)} | exams update 3 --put ${open}
      exams update 3 --put --no-allow-whiteboard`,
    'start it later': `api PUT /exams/3 -F end_time=${at(61)}`,
    'withdraw allow_headphones, allow_whiteboard': `api PUT /exams/3 -F start_time=${at(-60)} -F end_time=${at(60)}`,
    free: `api PUT /exams/3 -F start_time=${at(-60)} -F end_time=${at(61)} -F allow_headphones=true ${others}
      exams update 5 --put --start ${at(1450)}`,
  },
  deleteSession: {
    'take the exam from a student': `sessions delete 31 --yes | sessions delete 32 --yes | sessions delete 41 --yes
      sessions delete 62 --yes | sessions delete 71 --yes | sessions delete 21 61 --yes | api DELETE /student_sessions/33 --yes`,
    [unclear]: 'api DELETE /student_sessions/student51@example.org --yes',
    free: 'sessions delete 51 --yes | sessions delete 21 --yes | api DELETE /student_sessions/51 --yes',
  },
  patchSession: {
    "close a student's window earlier": `sessions update 31 --close-time ${at(59)} | sessions update 32 --close-time ${at(29)}
      sessions update 51 31 --close-time ${at(59)} --yes | sessions update 41 --close-time ${at(19)} | sessions update 41 -F close_time=null
      api PATCH /student_sessions/32 -F close_time=later | api PATCH /student_sessions/31 -F close_time=${at(59)}`,
    "open a student's window later": `sessions update 32 --open-time ${at(1)} | sessions update 33 --open-time ${at(1)}
      sessions update 62 --open-time ${at(30)} --close-time ${at(141)} | api PATCH /student_sessions/33 -F open_time=${at(1)}`,
    [unclear]: 'api PATCH /student_sessions/51 -F closeTime=1',
    // Without a time of its own it opens with its exam, which is as early.
    free: `sessions update 31 --close-time ${at(61)} | sessions update 32 --close-time ${at(31)} | api PATCH /student_sessions/32 -F open_time=null
      sessions update 51 --close-time ${at(1500)} | sessions update 51 --open-time ${at(1500)} | sessions update 31 --name Ada
      sessions update 33 --open-time ${at(-61)} | sessions update 32 --email ada@example.org
      sessions update 31 32 --close-time ${at(61)} --yes | sessions extend 31 41 --by 15m --yes | sessions extend --exam 3 --by 30m --yes`,
  },
  putSession: {
    "close a student's window earlier": `sessions update 32 --put --close-time ${at(29)} | api PUT /student_sessions/32 -F name=Ada`,
    "open a student's window later": `sessions update 32 --put --close-time ${at(31)}`,
    free: `sessions update 32 --put --open-time ${at(-60)} --close-time ${at(31)}`,
  },
  other: {
    [unclear]: `api POST /exams/5/cancel | api POST /exams/5 | api PUT /exams/5/students | api POST /student_sessions/51/pause
      api DELETE /exams/5/student_sessions/51 --yes | api DELETE /exams --yes | api POST /exams/bulk_delete`,
  },
};
const lines = Object.values(asked).flatMap((of) =>
  Object.entries(of).flatMap(([why, all]) => all.split(/ \| |\n */).map((line) => ({ why, line }))),
);

test.each(lines)('$why: $line', ({ why, line }) =>
  why === 'free' ? expectSent(served(), line, 0) : expectSent(served(), line, 12, `the request would ${why}`),
);

const idle: ServiceOptions = { exams: exams.filter(({ id }) => id === 2 || id === 5), sessions: [session(51, 5, 'registered')] };
test.each(lines.filter(({ why }) => why === unclear))('sent while no exam runs: $line', async ({ line }) => {
  const service = served(idle);
  await service.run(line);
  expect(service.writes()).toHaveLength(1);
});

test.each([
  ['api PATCH /exams/5', { end_time: {} }],
  ['api PATCH /exams/5', { exam: { name: 'Better' } }],
  ['api DELETE /exams/5 --yes', { ids: [3] }],
  ['exams update 5', { exam: { data: [{ endTime: at(1) }] } }],
  ['sessions update 51', { student: { close_time: at(1) } }],
])('a body with values inside of values may be read in another way: %s %j', async (line, body) => {
  const service = served();
  const words = [...line.split(' '), '--body', '-'];
  expect((await done(service, words, 12, { stdin: JSON.stringify(body) })).writes).toEqual([]);
});

test('each command that may take something has --during-exam, and nothing else has', () => {
  const writing = allCommands.filter(({ effect }) => effect === 'write' || effect === 'destroy' || effect === 'send');
  const without = writing.filter(({ takes }) => !takes).map(({ name }) => name);
  const gives = ['exams clone', 'exams create', 'proctors add', 'sessions create', 'students add'];
  const local = ['runs close', 'runs forget', 'sessions end'];
  expect(without.filter((name) => !local.includes(name)).toSorted()).toEqual(gives);
  expect(allCommands.filter((command) => command.takes && !writing.includes(command))).toEqual([]);
});

const student = (status: string, ...window: number[]) => session(1, 3, status, ...window);

describe('an exam runs', () => {
  const own = "but a student's own window is open";
  const untimed = 'shows no times that can be read, with no student taking it and 1 in the check;';
  test.each<[string, number, [string | null, string | null], (Fields | undefined)?, string?]>([
    ['from half an hour before it starts', 12, [at(30), at(90)], undefined, 'starts in 30 min;'],
    ['not earlier', 0, [at(31), at(91)]],
    ['until it ends', 12, [at(-60), at(0)]],
    ['not later, whatever the status', 0, [at(-60), at(-1)], student('exam_started')],
    ['until its last window closes', 12, [at(-60), at(-1)], student('registered', 0, 20), 'is open until 2026-11-22 09:20 +00:00;'],
    ['while an own window is open before', 12, [at(day), at(day + 60)], student('registered', -5), `starts in 24 h, ${own}`],
    ['not if that is over', 0, [at(day), at(day + 60)], student('registered', -50, -5)],
    ['nor if that closes before it opens', 0, [at(day), at(day + 60)], student('registered', 60, -60)],
    ['while a student is in the check before', 12, [at(day), at(day + 60)], student('check_started'), 'starts in 24 h, with no student'],
    ['or takes it', 12, [at(day), at(day + 60)], student('exam_started'), 'starts in 24 h, with 1 student taking it;'],
    ['with times the wrong way round', 12, [at(60), at(-60)]],
    ['without times by its students', 12, [null, null], student('check_started'), untimed],
    ['and not without those', 0, [null, null], student('mail_sent')],
    [
      'while neither is known',
      12,
      ['2026-11-22T09:00', null],
      student('paused'),
      'no times that can be read, nor a known status of 1 student;',
    ],
    ['for three weeks, also while nobody may start', 12, [at(-3 * day), at(18 * day)], student('registered', day, 2 * day)],
    ['also with numbers for times', 12, [String(now / 1000 - 60), String(now + 60_000)]],
  ])('%s: %i', async (_when, code, [start_time, end_time], one, words = '') => {
    const exams = [{ ...exam(3, 'One', 0, 0), start_time, end_time }];
    await expectSent(served({ exams, sessions: one ? [one] : [], pools: {} }), deletion, code, words);
  });

  const takeHome: [number, number] = [-3 * day, 18 * day];
  const tomorrow: [number, number] = [day, day + 60];
  test.each<[what: string, code: number, exam: [number, number], status: string, window?: [number, number]]>([
    ['for three weeks has no own window', 12, takeHome, 'registered'],
    ['for three weeks may start', 12, takeHome, 'registered', [-5, 5]],
    ['for three weeks may start soon', 12, takeHome, 'mail_sent', [30, 90]],
    ['for three weeks may start next week', 0, takeHome, 'registered', [7 * day, 7 * day + 90]],
    ['for three weeks has not started in time', 0, takeHome, 'mail_sent', [-90, -1]],
    ['for three weeks is in the check', 12, takeHome, 'check_started', [-90, -1]],
    ['for three weeks has started', 12, takeHome, 'exam_started', [-90, -1]],
    ['for three weeks has a status of another kind', 12, takeHome, 'paused', [-90, -1]],
    ['tomorrow has no own window', 0, tomorrow, 'registered'],
    ['tomorrow may start today', 12, tomorrow, 'registered', [-5, 60]],
    ['tomorrow could start this morning', 0, tomorrow, 'registered', [-90, -1]],
    ['tomorrow is in the check', 12, tomorrow, 'check_started'],
    ['today may start tomorrow', 0, [-60, 60], 'registered', [day, day + 60]],
    ['today has started', 12, [-60, 60], 'exam_started', [day, day + 60]],
    ['that is over has half an hour more', 12, [-90, -1], 'exam_started', [-90, 29]],
    ['that is over had as long', 0, [-90, -1], 'exam_started', [-90, -1]],
  ])('for one student: who in an exam %s loses something: %i', async (_who, code, times, status, window) => {
    const service = () => served({ exams: [exam(3, 'One', ...times)], sessions: [student(status, ...(window ?? []))], pools: {} });
    const [opens, closes] = window ?? times;
    await expectSent(service(), 'sessions delete 1 --yes', code);
    await expectSent(service(), `sessions update 1 --close-time ${at(closes - 1)}`, code);
    await expectSent(service(), `sessions update 1 --open-time ${at(opens + 1)}`, code);
    await expectSent(service(), `sessions update 1 --close-time ${at(closes + 1)}`, 0);
    await expectSent(service(), `sessions update 1 --open-time ${at(opens - 1)}`, 0);
  });

  test.each<[string, number, Showing, number]>([
    ['this machine is two hours behind', -120, {}, 12],
    ['this machine is two hours ahead', 120, {}, 12],
    ['the service shows no date', 0, { dated: false }, 12],
    ['nor is this machine right', -240, { dated: false }, 0],
    ['its date comes out of a cache, and nothing is sent', -240, { headers: { age: '1' } }, 8],
  ])('by the clock of the service, and where %s', async (_which, minutes, showing, code) => {
    const service = served({ exams: [exam(3, 'One', -60, 60)], sessions: [], pools: {}, showing });
    service.clock.jump(minutes * 60_000);
    await expectSent(service, deletion, code);
  });
});

describe('the refusal', () => {
  test('names the exam, where in its time it is, how many are taking it, and both ways on; it comes before any question', async () => {
    const { code, questions, stderr } = await served().run('exams delete 3', { tty: true });
    expect([code, questions]).toEqual([12, []]);
    expect(stderr).toBe(
      'error: Exam 3 (Running, 2026-11-22 08:00 +00:00) has been running for 1 h, ends in 1 h, with 1 student taking it and 1 in the check; the request would take it from its students. Nothing was sent.\n' +
        'hint: Wait until it is over. To send it all the same: --during-exam "REASON", then type the ID of the exam; in a script, add --yes.\n',
    );
  });

  test('names the students who would lose something', () =>
    expectSent(served(), 'sessions delete 31 21 33 --yes', 12, 'from a student (31 student31@example.org, 33 student33@example.org).'));

  test('is what a dry run ends with, too, and the requests are printed', async () => {
    const service = served();
    const printed = await service.run(`${deletion} --dry-run -o json`);
    expect([printed.code, service.writes()]).toEqual([12, []]);
    expect(JSON.parse(printed.stdout)).toMatchObject([{ method: 'DELETE', url: `${service.baseUrl}/exams/3` }]);
    expect(await service.run(`${deletion} --dry-run --during-exam Fire`)).toMatchObject({ code: 0 });
    expect(service.writes()).toEqual([]);
  });
});

test('Mails that were sent before are refused as their exam runs, before any question and with the status of that', async () => {
  for (const world of [{}, { tty: true }]) {
    const service = served();
    service.change('session', 32, { status: 'mail_sent' });
    const { code, stderr, questions } = await service.run(`exams send-emails 3 ${'tty' in world ? '' : '--yes'}`.trim(), world);
    expect([code, questions, service.writes()], stderr).toEqual([12, [], []]);
    expect(stderr).toMatch(/the request would mail its 3 students, 3 of them again\. Nothing was sent\.\nhint: .*--during-exam/);
    expect(stderr).not.toContain('Wait until');
  }
});

test('A refusal comes although the students of an exam in its time cannot be counted.', async () => {
  const service = served();
  service.always('GET /exams/3/student_sessions', refused(403));
  await expectSent(service, 'exams update 3 --no-allow-headphones', 12, 'ends in 1 h; the request');
});

describe('what cannot be found out keeps the write from being sent', () => {
  test.each<[string, string, number, number]>([
    ['sessions delete 51 --yes', 'GET /exams/5', 500, 8],
    ['sessions delete 51 --yes', 'GET /exams/5', 429, 8],
    ['sessions delete 51 --yes', 'GET /exams/5', 401, 4],
    ['exams update 5 --no-allow-headphones', 'GET /exams/5/student_sessions', 500, 8],
    ['api POST /exams/5/cancel', 'GET /exams', 500, 8],
  ])('%s where %s answers %i: %i', async (line, read, status, code) => {
    const service = served();
    service.always(read, refused(status));
    const printed = await service.run(line);
    expect([printed.code, service.writes()], printed.stderr).toEqual([code, []]);
    expect(printed.stderr).toMatch(/^error: It is unknown whether an exam is running, so this was not sent: .+/m);
  });

  test.each([[undefined], [{ id: 3 }], [[3]], [''], [99]])('a session whose exam is shown as %j may be of any', async (exam_id) => {
    const service = served();
    service.change('session', 31, { exam_id, close_time: at(30) });
    for (const line of ['sessions delete 31 --yes', `sessions update 31 --close-time ${at(29)}`])
      expect(await service.run(line), line).toMatchObject({ code: 12 });
    expect(service.writes()).toEqual([]);
    for (const { id } of service.exams.slice(1)) service.truth.exams.delete(id);
    service.change('session', 31, { close_time: null });
    expect(await service.run('sessions delete 31 --yes')).toMatchObject({ code: 0 });
  });
});

describe('what begins meanwhile', () => {
  const begin = (service: Service) => {
    service.change('exam', 5, { start_time: at(29) });
    return true;
  };

  test('while the question is open keeps the whole plan from being sent', async () => {
    const service = served();
    const { code, stderr } = await service.run('exams delete 5', { tty: true, answers: [async () => (begin(service) ? '5' : '')] });
    expect([code, service.writes()]).toEqual([12, []]);
    expect(stderr).toContain('Nothing was sent.');
  });

  test('after the first step holds back the steps of that exam, and the others are sent', async () => {
    const service = served({ sessions: [session(52, 5, 'registered'), session(53, 5, 'registered'), session(22, 2, 'registered')] });
    service.fault = ({ line }) => {
      if (line !== 'DELETE /student_sessions/52') return undefined;
      begin(service);
      return { takes: 3000 };
    };
    const printed = await service.run('sessions delete 52 53 22 --yes -o json');
    expect(service.writes()).toEqual(['DELETE /student_sessions/52', 'DELETE /student_sessions/22']);
    expect(printed.code, printed.stderr).toBe(9);
    expect(JSON.parse(printed.stdout).map(({ result }: { result: string }) => result)).toEqual(['deleted', 'held_back', 'deleted']);
    expect(printed.stderr).toContain('the request would take the exam from a student (53 student53@example.org). It was not sent.');
  });
});

describe('changes of times', () => {
  const giving = ['exams delay --exam 3 --by 15m', 'sessions extend 31 33 --by 15m', 'sessions extend --exam 3 --by 30m'];
  test.each(giving)('that give something are free, and taking it back needs a reason: %s', async (line) => {
    const { service } = await done(served(), `${line} --yes`, 0, /runs undo [\w-]+\n/, { tty: true });
    const [{ run } = {}] = JSON.parse((await service.run('runs list -o json')).stdout) as { run?: string }[];
    const writes = service.writes().length;
    expect(await service.run(`runs undo ${run} --yes`)).toMatchObject({ code: 12 });
    expect(service.writes()).toHaveLength(writes);
    expect(await service.run(`runs undo ${run} --yes --during-exam Wrong`)).toMatchObject({ code: 0 });
    expect([service.exams, service.sessions]).toEqual([exams, sessions]);
  });

  test('are refused as a whole while one of their exams has a student in the check, dry runs too', async () => {
    for (const dry of ['', ' --dry-run']) {
      const service = served({
        exams: [exam(5, 'Coming', day, day + 60), exam(8, 'Other', day, day + 60)],
        sessions: [session(51, 5, 'check_started')],
      });
      await expectSent(service, `exams shift --exam 8 --exam 5 --by 1d --yes${dry}`, 12, 'with no student taking it and 1 in the check');
    }
  });
});

test.each([
  ['exams delete 5 --yes', 0],
  ['exams send-emails 5 --yes', 0],
  ['exams update 5 --name Other', 0],
  // A restriction is withdrawn only from students who are there.
  ['exams update 5 --no-allow-headphones', 1],
  ['sessions update 51 --name Other', 0],
  // Without the gate, the exam in the words of the question is read for nobody.
  ['sessions delete 51 52 53 --yes', 1],
  ['proctors remove 4 --exam 4', 0],
])('what %s has read is not read again: it costs %i requests more than without the gate', async (line, more) => {
  const counts = ([{}, { gate: 'off' }] as const).map(async (gate) => {
    const service = served({ ...gate, sessions: [...sessions, session(52, 5, 'registered'), session(53, 5, 'registered')] });
    expect(await service.run(line), line).toMatchObject({ code: 0 });
    return service.requests().length;
  });
  const [gated = 0, without = 0] = await Promise.all(counts);
  expect(gated - without).toBe(more);
});

test('An exam that is brought forward to within half an hour gets all of its new times: those that the run sets are not why it runs.', async () => {
  const own = { open_time: at(60), close_time: at(210) };
  const service = served({ exams: [exam(5, 'Law', 60, 180)], sessions: [{ ...session(51, 5, 'registered'), ...own }] });
  service.clock.pass(10 * 60_000);
  await done(service, 'exams shift --exam 5 --by=-30m --yes --timezone UTC');
  expect(service.exams).toMatchObject([{ start_time: at(30), end_time: at(150) }]);
  expect(service.sessions).toMatchObject([{ open_time: at(30), close_time: at(180) }]);
});
