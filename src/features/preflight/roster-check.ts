/** The addresses of a roster, read as an import reads it. */
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import { addressFault } from '../../roster/map/address.ts';
import type { TableReading } from '../../roster/map/declaration.ts';
import { mapTable } from '../../roster/map/index.ts';
import { openRoster } from '../../roster/read/index.ts';
import { sentence } from '../../text/sentence.ts';
import { columnQuestions, saveLayout } from '../rosters/column-questions.ts';
import { readingOf } from '../rosters/table-reading.ts';
import type { Roster } from './subject.ts';

/** Throws `invalid_input` or `usage` for what an import would not read either. */
export async function readRoster(context: Context, file: string, reading: TableReading): Promise<Roster> {
  const table = await openRoster({ path: file, signal: context.host.interrupted }, readingOf(context, reading));
  try {
    const mapping = await mapTable(table, { ...reading.declaration, ...columnQuestions(context, table.name) });
    const addresses = new Map<string, string>();
    let unusable = 0;
    for await (const rows of table.rows()) {
      for (const row of rows) {
        if (!row.ragged && mapping.leftOut(row.cells) !== undefined) continue;
        const email = row.ragged ? undefined : mapping.texts(row).email;
        if (email === undefined || addressFault(email)) {
          unusable += 1;
          continue;
        }
        const key = addressKey(email);
        if (!addresses.has(key)) addresses.set(key, email);
      }
    }
    if (addresses.size + unusable === 0)
      throw new CliError('invalid_input', sentence`${table.name} has no students below its header.`, {
        hint: 'Add a row for each student.',
      });
    await saveLayout(context, reading, mapping);
    return { file, options: reading.options, addresses, unusable };
  } finally {
    await table.close();
  }
}
