/**
 * Node's own SQLite, without the warning that older versions print on stderr. The warning is emitted
 * once, while the module loads: only that moment is silenced, and only that warning.
 */
import type * as Sqlite from 'node:sqlite';

export type { SQLInputValue, StatementSync } from 'node:sqlite';

function load(): typeof Sqlite {
  const emitWarning = process.emitWarning;
  process.emitWarning = ((...notice: [string]) => {
    if (!String(notice[0]).startsWith('SQLite is an experimental feature')) emitWarning.apply(process, notice);
  }) as typeof emitWarning;
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

export const { DatabaseSync } = load();
