/** accommodations apply: targets are set once, kept when applied again, moved with the exam, and taken back exactly. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Data } from '../../commands/embedded.ts';
import { listOf } from './lists.ts';
import { asFile, type Period, period } from './period.ts';

async function oneExam(service: Period): Promise<string> {
  return service.exam('Linear Algebra', '2027-02-01T09:00Z', '2027-02-01T11:00Z');
}
/** "ada missing set" */
const states = (rows: readonly Data[]) => rows.map(({ email, state, result }) => `${String(email).split('@')[0]} ${state} ${result}`);

describe('accommodations apply', () => {
  test('sets what is missing or less, asks one question with students and exams, and shows every row', async () => {
    const service = period();
    const first = await oneExam(service);
    const second = await service.exam('Chemistry', '2027-02-02T09:00Z', '2027-02-02T10:00Z');
    await service.session(first, 'ada@example.org');
    await service.session(first, 'bob@example.org', '2027-02-01T11:05Z');
    await service.session(second, 'ada@example.org', '2027-02-02T10:15Z');
    await service.session(second, 'carol@example.org', '2027-02-02T12:00Z');
    const file = asFile(listOf('ada@example.org,25%', 'bob@example.org,10m', 'carol@example.org,10m'));
    const line = `accommodations apply ${file} --exam ${first} --exam ${second} -o json`;
    const { code, stdout, stderr, questions } = await service.run(line, { tty: true, answers: [true] });
    expect(code, stderr).toBe(0);
    expect(questions).toEqual([
      expect.stringMatching(
        /^Set the close time of 2 sessions \(\d+ \S+@\S+, \d+ \S+@\S+\) of exam \d+ \(.+ [+-]\d\d:\d\d\) to the targets of list\.csv at http/,
      ),
    ]);
    expect(states(JSON.parse(stdout))).toEqual(['ada missing set', 'bob less set', 'ada ok unchanged', 'carol more unchanged']);
    expect(stderr).toContain('ada@example.org, no time of its own → 2027-02-01 11:30 +00:00');
    expect(await service.closeTimes(first)).toEqual({
      'ada@example.org': Date.parse('2027-02-01T11:30Z'),
      'bob@example.org': Date.parse('2027-02-01T11:10Z'),
    });
    expect((await service.closeTimes(second))['carol@example.org']).toBe(Date.parse('2027-02-02T12:00Z'));
  });

  test('prints its requests with --dry-run, says old and new, and writes nothing', async () => {
    const service = period();
    const exam = await oneExam(service);
    const ada = await service.session(exam, 'ada@example.org');
    const file = asFile(listOf('ada@example.org,25%,,,DS-1'));
    const before = service.everything();
    const { code, stdout, stderr } = await service.run(`accommodations apply ${file} --exam ${exam} --dry-run -o json`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { method: 'PATCH', url: expect.stringContaining(`/student_sessions/${ada}`), body: { close_time: '2027-02-01T11:30:00Z' } },
    ]);
    expect(stderr).toContain('ada@example.org, no time of its own → 2027-02-01 11:30 +00:00');
    expect(service.everything()).toEqual(before);
    expect((await service.apply(file, `--exam ${exam}`)).rows).toMatchObject([
      { state: 'missing', close_time: '2027-02-01T11:30:00Z', target: '2027-02-01T11:30:00Z', reference: 'DS-1', result: 'set' },
    ]);
  });

  test('keeps a later close time, whatever the student does', async () => {
    const service = period();
    // Students in the check make an exam run.
    await service.run('config set protectRunningExams off');
    const exam = await oneExam(service);
    const statuses = ['registered', 'check_started', 'exam_started', 'exam_finished', 'something_new'];
    for (const status of statuses) {
      const id = await service.session(exam, `${status}@example.org`);
      service.change('student_sessions', { status, close_time: '2027-02-01T12:00:00Z' }, Number(id));
    }
    const before = await service.closeTimes(exam);
    const { code, rows } = await service.apply(asFile(listOf(...statuses.map((status) => `${status}@example.org,10m`))), `--exam ${exam}`);
    expect([code, states(rows)]).toEqual([
      0,
      statuses.map((status) => `${status} ${status === 'exam_finished' ? 'finished' : 'more'} unchanged`),
    ]);
    expect(await service.closeTimes(exam)).toEqual(before);
  });

  test('leaves a student who gets more time, or finishes, while the question is open', async () => {
    const service = period();
    const exam = await oneExam(service);
    const [ada, bob] = [await service.session(exam, 'ada@example.org'), await service.session(exam, 'bob@example.org')];
    const file = asFile(listOf('ada@example.org,10m', 'bob@example.org,10m'));
    const meanwhile = async () => {
      service.change('student_sessions', { close_time: '2027-02-01T12:00:00Z' }, Number(ada));
      service.change('student_sessions', { status: 'exam_finished', close_time: null }, Number(bob));
      return true;
    };
    const { code, stdout, questions } = await service.run(`accommodations apply ${file} --exam ${exam} -o json`, {
      tty: true,
      answers: [meanwhile],
    });
    // Nothing of what was asked about is left to be done.
    expect({ code, asked: questions.length }).toEqual({ code: 0, asked: 1 });
    expect(JSON.parse(stdout).map(({ state, result }: Data) => [state, result])).toEqual([
      ['more', 'unchanged'],
      ['finished', 'unchanged'],
    ]);
    expect(await service.closeTimes(exam)).toEqual({ 'ada@example.org': Date.parse('2027-02-01T12:00Z'), 'bob@example.org': null });
  });

  test('asks again with the new targets where a colleague moves the exam while the question is open', async () => {
    const service = period();
    const exam = await oneExam(service);
    await service.session(exam, 'ada@example.org');
    const file = asFile(listOf('ada@example.org,25%'));
    const moves = async () => {
      await service.json(['exams', 'update', exam, '--end', '2027-02-01T12:00Z']);
      return true;
    };
    const { code, questions, stderr } = await service.run(`accommodations apply ${file} --exam ${exam}`, {
      tty: true,
      answers: [moves, true],
    });
    expect({ code, asked: questions.length }, stderr).toEqual({ code: 0, asked: 2 });
    expect(await service.closeTimes(exam)).toEqual({ 'ada@example.org': Date.parse('2027-02-01T12:45Z') });
  });

  test('sets nothing for a conflict, sets the others, and ends with 9; with nothing to set, with 11', async () => {
    const service = period();
    const exam = await oneExam(service);
    await service.session(exam, 'ada@example.org');
    const bob = await service.session(exam, 'bob@example.org');
    const twin = await service.session(exam, 'bob2@example.org');
    service.change('student_sessions', { email: 'BOB@example.org' }, Number(twin));
    const file = asFile(listOf('ada@example.org,10m', 'bob@example.org,10m', 'carol@example.org,1m'));
    const first = await service.apply(file, `--exam ${exam}`);
    expect([first.code, first.error?.code]).toEqual([9, 'partly_done']);
    expect(states(first.rows)).toEqual(['ada missing set', 'bob conflict skipped', 'BOB conflict skipped', 'carol unmatched skipped']);
    expect(first.error?.items).toMatchObject([{ id: Number(bob) }, { id: Number(twin) }]);
    expect((await service.apply(file, `--exam ${exam}`)).code).toBe(11);
  });

  test('follows an exam that was moved without a warning that the time was set before', async () => {
    const service = period();
    const exam = await oneExam(service);
    await service.session(exam, 'ada@example.org');
    const file = asFile(listOf('ada@example.org,25%'));
    expect((await service.apply(file, `--exam ${exam}`)).code).toBe(0);
    await service.json(['exams', 'update', exam, '--start', '2027-02-01T09:30Z', '--end', '2027-02-01T11:30Z']);
    expect((await service.check(file, `--exam ${exam}`)).rows).toMatchObject([{ state: 'less', target: '2027-02-01T12:00:00Z' }]);
    const { code, stderr } = await service.run(`accommodations apply ${file} --exam ${exam} --yes`);
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain('Already');
    expect(await service.closeTimes(exam)).toEqual({ 'ada@example.org': Date.parse('2027-02-01T12:00Z') });
  });

  test('ends what an earlier run of it left open, so that nothing stays unfinished', async () => {
    const service = period();
    const exam = await oneExam(service);
    for (const name of ['ada', 'bob', 'carol']) await service.session(exam, `${name}@example.org`);
    const file = asFile(listOf(...['ada', 'bob', 'carol'].map((name) => `${name}@example.org,10m`)));
    const stop = new AbortController();
    const { CliError } = await import('../../../src/errors.ts');
    const cut = await service.run(`accommodations apply ${file} --exam ${exam} -o json`, {
      tty: true,
      interrupt: stop.signal,
      answers: [
        async () => {
          queueMicrotask(() => stop.abort(new CliError('interrupted', 'Stopped by the test.')));
          return true;
        },
      ],
    });
    expect(cut.code).toBe(130);
    const { code, rows } = await service.apply(file, `--exam ${exam}`);
    expect([code, rows.length]).toEqual([0, 3]);
    const runs = await service.json<Data[]>('runs list');
    expect(runs.every(({ state }) => state === 'finished')).toBe(true);
    expect(Object.values(await service.closeTimes(exam))).toEqual(Array(3).fill(Date.parse('2027-02-01T11:10Z')));
  });
});

test('whatever the sessions are: applied twice it changes nothing, it moves with the exam, and undo restores all', async () => {
  const student = fc.record({
    status: fc.constantFrom('registered', 'mail_sent', 'check_started', 'exam_session_opened', 'exam_started', 'exam_finished', 'other'),
    closes: fc.constantFrom(null, '2027-03-28T02:30:00Z', '2027-03-28T02:45:00Z', '2027-03-28T05:00:00Z', '2027-03-28T03:03:00+01:00'),
    extra: fc.constantFrom('25%', '33.333%', '10m', '1.5× + 7m'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(student, { minLength: 1, maxLength: 8 }), fc.constantFrom(-24, 24, 168), async (students, hours) => {
      const service = period();
      await service.run('config set protectRunningExams off');
      // Through the night in which the clocks of Vienna are set forward.
      const exam = await service.exam('Night', '2027-03-28T00:30Z', '2027-03-28T02:30Z');
      for (const [index, { status, closes }] of students.entries()) {
        const data = { status, email: `s${index}@example.org`, open_time: null, close_time: closes };
        service.store((store) => store.insert('student_sessions', data, Number(exam)));
      }
      const file = asFile(listOf(...students.map(({ extra }, index) => `S${index}@Example.org,${extra}`)));
      const options = `--exam ${exam}`;
      const stored = () => service.everything().student_sessions?.filter(({ exam_id }) => String(exam_id) === exam) ?? [];
      const first = stored();
      const applied = await service.apply(file, options);
      expect(applied.code).toBe(0);
      const after = stored();
      for (const [index, row] of after.entries()) {
        const [was, is] = [first[index]?.close_time, row.close_time].map((time) => (time === null ? null : Date.parse(String(time))));
        if (row.status === 'exam_finished') expect(is).toBe(was);
        else expect(is).toBeGreaterThanOrEqual(was ?? 0);
      }
      expect((await service.apply(file, options)).rows.every(({ result }) => result === 'unchanged')).toBe(true);
      expect(stored()).toEqual(after);
      const allowed = new Set(['ok', 'finished', 'more']);
      const checked = await service.check(file, `--exam ${exam}`);
      expect(checked.rows.filter(({ state }) => !allowed.has(String(state)))).toEqual([]);
      for (const { state, close_time, target } of checked.rows)
        if (state === 'more') expect(Date.parse(String(close_time))).toBeGreaterThan(Date.parse(String(target)));

      const done = (await service.json<Data[]>('runs list')).find(({ command }) => String(command).startsWith('accommodations apply'));
      if (done) {
        expect((await service.run(`runs undo ${done.run} --yes`)).code).toBe(0);
        const instants = (rows: Data[]) => rows.map(({ close_time }) => (close_time === null ? null : Date.parse(String(close_time))));
        expect(instants(stored())).toEqual(instants(first));
        expect((await service.apply(file, options)).code).toBe(0);
      }

      const moved = (time: string) => new Date(Date.parse(time) + hours * 3_600_000).toISOString();
      service.change('exams', { start_time: moved('2027-03-28T00:30Z'), end_time: moved('2027-03-28T02:30Z') }, Number(exam));
      const behind = await service.check(file, `--exam ${exam}`);
      expect(behind.code).toBe(hours < 0 || students.every(({ status }) => status === 'exam_finished') ? 0 : 11);
      expect((await service.apply(file, options)).code).toBe(0);
      expect((await service.check(file, `--exam ${exam}`)).rows.filter(({ state }) => !allowed.has(String(state)))).toEqual([]);
    }),
    { numRuns: 4 },
  );
});
