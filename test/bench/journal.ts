/** What the journal costs: an intent and an outcome for each row, 8 rows at a time, on this machine's file system. */
import { join } from 'node:path';
import { createJournal } from '../../src/features/import/journal/journal.ts';
import { folder, median, quick, tell } from './program.ts';

const rows = quick ? 4000 : 20_000;
const rounds = quick ? 1 : 3;
const identity = {
  origin: 'http://127.0.0.1:1',
  exam: '1',
  input: '0'.repeat(64),
  mapping: '0'.repeat(64),
  baseline: '0'.repeat(64),
  rows,
};

async function millisecondsPerRow(round: number): Promise<number> {
  const journal = await createJournal(join(folder, `journal-${round}`), identity, { now: Date.now });
  let next = 1;
  async function worker() {
    while (next <= rows) {
      const row = next++;
      await journal.intent({ row, key: journal.keyOf(`student.${row}@students.university.example`), intent: 'create' });
      journal.outcome({ row, outcome: 'done', session: String(row) });
    }
  }
  const before = performance.now();
  await Promise.all(Array.from({ length: 8 }, worker));
  await journal.close();
  return (performance.now() - before) / rows;
}

const times: number[] = [];
for (let round = 0; round < rounds; round += 1) times.push(await millisecondsPerRow(round));
console.log(`journal, ${rows} rows: median of ${rounds}`);
tell('intent, sync and outcome', `${median(times).toFixed(3)} ms/row`);
