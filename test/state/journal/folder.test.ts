/** Which journals lie in a folder, and in which order. */
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findJournal, readJournals, timedName } from '../../../src/state/journal/folder.ts';
import type { Format } from '../../../src/state/journal/journal-format.ts';
import { createLog, readLog } from '../../../src/state/journal/log.ts';
import { memoryDisk } from './disk.ts';

const folder = '/state/journals';
const noon = Date.UTC(2027, 2, 1, 12);
const anything: Format<{ journal: 1 }, never> = {
  version: 1,
  isHeader: (value): value is { journal: 1 } => value !== null,
  isRecord: (value): value is never => value === null,
};

/** A disk with journals that were begun at these moments. */
async function begun(names: Record<string, number>) {
  const files = memoryDisk();
  for (const [name, at] of Object.entries(names)) {
    const log = await createLog(folder, { name, header: { journal: 1 }, at }, { now: () => at, files });
    await log.close();
  }
  const read = async (path: string) => {
    const found = await readLog(path, anything, () => {}, files);
    return found && { path, startedAt: found.startedAt };
  };
  const listed = async () => (await readJournals(folder, read, files)).journals.map(({ path }) => basename(path, '.ndjson'));
  return { files, listed };
}

describe('the journals of a folder', () => {
  test('are listed the latest first, also those begun within one second, whatever their names end in', async () => {
    const names = {
      '20270301T120000-5': noon + 2,
      '20270301T120000-9': noon,
      '20270301T120000-7': noon + 1,
      '20270301T115959-8': noon - 1,
      '20270301T120000-1': noon + 999,
    };
    const { listed } = await begun(names);
    expect(await listed()).toEqual(
      Object.entries(names)
        .sort(([, a], [, b]) => b - a)
        .map(([name]) => name),
    );
  });

  test('are found by their names, and by nothing that leads elsewhere', async () => {
    const name = timedName(noon);
    const { files } = await begun({ [name]: noon });
    expect(name).toMatch(/^20270301T120000-[0-9a-f]{6}$/);
    expect(await findJournal(folder, name, files)).toBe(`${folder}/${name}.ndjson`);
    for (const other of ['', `./${name}`, `../journals/${name}`, `${name}.ndjson`]) {
      expect(await findJournal(folder, other, files)).toBeUndefined();
    }
  });
});
