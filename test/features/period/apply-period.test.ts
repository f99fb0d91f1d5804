/** exams check and exams apply: a timetable is brought in, and kept. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { actions, header, office } from './office.ts';

const algebra = 'A1,Algebra,2027-02-08,09:00,11:00';
const analysis = 'A2,Analysis,2027-02-09,13:00,15:00';

describe('exams apply', () => {
  test('creates the exams of a timetable, and applied again it sends nothing', async () => {
    const { timetable, apply, check, exams, ids } = await office();
    timetable(header, algebra, analysis);
    const planned = await check();
    expect([planned.code, planned.error?.code, actions(planned)]).toEqual([11, 'differences', ['2 create', '3 create']]);
    expect(planned.writes).toEqual([]);
    const first = await apply();
    expect([first.code, actions(first)]).toEqual([0, ['2 create created', '3 create created']]);
    expect(exams()).toEqual([
      ['Algebra', '2027-02-08T09:00:00Z', '2027-02-08T11:00:00Z'],
      ['Analysis', '2027-02-09T13:00:00Z', '2027-02-09T15:00:00Z'],
    ]);
    expect(ids()).toMatch(
      /^key,name,start,exam,origin,applied\nA1,Algebra,2027-02-08T09:00:00Z,\d+,http\S+,end_time=\w{8} name=\w{8} start_time=\w{8}\nA2,/,
    );
    expect(first.plan?.plan.map(({ reference }) => reference)).toEqual(['A1', 'A2']);
    const again = await apply();
    expect([again.code, again.writes, actions(again)]).toEqual([0, [], ['2 unchanged unchanged', '3 unchanged unchanged']]);
    expect((await check()).code).toBe(0);
  });

  test('from a fresh machine knows its exams by the file beside the timetable', async () => {
    const { timetable, apply, machine, another } = await office();
    const path = timetable(header, algebra, analysis);
    await apply();
    const fresh = another();
    for (const name of ['period.csv', 'period.ids.csv']) cpSync(join(machine.folder, name), join(fresh.folder, name));
    const { code, stdout } = await fresh.run(['exams', 'apply', join(fresh.folder, 'period.csv'), '--yes', '--no-input', '-o', 'json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { unchanged: 2, create: 0, run: null }]);
    expect(path).not.toBe(fresh.folder);
  });

  test('changes what was edited in the timetable, and nothing else', async () => {
    const { timetable, apply, exams } = await office();
    timetable(header, algebra, analysis);
    await apply();
    timetable(header, algebra, 'A2,Analysis II,2027-02-09,14:00,16:00');
    const { code, writes, plan } = await apply();
    expect(code).toBe(0);
    expect(writes).toMatchObject([
      { method: 'PATCH', body: { name: 'Analysis II', start_time: '2027-02-09T14:00:00Z', end_time: '2027-02-09T16:00:00Z' } },
    ]);
    expect(plan?.plan[1]).toMatchObject({
      action: 'update',
      result: 'updated',
      changes: [
        { field: 'name', from: 'Analysis', to: 'Analysis II' },
        { field: 'start_time', from: '2027-02-09T13:00:00Z', to: '2027-02-09T14:00:00Z' },
        { field: 'end_time', from: '2027-02-09T15:00:00Z', to: '2027-02-09T16:00:00Z' },
      ],
    });
    expect(exams()[1]).toEqual(['Analysis II', '2027-02-09T14:00:00Z', '2027-02-09T16:00:00Z']);
  });

  test('sends all four restrictions where one of them changes, and keeps what a cell leaves empty', async () => {
    const { timetable, apply, service } = await office();
    const columns = `${header},headphones,whiteboard,leave room,paper,recording`;
    timetable(columns, `${algebra},no,no,yes,yes,yes`, `${analysis},,,,,no`);
    await apply();
    timetable(columns, `${algebra},yes,no,yes,yes,`, `${analysis},,,,,`);
    const { code, writes } = await apply();
    expect([code, writes]).toMatchObject([
      0,
      [{ method: 'PATCH', body: { allow_headphones: true, allow_whiteboard: false, allow_leave_room: true, allow_pen_paper: true } }],
    ]);
    expect(Object.keys(writes[0]?.body ?? {})).toHaveLength(4);
    expect([...service.truth.exams.values()].find(({ name }) => name === 'Analysis')).toMatchObject({ save_recording: false });
  });

  test('asks once, by what it does, and sends nothing without a yes', async () => {
    const { timetable, apply, exams } = await office();
    timetable(header, algebra, analysis);
    const no = await apply('', { tty: true, answers: [false] });
    expect([no.code, no.questions, no.writes]).toEqual([130, [expect.stringMatching(/^Apply period\.csv: create 2 exams at http/)], []]);
    const yes = await apply('', { tty: true, answers: [true] });
    expect([yes.code, yes.questions.length, exams().length]).toEqual([0, 1, 2]);
  });

  test('shows its requests with --dry-run, and writes no file', async () => {
    const { timetable, apply, ids } = await office();
    timetable(header, algebra);
    const { code, stdout, writes } = await apply('--dry-run');
    expect([code, writes, ids()]).toEqual([0, [], '']);
    expect(JSON.parse(stdout)).toMatchObject([{ method: 'POST', body: { name: 'Algebra' } }]);
  });

  test('moves the windows of students along, names who was mailed, and leaves everybody at least one whole window', async () => {
    const { timetable, apply, service } = await office();
    timetable(header, algebra);
    await apply();
    const { truth } = service;
    const exam = Math.max(...truth.exams.keys());
    truth.createSession(exam, { email: 'ada@example.org', close_time: '2027-02-08T11:30:00Z', status: 'mail_sent' });
    truth.createSession(exam, { email: 'bob@example.org' });
    timetable(header, 'A1,Algebra,2027-02-10,10:00,12:00');
    const { code, writes, stderr, plan } = await apply();
    expect(code).toBe(0);
    expect(writes.map(({ path, body }) => [path.split('/')[1], body])).toEqual([
      ['exams', { end_time: '2027-02-10T12:00:00Z' }],
      ['student_sessions', { close_time: '2027-02-10T12:30:00Z' }],
      ['exams', { start_time: '2027-02-10T10:00:00Z' }],
    ]);
    expect(stderr).toContain(
      `1 student of exam ${exam} was mailed the old times. To mail all of them the new ones afterwards: proctor-cli exams send-emails ${exam} --resend`,
    );
    expect(plan?.plan[0]).toMatchObject({ detail: expect.stringContaining('1 window of students moved along') });
    expect((await apply()).writes).toEqual([]);
  });
});

describe('An exam that is there', () => {
  test('with the name and the start of a line is taken over with a yes, or --adopt, and never in silence', async () => {
    const { timetable, apply, check, service, exams } = await office();
    service.truth.createExam({ name: 'Algebra', start_time: '2027-02-08T09:00:00Z', end_time: '2027-02-08T10:00:00Z' });
    timetable(header, algebra, analysis);
    expect(actions(await check())).toEqual(['2 adopt', '3 create']);
    const held = await apply();
    expect([held.code, held.error?.message, actions(held)]).toEqual([
      9,
      expect.stringMatching(/^1 of 2 done, 1 failed: Line 2: Algebra is there already, as exam \d+\.$/),
      ['2 adopt held back', '3 create created'],
    ]);
    const alone = await apply();
    expect([alone.code, alone.writes]).toEqual([11, []]);
    const adopted = await apply('--adopt');
    expect([adopted.code, adopted.writes.length, exams().length]).toEqual([0, 1, 2]);
    expect((await apply()).code).toBe(0);
  });

  test('is taken over after a yes on a terminal, even if nothing has to be sent', async () => {
    const { timetable, apply, service } = await office();
    service.truth.createExam({ name: 'Algebra', start_time: '2027-02-08T09:00:00Z', end_time: '2027-02-08T11:00:00Z' });
    timetable(header, algebra);
    const yes = await apply('', { tty: true, answers: [true] });
    expect([yes.code, yes.questions, yes.writes]).toEqual([
      0,
      [
        expect.stringMatching(
          /^Exam \d+ \(Algebra, .*\) is there already, with the name and the start of a line\. Take it for the exam of that line\?$/,
        ),
      ],
      [],
    ]);
    expect((await apply()).code).toBe(0);
  });

  test('with the name of a line and another start may have been moved: nothing is created until somebody says what it is', async () => {
    const { timetable, apply, service, exams } = await office();
    service.truth.createExam({ name: 'Algebra', start_time: '2027-02-22T09:00:00Z', end_time: '2027-02-22T11:00:00Z' });
    timetable(header, algebra);
    const held = await apply();
    expect([held.code, held.writes, held.error?.message]).toEqual([11, [], expect.stringContaining('may have been moved')]);
    expect(held.error?.hint).toContain('--new Algebra');
    const fresh = await apply('--new Algebra');
    expect([fresh.code, exams().length]).toEqual([0, 2]);
  });

  test('of a line without a key that is gone, at the start of a new line, may have been renamed', async () => {
    const { timetable, apply, exams } = await office();
    timetable('name,date,start,end', 'Analyis,2027-02-08,09:00,11:00', 'Algebra,2027-02-09,09:00,11:00');
    await apply();
    timetable('name,date,start,end', 'Analysis,2027-02-08,09:00,11:00', 'Algebra,2027-02-09,09:00,11:00');
    const held = await apply();
    expect([held.code, held.writes, held.error?.message]).toEqual([
      11,
      [],
      expect.stringMatching(/exam \d+ \(Analyis\), no longer in the timetable, has this start, and may have been renamed/),
    ]);
    expect((await apply('--adopt')).code).toBe(0);
    expect(exams().map(([name]) => name)).toEqual(['Analysis', 'Algebra']);
    expect((await apply()).writes).toEqual([]);
  });

  test("of which there are several of the name and the start of a line is nobody's until its ID is given", async () => {
    const { timetable, apply, check, service } = await office();
    const [first] = [1, 2].map(() =>
      service.truth.createExam({ name: 'Algebra', start_time: '2027-02-08T09:00:00Z', end_time: '2027-02-08T11:00:00Z' }),
    );
    timetable(header, algebra);
    const held = await apply('--adopt');
    expect([held.code, held.writes, held.error?.message]).toEqual([
      11,
      [],
      expect.stringContaining('the line has the name and the start of exam'),
    ]);
    timetable(`id,${header}`, `${first?.id},${algebra}`);
    expect((await apply()).code).toBe(0);
    timetable(header, algebra);
    expect((await check()).code).toBe(0);
  });

  test('and was moved is taken over with --adopt, and moved', async () => {
    const { timetable, apply, service, exams } = await office();
    service.truth.createExam({ name: 'Algebra', start_time: '2027-02-22T09:00:00Z', end_time: '2027-02-22T11:00:00Z' });
    timetable(header, algebra);
    expect((await apply('--adopt')).code).toBe(0);
    expect(exams()).toEqual([['Algebra', '2027-02-08T09:00:00Z', '2027-02-08T11:00:00Z']]);
  });

  test('and has begun is no candidate: last year had the same names', async () => {
    const { timetable, apply, service, exams } = await office();
    service.truth.createExam({ name: 'Algebra', start_time: '2026-02-08T09:00:00Z', end_time: '2026-02-08T11:00:00Z' });
    timetable(header, algebra);
    expect([(await apply()).code, exams().length]).toEqual([0, 2]);
  });

  test('twice in parallel is created once for each key', async () => {
    const { timetable, apply, exams } = await office();
    timetable(header, algebra, 'A1b,Algebra,2027-02-08,09:00,11:00');
    expect([(await apply()).code, exams().length]).toEqual([0, 2]);
    const again = await apply();
    expect([again.code, again.writes]).toEqual([0, []]);
  });

  test('is known by the column id, whatever its name and start are', async () => {
    const { timetable, apply, exams, service } = await office();
    const { id } = service.truth.createExam({ name: 'Old name', start_time: '2027-02-22T09:00:00Z', end_time: '2027-02-22T11:00:00Z' });
    timetable(`id,${header}`, `${id},${algebra}`);
    const { code, writes } = await apply();
    expect([code, writes.length, exams()]).toEqual([0, 1, [['Algebra', '2027-02-08T09:00:00Z', '2027-02-08T11:00:00Z']]]);
  });
});

describe('A conflict', () => {
  async function conflict() {
    const made = await office();
    made.timetable(header, algebra, analysis);
    await made.apply();
    const exam = [...made.service.truth.exams.values()].find(({ name }) => name === 'Algebra');
    made.service.truth.change('exam', exam?.id ?? 0, { end_time: '2027-02-08T12:00:00Z' });
    made.timetable(header, 'A1,Algebra,2027-02-08,09:00,11:30', analysis);
    return made;
  }

  test('is held back until --on-conflict says which side counts', async () => {
    const { apply, exams } = await conflict();
    const held = await apply();
    expect([held.code, held.writes, held.error?.code, held.error?.message]).toEqual([
      11,
      [],
      'different',
      expect.stringMatching(/end_time is 2027-02-08 12:00 \+00:00, in the timetable 2027-02-08 11:30 \+00:00/),
    ]);
    expect((await apply('--on-conflict table')).code).toBe(0);
    expect(exams()[0]?.[2]).toBe('2027-02-08T11:30:00Z');
    expect((await apply()).code).toBe(0);
  });

  test('that the service wins leaves its value, and is one again until the timetable has it', async () => {
    const { apply, exams, timetable } = await conflict();
    const kept = await apply('--on-conflict service');
    expect([kept.code, kept.writes, exams()[0]?.[2]]).toEqual([0, [], '2027-02-08T12:00:00Z']);
    expect((await apply()).code).toBe(11);
    timetable(header, 'A1,Algebra,2027-02-08,09:00,12:00', analysis);
    expect((await apply()).code).toBe(0);
  });

  test('is none where only the service has changed: the timetable is the source', async () => {
    const { apply, exams, timetable } = await conflict();
    timetable(header, algebra, analysis);
    expect([(await apply()).code, exams()[0]?.[2]]).toEqual([0, '2027-02-08T11:00:00Z']);
  });
});

describe('A line and its exam', () => {
  test('an exam that is gone is refused by name, with what to do', async () => {
    const { timetable, apply, service } = await office();
    timetable(header, algebra);
    await apply();
    const exam = Math.max(...service.truth.exams.keys());
    service.truth.exams.delete(exam);
    const { code, error, writes } = await apply();
    expect([code, writes, error?.message]).toEqual([3, [], `period.csv, line 2: exam ${exam} of period.ids.csv (line 2) does not exist.`]);
    expect(error?.hint).toContain('remove its line from period.ids.csv');
  });

  test('an exam of another service is refused by name', async () => {
    const { timetable, apply, ids, machine } = await office();
    timetable(header, algebra);
    await apply();
    writeFileSync(join(machine.folder, 'period.ids.csv'), ids().replace(/http[^,]+/, 'https://other.example'));
    const { code, error } = await apply();
    expect([code, error?.message]).toEqual([
      3,
      expect.stringMatching(/in period\.ids\.csv \(line 2\), Algebra is exam \d+ of https:\/\/other\.example, not of /),
    ]);
  });

  test('an exam of two lines is refused by name', async () => {
    const { timetable, apply } = await office();
    timetable(`id,${header}`, `6,${algebra}`, `6,${analysis}`);
    const { code, error } = await apply();
    expect([code, error?.message]).toEqual([3, 'period.csv, line 3: the ID 6 is already in line 2.']);
  });

  test('an exam that is no longer in the timetable is reported and kept; with --strict it is a difference', async () => {
    const { timetable, apply, check, exams, ids } = await office();
    timetable(header, algebra, analysis);
    await apply();
    timetable(header, algebra);
    const { code, stderr, plan } = await apply();
    expect([code, plan?.orphans, exams().length]).toEqual([0, 1, 2]);
    expect(stderr).toMatch(/warning: exam \d+ \(Analysis\) is no longer in the timetable\. It is kept\./);
    expect(ids()).toContain('A2,Analysis');
    expect([(await check()).code, (await check('--strict')).code]).toEqual([0, 11]);
  });
});

describe('An exam that is running', () => {
  /** Exam A has begun, exam B is next week. */
  async function begun(...changed: string[]) {
    const made = await office();
    const columns = `${header},recording`;
    made.timetable(columns, 'A,Algebra,2027-01-04,12:00,14:00,yes', 'B,Analysis,2027-01-11,12:00,14:00,yes');
    await made.apply();
    await made.clock.pass(3 * 3_600_000);
    made.timetable(columns, ...changed);
    return made;
  }

  test('is held back where it would lose something, and the others go on', async () => {
    const { apply, exams } = await begun('A,Algebra,2027-01-04,12:00,13:30,yes', 'B,Analysis,2027-01-11,12:00,15:00,yes');
    const { code, error, writes, plan } = await apply();
    expect([code, writes.length]).toEqual([9, 1]);
    expect(error?.message).toMatch(
      /^1 of 2 done, 1 failed: Exam \d+ \(Algebra, .*\) has been running for .*; the request would end it earlier\. It was not sent\.$/,
    );
    expect(plan?.plan.map(({ result }) => result)).toEqual(['held back', 'updated']);
    expect(exams()).toEqual([
      ['Algebra', '2027-01-04T12:00:00Z', '2027-01-04T14:00:00Z'],
      ['Analysis', '2027-01-11T12:00:00Z', '2027-01-11T15:00:00Z'],
    ]);
    const alone = await apply();
    expect([alone.code, alone.writes]).toEqual([12, []]);
  });

  test('gets more time, and what takes nothing away', async () => {
    const { apply, exams } = await begun('A,Algebra I,2027-01-04,12:00,14:30,yes', 'B,Analysis,2027-01-11,12:00,14:00,yes');
    expect((await apply()).code).toBe(0);
    expect(exams()[0]).toEqual(['Algebra I', '2027-01-04T12:00:00Z', '2027-01-04T14:30:00Z']);
  });

  test('is not moved to another start, not even with a reason, and neither is one that is over', async () => {
    const { apply, clock, timetable } = await begun('A,Algebra,2027-01-04,16:00,18:00,yes', 'B,Analysis,2027-01-11,12:00,14:00,yes');
    const running = await apply('--during-exam Fire');
    expect([running.code, running.writes, running.error?.message]).toEqual([
      11,
      [],
      expect.stringMatching(/Line 2: exam \d+ started at 2027-01-04 12:00 \+00:00, and is not moved\./),
    ]);
    await clock.pass(86_400_000);
    timetable(`${header},recording`, 'A,Algebra,2027-09-04,12:00,14:00,yes', 'B,Analysis,2027-01-11,12:00,14:00,yes');
    const over = await apply();
    expect([over.code, over.writes]).toEqual([11, []]);
    expect(over.error?.hint).toContain('Keep the timetable of another period in a file of its own');
  });

  test('that is unchanged is neutral', async () => {
    const { check } = await begun('A,Algebra,2027-01-04,12:00,14:00,yes', 'B,Analysis,2027-01-11,12:00,14:00,yes');
    expect((await check()).code).toBe(0);
  });

  test('is changed all the same with a reason', async () => {
    const { apply, exams } = await begun('A,Algebra,2027-01-04,12:00,13:30,yes', 'B,Analysis,2027-01-11,12:00,14:00,yes');
    expect((await apply('--during-exam Fire')).code).toBe(0);
    expect(exams()[0]?.[2]).toBe('2027-01-04T13:30:00Z');
  });
});
