/**
 * The exports that administrators hold, one fixture each, in the shape that is documented where the
 * test says; the people in them are invented.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { validate } from '../../../src/features/import/validate.ts';
import { type MapOptions, type Mapping, mapTable } from '../../../src/roster/map/index.ts';
import { openRoster, type RosterOptions } from '../../../src/roster/read/index.ts';
import type { RosterSource } from '../../../src/roster/read/source-file.ts';
import { temporaryFolder } from '../../support/run.ts';
import { arriving, opened, refusal } from '../read/roster.ts';
import { zipOf } from '../read/zip.ts';

const folder = 'test/fixtures/rosters';
const imke = 'Imke Thorvald <imke.thorvald@students.example.org>';
const ruben = 'Ruben van der Wiel <ruben.wiel@students.example.org>';
const joerg = 'Jörg Füßler <joerg.fuessler@students.example.org>';
const zoe = 'Zoë Brandstätter <zoe.brandstaetter@students.example.org>';
const maelle = 'Maëlle Quérel <maelle.querel@etu.example.org>';
const aurelien = 'Aurélien Dû-Pontet <aurelien.dupontet@etu.example.org>';

async function imported(source: RosterSource, { any, ...options }: RosterOptions & Pick<MapOptions, 'any'> = {}) {
  const table = await openRoster(source, options);
  try {
    const mapping: Mapping = await mapTable(table, any ? { any } : {});
    const { entries, problems, leftOut, total } = await validate(mapping, { now: () => 0, zone: undefined });
    const students = [...entries].map(({ name, email }) => (name === undefined ? email : `${name} <${email}>`));
    return {
      format: table.format,
      recognised: mapping.recognised,
      students,
      problems,
      leftOut: Object.fromEntries(leftOut),
      total,
      mapping,
    };
  } finally {
    await table.close();
  }
}

type Export = {
  file: string;
  /** Where the shape is documented, or in whose source it stands. */
  documented: string;
  recognised: string;
  format: string;
  students: string[];
  leftOut?: { [reason: string]: number };
  encoding?: string;
  /** What `--any` has to say. */
  any?: string[];
};

const exports: Export[] = [
  {
    file: 'moodle-participants.csv',
    documented: 'Moodle, user/action_redir.php (download_participants): names, then the identity fields',
    recognised: 'a Moodle participants export',
    format: 'CSV with commas',
    students: [imke, 'Odile Marie Castaing <odile.castaing@students.example.org>', ruben],
  },
  {
    file: 'moodle-participants.de.csv',
    documented: 'the same with the strings of the German language pack',
    recognised: 'a Moodle participants export',
    format: 'CSV with commas',
    students: [joerg, zoe],
  },
  {
    file: 'moodle-participants.fr.csv',
    documented: 'the same with the strings of the French language pack',
    recognised: 'a Moodle participants export',
    format: 'CSV with commas',
    students: [maelle, aurelien],
  },
  {
    file: 'moodle-upload-users.csv',
    documented: 'docs.moodle.org, "Upload users"',
    recognised: 'a Moodle user upload',
    format: 'CSV with commas',
    students: [imke, ruben],
    leftOut: { 'role editingteacher': 1, 'status deleted': 1, 'status suspended': 1 },
  },
  {
    file: 'canvas-sis-users.csv',
    documented: 'Canvas LMS API documentation, "SIS Import Format Documentation", users.csv',
    recognised: 'a Canvas SIS users file',
    format: 'CSV with commas',
    students: [imke, ruben],
    leftOut: { 'status deleted': 1, 'status suspended': 1 },
  },
  {
    file: 'canvas-gradebook.csv',
    documented: 'Canvas guides, "How do I export grades in the Gradebook?"; rows "Manual Posting" and "Points Possible", "Student, Test"',
    recognised: 'a Canvas gradebook',
    format: 'CSV with commas',
    students: [imke, ruben],
    leftOut: { '"Points Possible"': 1, 'gradebook row without a student': 1, 'test student': 1 },
  },
  {
    file: 'blackboard-grade-centre.xls',
    documented: 'Blackboard help, "Work Offline with Grade Data": tab-delimited text in UTF-16 LE, called .xls',
    recognised: 'a Blackboard grade centre',
    format: 'CSV with tabs, utf-16le',
    students: [imke, zoe],
    leftOut: { 'test student': 1 },
  },
  {
    file: 'brightspace-grades.csv',
    documented: 'D2L Brightspace documentation, "Export grades": # before identifiers, End-of-Line Indicator',
    recognised: 'a Brightspace export',
    format: 'CSV with commas',
    students: [imke, ruben],
  },
  {
    file: 'oneroster-1.1-users.csv',
    documented: '1EdTech OneRoster 1.1, CSV tables, users.csv',
    recognised: 'a OneRoster 1.1 users file',
    format: 'CSV with commas',
    students: [imke, ruben],
    leftOut: { 'role teacher': 1, 'status tobedeleted': 1, 'enabledUser false': 1, 'role guardian': 1 },
  },
  {
    file: 'oneroster-1.2/users.csv',
    documented: '1EdTech OneRoster 1.2, CSV binding, users.csv: the roles are in roles.csv',
    recognised: 'a OneRoster 1.2 users file',
    format: 'CSV with commas',
    students: [imke, ruben],
    leftOut: { 'no student role in roles.csv': 1 },
  },
  {
    file: 'microsoft-sds-users.csv',
    documented: 'Microsoft Learn, "SDS V2.1 CSV file format", users.csv',
    recognised: 'a Microsoft SDS users file',
    format: 'CSV with commas',
    students: [imke, ruben],
    any: ['roles.csv'],
  },
  {
    file: 'microsoft-sds-student.csv',
    documented: 'Microsoft Learn, "SDS V1 CSV file format", Student.csv',
    recognised: 'a Microsoft SDS student file',
    format: 'CSV with commas',
    students: [imke, ruben],
  },
  {
    file: 'campusonline-exam.csv',
    documented: 'TUMonline and RWTHonline exam exports, as Artemis and others read them (FAMILY_NAME_OF_STUDENT, …)',
    recognised: 'a CAMPUSonline export',
    format: 'CSV with semicolons, windows-1252',
    students: [joerg, zoe],
    encoding: 'windows-1252',
  },
  {
    file: 'campusonline-participants.csv',
    documented: 'the list of participants of PLUSonline and others: a title, German headers',
    recognised: 'a CAMPUSonline export',
    format: 'CSV with semicolons, windows-1252',
    students: [joerg, zoe],
    encoding: 'windows-1252',
  },
  {
    file: 'pix-students.csv',
    documented: 'Pix Orga, students of higher education, as its import parser names the columns',
    recognised: 'a Pix student file',
    format: 'CSV with semicolons',
    students: [maelle, aurelien],
  },
  {
    file: 'google-workspace-users.csv',
    documented: 'Google Workspace Admin help, "Download a list of users"',
    recognised: 'a Google Workspace users file',
    format: 'CSV with commas',
    students: [imke, ruben],
    leftOut: { 'status suspended': 1 },
  },
  {
    file: 'gradescope-roster.csv',
    documented: 'Gradescope guides, "Adding Students and Staff"; the roster download has Role and Section',
    recognised: 'a Gradescope roster',
    format: 'CSV with commas',
    students: [imke, ruben],
    leftOut: { 'role instructor': 1, 'role ta': 1 },
  },
  {
    file: 'artemis-students.csv',
    documented: 'Artemis, students import and export dialogs (LOGIN, EMAIL, REGISTRATION_NUMBER)',
    recognised: 'an Artemis student list',
    format: 'CSV with semicolons',
    students: [joerg, zoe],
  },
  {
    file: 'addresses.txt',
    documented: 'what mail programs give when a list of recipients is copied',
    recognised: 'a list of e-mail addresses',
    format: 'list of addresses',
    students: [
      'imke.thorvald@students.example.org',
      ruben,
      'Zoë Brandstätter <zoe.brandstaetter@students.example.org>',
      'Jörg Füßler <joerg.fuessler@students.example.org>',
    ],
  },
  {
    file: 'addresses-with-header.txt',
    documented: 'the same, with a header',
    recognised: 'a list of e-mail addresses',
    format: 'list of addresses',
    students: ['imke.thorvald@students.example.org', 'ruben.wiel@students.example.org'],
  },
];

describe('the exports of other systems', () => {
  test.each(exports)(
    '$file is recognised, and its students are found',
    async ({ file, encoding, any = [], recognised, format, students, leftOut = {} }) => {
      const found = await imported({ path: join(folder, file) }, { encoding, any });
      expect(found.recognised).toBe(recognised);
      expect(found.format).toBe(format);
      expect(found.problems).toEqual([]);
      expect(found.students).toEqual(students);
      expect(found.leftOut).toEqual(leftOut);
      const others = Object.values(leftOut).reduce((sum, count) => sum + count, 0);
      expect(found.total).toBe(students.length + others);
    },
  );

  test('a OneRoster 1.2 archive marks its students in roles.csv', async () => {
    const files = ['manifest.csv', 'roles.csv', 'users.csv'].map((name) => [name, readFileSync(join(folder, 'oneroster-1.2', name))]);
    const { students, leftOut, mapping } = await imported({ stdin: arriving(zipOf(Object.fromEntries(files))) });
    expect(students).toEqual([imke, ruben]);
    expect(leftOut).toEqual({ 'no student role in roles.csv': 1 });
    expect(mapping.notes).toEqual([]);
  });

  test('is another import when roles.csv beside it names another student', async () => {
    const own = temporaryFolder();
    copyFileSync(join(folder, 'oneroster-1.2/users.csv'), join(own, 'users.csv'));
    const digestWith = async (student: string) => {
      writeFileSync(join(own, 'roles.csv'), `userSourcedId,role\n${student},student\n`);
      return (await imported({ path: join(own, 'users.csv') })).mapping.digest;
    };
    expect(await digestWith('u1')).not.toBe(await digestWith('u2'));
  });

  test('a roles.csv of something else is refused, in place of leaving everyone out', async () => {
    const users = readFileSync(join(folder, 'oneroster-1.2/users.csv'));
    const archive = zipOf({ 'users.csv': users, 'roles.csv': 'role,does\nhost,talks\n' });
    expect((await refusal(imported({ stdin: arriving(archive) }))).message).toContain('expected to hold the roles of the users');
  });

  test('its users.csv alone is refused until every row is said to be a student', async () => {
    const users = readFileSync(join(folder, 'oneroster-1.2/users.csv'));
    const what = 'A OneRoster 1.2 users file has its roles in roles.csv, which is not beside "stdin"';
    const mapped = async (options: MapOptions) => {
      const table = await opened(users);
      return (await mapTable(table, options).finally(table.close)).notes;
    };
    expect(await refusal(mapped({}))).toEqual({
      code: 'invalid_input',
      message: `${what}: students cannot be told from teachers.`,
      hint: 'Import the whole export (its zip file, or from its folder); or import every row: --any roles.csv',
    });
    const asked: string[] = [];
    const askYes: MapOptions['askYes'] = async (question) => {
      asked.push(question);
      return true;
    };
    for (const options of [{ any: ['roles.csv'] }, { askYes }])
      expect(await mapped(options)).toEqual([`${what}: every row is treated as a student.`]);
    expect(asked).toEqual([`${what}. Import every row as a student?`]);
  });
});
