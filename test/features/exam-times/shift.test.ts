/** exams shift: exams and the windows of their students, to another day by the clocks of the zone. */
import { describe, expect, test } from 'vitest';
import { exam, office, patches, restrictions } from './exams.ts';

const [nine, eleven] = ['2027-03-22T08:00:00Z', '2027-03-22T10:00:00Z'];
/** In Vienna the clocks are set forward on 28 March 2027: a week later, 09:00 is an hour earlier in UTC. */
const [nineLater, elevenLater] = ['2027-03-29T07:00:00Z', '2027-03-29T09:00:00Z'];

const period = () =>
  office(
    [exam(5, nine, eleven), exam(7, nine, eleven), exam(9, '2026-12-19T08:00:00Z', '2026-12-19T10:00:00Z')],
    [
      { exam_id: 5 },
      { exam_id: 5, open_time: '2027-03-22T08:30:00Z', close_time: '2027-03-22T11:00:00Z' },
      { exam_id: 5, close_time: '2027-03-22T10:30:00Z' },
      { exam_id: 7 },
    ],
  );

describe('exams shift', () => {
  test('keeps 09:00 at 09:00 when the clocks change, for exams and for windows of their own', async () => {
    const { rows, service } = await period();
    const moved = await rows('exams shift --exam 5 --exam 7 --by 7d --yes');
    expect(moved.every(({ result }) => result === 'shifted')).toBe(true);
    expect(service.exams.slice(0, 2)).toEqual([exam(5, nineLater, elevenLater), exam(7, nineLater, elevenLater)]);
    expect(service.sessions.map(({ open_time, close_time }) => [open_time, close_time])).toEqual([
      [null, null],
      ['2027-03-29T07:30:00Z', '2027-03-29T10:00:00Z'],
      [null, '2027-03-29T09:30:00Z'],
      [null, null],
    ]);
  });

  test('moves hours as elapsed time, and weeks and days by the calendar', async () => {
    const { run, service } = await period();
    expect((await run('exams shift --exam 7 --by 168h --yes')).code).toBe(0);
    expect(service.exams[1]).toMatchObject({ start_time: '2027-03-29T08:00:00Z' });
    expect((await run('exams shift --exam 7 --by=-1w1d2h --yes')).code).toBe(0);
    expect(service.exams[1]).toMatchObject({ start_time: '2027-03-21T07:00:00Z', end_time: '2027-03-21T09:00:00Z' });
  });

  test('later: first the end of the exam, then the windows, and the start last; earlier: the other way round', async () => {
    const { run, service } = await period();
    await run('exams shift --exam 5 --by 7d --yes');
    const window = (day: number, hour: number) => `2027-03-${day}T${String(hour).padStart(2, '0')}`;
    expect(patches(service)).toEqual([
      ['patch-exam', 5, { end_time: elevenLater }],
      ['patch', 101, { open_time: `${window(29, 7)}:30:00Z`, close_time: `${window(29, 10)}:00:00Z` }],
      ['patch', 102, { close_time: `${window(29, 9)}:30:00Z` }],
      ['patch-exam', 5, { start_time: nineLater }],
    ]);
    service.arrived.length = 0;
    await run('exams shift --exam 5 --by -7d --yes');
    expect(patches(service).map(([what, id, body]) => [what, id, ...Object.keys(body)])).toEqual([
      ['patch-exam', 5, 'start_time'],
      ['patch', 101, 'open_time', 'close_time'],
      ['patch', 102, 'close_time'],
      ['patch-exam', 5, 'end_time'],
    ]);
  });

  test('sends both times of an exam at once if none of its students has a time of their own', async () => {
    const { run, service } = await period();
    await run('exams shift --exam 7 --by 7d --yes');
    expect(patches(service)).toEqual([['patch-exam', 7, { start_time: nineLater, end_time: elevenLater }]]);
    expect(service.exams[1]).toMatchObject(restrictions);
  });

  test('asks one question, with how many exams and students and in which zone; selected by name and time', async () => {
    const { run } = await period();
    const { questions, stderr, code } = await run('exams shift --name exam --from 2027-03-01 --by 7d', { tty: true, answers: [true] });
    expect(code).toBe(0);
    expect(questions).toEqual([
      expect.stringMatching(
        /^Shift 2 exams: exam 5 \(Exam 5, \d{4}-\S+ \S+ \S+\), exam 7 \(Exam 7, \d{4}-\S+ \S+ \S+\), with 4 sessions, 2 of them with times of their own, by 7d at https:\S+ \(profile default\)\?$/,
      ),
    ]);
    expect(stderr).toContain('To shift: exam 7, start 2027-03-22 09:00 +01:00 → 2027-03-29 09:00 +02:00, end');
    expect(stderr.match(/Undo it with/g)).toHaveLength(1);
    expect(stderr.match(/Selected:/g)).toHaveLength(1);
  });

  test('leaves the start of an exam while a window of it could not be moved; the same line finishes it once it can', async () => {
    const { run, rows, service, runs } = await period();
    let away = true;
    service.fault = ({ method, path }) =>
      away && method === 'PATCH' && path === '/student_sessions/101' ? { answer: { status: 422, body: { message: 'no' } } } : undefined;
    const { code, stdout, stderr } = await run('exams shift --exam 5 --by 7d --yes -o csv');
    expect(code).toBe(9);
    expect(stdout).toMatch(/5,,,start_time,.*,skipped,/);
    expect(service.exams[0]).toMatchObject({ start_time: nine, end_time: elevenLater });
    expect(stderr).toContain('then run the same command again: it tries only what was not shifted');
    const again = await run('exams shift --exam 5 --by 7d --yes');
    expect(again).toMatchObject({
      code: 9,
      stderr: expect.stringMatching(/^Run \S+ of the same command has done 2 of 4 steps; only the others are tried again\.$/m),
    });
    expect(await run('exams shift --exam 5 --by 14d')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Already shifted by run \S+ at .*: exam 5; session 102\./),
    });
    away = false;
    expect((await rows('exams shift --exam 5 --by 7d --yes')).every(({ result }) => result === 'shifted')).toBe(true);
    expect(service.exams[0]).toMatchObject({ start_time: nineLater, end_time: elevenLater });
    expect(service.sessions[1]).toMatchObject({ open_time: '2027-03-29T07:30:00Z', close_time: '2027-03-29T10:00:00Z' });
    expect(await runs()).toMatchObject([{ state: 'finished', done: 4, failed: 0 }]);
  });

  test.each(['--from now', '--from now --name exam'])('with %s is the same command a minute later', async (selection) => {
    const { run, rows, service } = await period();
    let away = true;
    service.fault = ({ method, path }) =>
      away && method === 'PATCH' && path === '/student_sessions/101' ? { answer: { status: 422, body: { message: 'no' } } } : undefined;
    const line = `exams shift ${selection} --by 7d --yes`;
    expect((await run(line)).code).toBe(9);
    away = false;
    const minuteLater = { now: '2026-12-20T12:01:00Z' };
    expect((await rows(line, minuteLater)).every(({ result }) => result === 'shifted')).toBe(true);
    expect(service.exams.slice(0, 2)).toEqual([exam(5, nineLater, elevenLater), exam(7, nineLater, elevenLater)]);
    expect(service.sessions.map(({ close_time }) => close_time ?? null)).toEqual([
      null,
      '2027-03-29T10:00:00Z',
      '2027-03-29T09:30:00Z',
      null,
    ]);
  });

  test('leaves the start while a window was changed by a colleague during the run, and finishes once that fits', async () => {
    const { run, service } = await period();
    const own = () => service.sessions[1] ?? {};
    service.fault = ({ method, path }) => {
      if (method === 'PATCH' && path === '/exams/5') Object.assign(own(), { close_time: '2027-03-22T12:00:00Z' });
      return undefined;
    };
    const { code, stdout } = await run('exams shift --exam 5 --by 7d --yes -o csv');
    service.fault = () => undefined;
    expect(code).toBe(9);
    expect(stdout).toMatch(/5,101,.*close_time.*,kept,.*Student session 101 was changed meanwhile: close_time is now/);
    expect(service.exams[0]).toMatchObject({ start_time: nine, end_time: elevenLater });
    expect((await run('exams shift --exam 5 --by 7d --yes')).code).not.toBe(0);
    expect(service.exams[0]).toMatchObject({ start_time: nine });
    Object.assign(own(), { open_time: '2027-03-29T07:30:00Z', close_time: '2027-03-29T10:00:00Z' });
    const last = await run('exams shift --exam 5 --by 7d --yes');
    expect(last.code, last.stderr).toBe(0);
    expect(service.exams[0]).toMatchObject({ start_time: nineLater });
  });

  test('is not held up by a student who is no longer in the exam', async () => {
    const { run, service } = await period();
    service.fault = ({ method, path }) => {
      if (method === 'PATCH' && path === '/exams/5') service.truth.remove('session', 101);
      return undefined;
    };
    await run('exams shift --exam 5 --by 7d --yes');
    expect(service.exams[0]).toMatchObject({ start_time: nineLater, end_time: elevenLater });
  });

  test('with a student in the check is refused before anything is sent, dry runs included, and says why', async () => {
    const { run, service, everything } = await period();
    Object.assign(service.sessions[0] ?? {}, { status: 'check_started' });
    const before = everything();
    for (const flag of ['--yes', '--dry-run']) {
      const { code, stderr } = await run(`exams shift --exam 5 --exam 7 --by 7d ${flag}`);
      expect({ code, stderr }).toEqual({ code: 12, stderr: expect.stringMatching(/exam 5 .*1 in the check/i) });
    }
    expect(everything()).toEqual(before);
  });

  test('of an exam that begins meanwhile leaves its start, names it, and is taken back', async () => {
    const { run, service, everything, runs } = await period();
    const before = everything();
    let waits = true;
    service.fault = ({ method, path }) => {
      if (method !== 'PATCH' || path !== '/student_sessions/102' || !waits) return undefined;
      waits = false;
      Object.assign(service.sessions[0] ?? {}, { status: 'check_started' });
      return { answer: { status: 429, headers: { 'retry-after': '20' } } };
    };
    const { code, stdout } = await run('exams shift --exam 5 --by 7d --yes -o csv', {});
    service.fault = () => undefined;
    expect(code, stdout).toBe(9);
    expect(stdout).toMatch(/5,,,start_time,.*,skipped,.*in the check/);
    expect(service.exams[0]).toMatchObject({ start_time: nine, end_time: elevenLater });
    Object.assign(service.sessions[0] ?? {}, { status: 'registered' });
    const [{ run: id } = {}] = await runs();
    expect((await run(`runs undo ${id} --yes`)).code).toBe(0);
    expect(everything()).toEqual(before);
  });

  test('names students who were mailed the old times, with the command that mails them again', async () => {
    const { run, service } = await period();
    Object.assign(service.sessions[3] ?? {}, { status: 'mail_sent' });
    const { stderr } = await run('exams shift --exam 7 --by 7d --yes');
    expect(stderr).toMatch(/1 student was mailed the old times\. .*proctor-cli exams send-emails 7 --resend/);
  });

  test('says that an exam gets longer or shorter, where the clocks change between its new start and end', async () => {
    const { run } = office([
      exam(5, '2027-03-20T21:00:00Z', '2027-03-21T02:00:00Z'),
      exam(7, '2027-03-22T09:00:00Z', '2027-03-22T10:00:00Z'),
    ]);
    const { stderr } = await run('exams shift --exam 5 --exam 7 --by 7d --dry-run');
    expect(stderr).toContain('warning: exam 5 will take 4 h, not 5 h, because the clocks change.');
    expect(stderr).not.toContain('exam 7 will take');
    expect((await run('exams shift --exam 5 --by 168h --dry-run')).stderr).not.toContain('will take');
  });

  test('warns if no zone is set: then the clocks of this machine count the days', async () => {
    const { service } = await period();
    const { stderr } = await service.run('exams shift --exam 7 --by 7d --yes', { zone: 'Europe/Vienna' });
    expect(stderr).toContain('warning: no time zone is set; days are counted by the clocks of this machine (Europe/Vienna).');
    expect(service.exams[1]).toMatchObject({ start_time: nineLater });
  });
});

describe('Refused before anything is sent', () => {
  test.each([
    ['exams shift --exam 9 --by 7d --yes', 3, /Exam 9 \(Exam 9\) started at 2026-12-19 09:00 \+01:00 and cannot be shifted/],
    ['exams shift --exam 5 --exam 9 --by 7d --yes', 3, /Exam 9 \(Exam 9\) started/],
    ['exams shift --name exam --by 7d --yes', 3, /Exam 9 .* started/],
    ['exams shift --exam 5 --by -200d --yes', 3, /which is in the past/],
    ['exams shift --exam 5 --by 0d --yes', 3, /change nothing/],
    ['exams shift --exam 5 --by 7 --yes', 3, /unit is missing/],
    ['exams shift --exam 5 --by soon --yes', 3, /is not a duration/],
    ['exams shift --exam 5 --by 800d --yes', 3, /more than two years/],
    ['exams shift --by 7d --yes', 2, /--exam/],
    ['exams shift --exam 99 --by 7d --yes', 6, /99/],
    ['exams shift --exam 5 --by 7d', 2, /Confirmation required/],
  ])('%s', async (line, status, why) => {
    const { run, service } = await period();
    const { code, stderr } = await run(line);
    expect({ code, stderr }).toEqual({ code: status, stderr: expect.stringMatching(why) });
    expect(patches(service)).toEqual([]);
  });

  test.each([
    ['that has already been started by a student', { exam_id: 5, status: 'exam_started' }, /1 session \(100\) has started/],
    ['with a window that cannot be read', { exam_id: 5, close_time: 'soon' }, /The close_time of session 100 is "soon"/],
  ])('an exam %s', async (_, student, why) => {
    const { run, service } = office([exam(5, nine, eleven)], [student]);
    expect(await run('exams shift --exam 5 --by 7d --yes')).toMatchObject({ code: 3, stderr: expect.stringMatching(why) });
    expect(patches(service)).toEqual([]);
  });

  test.each([
    ['that the clocks skip', '2027-03-21T01:30:00Z', '7d', /does not exist in Europe\/Vienna/],
    ['that the clocks show twice', '2027-10-24T00:30:00Z', '7d', /happens twice in Europe\/Vienna/],
  ])('a time %s', async (_, start, by, why) => {
    const { run, service } = office([exam(5, start, '2027-12-01T08:00:00Z')]);
    const { code, stderr } = await run(`exams shift --exam 5 --by ${by} --yes`);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringMatching(why) });
    expect(patches(service)).toEqual([]);
  });
});
