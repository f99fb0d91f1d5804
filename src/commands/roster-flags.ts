/** The flags of every command that reads a table of students or exams, and what they declare. */
import type { Argument, Flags, Values } from '../command.ts';
import { CliError } from '../errors.ts';
import type { TableReading } from '../features/tables/read-table.ts';
import { flagName, typedOption } from '../model/shell-quote.ts';
import { dateOrders } from '../model/time.ts';
import type { Declared } from '../roster/layout.ts';
import { foldedText } from '../text/fold.ts';
import { sentence } from '../text/sentence.ts';

/** How a table is read: a roster, a list of extra time and a timetable alike. */
export const readFlags = {
  map: {
    type: 'texts',
    value: 'field=header',
    description: "header of a field's column, such as --map 'email=E-Mail (Uni)'",
  },
  only: {
    type: 'texts',
    value: 'header=values',
    description: "use only lines with these values, such as --only 'Status=Enrolled'",
  },
  except: {
    type: 'texts',
    value: 'header=values',
    description: "leave out lines with these values, such as --except 'Status=Withdrawn'",
  },
  ignoreColumn: { rare: true, type: 'texts', value: 'header', description: 'use every line, whatever this column contains' },
  encoding: {
    rare: true,
    type: 'text',
    value: 'name',
    suggests: ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-1', 'iso-8859-15'],
    description: 'encoding of a text file that is not UTF-8, such as windows-1252',
  },
  sheet: { type: 'text', value: 'name', description: 'sheet of an Excel workbook, by its name or number' },
  rows: {
    type: 'text',
    value: 'from-to',
    description: 'lines of the file that have the rows, such as 2-58: where it has more than the table',
  },
  dates: { type: 'text', value: 'order', choices: dateOrders, description: 'order of dates such as 03/04/2026' },
} as const satisfies Flags;

export type ReadValues = Partial<Values<Record<never, Argument>, typeof readFlags>>;

/** Throws `usage` for options that say nothing, or two things of a column. */
export function readingOf({ map = [], only = [], except = [], ignoreColumn: ignored = [], ...others }: ReadValues): TableReading {
  const { encoding, sheet, rows, dates } = others;
  const given = { map, only, except, ignoreColumn: ignored, encoding, sheet, rows, dates };
  return {
    map: headersByField(map),
    columns: declaredBy(only, except, ignored),
    ...{ encoding, sheet, rows, dates: dateOrders.find((order) => order === dates) },
    options: Object.entries(given).flatMap(([flag, texts = []]) => [texts].flat().map((text) => typedOption(flagName(flag), text))),
  };
}

function declaredBy(only: readonly string[], except: readonly string[], ignored: readonly string[]): Declared[] {
  const [wanted, unwanted] = [valuesByHeader('--only', only), valuesByHeader('--except', except)];
  const columns = new Map<string, Declared>(ignored.map((header) => [foldedText(header), { header }]));
  for (const [key, { header }] of [...wanted, ...unwanted]) {
    const both = wanted.get(key)?.values.find((value) => unwanted.get(key)?.values.map(foldedText).includes(foldedText(value)));
    if (both !== undefined || ignored.some((one) => foldedText(one) === key)) {
      const which = both === undefined ? '' : `, with ${JSON.stringify(both)}`;
      throw new CliError('usage', sentence`Column ${JSON.stringify(header)} is declared in two ways${which}.`, {
        hint: 'Leave out one of --only, --except and --ignore-column.',
      });
    }
    columns.set(key, { header, only: wanted.get(key)?.values, except: unwanted.get(key)?.values });
  }
  return [...columns.values()];
}

/** `field=header`, any number of them. */
function headersByField(texts: readonly string[]): Record<string, string> {
  const pairs = texts.map((text) => pairOf('--map', 'field=header', text, 'email=Mail address'));
  const [twice] = pairs.find(([field], at) => pairs.findIndex(([other]) => other === field) < at) ?? [];
  if (twice === undefined) return Object.fromEntries(pairs);
  throw new CliError('usage', sentence`--map gives ${twice} twice.`, { hint: 'Give one header for each field.' });
}

/** `header=value,value`; a value with a comma stands in quotes. */
function valuesByHeader(option: string, texts: readonly string[]): Map<string, { header: string; values: string[] }> {
  const values = new Map<string, { header: string; values: string[] }>();
  for (const text of texts) {
    const [header, list] = pairOf(option, 'header=value,value', text, 'Status=Registered,Active');
    const before = values.get(foldedText(header));
    values.set(foldedText(header), { header, values: [...(before?.values ?? []), ...listed(list)] });
  }
  return values;
}

/** The values of a list. A value with a comma stands in double quotes, and a quote in it is doubled. */
function listed(list: string): string[] {
  const values = `${list},`.matchAll(/\s*"((?:[^"]|"")*)"\s*,|([^,]*),/g);
  return [...values].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain.trim());
}

function pairOf(option: string, form: string, text: string, example: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1)];
  throw new CliError('usage', sentence`${option} takes ${form}.`, {
    hint: sentence`For example: ${typedOption(option, example)}`,
  });
}
