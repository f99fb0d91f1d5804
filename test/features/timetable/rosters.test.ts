/** A timetable with its rosters in one go: files, options and answers. */
import { describe, expect, test } from 'vitest';
import { at, header, office } from './office.ts';

const columns = `${header},roster`;
const algebra = 'Algebra,2027-02-08,10:00,12:00';
const analysis = 'Analysis,2027-02-09,10:00,12:00';

/** A timetable of two exams with a column Raum; each roster has students in these states. */
function period() {
  const made = office();
  const roster = (name: string, states: string, more = '') =>
    made.file(
      name,
      `email,Status${more}\n${states
        .split(' ')
        .map((state, nr) => `${state}${nr}@example.org,${state}${more && ',x'}\n`)
        .join('')}`,
    );
  made.timetable(`${columns},Raum`, `${algebra},a.csv,H1`, `${analysis},b.csv,H2`);
  return { ...made, states: roster };
}

/** Raum does not matter; of a roster those who are enrolled. */
const enrolled = { tty: true, answers: [['all'], ['1'], true] };

describe('The columns of a timetable and of its rosters', () => {
  test('are asked about once for all files; what was answered is printed as options that a script takes as they are', async () => {
    const { states, apply, emails, service } = period();
    states('a.csv', 'out in in');
    states('b.csv', 'in in out');
    const asked = await apply('', enrolled);
    expect(asked.questions.slice(0, 2)).toEqual([expect.stringContaining('"Raum"'), expect.stringContaining('"Status"')]);
    expect([asked.code, asked.questions.length, emails().length], asked.stderr).toEqual([0, 3, 4]);
    const [, options = ''] = /To answer this in a script, add: (.*)/.exec(asked.stderr) ?? [];
    expect(options).toBe('--ignore-column Raum --only Status=in --except Status=out');
    const script = await apply(`${options} --check`);
    expect([script.code, script.stderr]).toEqual([0, expect.not.stringContaining('does not contain')]);
    expect(service.written().length).toBe(6);
  });

  test('are asked about with the option that reads them: in a script, and on a terminal, where an answer only chooses lines', async () => {
    const { file, timetable, apply, emails } = period();
    timetable(`${header},Listen`, `${algebra},a.csv`, `${analysis},b.csv`);
    for (const [name, who] of Object.entries({ a: 'ann', b: 'bob' })) file(`${name}.csv`, `email\n${who}@example.org\n`);
    expect((await apply('', { tty: true, answers: [['all'], false] })).stderr).toContain('--map roster=Listen');
    const { code, error } = await apply('');
    expect([code, error?.hint]).toEqual([3, expect.stringMatching(/^ {2}--map roster=Listen or --only Listen=a\.csv or /m)]);
    expect([(await apply('--map roster=Listen')).code, emails()]).toEqual([0, ['ann@example.org', 'bob@example.org']]);
  });

  test('are taken back with a question that says which students leave which exams, and which exams go', async () => {
    const { states, apply, run, service } = period();
    for (const name of ['a.csv', 'b.csv']) states(name, 'in in in');
    await apply('--ignore-column Raum --ignore-column Status');
    const [last] = JSON.parse((await run('runs list')).stdout);
    const { questions } = await run(`runs undo ${last.run}`, { tty: true, answers: [true] });
    expect(questions).toEqual([
      expect.stringMatching(/: delete 6 students of exam \d+ \(.*\), exam \d+ \(.*\), then delete exams \d+, \d+ \(/),
    ]);
    expect(service.exams).toEqual([]);
  });

  test('the question of an undo restores no exam that it deletes, and counts the values of one that it restores', async () => {
    const { timetable, apply, run } = period();
    timetable(header, algebra);
    await apply('');
    const [{ id }] = JSON.parse((await run('exams list')).stdout);
    const [{ run: first }] = JSON.parse((await run('runs list')).stdout);
    timetable(`id,${header}`, `${id},Algebra,2027-02-08,11:00,13:00`, `,${analysis}`);
    await apply('');
    const last = JSON.parse((await run('runs list')).stdout).find((each: { run: string }) => each.run !== first);
    const { questions } = await run(`runs undo ${last.run}`, { tty: true, answers: [false] });
    expect(questions).toEqual([expect.stringMatching(/: restore 2 values of exam 100 \(.*\), then delete exam 101 \(/)]);
    expect(questions[0]).not.toMatch(/of exam 101|exam 101 \(A/);
  });

  test('are asked about again on a terminal only where a value is new, and a script is told which', async () => {
    const { states, apply, emails } = period();
    states('a.csv', 'out in in');
    states('b.csv', 'in in guest');
    const { code, questions, stderr } = await apply('', { tty: true, answers: [['all'], ['1'], ['1'], true] });
    expect([code, questions.length, emails().length], stderr).toEqual([0, 4, 4]);
    expect(stderr).toContain('--only Status=in --except Status=out,guest');
    const script = await apply('--ignore-column Raum --only Status=in --except Status=out --check');
    expect([script.code, script.error?.message]).toEqual([3, expect.stringMatching(/^b\.csv, 3 lines: .*\n.*"guest" 1/)]);
  });

  test('that do not matter in the timetable are asked about in a roster that has a choice there; no option says both', async () => {
    const { file, timetable, apply, emails } = period();
    timetable(`${columns},Status`, `${algebra},a.csv,fix`, `${analysis},b.csv,offen`);
    file('a.csv', 'email,Status\na@example.org,in\nb@example.org,withdrawn\n');
    file('b.csv', 'email,Status\nc@example.org,in\nd@example.org,in\n');
    const { code, questions, stderr } = await apply('', { tty: true, answers: [['all'], ['0'], true] });
    expect([code, questions.length, emails()], stderr).toEqual([0, 3, ['a', 'c', 'd'].map((name) => `${name}@example.org`)]);
    expect(stderr).toContain('No option can give two columns of one header different answers. Rename one of each: "Status".');
  });

  test('that choose lines of the timetable do not choose students: a roster with the same values is asked about', async () => {
    const { file, timetable, apply, emails } = period();
    timetable(`${columns},Status`, `${algebra},a.csv,fix`, `${analysis},,offen`);
    file('a.csv', 'email,Status\na@example.org,fix\nb@example.org,offen\n');
    const { code, questions, stderr } = await apply('', { tty: true, answers: [['0', '1'], ['0'], true] });
    expect([code, questions.length, emails()], stderr).toEqual([0, 3, ['a@example.org']]);
    expect(stderr).toContain('No option can give two columns of one header different answers. Rename one of each: "Status".');
  });

  test('have answers that are kept, for a check too', async () => {
    const { states, apply } = period();
    states('a.csv', 'out in in');
    states('b.csv', 'in in out', ',Seat');
    const first = await apply('--check', { tty: true, answers: [['all'], ['1'], true] });
    expect([first.code, first.questions.length], first.stderr).toEqual([11, 3]);
    const second = await apply('', { tty: true, answers: [true] });
    expect([second.code, second.questions.length], second.stderr).toEqual([0, 1]);
    expect(second.stderr).toContain('--ignore-column Raum --only Status=in --except Status=out --ignore-column Seat');
  });

  test('stop a script with those of all rosters, and with the options that declare them', async () => {
    const { states, apply } = period();
    states('a.csv', 'out in in');
    states('b.csv', 'in guest');
    const { code, error, sent } = await apply('--ignore-column Raum');
    expect([code, sent]).toEqual([3, []]);
    expect(error?.message).toMatch(/^a\.csv, 3 lines: .*\n.*\nb\.csv, 2 lines: /);
    // What is free to be ignored in one roster decides in another.
    expect(error?.hint).not.toContain('To use every line');
    expect(error?.hint).toMatch(/--only Status=out or --only Status=in or .*\n.*--only Status=guest/);
  });

  test('cannot be declared by an option for a column that no file has; of values that none has a warning says so', async () => {
    const { states, apply } = period();
    states('a.csv', 'in');
    states('b.csv', 'in');
    const unneeded = await apply('--ignore-column Raum --ignore-column Etage --only Statsu=in');
    expect([unneeded.code, unneeded.error?.hint]).toEqual([3, expect.stringContaining('"Status"')]);
    expect(unneeded.error?.message).toContain('period.csv with its rosters has no column "Statsu"');
    const slip = await apply('--ignore-column Raum --only Status=in,inn --check', { tty: true });
    expect([slip.code, slip.stderr]).toEqual([11, expect.stringContaining('Column "Status" does not contain "inn".')]);
  });
});

describe('The files of rosters', () => {
  const latin = (made: ReturnType<typeof period>) =>
    made.file('b.csv', Buffer.from('email,name,Status\nb@example.org,Müller,in\n', 'latin1'));

  test.each(['', ',Raum'])('are opened before the first question; one that cannot be read is named with what to do: %s', async (asks) => {
    const made = period();
    made.timetable(`${columns}${asks}`, `${algebra},a.csv${asks && ',H1'}`, `${analysis},b.csv${asks && ',H2'}`);
    made.states('a.csv', 'out in in');
    latin(made);
    const asked = await made.apply('', { tty: true, answers: [] });
    expect([asked.code, asked.questions], asked.stderr).toEqual([3, []]);
    expect(asked.stderr).toMatch(/period\.csv, line 3: b\.csv, line 2, character 16: invalid UTF-8\.\n.*--encoding windows-1252/);
    const answers = asks === '' ? [['1'], true] : enrolled.answers;
    expect((await made.apply('--encoding windows-1252', { tty: true, answers })).code).toBe(0);
    expect(made.service.sessions.map(({ name }) => name)).toContain('Müller');
  });

  test('have the encoding of the option only where they are not UTF-8; a script needs all that a terminal does', async () => {
    const made = period();
    made.file('a.csv', 'email,name,Status\na@example.org,Jürgen,in\n');
    latin(made);
    const { code } = await made.apply('--ignore-column Raum --only Status=in --encoding windows-1252');
    expect([code, made.service.sessions.map(({ name }) => name).toSorted()]).toEqual([0, ['Jürgen', 'Müller']]);
  });

  test('of lines that are left out need not be there', async () => {
    const made = period();
    made.states('a.csv', 'in');
    expect((await made.apply('--only Raum=H1 --only Status=in --check')).code).toBe(11);
    expect((await made.apply('--only Raum=H1 --check', { tty: true, answers: [true] })).code).toBe(11);
  });

  test('with a footer are corrected, or imported by themselves: --rows is about the timetable', async () => {
    const made = period();
    made.timetable(columns, `${algebra},a.csv`);
    made.file('a.csv', 'email,name\na@example.org,A\nSumme,1\n');
    for (const world of [{}, { tty: true, answers: [] }]) {
      const { code, error, stderr } = await made.apply('', world);
      expect([code, error?.hint ?? stderr]).toEqual([3, expect.stringContaining('import it with sessions import')]);
    }
  });
});

test('The printed command that shows who differs from a roster finds the file beside the timetable', async () => {
  const { service, roster, timetable, apply, run } = office({ exams: [at(6, 'Algebra')] });
  for (let time = 1; time <= 2; time += 1) service.add({ email: 'ada@example.org' });
  timetable(`id,${columns}`, `6,${algebra},a.csv`);
  roster('a.csv', 'ada');
  const { code, error } = await apply('');
  const [, printed = ''] = /See them: proctor-cli (.*)$/.exec(error?.hint ?? '') ?? [];
  const shown = await run(printed);
  expect([code, shown.code, shown.stdout]).toEqual([11, 11, expect.stringContaining('"result":"duplicate"')]);
});

test.each([
  ['options', '--encoding windows-1252 --only Status=in --except Status=out --ignore-column Raum', {}],
  ['answers', '--encoding windows-1252', { tty: true, answers: [['all'], ['0']] }],
])('… and reads it as the timetable did, by its %s', async (_, options, world) => {
  const { service, file, timetable, apply, run } = office({ exams: [at(6, 'Algebra')] });
  for (let time = 1; time <= 2; time += 1) service.add({ email: 'ada@example.org' });
  timetable(`id,${columns},Raum`, `6,${algebra},a.csv,H1`);
  file('a.csv', Buffer.from('email,name,Status\nada@example.org,Adä,in\nbob@example.org,Bob,out\n', 'latin1'));
  const { code, error, stderr } = await apply(options, world);
  const [, printed = ''] = /See them: proctor-cli (.*)$/m.exec(error?.hint ?? stderr) ?? [];
  expect(printed).not.toContain('Raum');
  const shown = await run(printed.replaceAll("'", ''));
  expect([code, shown.rows.length, shown.stdout], stderr + shown.stderr).toEqual([11, 0, expect.stringContaining('"result":"duplicate"')]);
  expect(shown.code, stderr + shown.stderr).toBe(11);
});

test('A check counts students whom a roster lacks, unless they have started; an apply keeps and names them', async () => {
  const { service, roster, timetable, apply, run } = office({ exams: [at(6, 'Algebra')] });
  service.add({ email: 'ada@example.org' });
  service.add({ email: 'zoe@example.org' });
  service.add({ email: 'fin@example.org', status: 'exam_finished' });
  timetable(`id,${columns}`, `6,${algebra},a.csv`);
  roster('a.csv', 'ada');
  const check = await apply('--check');
  expect([check.code, check.rows[0]?.reason]).toEqual([11, expect.stringContaining('1 student in the exam, and not in the roster')]);
  expect(check.actions).toEqual(['2 different']);
  expect((await apply()).code).toBe(0);
  // An apply repairs nothing here: the hint leads to what does.
  const [, printed = ''] = /^See them: proctor-cli (.*)$/.exec(check.error?.hint ?? '') ?? [];
  expect((await run(printed.replaceAll("'", ''))).stderr).toContain('This deletes 1 of 3 students of exam 6: proctor-cli sessions import');
});
