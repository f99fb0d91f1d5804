/**
 * The exports that administrators hold, one fixture each, in the shape that is documented where the
 * test says; the people in them are invented.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { validate } from '../../../src/features/import/validate.ts';
import { type MapOptions, type Mapping, mapTable } from '../../../src/roster/map/index.ts';
import { openRoster, type RosterOptions } from '../../../src/roster/read/index.ts';
import type { RosterSource } from '../../../src/roster/read/source-file.ts';
import { exports } from './exports.ts';

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
});
