/** Lists of accommodations in temporary files, and what reading them says. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../../src/command.ts';
import { CliError } from '../../../src/errors.ts';
import type { Accommodation, AccommodationList } from '../../../src/features/accommodations/accommodation.ts';
import { readAccommodations } from '../../../src/features/accommodations/accommodation-list.ts';
import type { TableReading } from '../../../src/roster/map/declaration.ts';
import { temporaryFolder } from '../../support/run.ts';

export function fileWith(content: string | Uint8Array, name = 'list.csv'): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
}

/** A list as CSV: each row has an address, extra time, exams, a day and a reference, as far as it goes. */
export function listOf(...rows: readonly string[]): string {
  const whole = (row: string) => row + ','.repeat(5 - row.split(',').length);
  return ['email,extra,exams,until,reference', ...rows.map(whole)].map((line) => `${line}\n`).join('');
}

/** Nothing is declared of the table. */
export const undeclared: TableReading = {
  declaration: { map: {}, only: {}, except: {}, ignored: [] },
  ...{ encoding: undefined, sheet: undefined, hiddenRows: undefined, dates: undefined, options: [] },
};

type Reading = { list?: AccommodationList; rows: Accommodation[]; error?: CliError; told: string[] };

/** `stdin`: the bytes come from there. */
export async function reading(
  content: string | Uint8Array,
  { name = 'list.csv', stdin }: { name?: string; stdin?: boolean } = {},
): Promise<Reading> {
  const told: string[] = [];
  const tell = (text: string) => told.push(text);
  async function* bytes() {
    yield Buffer.from(content as string);
  }
  const host = { interrupted: new AbortController().signal, stdin: { bytes } };
  const settings = () => ({ timeZone: 'UTC' });
  const context = { host, globals: { noInput: true }, settings, say: tell, warn: tell } as unknown as Context;
  try {
    const list = await readAccommodations(context, { file: stdin ? '-' : fileWith(content, name), reading: undeclared });
    return { list, rows: [...list.students.values()].flat(), told };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { rows: [], error, told };
  }
}
