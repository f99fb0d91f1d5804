/** Journals of imports and of changes, whole ones and mutated ones: read as they were written, or refused as damaged. */

import { CliError } from '../../src/errors.ts';
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

const path = '/state/imports/exam-42/run.ndjson';

/** The run in a journal of these bytes; undefined if it is refused or was never begun. */
async function read(bytes: string): Promise<string | undefined> {
  try {
    const found = await readRun(path, memoryDisk([[path, Buffer.from(bytes, 'latin1')]]));
    return found && JSON.stringify([...found.rows.entries()]);
  } catch (error) {
    if (error instanceof CliError && error.code === 'journal_damaged') return undefined;
    throw error;
  }
}

/** Every beginning that ends with a line, and what it comes to: damage must look like none of what was never written. */
const truths = new Set<string>();
for (const { index } of sample.matchAll(/\n/g)) {
  const truth = await read(sample.slice(0, index + 1));
  if (truth !== undefined) truths.add(truth);
}

export const journals: Target = {
  name: 'journals',
  weight: 25,
  draw: (random) => ({ bytes: mutated(sample, random, [sample]) }),
  async judge(input) {
    const found = await read(textIn(input, 'bytes'));
    return found === undefined || truths.has(found)
      ? undefined
      : `it is taken for a journal that was never written: ${found.slice(0, 200)}`;
  },
  command: (input) => ({
    line: ['imports', 'list'],
    files: { 'state/imports/proctor.example-42-0123456789abcdef/run.ndjson': textIn(input, 'bytes') },
  }),
};
