/** Lists of accommodations in temporary files, and what reading them says. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../../src/command.ts';
import { CliError } from '../../../src/errors.ts';
import type { Accommodation, AccommodationList, Combination } from '../../../src/features/accommodations/accommodation.ts';
import { readAccommodations } from '../../../src/features/accommodations/accommodation-list.ts';
import type { TableReading } from '../../../src/roster/map/declaration.ts';
import { temporaryFolder } from '../../support/run.ts';

export function fileWith(content: string | Uint8Array, name = 'list.yaml'): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
}

/** The list of students in YAML, each row as its lines. */
export function yamlOf(...rows: readonly string[]): string {
  return `version: 1\nstudents:\n${rows.map((row) => `  - ${row.trim().split('\n').join('\n    ')}\n`).join('')}`;
}

/** Nothing is declared of the table. */
export const undeclared: TableReading = {
  declaration: { map: {}, only: {}, except: {}, ignored: [] },
  ...{ encoding: undefined, sheet: undefined, hiddenRows: undefined, dates: undefined, options: [], saveAs: undefined },
  async save() {},
};

type Reading = { list?: AccommodationList; rows: Accommodation[]; error?: CliError; told: string[] };

/** `stdin`: the bytes come from there. */
export async function reading(
  content: string | Uint8Array,
  { name = 'list.yaml', combine, stdin }: { name?: string; combine?: Combination; stdin?: boolean } = {},
): Promise<Reading> {
  const told: string[] = [];
  const tell = (text: string) => told.push(text);
  async function* bytes() {
    yield Buffer.from(content as string);
  }
  const host = { interrupted: new AbortController().signal, stdin: { bytes } };
  const context = { host, globals: { noInput: true }, say: tell, warn: tell } as unknown as Context;
  try {
    const list = await readAccommodations(context, { file: stdin ? '-' : fileWith(content, name), combine, reading: undeclared });
    return { list, rows: [...list.students.values()].flat(), told };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { rows: [], error, told };
  }
}
