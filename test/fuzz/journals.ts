/** Journals of imports and of changes, whole ones and mutated ones: read as they were written, or refused as damaged. */

import { CliError } from '../../src/errors.ts';
import { beginChange } from '../../src/features/changes/journal.ts';
import { findChange } from '../../src/features/changes/list-changes.ts';
import { readRun } from '../../src/features/import/journal/runs.ts';
import { begin } from '../features/import/journal/sample.ts';
import { memoryDisk } from '../state/journal/disk.ts';
import { mutated } from './mutate.ts';
import { type Target, textIn } from './target.ts';

const key = 'AAAAAAAAAAAAAAAAAAAAAA';
const sample = await written();

async function written(): Promise<string> {
  const { journal, disk } = await begin();
  await journal.intent({ row: 1, key, intent: 'create', next: 'update' });
  await journal.intent({ row: 2, key, intent: 'create' });
  journal.outcome({ row: 1, outcome: 'done', session: '991' });
  journal.outcome({ row: 2, outcome: 'rejected', code: '422', reason: 'Name "Zo\u00eb" is too long:\n\0' });
  await journal.intent({ row: 1, key, intent: 'update' });
  await journal.note('stopped', { reason: 'Ctrl-C' });
  await journal.close();
  return (disk.durable.get(journal.path) ?? Buffer.alloc(0)).toString('latin1');
}

const folder = '/state/changes';
const change = await writtenChange();

/** A change of three sessions: one is set, one has failed, one is begun. */
async function writtenChange(): Promise<{ name: string; path: string; bytes: string }> {
  const files = memoryDisk();
  const fields = { close_time: { old: null, new: '2027-03-01T10:30:00Z' } };
  const plan = ['7', '8', '9'].map((id) => ({ kind: 'session' as const, id, fields }));
  const title = { origin: 'https://proctor.example', what: 'extend by 30m', kind: 'extend', exam: '42', plan };
  const journal = await beginChange(folder, title, { host: { now: () => Date.UTC(2027, 2, 1, 9) }, files });
  for (const [move, is] of [[1, 'done'] as const, [2, 'failed'] as const]) {
    await journal.begin(move, 'set');
    journal.end(move, 'set', is);
  }
  await journal.begin(3, 'set');
  await journal.close();
  const [[path, bytes] = ['', Buffer.alloc(0)]] = files.now;
  return { name: journal.header.change, path, bytes: bytes.toString('latin1') };
}

const path = '/state/imports/exam-42/run.ndjson';

/** The run or the change in a journal of these bytes; undefined if it is refused or was never begun. */
async function read(bytes: string, of: string): Promise<string | undefined> {
  const content = Buffer.from(bytes, 'latin1');
  try {
    if (of === 'change') {
      const found = await findChange(folder, change.name, memoryDisk([[change.path, content]]));
      return found && JSON.stringify([found.moves.state(), ...[1, 2, 3].map((move) => found.moves.get(move))]);
    }
    const found = await readRun(path, memoryDisk([[path, content]]));
    return found && JSON.stringify([...found.rows.entries()]);
  } catch (error) {
    if (error instanceof CliError && error.code === 'journal_damaged') return undefined;
    throw error;
  }
}

/** Every beginning that ends with a line, and what it comes to: damage must look like none of what was never written. */
const truths = new Set<string>();
const samples: Record<string, string> = { import: sample, change: change.bytes };
for (const [of, bytes] of Object.entries(samples)) {
  for (const { index } of bytes.matchAll(/\n/g)) {
    const truth = await read(bytes.slice(0, index + 1), of);
    if (truth !== undefined) truths.add(truth);
  }
}

export const journals: Target = {
  name: 'journals',
  weight: 25,
  draw: (random) => {
    const of = random.pick(Object.keys(samples));
    return { of, bytes: mutated(samples[of] ?? '', random, Object.values(samples)) };
  },
  async judge(input) {
    const found = await read(textIn(input, 'bytes'), textIn(input, 'of'));
    return found === undefined || truths.has(found)
      ? undefined
      : `it is taken for a journal that was never written: ${found.slice(0, 200)}`;
  },
  command: (input) =>
    textIn(input, 'of') === 'change'
      ? { line: ['changes', 'undo', change.name, '--yes'], files: { [`state/changes/${change.name}.ndjson`]: textIn(input, 'bytes') } }
      : {
          line: ['imports', 'list'],
          files: { 'state/imports/proctor.example-42-0123456789abcdef/run.ndjson': textIn(input, 'bytes') },
        },
};
