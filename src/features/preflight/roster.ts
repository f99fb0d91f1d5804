/** The addresses of a roster, read as an import reads it. */
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { addressFault } from '../../roster/map/address.ts';
import { mapTable } from '../../roster/map/index.ts';
import { openRoster } from '../../roster/read/index.ts';
import { refuseAlone } from '../../roster/read/tabulate.ts';
import { sentence } from '../../text/sentence.ts';
import type { Roster } from './subject.ts';

/** Throws `invalid_input` or `usage` for what an import would not read either. */
export async function readRoster({ host }: Context, file: string): Promise<Roster> {
  const table = await openRoster({ path: file, signal: host.interrupted });
  try {
    const mapping = await mapTable(table).catch((error: unknown) => {
      // Its advice is about options of the import.
      if (!(error instanceof CliError)) throw error;
      const line = sentence`proctor-cli ${typedCommand('sessions import', [file], '--exam ID', '--dry-run')}`;
      throw new CliError(error.code, error.message, { hint: sentence`See how it is read with: ${line}`, cause: error });
    });
    const addresses = new Map<string, string>();
    let unusable = 0;
    for await (const rows of table.rows()) {
      for (const row of rows) {
        if (!row.ragged && mapping.leftOut(row.cells) !== undefined) continue;
        refuseAlone(table, row);
        const email = row.ragged ? undefined : mapping.texts(row).email;
        if (email === undefined || addressFault(email)) {
          unusable += 1;
          continue;
        }
        const key = addressKey(email);
        if (!addresses.has(key)) addresses.set(key, email);
      }
    }
    if (addresses.size + unusable > 0) return { file, addresses, unusable };
    throw new CliError('invalid_input', sentence`${table.name} has no students below its header.`, { hint: 'Add a row for each student.' });
  } finally {
    await table.close();
  }
}
