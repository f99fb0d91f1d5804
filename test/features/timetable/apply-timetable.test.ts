/** `exams apply`: a timetable is brought in, and kept. */
import { describe, expect, test } from 'vitest';
import { type Arrived, ignored, refused } from '../../support/service.ts';
import type { Fields } from '../../support/truth.ts';
import { at, header, office } from './office.ts';

const algebra = 'Algebra,2027-02-08,10:00,12:00';
const analysis = 'Analysis,2027-02-09,14:00,16:00';
const [tenth, eighth, ninth] = ['Algebra 02-10T10:00 02-10T12:00', 'Algebra 02-08T09:00 02-08T11:00', 'Analysis 02-09T13:00 02-09T15:00'];

describe('exams apply', () => {
  test('creates the exams of a timetable; applied again, it sends nothing; --check says so', async () => {
    const { timetable, apply, exams } = office();
    timetable(header, algebra, analysis);
    const planned = await apply('--check --timezone UTC');
    expect([planned.code, planned.error?.code, planned.actions, planned.sent]).toEqual([11, 'differences', ['2 create', '3 create'], []]);
    expect(planned.error?.hint).toMatch(/proctor-cli exams apply \S+period\.csv --timezone UTC/);
    const first = await apply();
    expect([first.code, first.actions, first.rows.map(({ exam }) => exam)]).toEqual([0, ['2 create', '3 create'], [100, 101]]);
    expect(Object.keys(first.rows[0] ?? {}).sort()).toEqual(['action', 'changes', 'exam', 'line', 'name', 'reason']);
    expect(exams()).toEqual([eighth, ninth]);
    const again = await apply();
    expect([again.code, again.sent, again.actions]).toEqual([0, [], ['2 unchanged', '3 unchanged']]);
    expect((await apply('--check')).code).toBe(0);
  });

  test('changes what was edited, all four restrictions where one changes, and keeps what a cell leaves empty', async () => {
    const { timetable, apply, service } = office({ exams: [at(6, 'Algebra'), at(7, 'Analysis', '02-09T13:00', '15:00')] });
    timetable(`id,${header},headphones,whiteboard,leave room,paper,recording`, `6,${algebra},yes,no,yes,yes,`, '7,Analysis II,,,,,,,,no');
    const { code, rows, bodies, sent } = await apply();
    expect([code, sent]).toEqual([0, ['PATCH /exams/6', 'PATCH /exams/7']]);
    expect(bodies).toEqual([
      { allow_headphones: true, allow_whiteboard: false, allow_leave_room: true, allow_pen_paper: true },
      { name: 'Analysis II', save_recording: false },
    ]);
    expect(rows[1]?.changes).toEqual([
      { field: 'name', from: 'Analysis', to: 'Analysis II' },
      { field: 'save_recording', from: true, to: false },
    ]);
    expect(service.exams[1]).toMatchObject({ end_time: '2027-02-09T15:00:00Z', allow_pen_paper: true });
  });

  test('where the service shows no restrictions sends all four; what it does not show is named and never different', async () => {
    const { timetable, apply, service } = office({
      exams: [at(6, 'Algebra')],
      showing: { as: ({ allow_headphones: _, save_recording: __, ...shown }) => shown },
    });
    timetable(`${header},headphones,whiteboard,leave room,paper,recording`, `${algebra},yes,yes,yes,yes,no`);
    const { bodies, rows } = await apply();
    expect(bodies).toEqual([{ allow_headphones: true, allow_whiteboard: true, allow_leave_room: true, allow_pen_paper: true }]);
    expect(rows[0]?.reason).toContain('not shown: allow_headphones, save_recording');
    expect((await apply()).sent).toEqual([]);
    expect(service.exams[0]).toMatchObject({ save_recording: true });
  });

  test('reads a time that only the list leaves out, and sets one that the exam leaves out', async () => {
    const { timetable, apply, service } = office({ exams: [at(6, 'Algebra'), at(7, 'Analysis', '02-09T13:00', '', { end_time: '' })] });
    service.showing = { as: ({ end_time, ...shown }, { path }) => (path === '/exams' || end_time === '' ? shown : { ...shown, end_time }) };
    timetable(header, algebra, analysis);
    const { code, sent, bodies, actions } = await apply();
    expect([code, sent, bodies]).toEqual([0, ['PATCH /exams/7'], [{ end_time: '2027-02-09T15:00:00Z' }]]);
    expect(actions).toEqual(['2 unchanged', '3 update']);
  });

  test('asks once, with all the counts, and sends nothing without a yes; a script needs --yes', async () => {
    const { timetable, apply, roster, exams, path, service } = office({
      exams: [at(6, 'Algebra'), at(8, 'Logic', '02-22T09:00')],
      pools: { 6: [1] },
    });
    service.add({ exam_id: 6, email: 'x@example.org', close_time: '2027-02-08T11:30:00Z' });
    timetable(
      `${header},proctors,roster`,
      'Algebra,2027-02-08,10:00,12:30,2;3,a.csv',
      `${analysis},1,a.csv`,
      'Logic,2027-02-10,10:00,12:00,,',
    );
    roster('a.csv', 'ada', 'bob');
    const no = await apply('--remove-missing 1', { tty: true, answers: ['leave', false] });
    expect([no.code, no.sent]).toEqual([130, []]);
    expect(no.stderr).toContain(
      'line 2  update     exam 6, Algebra: end time 2027-02-08 12:00 +01:00 → 2027-02-08 12:30 +01:00, proctors 1 → 2, 3, students 1 → 2',
    );
    const [changes, people] = ['create 1 exam, change 1 exam', 'move along 1 window, add 4 students, delete 1 student'];
    expect(no.questions[1]).toContain(
      `Apply period.csv, 3 lines: ${changes}, ${people}, add 3 proctors, remove 1 proctor, 1 line held back (deletions cannot be undone) at http`,
    );
    const script = await service.run(['exams', 'apply', path], { env: { PROCTOR_TIMEZONE: 'UTC' } });
    expect([script.code, script.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    expect(exams()).toHaveLength(2);
  });

  test('moves the windows of students along, in an order in which each has a whole one, and names who was mailed', async () => {
    const { timetable, apply, roster, service, exams, students } = office({ exams: [at(6, 'Algebra')] });
    service.add({ email: 'ada@example.org', close_time: '2027-02-08T11:30:00Z', status: 'mail_sent' });
    service.add({ email: 'bob@example.org' });
    timetable(`id,${header}`, '6,Algebra,2027-02-10,11:00,13:00');
    const { code, sent, bodies, stderr } = await apply();
    expect([code, sent], stderr).toEqual([0, ['PATCH /exams/6', 'PATCH /student_sessions/100', 'PATCH /exams/6']]);
    expect(bodies.map((body) => Object.keys(body).join())).toEqual(['end_time', 'close_time', 'start_time']);
    expect([exams(), students(6)]).toEqual([[tenth], ['ada none 02-10T12:30', 'bob none none']]);
    expect(stderr).toContain('exam 6, session 100 ada@example.org: start by 2027-02-08 12:30 +01:00 → 2027-02-10 13:30 +01:00');
    expect(stderr).toContain('Mailed with the old times: exam 6 (1 student).');
    expect(stderr).toContain('proctor-cli exams send-emails 6 --resend');
    expect((await apply()).sent).toEqual([]);
    timetable(`id,${header},roster`, '6,Algebra I,,,,a.csv');
    roster('a.csv', 'ada');
    expect((await apply()).stderr).not.toContain('mailed');
  });
});

test('An exam that a colleague moves between the plan and its update is not what the line asks for: nothing is sent', async () => {
  const { timetable, apply, service, exams } = office({ exams: [at(6, 'Algebra')] });
  timetable(`${header},recording`, `${algebra},no`);
  const moved = { start_time: '2027-02-10T10:00:00Z', end_time: '2027-02-10T12:00:00Z' };
  service.onArrival = ({ line }) => void (line === 'GET /exams/6' && service.change('exam', 6, moved));
  const { code, sent, stderr } = await apply();
  expect([code, sent, exams()], stderr).toEqual([11, [], [tenth]]);
});

describe('Which line is which exam', () => {
  test('the column id says, whatever name and start are; without it the name, in any spelling, with the start', async () => {
    const { timetable, apply, exams } = office({ exams: [at(6, 'Old', '02-22T09:00'), at(7, ' ANALYSIS', '02-09T13:00', '14:00')] });
    timetable(`id,${header}`, `6,${algebra}`, `,${analysis}`);
    const { code, sent } = await apply();
    expect([code, sent.sort()]).toEqual([0, ['PATCH /exams/6', 'PATCH /exams/7']]);
    expect(exams()).toContain(eighth);
  });

  test('an exam of its name and another start is held back in a script, which says what to type; the others are applied', async () => {
    const { timetable, apply, exams } = office({ exams: [at(24, 'Algebra', '02-22T09:00')] });
    timetable(header, algebra, analysis);
    const held = await apply();
    const why = 'line 2: exam 24 has this name and another start: write 24 into the column id to move it, or new.';
    expect([held.code, held.actions, held.rows[0]?.reason]).toEqual([9, ['2 held back', '3 create'], why]);
    expect(held.error?.message).toBe('1 of 2 done, 1 held back.');
    const alone = await apply();
    expect([alone.code, alone.sent, alone.error?.message]).toEqual([11, [], why]);
    const dry = await apply('--dry-run');
    expect([dry.code, dry.sent, dry.error?.message], 'as it would end').toEqual([11, [], why]);
    const left = await apply('', { tty: true, answers: ['leave'] });
    expect([left.code, left.stderr.match(/exam 24 has this name and another start/g)], 'said once').toMatchObject([11, { length: 1 }]);
    timetable(header, algebra, 'Sets,2027-02-11,14:00,16:00');
    const { stderr } = await apply('', { tty: true, answers: ['leave', true] });
    expect(stderr.match(/exam 24 has this name and another start/g), 'said once').toHaveLength(1);
    expect(stderr).toContain('line 2  held back  Algebra: exam 24 has this name');
    timetable(`id,${header}`, `24,${algebra}`, `,${analysis}`);
    expect([(await apply()).code, exams().slice(0, 2)]).toEqual([0, [eighth, ninth]]);
  });

  test('with new in the column id it is new, and known again by its name and start', async () => {
    const { timetable, apply, exams } = office({ exams: [at(24, 'Algebra', '02-22T09:00')] });
    timetable(`id,${header}`, `new,${algebra}`);
    expect([(await apply()).code, exams().length]).toEqual([0, 2]);
    expect([(await apply()).sent, exams().length]).toEqual([[], 2]);
  });

  const later = 'Algebra 02-22T09:00 02-22T11:00';
  test.each([
    ['move', 0, [eighth]],
    ['is new', 0, [eighth, later]],
    ['leave', 11, [later]],
  ])('a terminal is asked, and %s is an answer', async (answer, code, is) => {
    const { timetable, apply, exams } = office({ exams: [at(24, 'Algebra', '02-22T09:00')] });
    timetable(header, algebra);
    expect(await apply('--check', { tty: true })).toMatchObject({ code: 11, questions: [] });
    const ran = await apply('', { tty: true, answers: [answer, true] });
    expect([ran.code, exams()], ran.stderr).toEqual([code, is]);
    expect(ran.questions[0]).toBe('Which exam is Algebra (line 2)?');
    if (answer === 'move') expect(ran.offered[0]).toEqual(['move exam 24 from 2027-02-22 10:00 +01:00 to 2027-02-08 10:00 +01:00']);
  });

  test('an ID that is gone holds back its line; what the timetable does not name stays', async () => {
    const { timetable, apply, exams } = office({ exams: [at(7, 'Logic')] });
    timetable(`id,${header}`, `99,${algebra}`, `,${analysis}`);
    const { code, rows } = await apply();
    expect([code, rows[0]?.reason, exams().length]).toEqual([9, expect.stringContaining('exam 99 is gone: clear the id'), 2]);
  });

  test.each([
    ['moves to its start', '6,,2027-02-08,10:00,12:00'],
    ['gets its name', '6,Algebra,,,'],
  ])('an exam that %s is that of a line without an ID: none is created beside it', async (_does, line) => {
    const other = line.startsWith('6,,') ? at(6, 'Algebra', '02-22T09:00') : at(6, 'Sets');
    const { timetable, apply } = office({ exams: [other] });
    timetable(`id,${header}`, line, `,${algebra}`);
    const { code, sent, error } = await apply();
    expect([code, sent, error?.message]).toEqual([3, [], 'period.csv, line 3: line 2 has Algebra with this start already.']);
  });

  test('an exam of its name that has no start yet may be the exam of a line: it is held back', async () => {
    const { timetable, apply } = office({ exams: [{ ...at(6, 'Algebra'), start_time: null, end_time: null }] });
    timetable(header, algebra);
    const { code, sent, error } = await apply();
    expect([code, sent, error?.message]).toEqual([11, [], expect.stringContaining('write 6 into the column id to move it, or new')]);
  });

  test('an ID that the list lacks and that is there shows that the list is not whole: nothing is created from it', async () => {
    const { service, timetable, apply } = office({ exams: [at(6, 'Algebra')] });
    service.always('GET /exams', refused(200, []));
    timetable(`id,${header}`, `6,${algebra}`, `,${analysis}`);
    const { code, sent, error } = await apply();
    expect([code, sent, error?.message]).toEqual([3, [], expect.stringContaining('does not show exam 6, which is there')]);
  });

  test('a start that only the list leaves out is read by the ID: no exam is created a second time', async () => {
    const as = (record: Fields, { path }: Arrived) => (path === '/exams' ? { id: record.id, name: record.name } : record);
    const { timetable, apply, run, exams } = office({ exams: [at(6, 'Algebra')], showing: { as } });
    timetable(header, algebra);
    expect((await apply()).actions).toEqual(['2 unchanged']);
    const create = 'exams create --name Algebra --start 2027-02-08T10:00 --end 2027-02-08T12:00';
    expect([(await run(create)).code, (await run(`${create} --if-not-exists`)).code, exams().length]).toEqual([11, 0, 1]);
  });

  test('one that has begun is no candidate, nor one of another line: last year had the same names', async () => {
    const { timetable, apply, exams } = office({ exams: [at(5, 'Algebra', '01-03T09:00'), at(6, 'Algebra', '03-08T09:00')] });
    timetable(header, algebra, 'Algebra,2027-03-08,10:00,12:00');
    expect([(await apply()).code, exams().length]).toEqual([0, 3]);
  });
});

describe('The column of proctors', () => {
  const columns = `id,${header},proctors`;
  const line = (proctors: string) => `6,${algebra},${proctors}`;

  test('adds and removes until they are who it says, keeps them where it is empty, and empties the pool with none', async () => {
    const { timetable, apply, pool } = office({ exams: [at(6, 'Algebra')], pools: { 6: [1, 2] } });
    timetable(columns, line('PROCTOR2@example.org;Proctor 3; 4'));
    const { code, sent, bodies, rows } = await apply();
    expect([code, sent]).toEqual([0, ['POST /exams/6/proctor_pool', 'DELETE /exams/6/proctor_pool']]);
    expect(bodies).toEqual([{ proctors: [3, 4] }, { proctors: [1] }]);
    expect([rows[0]?.changes, pool(6)]).toEqual([[{ field: 'proctors', from: ['1', '2'], to: ['2', '3', '4'] }], [2, 3, 4]]);
    timetable(columns, line(''));
    expect([(await apply()).sent, pool(6)]).toEqual([[], [2, 3, 4]]);
    timetable(columns, line('none'));
    expect([(await apply()).code, pool(6)]).toEqual([0, []]);
  });

  test('takes nobody out of the pool before the others are in it', async () => {
    const { timetable, apply, pool, service } = office({ exams: [at(6, 'Algebra')], pools: { 6: [1] } });
    service.always('POST /exams/6/proctor_pool', refused(422, { message: 'no' }));
    timetable(columns, line('2'));
    expect([(await apply()).sent, pool(6)]).toEqual([['POST /exams/6/proctor_pool'], [1]]);
  });

  test('looks up nobody whom the pool shows, and says what it needs for others', async () => {
    const { timetable, apply, service } = office({ exams: [at(6, 'Algebra')], pools: { 6: [1] } });
    timetable(columns, line('proctor1@example.org'));
    const env = { PROCTOR_INSTITUTE: '' };
    expect([(await apply('', { env })).code, service.requests().some((each) => each.includes('/users'))]).toEqual([0, false]);
    for (const other of ['Meier', 'proctor2@example.org']) {
      timetable(columns, line(other));
      const { code, error } = await apply('', { env });
      expect([code, `${error?.message} ${error?.hint}`]).toEqual([2, expect.stringMatching(/No institute is set .*--institute ID/)]);
    }
    expect((await apply('--institute 1', { env })).code).toBe(0);
  });

  test('refuses a name that two in the pool have, and takes an ID that is also a name for the ID', async () => {
    const { timetable, apply, pool, service } = office({ exams: [at(6, 'Algebra')], pools: { 6: [1, 2] } });
    const [one, two] = service.truth.users;
    Object.assign(two ?? {}, { name: 'Proctor 1' });
    timetable(columns, line('Proctor 1'));
    const { code, error } = await apply();
    expect([code, error?.message, pool(6)]).toEqual([3, expect.stringContaining('belongs to 2 users: 1, 2'), [1, 2]]);
    Object.assign(one ?? {}, { name: '2' });
    timetable(columns, line('2'));
    expect([(await apply()).code, pool(6)]).toEqual([0, [2]]);
  });
});

test('Where a line is held back and another one is done, no hint says that nothing was sent', async () => {
  const { timetable, apply, service } = office({ exams: [at(6, 'Algebra')] });
  timetable(`id,${header}`, '6,Algebra,2127-02-08,11:00,', ',Geology,2027-02-09,10:00,12:00');
  const { code, error } = await apply('');
  expect([code, service.writes().length, error?.hint]).toEqual([9, 1, expect.stringMatching(/^Give both of its times: /)]);
});

describe('A name that looks damaged', () => {
  const columns = `id,${header},roster`;

  test('is named with its line, of a student of a roster with the line alone, and renames no exam', async () => {
    const { timetable, apply, file, service } = office({ exams: [at(6, 'Mathématiques')] });
    timetable(columns, '6,MathÃ©matiques,2027-02-08,10:00,12:00,', ',GÃ©ologie,2027-02-09,10:00,12:00,a.csv');
    file('a.csv', 'email,name\nann@example.org,Ann\nzoe@example.org,ZoÃ©\n');
    const { stderr } = await apply('', { tty: true, answers: [false] });
    const { code, actions } = await apply('');
    expect(stderr).toMatch(
      /Names that look damaged: \S*MathÃ©matiques\S* \(line 2\), \S*GÃ©ologie\S* \(line 3\), a\.csv, line 3\. .*--encoding/,
    );
    expect([code, actions, service.exams[0]?.name]).toEqual([9, ['2 held back', '3 create'], 'Mathématiques']);
  });

  test('also a number that may lack zeros is named with its line', async () => {
    const { timetable, apply, file } = office({ exams: [] });
    timetable(columns, ',Geology,2027-02-09,10:00,12:00,a.csv');
    file('a.csv', 'email,Matrikelnummer\nann@example.org,0071\nzoe@example.org,72\n');
    const { stderr } = await apply('', { env: { PROCTOR_DIALECT_SESSION_NUMBER_KEY: 'matriculation_number' } });
    expect(stderr).toMatch(/Numbers that may lack zeros at their beginning: a\.csv, line 3\. /);
  });

  test('stops the file where letters were lost', async () => {
    const { timetable, apply, service } = office({ exams: [at(6, 'Mathématiques')] });
    timetable(columns, '6,Math\ufffdmatiques,2027-02-08,10:00,12:00,');
    for (const words of ['--check', '']) {
      const { code, error } = await apply(words);
      expect([code, error?.message]).toEqual([3, expect.stringMatching(/line 2, column 2 \(name\): .*letters of the name were lost/)]);
    }
    expect(service.requests()).toEqual([]);
  });
});

describe('The column of rosters', () => {
  const columns = `id,${header},roster`;

  test('says which line has no address: it may be a sum, and nobody by that name is a student', async () => {
    const { timetable, apply, file, run, service } = office({ exams: [at(6, 'Algebra')] });
    await run('config set dialect.sessionNumberKey matriculation_number');
    timetable(columns, `6,${algebra},a.csv`);
    file('a.csv', 'email,name,matriculation_number\nada@example.org,Ada,1\n,Summe,14\n');
    const { rows } = await apply('--check');
    expect(rows[0]?.reason).toBe('1 student without an address (line 3)');
    expect(service.writes()).toEqual([]);
  });

  test('adds who is missing; whom it lacks stays, until --remove-missing allows as many; nobody is in the plan by name', async () => {
    const { timetable, apply, roster, emails, service } = office({ exams: [at(6, 'Algebra')] });
    for (const name of ['ada', 'zoe', 'zac']) service.add({ email: `${name}@example.org`, name });
    service.add({ email: 'fin@example.org', status: 'finished' });
    timetable(columns, `6,${algebra},a.csv`);
    roster('a.csv', 'ada', 'bob');
    const planned = await apply('--check');
    expect([planned.code, planned.rows[0]?.changes]).toEqual([11, [{ field: 'students', from: 4, to: 5 }]]);
    expect(`${planned.stdout}${planned.stderr}`).not.toContain('bob');
    const { rows, code } = await apply();
    expect([code, rows[0]?.reason]).toEqual([0, '3 students not in the roster, and kept']);
    const many = await apply('--remove-missing 1');
    expect([many.code, many.sent, many.error?.hint]).toEqual([3, [], expect.stringContaining('--remove-missing 2')]);
    const few = await apply('--remove-missing 2');
    expect([few.code, few.stderr]).toEqual([0, expect.stringContaining('Will delete from exam 6: zoe@example.org')]);
    expect(few.rows[0]?.reason).toBe('2 students not in the roster, and deleted 1 student not in the roster, and kept (fin@example.org)');
    expect(emails()).toEqual(['ada', 'bob', 'fin'].map((name) => `${name}@example.org`));
  });

  /** Ada goes from one exam to the other. */
  const twoRosters = (...exams: Fields[]) => {
    const made = office({ exams });
    for (const name of ['ada', 'bob']) made.service.add({ email: `${name}@example.org`, exam_id: 6 });
    made.roster('a.csv', 'bob');
    made.roster('b.csv', 'ada');
    return made;
  };
  const bothThere = ['ada@example.org', 'bob@example.org'];

  test('takes nobody from an exam while it is unknown whether another line has added the student elsewhere, however often', async () => {
    const { timetable, apply, emails, service } = twoRosters(at(6, 'Algebra'), at(7, 'Logic'));
    timetable('id,roster', '6,a.csv', '7,b.csv');
    service.next('POST', ignored);
    const first = await apply('--remove-missing 1');
    expect([first.code, emails(), first.rows[0]?.reason]).toEqual([10, bothThere, 'not sent yet']);
    const again = await apply('--remove-missing 1');
    expect([again.code, emails(), again.sent]).toEqual([10, bothThere, []]);
    expect(again.rows[0]?.reason).toBe('1 student not in the roster, and kept');
  });

  test('takes nobody from an exam while a line with a roster is held back', async () => {
    const { timetable, apply, emails, students } = twoRosters(at(6, 'Algebra'), at(7, 'Logic', '03-08T09:00'));
    timetable(columns, `6,${algebra},a.csv`, ',Logic,2027-02-09,10:00,12:00,b.csv');
    expect([(await apply('--remove-missing 1')).code, emails()]).toEqual([11, bothThere]);
    timetable(columns, `6,${algebra},a.csv`, '7,Logic,2027-02-09,10:00,12:00,b.csv');
    expect([(await apply('--remove-missing 1')).code, students(6), students(7)]).toEqual([0, ['bob none none'], ['ada none none']]);
  });

  test('takes nobody from an exam while a line with a roster is held back because its exam is running', async () => {
    const { timetable, apply, emails, service } = twoRosters(at(6, 'Algebra'), at(7, 'Logic', '01-04T07:30', '09:30'));
    service.add({ email: 'zoe@example.org', exam_id: 7, status: 'exam_started' });
    timetable('id,name,start,end,roster', '6,,,,a.csv', '7,Logic,2027-01-04 08:30,2027-01-04 10:00,b.csv');
    const { code, sent, rows } = await apply('--remove-missing 1');
    expect([code, sent, emails()]).toEqual([12, [], [...bothThere, 'zoe@example.org']]);
    expect(rows[0]?.reason).toBe(
      'A student whom its roster lacks may be in the roster of a line whose exam is running. Nothing was sent for line 2.',
    );
  });

  test('takes no time away, and counts who has other values without changing them', async () => {
    const { timetable, apply, file, service } = office({ exams: [at(6, 'Algebra')] });
    service.add({ email: 'ada@example.org', close_time: '2027-02-08T12:00:00Z' });
    service.add({ email: 'bob@example.org', close_time: '2027-02-08T10:00:00Z' });
    timetable(columns, `6,${algebra},a.csv`);
    file('a.csv', 'email,close_time\nada@example.org,2027-02-08 12:00\nbob@example.org,2027-02-08 12:00\n');
    const { code, sent, rows } = await apply();
    expect([code, sent, rows[0]?.action]).toEqual([11, [], 'different']);
    expect(rows[0]?.reason).toContain('1 student kept with other values than the roster has');
  });

  test('of an exam whose times move: new students have the windows of the file, and the others move along', async () => {
    const { timetable, apply, file, service, students } = office({ exams: [at(6, 'Algebra')] });
    service.add({ email: 'ada@example.org', close_time: '2027-02-08T12:00:00Z' });
    timetable(columns, '6,Algebra,2027-02-10,10:00,12:00,a.csv');
    file('a.csv', 'email,open_time,close_time\nada@example.org,,\nbob@example.org,2027-02-10 10:30,2027-02-10 14:00\n');
    const { code, stderr } = await apply();
    expect([code, students(6)], stderr).toEqual([0, ['ada none 02-10T12:00', 'bob 02-10T09:30 02-10T13:00']]);
    expect((await apply()).sent).toEqual([]);
  });

  test('of an exam whose times move: the windows of its students are compared as they are then', async () => {
    const { timetable, apply, file, service, students } = office({ exams: [at(6, 'Algebra')] });
    const window = { open_time: '2027-02-08T09:30:00Z', close_time: '2027-02-08T12:00:00Z' };
    for (const name of ['ada', 'zoe']) service.add({ email: `${name}@example.org`, ...window });
    const roster = (day: string, close = '13:00') =>
      file('a.csv', `email,open_time,close_time\nada@example.org,${day} 10:30,${day} ${close}\n`);
    timetable(columns, '6,Algebra,2027-02-10,10:00,12:00,a.csv');
    roster('2027-02-10');
    const moved = await apply('--remove-missing 1');
    expect([moved.code, students(6)], moved.stderr).toEqual([0, ['ada 02-10T09:30 02-10T12:00']]);
    timetable(columns, '6,Algebra,2027-02-10,10:00,11:30,a.csv');
    const { code, rows } = await apply();
    expect([code, students(6)]).toEqual([9, ['ada 02-10T09:30 02-10T11:30']]);
    expect(rows[0]?.reason).toContain('1 student kept with other values than the roster has');
    expect((await apply()).code).toBe(11);
  });

  test('of an exam whose times move: a window that somebody sets between its two reads is left, and named', async () => {
    const { timetable, roster, apply, service } = office({ exams: [at(6, 'Algebra')] });
    const { id } = service.add({ exam_id: 6, email: 'ada@example.org', name: 'ada', close_time: '2027-02-08T11:00:00Z' });
    roster('a.csv', 'ada');
    timetable(`${header},roster`, 'Algebra,2027-02-08,10:00,12:30,a.csv');
    const longer = '2027-02-08T11:37:00Z';
    service.onArrival = ({ line, countOfLine }) => {
      if (line === 'GET /exams/6/student_sessions' && countOfLine === 2) service.change('session', id, { close_time: longer });
    };
    const { code, stderr } = await apply();
    expect([code, service.sessions[0]?.close_time], stderr).toEqual([9, longer]);
    expect(stderr).toContain(String(id));
  });

  test('of a student whom the service refuses fails with its line, and the others go on', async () => {
    const { timetable, apply, roster, service, emails } = office();
    timetable(`${header},roster`, `${algebra},a.csv`, `${analysis},`);
    roster('a.csv', 'ada', 'bob');
    service.fault = ({ body }) => (body.email === 'bob@example.org' ? refused(400, { message: 'no bob' }) : undefined);
    const { code, actions, rows } = await apply();
    expect([code, actions, rows[0]?.reason]).toEqual([9, ['2 failed', '3 create'], expect.stringContaining('no bob')]);
    expect(emails()).toEqual(['ada@example.org']);
  });
});

describe('An exam that is running', () => {
  const begun = (...lines: string[]) => {
    const exams = [at(6, 'Algebra', '01-04T07:00', '10:00'), at(7, 'Analysis', '02-09T13:00', '15:00')];
    const made = office({ exams, pools: { 6: [1] } });
    made.timetable(`id,${header},proctors`, ...lines);
    return made;
  };

  const takes = ['6,,2027-01-04,08:00,10:30,', '6,,,,,none'];
  test.each(takes)('is held back where it would lose something (%s), and the others go on', async (line) => {
    const { apply, exams, pool } = begun(line, '7,,2027-02-09,14:00,17:00,');
    const checked = await apply('--check');
    expect([checked.code, checked.sent, checked.actions]).toEqual([11, [], ['2 held back', '3 update']]);
    const { code, rows, sent, actions } = await apply();
    expect([code, sent, actions]).toEqual([9, ['PATCH /exams/7'], ['2 held back', '3 update']]);
    expect(rows[0]?.reason).toMatch(/^Exam 6 \(Algebra, .*\) has been running .*; the request would .* for line 2\.$/);
    expect([exams()[0], pool(6)]).toEqual(['Algebra 01-04T07:00 01-04T10:00', [1]]);
    const alone = await apply();
    expect([alone.code, alone.sent, alone.error?.code]).toEqual([12, [], 'exam_running']);
    expect((await apply('--check --during-exam Fire')).actions).toEqual(['2 update', '3 unchanged']);
    expect([(await apply('--during-exam Fire')).code]).toEqual([0]);
  });

  test('gets more time, other proctors, and what else takes nothing away', async () => {
    const { apply, exams } = begun('6,Algebra I,2027-01-04,08:00,11:30,1;2');
    expect([(await apply()).code, exams()[0]]).toEqual([0, 'Algebra I 01-04T07:00 01-04T10:30']);
  });

  test('is not moved, not even with a reason, and neither is one that is over: a line of next term keeps its old ID', async () => {
    const { apply, service, exams } = begun('6,,2027-09-04,08:00,11:00,');
    const running = await apply('--during-exam Fire');
    const why = 'line 2: exam 6 started at 2027-01-04 08:00 +01:00, and is not moved: clear the id for an exam of its own.';
    expect([running.code, running.sent, running.error?.message]).toEqual([11, [], why]);
    service.clock.set('2027-01-06T08:00:00Z');
    expect([(await apply()).code, exams()[0]]).toEqual([11, 'Algebra 01-04T07:00 01-04T10:00']);
    const over = begun('6,,2027-01-04,08:00,11:00,');
    over.service.clock.set('2027-01-06T08:00:00Z');
    expect((await over.apply()).actions).toEqual(['2 unchanged']);
  });
});
