import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { validate } from '../../../src/features/import/validate.ts';
import { rosterFormats } from '../../../src/roster/formats.ts';
import { type Mapping, mapTable } from '../../../src/roster/map/index.ts';
import { opened, refusal } from '../read/roster.ts';
import { exports } from './exports.ts';
import { type System, systems } from './systems.ts';

async function imported({ text, ignored = [] }: System) {
  const table = await opened(text);
  try {
    const mapping = await mapTable(table, { ignored });
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

/** The line of the table in the docs: what is read, what decides, what has to be declared. */
function lineOf({ name, ignored = [] }: System, { used, decided }: Mapping): string {
  const header = (wanted: readonly string[]) =>
    used
      .filter(({ field }) => wanted.includes(field))
      .map((one) => `\`${one.header}\``)
      .join(', ');
  const declared = ignored.map((column) => `\`${column}\``).join(', ');
  const deciding = decided.map((one) => `\`${one.header}\``).join(', ');
  const names = header(['name', 'first_name', 'infix', 'last_name', 'second_last_name']);
  return `| ${[name, header(['email']), names, deciding, declared].join(' | ')} |`.replaceAll('  ', ' ');
}

describe('known exports', () => {
  test('have a fixture for each record', () => {
    const read = new Set([...systems.map(({ recognised }) => recognised), ...exports.map(({ recognised }) => recognised)]);
    expect(rosterFormats.filter(({ name }) => !read.has(name)).map(({ name }) => name)).toEqual([]);
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
    expect(mapping.recognised).toBe(system.recognised);
    expect(readFileSync('docs/rosters.md', 'utf8').split('\n')).toContain(lineOf(system, mapping));
  });

  test.each(systems)('$name: a column that is added to it stops the import', async (system) => {
    const { text } = system;
    const [first = '', ...lines] = text.trimEnd().split('\n');
    const separator = text.includes(';') ? ';' : ',';
    const longer = [first, ...lines].map(
      (line, index) => `${line}${separator}${index === 0 ? 'Freigabe' : index === 1 ? 'gesperrt' : ''}\n`,
    );
    expect((await refusal(imported({ ...system, text: longer.join('') }))).message).toContain('"Freigabe" (column');
  });

  test.each(systems.filter(({ leftOut }) => leftOut))('$name: an unknown value stops the import', async (system) => {
    const [reason = ''] = Object.keys(system.leftOut ?? {});
    const [, value = ''] = /"(.*)"$/.exec(reason) ?? [];
    const text = system.text.replace(new RegExp(`(?<=[,;"])${value}(?=[,;"\n])`), 'Zzz');
    expect(text).not.toBe(system.text);
    expect((await refusal(imported({ ...system, text }))).message).toMatch(/: unknown in .+: "Zzz"/);
  });
});
