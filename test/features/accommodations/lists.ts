/** Lists of extra time in temporary files, and what reading them says. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../../src/command.ts';
import { CliError } from '../../../src/errors.ts';
import { type Grant, readGrants } from '../../../src/features/accommodations/grant-list.ts';
import type { TableReading } from '../../../src/features/table-input/read-table.ts';
import { noLayout } from '../../../src/roster/columns.ts';
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
export const undeclared: TableReading = noLayout;

type Reading = { rows: Grant[]; error?: CliError; told: string[] };

export async function reading(content: string | Uint8Array, name = 'list.csv'): Promise<Reading> {
  const told: string[] = [];
  const tell = (text: string) => told.push(text);
  const atOnce = async <T>(work: () => T) => work();
  const host = { interrupted: new AbortController().signal, stdin: { isTTY: false }, atOnce };
  const settings = () => ({ timeZone: 'UTC' });
  const [globals, format] = [{ noInput: true }, 'table'];
  const context = { host, format, globals, settings, say: tell, warn: tell, reads: () => {} } as unknown as Context;
  try {
    const { students } = await readGrants(context, fileWith(content, name), undeclared);
    return { rows: [...students.values()].flat(), told };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { rows: [], error, told };
  }
}
