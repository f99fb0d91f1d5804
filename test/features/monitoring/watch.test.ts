/** `sessions watch` without a screen: what it says of changes, of trouble and of the end; on an invented clock. */

import { describe, expect, test } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { between, type Embedded, type Trouble } from '../../commands/embedded.ts';
import { told } from '../../support/run.ts';
import { events, meanwhile, now, watched } from './watched.ts';

/** A service with one exam, from 09:00 to 11:00, and students with these statuses. */
const exam = (...statuses: string[]) => watched(...statuses.map((status) => [1, status] as const));
/** A service with two such exams, a student in each. */
const twoExams = () => watched([1, 'mail_sent'], [2, 'exam_started']);

const short = (stdout: string) => events(stdout).map(({ session, field, from, to }) => [session, field, from, to]);
const [line, ofTwo] = ['sessions watch --exam 1', 'sessions watch --exam 1 --exam 2'];
const nothing = () => {};

describe('changes', () => {
  test('are told as events, one a line, each with its exam; what was there before is none', async () => {
    const service = twoExams();
    service.sessions({ level_of_suspicion: 3 }, 2);
    const world = meanwhile(
      () => service.sessions({ status: 'check_started' }, 1),
      nothing,
      () => service.store((store) => store.remove('student_sessions', 2)),
    );
    const { code, stdout, stderr } = await service.run(`${ofTwo} -o ndjson --late 30s`, world);
    expect(code).toBe(130);
    const first = { at: '2026-11-21T09:00:30.000Z', exam: 1, session: 1, email: 's1@example.org', name: null };
    expect(events(stdout)[0]).toEqual({ ...first, field: 'status', from: 'mail_sent', to: 'check_started' });
    expect(events(stdout).map((row) => [row.exam, row.session, row.field, row.from, row.to])).toEqual([
      [1, 1, 'status', 'mail_sent', 'check_started'],
      [1, 1, 'problem', null, 'check_not_completed'],
      [2, 2, 'removed', 'exam_started', null],
    ]);
    expect(told(stderr)).toContain(
      'Watching 2 exams: students 2, problems 1, present 1, in progress 1, not started 1, suspicion 1, not rated 1. Updated every 30 s.\n',
    );
    expect(told(stderr)).toContain('Exam 2, Organic Chemistry: s2@example.org: suspicion 3\n');
    expect(world.waits).toEqual([30_000, 30_000, 30_000, 30_000]);
  });

  test('are lines for a person, with times in the zone and suspicion in words, and rows for a spreadsheet as they are', async () => {
    const service = exam('exam_started');
    const change = () => meanwhile(() => service.sessions({ close_time: '2026-11-21T10:30:00Z', level_of_suspicion: 1 }, 1));
    const lines = (await service.run(`${line} --interval 1m --timezone Europe/Vienna`, change())).stdout.split('\n');
    expect(lines[0]).toBe('2026-11-21 10:01 +01:00  1  1  s1@example.org  level_of_suspicion  not rated  1 of 3');
    expect(lines[1]).toMatch(/ {2}close_time {2}- {2}2026-11-21 11:30 \+01:00$/);
    service.sessions({ close_time: null, level_of_suspicion: 0 }, 1);
    const { stdout } = await service.run(`${line} -o csv --columns session,to`, change());
    expect(stdout).toBe('session,to\r\n1,1\r\n1,2026-11-21T10:30:00Z\r\n');
  });

  test.each([
    ['a dumb terminal', '', { TERM: 'dumb' }],
    ['--plain', '--plain', {}],
    ['CI', '', { CI: 'true' }],
  ])('are lines in the hands of %s, too', async (_who, options, env) => {
    const service = exam('mail_sent');
    const world = meanwhile(() => service.sessions({ status: 'exam_started' }));
    const { stdout } = await service.run(`${line} ${options}`, { ...world, env, tty: true });
    expect(stdout).toBe('2026-11-21 09:00:30 +00:00  1  1  s1@example.org  status  mail_sent  exam_started\n');
  });

  test('without a reader end the watch at the second, with status 0', async () => {
    const service = exam('mail_sent', 'mail_sent', 'mail_sent');
    const change = (id: number) => () => service.sessions({ status: 'exam_started' }, id);
    const world = { ...meanwhile(change(1), change(2), change(3)), closeStdoutAfter: 1 };
    const { code, stdout } = await service.run(`${line} -o ndjson`, world);
    expect([code, short(stdout).length, world.waits.length]).toEqual([0, 1, 2]);
  });
});

test('without an exam on the line, those that are running now are watched; where none is, that is said and no error', async () => {
  const service = twoExams();
  expect((await service.run('sessions watch', meanwhile())).stderr).toContain('Watching 2 exams: students 2');
  service.change('exams', { end_time: '2026-11-21T08:59:00Z' }, 2);
  expect((await service.run('sessions watch', meanwhile())).stderr).toMatch(/^Watching exam 1, /m);
  service.change('exams', { end_time: '2026-11-21T08:59:00Z' });
  const none = await service.run('sessions watch -o json', { now });
  expect([none.code, none.stdout.trim(), none.stderr]).toEqual([0, '[]', expect.stringContaining('No exam is running now.')]);
});

describe('the end', () => {
  test('comes when the students of all exams have finished, with one document of all changes', async () => {
    const service = twoExams();
    const world = meanwhile(
      () => service.sessions({ status: 'exam_finished' }, 1),
      () => service.sessions({ status: 'exam_finished' }),
    );
    const { code, stdout, stderr } = await service.run(`${ofTwo} --stop-at all-finished -o json`, world);
    const rows = (JSON.parse(stdout) as Record<string, unknown>[]).map(({ session, from, to }) => [session, from, to]);
    const finished = [1, 2].map((id) => [id, id === 1 ? 'mail_sent' : 'exam_started', 'exam_finished']);
    expect([code, rows]).toEqual([0, finished]);
    expect(stderr).toContain('Watch finished: students 2, present 2, finished 2, ');
  });

  test.each<[string, string[], string, boolean]>([
    ['nobody came, and may still', ['mail_sent'], '10:59', false],
    ['nobody came, and the exam is over', ['mail_sent'], '11:01', true],
    ['somebody is writing', ['exam_started', 'exam_finished'], '10:59', false],
    ['somebody never finished, and the exam is over', ['exam_started'], '11:01', true],
    ['a status is unknown', ['exam_finished', 'beamed_up'], '11:01', false],
    ['there are no students yet', [], '10:59', false],
    ['there were no students, and the exam is over', [], '11:01', true],
  ])('all have finished? %s', async (_what, statuses, time, finished) => {
    const world = { ...meanwhile(), now: `2026-11-21T${time}:00Z` };
    const { code, stderr } = await exam(...statuses).run(`${line} --stop-at all-finished`, world);
    expect([code, stderr]).toEqual([finished ? 0 : 130, expect.stringContaining(`: students ${statuses.length}`)]);
  });

  test('comes with status 6 when the last exam is deleted; the watch goes on without one of several', async () => {
    const service = twoExams();
    const world = meanwhile(
      () => service.store((store) => store.remove('exams', 1)),
      () => service.sessions({ status: 'exam_finished' }, 2),
      () => service.store((store) => store.remove('exams', 2)),
    );
    const { code, stdout, stderr } = await service.run(`${ofTwo} -o ndjson`, world);
    expect(code).toBe(6);
    expect(told(stderr)).toMatch(/^Exam 1, .* was deleted, and is no longer watched\.$/m);
    expect(stderr).toContain('"code":"not_found"');
    expect(events(stdout).map(({ exam: id }) => id)).toEqual([2]);
  });
});

describe('Ctrl-C', () => {
  const change = (service: ReturnType<typeof exam>) => meanwhile(() => service.sessions({ status: 'exam_started' }, 1));

  test.each(['table', 'ndjson', 'csv', 'json'])('ends a watch with 130 and no error, and what was seen is printed: %s', async (format) => {
    const service = exam('mail_sent');
    const { code, stdout, stderr } = await service.run(`${line} -o ${format}`, change(service));
    expect(code).toBe(130);
    expect(stdout).toContain('exam_started');
    expect(told(stderr)).toMatch(/^Watching exam 1, .* Updated every 30 s\.\n$/);
  });

  test('in the midst of a request is no error either; another signal is named', async () => {
    const service = exam('mail_sent');
    const ended = async (reason: CliError) => {
      const stop = new AbortController();
      const onSleep = async () => void setImmediate(() => stop.abort(reason));
      return service.run(`${line} -o ndjson`, { now, clockRuns: true, interrupt: stop.signal, onSleep });
    };
    const { code, stderr } = await ended(new CliError('interrupted', 'Stopped by Ctrl-C.'));
    expect([code, stderr.includes('error')]).toEqual([130, false]);
    const killed = await ended(new CliError('terminated', 'Stopped by SIGTERM.'));
    expect([killed.code, killed.stderr]).toEqual([143, expect.stringContaining('"Stopped by SIGTERM."')]);
  });
});

test.each([
  ['--interval 500ms', 2, '--interval takes'],
  ['--late soon', 2, '--late takes a duration'],
  ['--stop-at 12:00', 2, 'all-finished'],
])('%s is refused', async (flags, status, words) => {
  const { code, stderr } = await exam('mail_sent').run(`sessions watch ${flags} --exam 1`, meanwhile());
  expect([code, stderr.includes(words)]).toEqual([status, true]);
});

test.each([
  [true, 3, true],
  [true, 1, false],
  [false, 3, false],
])('the bell rings on a terminal (%s) for suspicion that rises from 2 to 3 and not to less: %i', async (tty, level, rings) => {
  const service = exam('exam_started');
  service.sessions({ level_of_suspicion: 2 });
  const { stderr, stdout } = await service.run(`${line} --bell --plain`, {
    ...meanwhile(() => service.sessions({ level_of_suspicion: level })),
    tty,
  });
  expect([stderr.includes('\u0007'), stdout.includes('\u0007')]).toEqual([rings, false]);
});

describe('trouble', () => {
  /** Watches a service with these faults, whose clock is that of the world. */
  async function faulty(service: Embedded, trouble: Trouble, world: ReturnType<typeof meanwhile>, options = '') {
    const clock = () => world.waits.reduce((time, wait) => time + wait, Date.parse(now));
    const { run, tally } = await service.under(trouble, { now: clock });
    return { ...(await run(`${line} ${options}`.trim(), world)), requests: tally.requests, waits: world.waits };
  }
  const idle = (times: number) => meanwhile(...Array(times).fill(nothing));
  /** The third request is one too many; the service says how many seconds to wait. */
  const limited = (seconds: number): Trouble => {
    let requests = 0;
    return (service) => (request, env) => {
      requests += 1;
      return requests === 3 ? new Response(null, { status: 429, headers: { 'retry-after': String(seconds) } }) : service(request, env);
    };
  };

  test('a network that is gone is said once, tried again, and what happened meanwhile is told', async () => {
    const service = exam('mail_sent');
    const happens = () => service.sessions({ status: 'exam_started' }, 1);
    const gone = [between('lost-before', 3, 6), between('503', 7, 8)];
    const { code, stdout, stderr, waits } = await faulty(service, gone, meanwhile(happens, ...Array(10).fill(nothing)), '-o ndjson');
    expect([code, short(stdout)]).toEqual([130, [[1, 'status', 'mail_sent', 'exam_started']]]);
    // Each look tries a request three times.
    expect(waits.slice(0, 8)).toEqual([30_000, 250, 500, 30_000, 250, 500, 30_000, 30_000]);
    expect(stderr.match(/Retrying until the service answers\.|The service answers again\./g)).toHaveLength(2);
  });

  test('an exam that fails alone keeps its last numbers, is named once, and stops none of the others', async () => {
    const world = meanwhile(nothing, () => service.sessions({ status: 'exam_finished' }, 2), nothing, nothing);
    const service = twoExams();
    const isFailing = (path: string) => path.endsWith('/exams/1') && world.waits.length > 0;
    const { run } = await service.under((given) => (request, env) => {
      return isFailing(new URL(request.url).pathname) ? new Response('{}', { status: 422 }) : given(request, env);
    });
    const { code, stdout, stderr } = await run(`${ofTwo} -o ndjson`, world);
    expect([code, short(stdout)]).toEqual([130, [[2, 'status', 'exam_started', 'exam_finished']]]);
    expect(stderr.match(/\(422\)/g)).toHaveLength(1);
    expect(world.waits).toEqual(Array(5).fill(30_000));
  });

  test('a list that is asked for again is not worth a word', async () => {
    const { stderr } = await faulty(exam('mail_sent'), [between('503', 4, 4)], idle(2));
    expect(stderr).not.toMatch(/Retrying/);
  });

  test('a 429 is waited for as long as the service asks, and the refused request alone is sent again', async () => {
    const { requests, waits, stderr } = await faulty(exam('mail_sent'), limited(120), idle(3));
    expect(waits.slice(0, 2)).toEqual([30_000, 120_000]);
    expect(stderr).toContain('The service answers again.');
    expect(waits.slice(2).filter((wait) => wait > 1000)).toEqual([30_000]);
    expect(requests).toBe(5);
  });

  test('a service that cannot be reached from the start is no watch', async () => {
    const { code, stdout, waits } = await faulty(exam('mail_sent'), 'lost-before', idle(2), '-o ndjson');
    expect({ code, stdout, waits }).toEqual({ code: 8, stdout: '', waits: [250, 500] });
  });

  test('a token that is refused for a while does not end the watch; one that stays refused does with 4, after a quarter of an hour', async () => {
    // Each time for less than ten minutes.
    const passing = await faulty(exam('mail_sent'), [between('401', 3, 24), between('401', 29, 50)], idle(50));
    expect([passing.code, passing.stderr]).toEqual([130, expect.stringMatching(/\(401\).*The service answers again\./s)]);
    const lasting = await faulty(exam('mail_sent'), [between('401', 3)], idle(200));
    const minutes = lasting.waits.reduce((sum, wait) => sum + wait, 0) / 60_000;
    expect([lasting.code, minutes > 15, minutes < 18]).toEqual([4, true, true]);
  });
});
