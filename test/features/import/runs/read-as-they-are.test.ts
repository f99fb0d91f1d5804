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

describe('a roster whose status is not known', () => {
  test('is refused without a terminal, and nothing is sent', async () => {
    const { code, stderr } = await imported(roles, ['--yes', '--debug']);
    expect(code).toBe(3);
    expect(stderr).toContain('error: Column "Status" decides which rows are imported, but has unknown values: "Parked" (1).');
    expect(stderr).toContain('--only Status=Active,Parked; or import all rows: --any Status');
    expect(stderr).not.toContain('> POST');
  });

  test('is read as --only or --any says, and the values are shown', async () => {
    const only = await imported(roles, ['--yes', '-o', 'json', '--only', 'Status=Active,Parked']);
    expect([only.code, JSON.parse(only.stdout).created, JSON.parse(only.stdout).left_out]).toEqual([0, 2, 1]);
    expect(only.stderr).toContain('Column "Status": "Active" 1, "Parked" 1, "Dropped" 1 (left out).');
    const any = await imported(roles, ['--yes', '-o', 'json', '--any', 'Status']);
    expect(JSON.parse(any.stdout).created).toBe(3);
  });

  test('is asked about on a terminal', async () => {
    const { stderr, offered, questions } = await imported(roles, ['--dry-run'], { tty: true, answers: [['Parked']] });
    expect(questions[0]).toBe('Which values of column "Status" are students to import?');
    expect(offered[0]).toEqual(['[ ] "Parked" (1)']);
    expect(stderr).toContain('3 rows, 2 students, 1 left out (status dropped)');
  });
});

test('addresses in another column are asked about on a terminal, and used after confirmation', async () => {
  const text = 'Student,SIS Login ID\n"Example, Ann",ann@example.org\n';
  const { stderr, questions } = await imported(text, ['--dry-run'], { tty: true, answers: [true] });
  expect(questions[0]).toBe('stdin has its addresses in "SIS Login ID" (column 2), such as "ann@example.org". Use this column?');
  expect(stderr).toContain('Columns read: name from "Student", email from "SIS Login ID".');
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
