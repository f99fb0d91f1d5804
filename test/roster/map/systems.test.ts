import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { validate } from '../../../src/features/import/validate.ts';
import { type Mapping, mapTable } from '../../../src/roster/map/index.ts';
import { opened } from '../read/roster.ts';
import { type System, systems } from './systems.ts';

async function imported({ text, map = {} }: System) {
  const table = await opened(text, { headers: Object.values(map) });
  try {
    const mapping = await mapTable(table, { map });
    const { entries, problems, leftOut } = await validate(mapping, { now: () => 0, zone: undefined });
    return {
      mapping,
      problems,
      students: [...entries].map(({ name, email }) => `${name} <${email}>`),
      leftOut: Object.fromEntries(leftOut),
    };
  } finally {
    await table.close();
  }
}

/** The line of the table in the docs: what is read, what decides, what has to be said. */
function lineOf({ name, map = {} }: System, { used, decided }: Mapping): string {
  const header = (wanted: readonly string[]) =>
    used
      .filter(({ field }) => wanted.includes(field))
      .map((one) => `\`${one.header}\``)
      .join(', ');
  const said = Object.entries(map).map(([field, column]) => `\`--map ${field}="${column}"\``);
  const deciding = decided.map((one) => `\`${one.header}\``).join(', ');
  return `| ${[name, header(['email']), header(['name', 'first', 'infix', 'last', 'last2']), deciding, said.join(' ')].join(' | ')} |`.replaceAll(
    '  ',
    ' ',
  );
}

describe('rosters of more than 40 systems', () => {
  test('are as many as that', () => {
    expect(new Set(systems.map(({ name }) => name)).size).toBeGreaterThan(40);
  });

  test('are those of the table in the docs', () => {
    const table = readFileSync('docs/rosters.md', 'utf8').split('| system |')[1]?.split('\n\n')[0] ?? '';
    const named = [...table.matchAll(/^\| ([^|`-][^|]*) \|/gm)].map(([, name]) => name);
    expect(named).toEqual(systems.map(({ name }) => name));
  });

  test.each(systems)('$name: its students are found, and no other rows', async (system) => {
    const { students, problems, leftOut, mapping } = await imported(system);
    expect(problems).toEqual([]);
    expect(students).toEqual(system.students);
    expect(leftOut).toEqual(system.leftOut ?? {});
    expect(readFileSync('docs/rosters.md', 'utf8').split('\n')).toContain(lineOf(system, mapping));
  });
});
