/** A format is one record: who reads it, and what it needs to know. One for programs touches this file and its renderer. */
import type { FormatRule } from './result.ts';

const data = async () => (await import('./data-formats.ts')).dataFormats;

const ownRules = {
  table: { reader: 'person', renderer: async () => (await import('./table.ts')).table, streams: false },
  json: { reader: 'program', renderer: async () => (await data()).json, streams: false, ending: '.json' },
  ndjson: { reader: 'program', renderer: async () => (await data()).ndjson, streams: true, ending: '.ndjson' },
  csv: { reader: 'spreadsheet', renderer: async () => (await data()).csv, streams: true, ending: '.csv' },
  id: { reader: 'command', renderer: async () => (await data()).id, streams: false },
  xlsx: {
    reader: 'spreadsheet',
    renderer: async () => (await import('./xlsx.ts')).xlsx,
    streams: false,
    ending: '.xlsx',
    isBinary: true,
  },
} as const satisfies Record<string, FormatRule>;

export type Format = keyof typeof ownRules;

type Printed = { [name in Format]: (typeof ownRules)[name] extends { isBinary: true } ? never : name }[Format];

export const formatRules: Readonly<Record<Format, FormatRule>> = ownRules;
const names = Object.keys(formatRules) as Format[];

/** The formats of --output. */
export const formats = names.filter((name): name is Printed => !formatRules[name].isBinary);

export const endings: readonly string[] = names.flatMap((name) => formatRules[name].ending ?? []);

/** Undefined for a file with another ending. */
export function formatOfFile(path: string): Format | undefined {
  return names.find((name) => path.toLowerCase().endsWith(formatRules[name].ending ?? '\0'));
}
