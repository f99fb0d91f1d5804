/** How commands read a table of students or exams. And the import of a roster. */
import type { Argument, Flags, Values } from '../command.ts';
import { CliError } from '../errors.ts';
import type { TableReading } from '../features/table-input/read-table.ts';
import { typedOption } from '../model/shell-quote.ts';
import { dateOrders } from '../model/typed-time.ts';
import type { Declared } from '../roster/columns.ts';
import { foldedText } from '../text/fold.ts';
import { sentence } from '../text/sentence.ts';

export const readFlags = {
  map: {
    type: 'texts',
    value: 'field=header',
    plain: true,
    description: 'header of a field\'s column, such as --map "email=E-Mail (Uni)"',
  },
  only: {
    type: 'texts',
    value: 'header=values',
    description: 'use only lines with these values, such as --only Status=Enrolled',
  },
  except: {
    type: 'texts',
    value: 'header=values',
    description: 'leave out lines with these values, such as --except Status=Withdrawn',
  },
  ignoreColumn: {
    rare: true,
    type: 'texts',
    value: 'header',
    plain: true,
    description: 'use every line, whatever this column contains',
  },
  encoding: {
    rare: true,
    type: 'text',
    value: 'name',
    complete: ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-1', 'iso-8859-15'],
    description: 'encoding of a text file that is not UTF-8, such as windows-1252',
  },
  sheet: {
    type: 'text',
    value: 'name',
    description: 'sheet of an Excel workbook, by its name or number',
  },
  rows: {
    type: 'text',
    value: 'from-to',
    plain: true,
    description: 'lines of the file to read, such as 2-58, if it has more than the table',
  },
  dates: {
    type: 'text',
    value: 'order',
    choices: dateOrders,
    description: 'order of dates such as 03/04/2026',
  },
} as const satisfies Flags;

export type ReadValues = Partial<Values<Record<never, Argument>, typeof readFlags>>;

/** Throws `usage` for options that say nothing, or two things of a column. */
export function readingOf(values: ReadValues): TableReading {
  const { map = [], only = [], except = [], ignoreColumn = [], encoding, sheet, rows, dates } = values;
  return {
    map: headersByField(map),
    columns: declaredBy(only, except, ignoreColumn),
    encoding,
    sheet,
    rows,
    dates: dateOrders.find((order) => order === dates),
  };
}

function declaredBy(only: readonly string[], except: readonly string[], ignored: readonly string[]): Declared[] {
  const [wanted, unwanted] = [valuesByHeader('--only', only), valuesByHeader('--except', except)];
  const columns = new Map<string, Declared>(ignored.map((header) => [foldedText(header), { header }]));
  for (const [key, { header }] of [...wanted, ...unwanted]) {
    const [kept, left] = [wanted.get(key)?.values, unwanted.get(key)?.values];
    const leftOut = left?.map(foldedText) ?? [];
    const both = kept?.find((value) => leftOut.includes(foldedText(value)));
    if (both !== undefined || ignored.some((one) => foldedText(one) === key)) {
      const which = both === undefined ? '' : `, with ${JSON.stringify(both)}`;
      throw new CliError('usage', sentence`Column ${JSON.stringify(header)} is declared in two ways${which}.`, {
        hint: 'Leave out one of --only, --except and --ignore-column.',
      });
    }
    columns.set(key, { header, only: kept, except: left });
  }
  return [...columns.values()];
}

function headersByField(texts: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const text of texts) {
    const [field, header] = pairOf('--map', 'field=header', text, 'email=Mail address');
    if (headers.has(field)) throw new CliError('usage', sentence`--map gives ${field} twice.`, { hint: 'Give one header for each field.' });
    headers.set(field, header);
  }
  return Object.fromEntries(headers);
}

function valuesByHeader(option: string, texts: readonly string[]) {
  const declared = new Map<string, { header: string; values: string[] }>();
  for (const text of texts) {
    const [header, list] = pairOf(option, 'header=value,value', text, 'Status=Registered,Active');
    const before = declared.get(foldedText(header))?.values ?? [];
    declared.set(foldedText(header), { header, values: [...before, ...listed(list)] });
  }
  return declared;
}

/** A value with a comma is quoted, and a quote in it is doubled. */
function listed(list: string): string[] {
  const values = `${list},`.matchAll(/\s*"((?:[^"]|"")*)"\s*,|([^,]*),/g);
  return [...values].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain.trim());
}

function pairOf(option: string, form: string, text: string, example: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1)];
  const hint = sentence`For example: ${typedOption(option, example)}`;
  throw new CliError('usage', sentence`${option} takes ${form}.`, { hint });
}

/** Students that a roster may delete from an exam. */
export const atMost = { type: 'number', value: 'n', least: 0, most: 1_000_000 } as const;
