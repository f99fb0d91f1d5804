/** exams delay: the end of an exam, and every close time of its students, later by the same time. */
import { describe, expect, test } from 'vitest';
import { exam, office, patches, restrictions } from './exams.ts';

const [nine, eleven, later] = ['2027-03-01T08:00:00Z', '2027-03-01T10:00:00Z', '2027-03-01T10:15:00Z'];

/** An exam with a student without times (100), one with extra time (101), one who has finished (102), and one in another exam (103). */
const five = () =>
  office(
    [exam(5, nine, eleven), exam(7, nine, eleven)],
    [
      { exam_id: 5 },
      { exam_id: 5, close_time: '2027-03-01T10:30:00Z', status: 'exam_started' },
      { exam_id: 5, close_time: '2027-03-01T10:30:00Z', status: 'exam_finished' },
      { exam_id: 7, close_time: eleven },
    ],
  );

describe('exams delay', () => {
  test('gives everybody the same time on top: the exam first, then each close time; accommodations are kept', async () => {
    const { service, rows } = await five();
    expect(await rows('exams delay 5 --by 15m --yes')).toEqual([
      { exam: 5, session: null, email: null, field: 'end_time', from: eleven, to: later, result: 'delayed' },
      {
        exam: 5,
        session: 101,
        email: 's2@example.org',
        field: 'close_time',
        from: '2027-03-01T10:30:00Z',
        to: '2027-03-01T10:45:00Z',
        result: 'delayed',
      },
    ]);
    expect(patches(service)).toEqual([
      ['patch-exam', 5, { end_time: later }],
      ['patch', 101, { close_time: '2027-03-01T10:45:00Z' }],
    ]);
    expect(service.exams[0]).toMatchObject({ start_time: nine, end_time: later, ...restrictions });
  });

  test('asks with the exam and with how many students have a time of their own, and says who follows the exam', async () => {
    const { run } = await five();
    const { code, questions, stderr } = await run('exams delay 5 --by 15m', { tty: true, answers: [true] });
    expect(code).toBe(0);
    expect(questions).toEqual([
      expect.stringMatching(
        /^Delay the end of exam 5 \(Exam 5, 2027-03-01 09:00 \+01:00\) and 1 session with times of their own by 15m at https:\S+ \(profile default\)\?$/,
      ),
    ]);
    expect(stderr).toContain('To delay: exam 5, end 2027-03-01 11:00 +01:00 → 2027-03-01 11:15 +01:00');
    expect(stderr).toContain('1 session of exam 5 has finished and will not be changed.');
    expect(stderr).toContain('1 session of exam 5 without a close time of its own follows the end of the exam.');
    expect(stderr).toMatch(/Undo it with: proctor-cli runs undo \S+ --during-exam "REASON"\n/);
  });

  test('run again asks, with the run that did it before, and delays once more', async () => {
    const { run, service } = await five();
    expect((await run('exams delay 5 --by 15m --yes')).code).toBe(0);
    const alone = await run('exams delay 5 --by 15m');
    expect(alone.code).toBe(2);
    expect(alone.stderr).toMatch(/Already delayed by run \S+ at .*: exam 5; session 101\. Confirmation required/);
    const again = await run('exams delay 5 --by 15m', { tty: true, answers: [true] });
    expect(again.questions[0]).toContain('by 15m, once more, at');
    expect(service.exams[0]?.end_time).toBe('2027-03-01T10:30:00Z');
    expect(service.sessions.map(({ close_time }) => close_time)).toEqual([null, '2027-03-01T11:00:00Z', '2027-03-01T10:30:00Z', eleven]);
  });

  test('is no repetition after an extension, which is another change of the same session', async () => {
    const { run, service } = await five();
    expect((await run('sessions extend 101 --by 10m')).code).toBe(0);
    const { stderr } = await run('exams delay 5 --by 15m --yes');
    expect(stderr).not.toContain('Already');
    expect(service.sessions[1]?.close_time).toBe('2027-03-01T10:55:00Z');
  });

  test('is taken back exactly; what a colleague has changed since is named and kept', async () => {
    const { run, service, everything, runs } = await five();
    // Its students have started.
    await run('config set protectRunningExams off');
    const before = everything();
    await run('exams delay 5 --by 15m --yes');
    const [{ run: id } = {}] = await runs();
    const colleague = service.sessions[1];
    if (colleague) colleague.close_time = '2027-03-01T12:00:00Z';
    const { code, stderr } = await run(`runs undo ${id} --yes`);
    expect(code).toBe(9);
    expect(stderr).toMatch(/Not undone: session 101 s2@example\.org: it was changed since: close_time is 2027-03-01 13:00 \+01:00/);
    expect(everything().exams).toEqual(before.exams);
    expect(service.sessions[1]?.close_time).toBe('2027-03-01T12:00:00Z');
    expect((await runs()).toSorted((a, b) => String(a.command).localeCompare(String(b.command)))).toMatchObject([
      { command: 'exams delay 5 --by 15m', exam: 5, done: 2, state: 'finished' },
      { command: `runs undo ${id}`, done: 1 },
    ]);
  });

  test('of an exam whose end a colleague moves while the service has it wait changes none of its students', async () => {
    const { run, service, runs } = await five();
    let waits = true;
    service.fault = ({ method }) => {
      if (method !== 'PATCH' || !waits) return undefined;
      waits = false;
      Object.assign(service.exams[0] ?? {}, { end_time: '2027-03-01T10:20:00Z' });
      return { answer: { status: 429, headers: { 'retry-after': '20' } } };
    };
    const { code, stdout } = await run('exams delay 5 --by 15m --yes -o csv', {});
    expect(code).toBe(11);
    expect(stdout).toMatch(/5,,,end_time,.*,kept,"Exam 5 was changed meanwhile: end_time is now 2027-03-01 11:20/);
    expect(stdout).toMatch(/5,101,.*,skipped,/);
    expect(service.exams[0]?.end_time).toBe('2027-03-01T10:20:00Z');
    expect(service.sessions[1]?.close_time).toBe('2027-03-01T10:30:00Z');
    expect((await runs())[0]).toMatchObject({ state: 'finished', done: 0 });
  });

  test('names an exam that a colleague moves in the instant of the write, with both values: nobody loses a minute in silence', async () => {
    const { run, service } = await five();
    service.fault = ({ method, path }) => {
      if (method === 'PATCH' && path === '/student_sessions/101')
        Object.assign(service.exams[0] ?? {}, { end_time: '2027-03-01T10:40:00Z' });
      return undefined;
    };
    const { code, stdout } = await run('exams delay 5 --by 15m --yes -o csv');
    expect(code).toBe(9);
    expect(stdout).toMatch(/5,,,end_time,.*2027-03-01 11:40 \+01:00/);
    expect(stdout).toMatch(/5,101,.*exam 5 was moved at the same time/);
  });

  test('that was stopped is finished by the same line, and nobody is delayed twice', async () => {
    const { run, service, runs } = await five();
    let away = true;
    service.fault = ({ method, path }) =>
      away && method === 'PATCH' && path === '/student_sessions/101' ? { answer: { status: 422, body: { message: 'no' } } } : undefined;
    expect((await run('exams delay 5 --by 15m --yes')).code).toBe(9);
    away = false;
    const alone = await run('exams delay 5 --by 10m');
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringMatching(/Already delayed by run \S+ at .*: exam 5\./) });
    const again = await run('exams delay 5 --by 15m --yes');
    expect(again).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Run \S+ of the same command has done 1 of 2 steps; only the others are tried again\.$/m),
    });
    expect(service.exams[0]?.end_time).toBe(later);
    expect(service.sessions[1]?.close_time).toBe('2027-03-01T10:45:00Z');
    expect(await runs()).toMatchObject([{ state: 'finished', done: 2, failed: 0 }]);
  });

  test.each([
    ['exams delay 5 --by -15m --yes', 3, /would shorten the exam/],
    ['exams delay 5 --by 0m --yes', 3, /change nothing/],
    ['exams delay 5 --by 15 --yes', 3, /unit is missing/],
    ['exams delay 5 --by 25% --yes', 3, /is not a duration/],
    ['exams delay 5 --by 300h --yes', 3, /longer than a week/],
    ['exams delay 5 --yes', 2, /--by/],
    ['exams delay 99 --by 15m --yes', 6, /99/],
    ['exams delay 5 --by 15m', 2, /Confirmation required/],
  ])('%s is refused, and nothing is sent', async (line, status, why) => {
    const { run, service } = await five();
    const { code, stderr } = await run(line);
    expect({ code, stderr }).toEqual({ code: status, stderr: expect.stringMatching(why) });
    expect(patches(service)).toEqual([]);
  });

  test('of an exam without an end says so', async () => {
    const { run } = office([exam(5, nine, null)]);
    expect(await run('exams delay 5 --by 15m --yes')).toMatchObject({ code: 3, stderr: expect.stringContaining('shows no end_time') });
  });
});

test('A service that resets a restriction with the times is told of, with the line that sets it again.', async () => {
  const { run, service } = await five();
  service.fault = ({ method, path }) => {
    if (method === 'PATCH' && path === '/exams/5') Object.assign(service.exams[0] ?? {}, { allow_headphones: false });
    return undefined;
  };
  const { code, stderr } = await run('exams delay 5 --by 15m --yes');
  expect(code).toBe(9);
  expect(stderr).toContain('Exam 5 has its new times, but allow_headphones changed with them.');
  expect(stderr).toContain('proctor-cli exams update 5 --allow-headphones');
});

describe('exams delay of a selection', () => {
  test('delays each exam and the close times of its own students, with one question', async () => {
    const { run, service } = await five();
    const { code, questions } = await run('exams delay --name exam --by 15m', { tty: true, answers: [true] });
    expect(code).toBe(0);
    expect(questions).toEqual([
      expect.stringMatching(/^Delay the end of 2 exams \(exam 5 .*, exam 7 .*\) and 2 sessions with times of their own by 15m at /),
    ]);
    expect(service.exams.map(({ end_time }) => end_time)).toEqual([later, later]);
    expect(service.sessions.map(({ close_time }) => close_time)).toEqual([
      null,
      '2027-03-01T10:45:00Z',
      '2027-03-01T10:30:00Z',
      '2027-03-01T10:15:00Z',
    ]);
  });

  test('that matches no exam fails: a misspelt name in a fire alarm must not look like success', async () => {
    const { run, service } = await five();
    const { code, stderr } = await run('exams delay --name Algbera --by 15m --yes');
    expect(code).toBe(6);
    expect(stderr).toContain('No exam matches --name Algbera');
    expect(patches(service)).toEqual([]);
  });

  test('run again by a script within the hour delays nobody twice, and names the way that can be repeated', async () => {
    const { run, service } = await five();
    expect((await run('exams delay --name exam --by 15m --yes')).code).toBe(0);
    const sent = patches(service).length;
    for (const line of ['exams delay --name exam --by 15m --yes', 'exams delay 5 --by 10m --yes', 'exams delay 5 --by 10m --dry-run']) {
      const { code, stderr } = await run(line);
      expect(code).toBe(11);
      expect(stderr).toMatch(
        /error: Already delayed by run \S+ at .*\nhint: Nothing was sent\. If they are to be delayed once more, say until when: exams delay … --to TIME/,
      );
    }
    expect(patches(service)).toHaveLength(sent);
  });

  test('to a time can be repeated: who ends then already is left as they are', async () => {
    const { run, service } = await five();
    const line = 'exams delay --name exam --to 2027-03-01T11:15+01:00 --yes';
    expect((await run(line)).code).toBe(0);
    expect(service.sessions.map(({ close_time }) => close_time)).toEqual([
      null,
      '2027-03-01T10:45:00Z',
      '2027-03-01T10:30:00Z',
      '2027-03-01T10:15:00Z',
    ]);
    const sent = patches(service).length;
    const again = await run(line);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('Exam 5 ends at that time already.') });
    expect(patches(service)).toHaveLength(sent);
  });

  test('to a time leaves an exam that ends later as it is, and names it; a time after which all of them end is a slip', async () => {
    const { run, service } = await five();
    Object.assign(service.exams[1] ?? {}, { end_time: '2027-03-02T10:00:00Z' });
    const { code, stderr } = await run('exams delay 5 7 --to 2027-03-01T11:15+01:00 --yes');
    expect(code).toBe(0);
    expect(stderr).toContain('Exam 7 ends later already, at 2027-03-02 11:00 +01:00, and is not changed.');
    const sent = patches(service).length;
    const slip = await run('exams delay 5 7 --to 2027-03-01T10:45+01:00 --yes');
    expect(slip).toMatchObject({ code: 3, stderr: expect.stringMatching(/Exam \d ends later already, at .*, as do the others\./) });
    expect(patches(service)).toHaveLength(sent);
  });

  describe('of what a clock selects', () => {
    const begun = 'exams delay --from now-3h --until now --yes --during-exam Fire';
    const refusing = async () => {
      const made = office(
        [exam(5, nine, eleven), exam(9, '2027-03-02T08:00:00Z', '2027-03-02T10:00:00Z')],
        [{ exam_id: 5, close_time: '2027-03-01T10:30:00Z', status: 'exam_started' }],
      );
      made.service.fault = ({ method, path }) =>
        method === 'PATCH' && path === '/student_sessions/100' ? { answer: { status: 422, body: { message: 'no' } } } : undefined;
      return made;
    };

    test.each([
      ['--by 15m', '2027-03-01T10:15:00Z', '2027-03-01T10:45:00Z'],
      ['--to now+75m', '2027-03-01T10:15:00Z', '2027-03-01T10:45:00Z'],
    ])('with %s is the same command a minute later, and gives the rest what the others have', async (amount, ends, closes) => {
      const { run, service } = await refusing();
      expect((await run(`${begun} ${amount}`, { now: '2027-03-01T09:00:00Z' })).code).toBe(9);
      service.fault = () => undefined;
      const again = await run(`${begun} ${amount}`, { now: '2027-03-01T09:01:00Z' });
      expect(again.code, again.stderr).toBe(0);
      expect([service.exams[0]?.end_time, service.sessions[0]?.close_time]).toEqual([ends, closes]);
    });

    test('is another command where it selects other exams', async () => {
      const { run, service } = await refusing();
      expect((await run(`${begun} --by 15m`, { now: '2027-03-01T09:00:00Z' })).code).toBe(9);
      const nextDay = await run(`${begun} --by 15m`, { now: '2027-03-02T09:00:00Z' });
      expect(nextDay.code, nextDay.stderr).toBe(0);
      expect(service.exams.map(({ end_time }) => end_time)).toEqual(['2027-03-01T10:15:00Z', '2027-03-02T10:15:00Z']);
    });

    test('is finished where nothing is selected any more', async () => {
      const { run, service } = await refusing();
      expect((await run(`${begun} --by 15m`, { now: '2027-03-01T09:00:00Z' })).code).toBe(9);
      service.fault = () => undefined;
      expect((await run(`${begun} --by 15m`, { now: '2027-03-01T11:30:00Z' })).code).toBe(0);
      expect(service.sessions[0]?.close_time).toBe('2027-03-01T10:45:00Z');
    });
  });

  test('to a time that was stopped is finished by the same command, students with extra time included', async () => {
    const { run, service } = await five();
    let away = true;
    service.fault = ({ method, path }) =>
      away && method === 'PATCH' && path === '/student_sessions/101' ? { answer: { status: 422, body: { message: 'no' } } } : undefined;
    expect((await run('exams delay 5 7 --to 2027-03-01T11:15+01:00 --yes')).code).toBe(9);
    away = false;
    expect((await run('exams delay 5 7 --to 2027-03-01T11:15+01:00 --yes')).code).toBe(0);
    expect(service.sessions[1]?.close_time).toBe('2027-03-01T10:45:00Z');
  });
});
