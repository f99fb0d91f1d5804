/**
 * A process that imports until it is killed: the journal's path, or the folder to begin one in, and
 * perhaps where to kill itself (`write 5 20`: 20 bytes into the fifth write). Prints each row whose
 * intent is durable, before it notes an outcome.
 */
import { writeSync } from 'node:fs';
import { createJournal, openJournal } from '../../../src/features/import/journal/journal.ts';
import { type JournalFile, type JournalFiles, realFiles } from '../../../src/state/journal/files.ts';
import { identity, roster } from '../../features/import/journal/roster.ts';

const [place = '', operation, count = '0', bytes = '0'] = process.argv.slice(2);

const journal = place.endsWith('.ndjson')
  ? (await openJournal(place, identity, { now: Date.now, files: deadly() })).journal
  : await createJournal(place, roster, { now: Date.now, files: deadly() });
writeSync(1, `${journal.path}\n`);

let next = Math.max(0, ...[...journal.rows.entries()].map(([row]) => row));
await Promise.all(
  Array.from({ length: 8 }, async () => {
    for (;;) {
      const row = ++next;
      await journal.intent({ row, key: journal.keyOf(`${row}`), intent: 'create' });
      writeSync(1, `${row}\n`);
      journal.outcome({ row, outcome: 'done', session: String(row) });
    }
  }),
);

/** Node's own files, with which the process kills itself at one operation. */
function deadly(): JournalFiles {
  let asked = 0;
  const die = () => process.kill(process.pid, 'SIGKILL');
  const wrapped = (file: JournalFile): JournalFile => ({
    ...file,
    async write(given, position) {
      if (operation !== 'write' || ++asked < Number(count)) return file.write(given, position);
      await file.write(given.subarray(0, Number(bytes)), position);
      die();
      return new Promise(() => {});
    },
    async sync() {
      if (operation !== 'sync' || ++asked < Number(count)) return file.sync();
      if (Number(bytes) > 0) await file.sync();
      die();
      return new Promise(() => {});
    },
  });
  return {
    ...realFiles,
    create: async (path) => wrapped(await realFiles.create(path)),
    open: async (path, how) => wrapped(await realFiles.open(path, how)),
  };
}
