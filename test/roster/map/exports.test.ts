/**
 * The exports that administrators hold, one fixture each, in the shape that is documented where the
 * test says; the people in them are invented.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { validate } from '../../../src/features/import/validate.ts';
import { type MapOptions, type Mapping, mapTable } from '../../../src/roster/map/index.ts';
import { openRoster, type RosterOptions } from '../../../src/roster/read/index.ts';
import type { RosterSource } from '../../../src/roster/read/source-file.ts';
import { arriving, opened, refusal } from '../read/roster.ts';
import { zipOf } from '../read/zip.ts';
import { exports, imke, ruben } from './exports.ts';

const folder = 'test/fixtures/rosters';

async function imported(source: RosterSource, { ignored = [], ...options }: RosterOptions & Pick<MapOptions, 'ignored'> = {}) {
  const table = await openRoster(source, options);
  try {
    const mapping: Mapping = await mapTable(table, { ignored });
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

describe('the exports of other systems', () => {
  test.each(exports)(
    '$file is recognised, and its students are found',
    async ({ file, encoding, ignored = [], recognised, format, students, leftOut = {} }) => {
      const found = await imported({ path: join(folder, file) }, { encoding, ignored });
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

  test('a role that is to be deleted is no role', async () => {
    const users = readFileSync(join(folder, 'oneroster-1.2/users.csv'));
    const roles = 'userSourcedId,role,status\nu-1,student,tobedeleted\nu-5,student,active\n';
    const { students } = await imported({ stdin: arriving(zipOf({ 'users.csv': users, 'roles.csv': roles })) });
    expect(students).toEqual([ruben]);
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
      hint: 'Import the whole export (its zip file, or from its folder); or import every row: --ignore-column roles.csv',
    });
    const asked: string[] = [];
    const askYes: MapOptions['askYes'] = async (question) => {
      asked.push(question);
      return true;
    };
    for (const options of [{ ignored: ['roles.csv'] }, { askYes }])
      expect(await mapped(options)).toEqual([`${what}: every row is treated as a student.`]);
    expect(asked).toEqual([`${what}. Import every row as a student?`]);
  });
});
