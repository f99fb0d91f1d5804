/** A roster given as text or bytes, mapped as `sessions import -` maps it where nobody can be asked. */
import { type ReadValues, readingOf } from '../../src/commands/table-flags.ts';
import type { TableFields } from '../../src/roster/columns.ts';
import { headerNames, mapTable } from '../../src/roster/map-table.ts';
import { openTable } from '../../src/roster/open-table.ts';
import { addressFault, type RosterField, type RosterOptions, rosterFields } from '../../src/roster/roster-fields.ts';

export type Given = ReadValues & Partial<RosterOptions>;

export async function mappedBy<Field extends string>(content: string | Uint8Array, fields: TableFields<Field>, given: ReadValues = {}) {
  const reading = readingOf(given);
  const { encoding, sheet, rows } = reading;
  const table = await openTable(Buffer.from(content), 'stdin', headerNames(fields, reading), { encoding, sheet, rows });
  const found = mapTable(table, reading, fields);
  if ('about' in found) throw found.error;
  const reasons = found.lines.map(({ leftOut, row }) => leftOut ?? (row.problem === undefined ? 'used' : 'broken'));
  const used = found.lines.filter(({ leftOut }) => leftOut === undefined);
  return { ...found, table, reasons, used, texts: used.map(({ texts }) => texts) };
}

export function mapped(content: string | Uint8Array, { numberKey = '', namesExams = false, ...given }: Given = {}) {
  return mappedBy<RosterField>(content, rosterFields({ nameKey: 'name', numberKey, namesExams }), given);
}

/** Whom an import of these lines would create, by what stands before the @; or that some lines are invalid. */
export async function imported(content: string | Uint8Array, given: Given = {}): Promise<string[] | 'invalid'> {
  const { used, texts } = await mapped(content, given);
  const isBad = used.some(({ row, texts: { email = '' } }) => row.problem !== undefined || addressFault(email) !== undefined);
  return isBad ? 'invalid' : texts.map(({ email = '' }) => email.slice(0, email.indexOf('@')));
}
