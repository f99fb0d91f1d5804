/** `sessions watch` without a screen: what it says of changes, of trouble and of the end; on an invented clock. */
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { between, type Embedded, type Trouble } from '../../commands/embedded.ts';
import { attempt } from '../../faults/outcome.ts';
import { answer, faultServer } from '../../faults/server.ts';
import type { World } from '../../support/run.ts';
import { events, meanwhile, now, watched } from './watched.ts';

/** A service with one exam, from 09:00 to 11:00, and students with these statuses. */
const exam = (...statuses: string[]) => watched(...statuses.map((status) => [1, status] as const));

const short = (stdout: string) => events(stdout).map(({ session, field, from, to }) => [session, field, from, to]);
const line = 'sessions watch --exam 1';

describe('changes', () => {
  test('are told as events, one a line, and what was there before is none', async () => {
    const service = exam('mail_sent', 'exam_started');
    const world = meanwhile(
      () => service.sessions({ status: 'check_started' }, 1),
      () => {},
      () => {
        service.sessions({ status: 'exam_started' }, 1);
        service.store((store) => store.remove('student_sessions', 2));
      },
    );
    const { code, stdout, stderr } = await service.run(`${line} -o ndjson --late 30s`, world);
    expect(code).toBe(130);
    expect(events(stdout)[0]).toEqual({
      at: '2026-11-21T09:00:30.000Z',
      session: 1,
      field: 'status',
      from: 'mail_sent',
      to: 'check_started',
      email: 's1@example.org',
      name: null,
    });
    expect(short(stdout)).toEqual([
      [1, 'status', 'mail_sent', 'check_started'],
      [1, 'problem', null, 'check_not_completed'],
      [1, 'status', 'check_started', 'exam_started'],
      [2, 'removed', 'exam_started', null],
      [1, 'problem', 'check_not_completed', null],
    ]);
    expect(stderr).toContain('which has been running for 0 s, ends in 2 h: 2 students: mail_sent 1, exam_started 1. Updated every 30 s.');
    expect(world.waits).toEqual([30_000, 30_000, 30_000, 30_000]);
  });

  test('are lines for a person and rows for a spreadsheet', async () => {
    const service = exam('mail_sent', 'registered');
    const finish = () => meanwhile(() => service.sessions({ status: 'exam_finished' }, 1));
    const asLines = await service.run(`${line} --interval 1m --timezone Europe/Vienna`, finish());
    expect(asLines.stdout).toBe('2026-11-21 10:01 +01:00  1  s1@example.org  status  mail_sent  exam_finished\n');
    service.sessions({ status: 'mail_sent' }, 1);
    const asRows = await service.run(`${line} -o csv --columns session,to`, finish());
    expect(asRows.stdout).toBe('session,to\r\n1,exam_finished\r\n');
  });

  test('show times of the service in the zone, and suspicion in words; for a script as they are', async () => {
    const service = exam('exam_started');
    const change = () => meanwhile(() => service.sessions({ close_time: '2026-11-21T10:30:00Z', level_of_suspicion: 2 }, 1));
    const { stdout } = await service.run(`${line} --timezone Europe/Vienna`, change());
    expect(stdout).toContain('  close_time  -  2026-11-21 11:30 +01:00\n');
    expect(stdout).toContain('  level_of_suspicion  not rated  2 of 3\n');
    expect(stdout).not.toContain('T10:30');
    service.sessions({ close_time: null, level_of_suspicion: 0 }, 1);
    const { stdout: forScript } = await service.run(`${line} -o ndjson`, change());
    expect(short(forScript)).toContainEqual([1, 'close_time', null, '2026-11-21T10:30:00Z']);
  });

  test('in the hands of a dumb terminal, of --plain and of CI are lines too', async () => {
    for (const [options, env] of [
      ['', { TERM: 'dumb' }],
      ['--plain', {}],
      ['', { CI: 'true' }],
    ] as const) {
      const service = exam('mail_sent');
      const world = meanwhile(() => service.sessions({ status: 'exam_started' }));
      const { stdout } = await service.run(`${line} ${options}`, { ...world, env, tty: true });
      expect(stdout).toBe('2026-11-21 09:00:30 +00:00  1  s1@example.org  status  mail_sent  exam_started\n');
    }
  });

  test('without a reader end the watch at the second, with status 0', async () => {
    const service = exam('mail_sent', 'mail_sent', 'mail_sent');
    const change = (id: number) => () => service.sessions({ status: 'exam_started' }, id);
    const world = { ...meanwhile(change(1), change(2), change(3)), closeStdoutAfter: 1 };
    const { code, stdout } = await service.run(`${line} -o ndjson`, world);
    expect(code).toBe(0);
    expect(short(stdout)).toHaveLength(1);
    expect(world.waits).toHaveLength(2);
  });

  test('can be chosen by their fields, whose names are known before the first', async () => {
    const service = exam('mail_sent');
    const { code, stdout } = await service.run(`${line} --columns help -o id`, meanwhile());
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'at\nsession\nemail\nfield\nfrom\nto\n' });
  });
});

describe('the end', () => {
  test('comes when all have finished, with one document of all changes', async () => {
    const service = exam('exam_started', 'exam_finished');
    const world = meanwhile(
      () => {},
      () => service.sessions({ status: 'exam_finished' }),
    );
    const { code, stdout } = await service.run(`${line} --stop-at all-finished -o json`, world);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ session: 1, field: 'status', to: 'exam_finished' }]);
    expect(world.waits).toHaveLength(2);
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
    const { code } = await exam(...statuses).run(`${line} --stop-at all-finished`, world);
    expect(code).toBe(finished ? 0 : 130);
  });

  test('comes with status 6 and a clear sentence when the exam is deleted', async () => {
    const service = exam('mail_sent');
    const { code, stderr } = await service.run(
      line,
      meanwhile(() => service.store((store) => store.remove('exams', 1))),
    );
    expect(code).toBe(6);
    expect(stderr).toContain('error: Exam 1 no longer exists: it was deleted during the watch.');
  });

  test('comes at the start when there is no such exam', async () => {
    const { code, stderr } = await exam('mail_sent').run('sessions watch --exam 77', meanwhile());
    expect(code).toBe(6);
    expect(stderr).not.toContain('deleted');
  });
});

describe('Ctrl-C', () => {
  const change = (service: ReturnType<typeof exam>) => meanwhile(() => service.sessions({ status: 'exam_started' }, 1));

  test.each(['table', 'ndjson', 'csv', 'json'])('ends a watch with 130 and no error, and what was seen is printed: %s', async (format) => {
    const service = exam('mail_sent');
    const { code, stdout, stderr } = await service.run(`${line} -o ${format}`, change(service));
    expect(code).toBe(130);
    expect(stdout).toContain('exam_started');
    expect(stderr).toMatch(/^Watching exam 1, .* Updated every 30 s\.\n$/);
  });

  test('ends the screen as q does, without its lines or an error below', async () => {
    const service = exam('mail_sent');
    const { code, stderr } = await service.run(line, { ...change(service), tty: true });
    expect({ code, stderr }).toEqual({ code: 130, stderr: '' });
    expect(await service.run(line, { ...meanwhile(() => setTimeout(10_000)), tty: true, keys: 'q' })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  test('in the midst of a request is none either; another signal is named', async () => {
    const service = exam('mail_sent');
    const stop = new AbortController();
    const world: World = { now, clockRuns: true, interrupt: stop.signal, onSleep: async () => void setImmediate(() => stop.abort(reason)) };
    const reason = new CliError('interrupted', 'Stopped by Ctrl-C.');
    const { code, stderr } = await service.run(`${line} -o ndjson`, world);
    expect({ code, told: stderr.includes('error') }).toEqual({ code: 130, told: false });
    const killed = new AbortController();
    const onSleep = async () => killed.abort(new CliError('terminated', 'Stopped by SIGTERM.'));
    const ended = await service.run(line, { ...world, interrupt: killed.signal, onSleep });
    expect(ended).toMatchObject({ code: 143, stderr: expect.stringContaining('error: Stopped by SIGTERM.') });
  });
});

describe('flags', () => {
  test.each([
    ['--interval 500ms', 2, '--interval takes'],
    ['--interval 25h', 2, '--interval takes'],
    ['--interval 30', 3, 'its unit is missing'],
    ['--late soon', 3, 'not a duration'],
    ['--stop-at 12:00', 2, 'all-finished'],
  ])('%s is refused', async (flags, status, words) => {
    const { code, stderr } = await exam('mail_sent').run(`sessions watch ${flags} --exam 1`, meanwhile());
    expect({ code, told: stderr.includes(words) }).toEqual({ code: status, told: true });
  });

  test('--dry-run shows the requests of a poll', async () => {
    const rows = await exam('mail_sent').json<{ url: string }[]>(`${line} --dry-run`);
    expect(rows.map(({ url }) => url.replace(/.*v1/, ''))).toEqual(['/exams/1', '/exams/1/student_sessions']);
  });
});

describe('alarms', () => {
  const suspicious = (service: ReturnType<typeof exam>, level: number) => () =>
    service.sessions({ level_of_suspicion: level, status: 'exam_started' });

  test('a check that is not completed is said to be one since it was begun', async () => {
    const service = exam('mail_sent');
    const begin = () => service.sessions({ status: 'check_started' });
    const world = meanwhile(
      begin,
      () => {},
      () => {},
    );
    const { stdout } = await service.run(`${line} --late 1m`, { ...world, tty: true });
    expect(stdout).toMatch(/check not completed +since 09:00/);
  });

  test('the bell rings on a terminal, and nowhere else', async () => {
    for (const tty of [true, false]) {
      const service = exam('exam_started');
      const { stderr, stdout } = await service.run(`${line} --bell --plain`, { ...meanwhile(suspicious(service, 2)), tty });
      expect(stderr.includes('\u0007')).toBe(tty);
      expect(stdout).not.toContain('\u0007');
    }
  });
});

describe('trouble', () => {
  /** Watches a service with these faults, whose clock is that of the world. */
  async function faulty(service: Embedded, trouble: Trouble, world: ReturnType<typeof meanwhile>, options = '') {
    const clock = () => world.waits.reduce((time, wait) => time + wait, Date.parse(now));
    const { run, tally } = await service.under(trouble, { now: clock });
    return { ...(await run(`${line} ${options}`.trim(), world)), requests: tally.requests, waits: world.waits };
  }
  const idle = (times: number) => meanwhile(...Array(times).fill(() => {}));
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
    const { code, stdout, stderr, waits } = await faulty(service, gone, meanwhile(happens, ...Array(10).fill(() => {})), '-o ndjson');
    expect(code).toBe(130);
    expect(short(stdout)).toEqual([[1, 'status', 'mail_sent', 'exam_started']]);
    // Each poll tries a request three times, and the waits between polls go on from there.
    expect(waits.slice(0, 8)).toEqual([30_000, 250, 500, 2000, 250, 500, 4000, 30_000]);
    expect(stderr.match(/Retrying until the service answers\./g)).toHaveLength(1);
    expect(stderr.match(/The service answers again.*/g)).toEqual([expect.stringMatching(/^The service answers again after \d+ s\.$/)]);
  });

  test('a 429 is waited for as long as the service asks, and the refused request alone is sent again', async () => {
    const { requests, waits } = await faulty(exam('mail_sent'), limited(120), idle(3));
    expect(waits.slice(0, 2)).toEqual([30_000, 120_000]);
    expect(waits.slice(2).filter((wait) => wait > 1000)).toEqual([30_000]);
    expect(requests).toBe(5);
  });

  test('a service that cannot be reached from the start is no watch', async () => {
    const { code, stdout, waits } = await faulty(exam('mail_sent'), 'lost-before', idle(2), '-o ndjson');
    expect({ code, stdout, waits }).toEqual({ code: 8, stdout: '', waits: [250, 500] });
  });

  test('a token that is refused for a while does not end the watch, and one that stays refused does with status 4, after a quarter of an hour', async () => {
    const passing = await faulty(exam('mail_sent'), [between('401', 3, 4)], idle(8));
    expect(passing.code).toBe(130);
    expect(passing.stderr).toContain('(401)');
    expect(passing.stderr).toContain('The service answers again after');
    const lasting = await faulty(exam('mail_sent'), [between('401', 3)], idle(200));
    expect(lasting.code).toBe(4);
    const minutes = lasting.waits.reduce((sum, wait) => sum + wait, 0) / 60_000;
    expect(minutes).toBeGreaterThan(15);
    expect(minutes).toBeLessThan(18);
  });
});

test('an exam without times, names that cannot be seen and 5,000 students are watched like any other', async () => {
  const students = Array.from({ length: 5000 }, (_, id) => ({ id, status: 'mail_sent', name: '\u200b\u202e', email: null }));
  const changed = students.map((student) => ({ ...student, status: 'exam_finished' }));
  // The list is asked for a second page once.
  const bodies = [{ id: 1 }, students, students, { id: 1 }, changed];
  const server = await faultServer(bodies.map((body) => answer(200, body)));
  const { code, stdout, stderr } = await attempt(
    `${line} --stop-at all-finished`,
    server.origin,
    meanwhile(() => {}),
  );
  expect(code).toBe(0);
  expect(stdout.split('\n')).toHaveLength(5001);
  expect(stderr).toContain('which has no times: 5000 students: mail_sent 5000.');
  expect(stdout + stderr).not.toMatch(/[\u200b\u202e]/);
});
