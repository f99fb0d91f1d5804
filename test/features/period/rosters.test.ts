/** The column of rosters: the students of a file beside the timetable are in the exam, each once. */
import { describe, expect, test } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { type Office, office } from './office.ts';

const header = 'key,name,date,start,end,roster';
const algebra = 'A,Algebra,2027-02-08,09:00,11:00,algebra.csv';
const analysis = 'B,Analysis,2027-02-09,09:00,11:00,';
const roster = (...names: string[]) => `email,name\n${names.map((name) => `${name}@example.org,${name}\n`).join('')}`;
const students = ({ service: { truth } }: Office) => [...truth.sessions.values()].map(({ email }) => email).toSorted();
const posted = ({ writes }: { writes: { path: string }[] }) => writes.filter(({ path }) => path.endsWith('student_sessions')).length;

describe('The column of rosters', () => {
  test('creates the students of a new exam, counts them in the plan, and names nobody there', async () => {
    const made = await office();
    made.timetable(header, algebra, analysis);
    made.machine.file('algebra.csv', roster('ada', 'bob'));
    const planned = await made.check();
    expect(planned.plan?.plan[0]).toMatchObject({ roster: { added: 2, removed: 0, different: 0, duplicate: 0, missing: 0 } });
    expect(`${planned.stdout}${planned.stderr}`).not.toContain('ada');
    const { code, questions, stderr } = await made.apply('', { tty: true, answers: [true] });
    expect(code, stderr).toBe(0);
    expect(questions[0]).toMatch(/^Apply period\.csv: create 2 exams, add 2 students at /);
    expect(students(made)).toEqual(['ada@example.org', 'bob@example.org']);
    const again = await made.apply();
    expect([again.code, again.writes]).toEqual([0, []]);
  });

  test('adds who is missing in an exam that is there, and removes and changes nobody', async () => {
    const made = await office();
    made.timetable(header, algebra);
    made.machine.file('algebra.csv', roster('ada', 'bob'));
    await made.apply();
    const exam = Math.max(...made.service.truth.exams.keys());
    made.service.truth.createSession(exam, { email: 'zoe@example.org', name: 'zoe' });
    made.machine.file('algebra.csv', `${roster('cy', 'ada')}BOB@example.org,Robert\n`);
    const ran = await made.apply();
    expect([ran.code, ran.writes.map(({ body }) => body)], ran.stderr).toEqual([0, [{ email: 'cy@example.org', name: 'cy' }]]);
    expect(ran.plan?.plan[0]).toMatchObject({
      action: 'update',
      result: 'updated',
      detail: '1 student of the roster added; 1 student differs from the roster and is kept; 1 student not in the roster kept',
    });
    expect((await made.apply()).writes).toEqual([]);
  });

  test('deletes with --remove-missing the students whom it lacks, once those whom it has are in', async () => {
    const made = await office();
    made.timetable(header, algebra);
    made.machine.file('algebra.csv', roster('ada', 'bob'));
    await made.apply();
    made.machine.file('algebra.csv', roster('ada', 'cy'));
    const options = '--remove-missing --max-removals 1';
    const planned = await made.check(options);
    expect(planned.plan?.plan[0]).toMatchObject({
      action: 'update',
      roster: { added: 1, removed: 1, missing: 1 },
      detail: '1 student of the roster added; 1 student not in the roster deleted',
    });
    expect(`${planned.stdout}${planned.stderr}`).not.toContain('bob');
    expect(planned.error?.hint).toContain(options);
    made.service.fault = ({ method }) => (method === 'POST' ? { answer: { status: 422 } } : undefined);
    const failed = await made.apply(options);
    expect([failed.code, failed.writes.map(({ method }) => method)]).toEqual([7, ['POST']]);
    made.service.fault = () => undefined;
    const { code, questions, stderr } = await made.apply(options, { tty: true, answers: ['1'] });
    expect(code, stderr).toBe(0);
    expect(questions[0]).toMatch(/^Apply period\.csv: add 1 student, delete 1 student at /);
    expect(stderr).toMatch(/To delete: student session \d+, bob@example\.org/);
    expect(students(made)).toEqual(['ada@example.org', 'cy@example.org']);
    expect((await made.apply(options)).writes).toEqual([]);
  });

  test('holds an exam back where --remove-missing would delete more than a tenth of it', async () => {
    const made = await office();
    made.timetable(header, algebra, 'B,Analysis,2027-02-09,09:00,11:00,analysis.csv');
    for (const name of ['algebra.csv', 'analysis.csv']) made.machine.file(name, roster('ada', 'bob', 'cy', 'dan'));
    await made.apply();
    made.machine.file('algebra.csv', roster('ada'));
    made.machine.file('analysis.csv', roster('ada', 'bob', 'cy', 'dan', 'eve'));
    const { code, error, writes } = await made.apply('--remove-missing');
    expect([code, writes.map(({ method }) => method)]).toEqual([9, ['POST']]);
    expect(error?.items?.[0]?.message).toMatch(/^--remove-missing would delete 3 of the 4 students of exam \d+, and the limit is 10 %/);
  });

  test('that --remove-missing may not follow is a difference for check too', async () => {
    const made = await office();
    made.timetable(header, algebra);
    made.machine.file('algebra.csv', roster('ada', 'bob'));
    await made.apply();
    made.machine.file('algebra.csv', roster('ada'));
    const { code, plan } = await made.check('--remove-missing');
    expect([code, plan?.plan[0]]).toMatchObject([11, { action: 'unclear', detail: expect.stringContaining('and the limit is 10 %') }]);
  });

  test('tells the problems of all rosters at once, at the lines that name them, and sends nothing', async () => {
    const made = await office();
    made.timetable(header, algebra, 'B,Analysis,2027-02-09,09:00,11:00,none.csv', 'C,Chemistry,2027-02-09,09:00,11:00,chemistry.csv');
    made.machine.file('algebra.csv', 'email,name\nada@,Ada\n');
    made.machine.file('chemistry.csv', 'email,name,status\nada@example.org,Ada,enrolled\nbob@example.org,Bob,withdrawn\n');
    const { code, writes, error } = await made.apply();
    expect([code, writes]).toEqual([3, []]);
    expect(error?.items?.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^period\.csv, line 2, column 6 \("roster"\): algebra\.csv, line 2, column 1 \("email"\): "ada@": /),
      expect.stringMatching(/^period\.csv, line 3, column 6 \("roster"\): No such file: /),
      expect.stringMatching(
        /^period\.csv, line 4, column 6 \("roster"\): chemistry\.csv, 2 lines: 1 undeclared column.*or import the roster by itself$/s,
      ),
    ]);
  });

  test.each([2, 5, 9])('stopped after %i writes is finished by the same command, each student once', async (writes) => {
    const made = await office();
    const names = ['ada', 'bob', 'cy', 'dan', 'eve'];
    made.timetable(header, algebra, 'B,Analysis,2027-02-09,09:00,11:00,analysis.csv');
    for (const name of ['algebra.csv', 'analysis.csv']) made.machine.file(name, roster(...names));
    const stop = new AbortController();
    let answered = 0;
    made.service.onAnswer = ({ method }) => {
      if (method !== 'GET') answered += 1;
      if (answered === writes) stop.abort(new CliError('interrupted', 'Interrupted.'));
    };
    expect((await made.apply('', { interrupt: stop.signal })).code).toBe(130);
    made.service.onAnswer = () => {};
    const again = await made.apply();
    expect(again.code, again.stderr).toBe(0);
    expect(students(made)).toEqual(names.flatMap((name) => [`${name}@example.org`, `${name}@example.org`]));
    expect((await made.apply()).writes).toEqual([]);
  });

  test('names a student whom the service rejects, and tries only that one again', async () => {
    const made = await office();
    made.timetable(header, algebra);
    made.machine.file('algebra.csv', roster('ada', 'bob', 'cy'));
    made.service.fault = ({ method, body }) =>
      method === 'POST' && body.email === 'bob@example.org' ? { answer: { status: 400, body: { message: 'no room' } } } : undefined;
    const first = await made.apply();
    expect([first.code, first.plan?.plan[0]]).toMatchObject([
      9,
      {
        result: 'created',
        problem: expect.stringMatching(/^1 of 3 requests for students of the roster failed, such as line 3: .*no room/),
      },
    ]);
    made.service.fault = () => undefined;
    const second = await made.apply();
    expect([second.code, posted(second), students(made).length]).toEqual([0, 1, 3]);
  });

  test('holds back an exam of which the list hides who is there', async () => {
    const made = await office();
    made.timetable(header, algebra, analysis);
    made.machine.file('algebra.csv', roster('ada'));
    await made.apply();
    const exam = [...made.service.truth.exams.values()].find(({ name }) => name === 'Algebra');
    made.service.truth.createSession(exam?.id ?? 0, { email: 'b**@example.org', name: 'Somebody' });
    made.machine.file('algebra.csv', roster('ada', 'bob'));
    const { code, error, writes } = await made.apply();
    expect([code, writes, error?.message]).toEqual([3, [], expect.stringContaining('shows no address of 1 student')]);
  });
});
