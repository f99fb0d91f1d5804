/** The options of `sessions import` that say how a roster is meant, through the whole program. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshHome } from '../../../commands/embedded.ts';
import { textRow, zipOf } from '../../../roster/read/zip.ts';
import { run, type World } from '../../../support/run.ts';

const line = ['--profile', 'sandbox', 'sessions', 'import', '-', '--exam', '6', '--timezone', 'UTC'];

async function imported(stdin: string, options: string[], world: World = {}) {
  return run([...line, ...options], { home: freshHome(), stdin, ...world });
}

const roles =
  'email,name,Status\nann@example.org,Ann Example,Active\nben@example.org,Ben Example,Parked\ncy@example.org,Cy Example,Dropped\n';

describe('a roster with a column of which nothing is declared', () => {
  test('is refused without a terminal, and nothing is sent', async () => {
    const { code, stderr } = await imported(roles, ['--yes', '--debug']);
    expect(code).toBe(3);
    expect(stderr).toContain('error: stdin, 3 lines: 1 undeclared column may decide which lines are used:');
    expect(stderr).toContain('  "Status" (column 3): "Active" 1 (line 2), "Parked" 1 (line 3), "Dropped" 1 (line 4)');
    expect(stderr).not.toContain('> POST');
  });

  test('is read as it is declared, and the values are shown', async () => {
    const only = await imported(roles, ['--yes', '-o', 'json', '--only', 'Status=Active,Parked']);
    expect([only.code, JSON.parse(only.stdout).created, JSON.parse(only.stdout).left_out]).toEqual([0, 2, 1]);
    expect(only.stderr).toContain('Column "Status": "Dropped" 1 (line 4, left out), "Parked" 1 (line 3), "Active" 1 (line 2).');
    const all = await imported(roles, ['--yes', '-o', 'json', '--ignore-column', 'Status']);
    expect(JSON.parse(all.stdout).created).toBe(3);
  });

  test('is asked about on a terminal, without a default; a dry run asks too', async () => {
    const choices = ['"Active" 1 (line 2)', '"Parked" 1 (line 3)', '"Dropped" 1 (line 4)'];
    const { code, stderr, stdout, offered, questions } = await imported(roles, ['-o', 'json'], { tty: true, answers: [['0', '1'], true] });
    expect(code, stderr).toBe(0);
    expect(questions).toEqual(['Which values of "Status" are used?', expect.stringContaining('into exam 6')]);
    expect(offered[0]).toEqual([...choices.map((choice) => `[ ] ${choice}`), '[ ] every line: the column does not decide']);
    expect(stderr).toContain('This imports 2 of 3 lines.');
    expect(JSON.parse(stdout)).toMatchObject({ created: 2, left_out: 1 });
    const dry = await imported(roles, ['--dry-run'], { tty: true, answers: [['0']] });
    expect([dry.code, dry.questions]).toEqual([0, ['Which values of "Status" are used?']]);
  });

  test('imports nothing if no value is ticked', async () => {
    expect((await imported(roles, [], { tty: true, answers: [[]] })).code).toBe(3);
  });
});

test('addresses in another column are asked about on a terminal, and used after confirmation', async () => {
  const text = 'Name,SIS Login ID\n"Example, Ann",ann@example.org\n';
  const { stderr, questions } = await imported(text, ['--dry-run'], { tty: true, answers: [true] });
  expect(questions[0]).toBe(
    'stdin has addresses in "SIS Login ID" (column 2), such as "ann@example.org". Are they the addresses of the students?',
  );
  expect(stderr).toContain('email from "SIS Login ID".');
});

test('further fields of each row are sent with its student, as text or typed', async () => {
  const text = 'email,Nr,Seat\nann@example.org,0123,7\n';
  const { code, stderr } = await imported(text, ['--yes', '--debug', '--map', 'nr=Nr', '--map', 'seat:=Seat']);
  expect(stderr).toContain('{"email":"ann@example.org","nr":"0123","seat":7}');
  expect([0, 9]).toContain(code);
});

test('an ambiguous date is invalid until --dates says its order', async () => {
  const text = 'email,close_time\nann@example.org,03/04/2027 09:00\n';
  expect((await imported(text, ['--yes'])).code).toBe(3);
  const { stderr } = await imported(text, ['--yes', '--debug', '--dates', 'dmy']);
  expect(stderr).toContain('"close_time":"2027-04-03T09:00:00Z"');
});

test('--sheet chooses the sheet of a workbook, and the sheet that was read is named', async () => {
  const home = freshHome();
  const file = join(home, 'roster.xlsx');
  const sheet = (...rows: string[]) =>
    `<worksheet><sheetData>${rows.map((text, index) => textRow(index + 1, [text])).join('')}</sheetData></worksheet>`;
  const parts = {
    'xl/workbook.xml': '<workbook><sheets><sheet name="Notes" id="a"/><sheet name="Students" id="b"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="a" Target="a.xml"/><Relationship Id="b" Target="b.xml"/></Relationships>',
    'xl/a.xml': sheet('Bring a passport.'),
    'xl/b.xml': sheet('email', 'ann@example.org'),
  };
  writeFileSync(file, zipOf(parts));
  const rest = ['--exam', '6', '--dry-run'];
  const { stderr } = await run(['--profile', 'sandbox', 'sessions', 'import', file, ...rest], { home });
  expect(stderr).toContain('Reading sheet "Students"; the workbook also has "Notes". --sheet NAME selects another.');
  const other = await run(['--profile', 'sandbox', 'sessions', 'import', file, ...rest, '--sheet', 'Nots'], { home });
  expect(other.stderr).toContain('has no sheet "Nots". Its sheets: "Notes", "Students".');
});
