/** What the journal of a change says, wherever its end is lost, and what it refuses. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { beginChange } from '../../../src/features/changes/journal.ts';
import { findChange, listChanges } from '../../../src/features/changes/list-changes.ts';
import { foldedMoves } from '../../../src/features/changes/moves.ts';
import { type ChangeRecord, moveRecord, type PlannedMove } from '../../../src/features/changes/records.ts';
import { memoryDisk } from '../../state/journal/disk.ts';
import { temporaryFolder } from '../../support/run.ts';

const host = { now: () => Date.UTC(2027, 2, 1, 9) };
const plan: PlannedMove[] = ['7', '8', '9'].map((id) => ({
  kind: 'session',
  id,
  fields: { close_time: { old: null, new: '2027-03-01T10:30:00Z' } },
}));
const header = { origin: 'https://proctor.example', what: 'extend by 30m', kind: 'extend', exam: '42', plan };

/** A whole change on a disk: one session done, one failed, one begun. */
async function written(folder: string) {
  const files = memoryDisk();
  const journal = await beginChange(folder, header, { host, files });
  await journal.begin(1, 'set');
  journal.end(1, 'set', 'done');
  await journal.begin(2, 'set');
  journal.end(2, 'set', 'failed');
  await journal.begin(3, 'set');
  await journal.close();
  const [[path, bytes] = ['', Buffer.alloc(0)]] = files.now;
  return { change: journal.header.change, path, bytes, files };
}

describe('The journal of a change', () => {
  test('says of every beginning of it no more than was known then', async () => {
    const folder = temporaryFolder();
    const { change, path, bytes } = await written(folder);
    for (let length = 0; length <= bytes.length; length++) {
      const found = await findChange(folder, change, memoryDisk([[path, bytes.subarray(0, length)]]));
      const lines = bytes.toString('utf8', 0, length).split('\n').slice(0, -1);
      if (lines.length === 0) expect(found).toBeUndefined();
      else if (lines.length < 5) expect(found?.moves.state()).toBe('void');
      else expect(found?.moves.state()).toBe('unfinished');
      const set = [1, 2, 3].map((move) => found?.moves.get(move)?.set);
      const told = (move: number) => lines.filter((line) => line.includes(`"move":${move},"step"`)).length;
      expect(set[0]).toBe(lines.length < 2 ? undefined : ['planned', 'begun', 'done'][told(1)]);
      expect(set[1]).toBe(lines.length < 3 ? undefined : ['planned', 'begun', 'failed'][told(2)]);
      expect(set[2]).toBe(lines.length < 4 ? undefined : ['planned', 'begun'][told(3)]);
    }
  });

  test('is refused with any of its bits turned', async () => {
    const folder = temporaryFolder();
    const { change, path, bytes } = await written(folder);
    const whole = await findChange(folder, change, memoryDisk([[path, bytes]]));
    const bit = fc.integer({ min: 0, max: bytes.length * 8 - 1 });
    await fc.assert(
      fc.asyncProperty(bit, async (at) => {
        const turned = Buffer.from(bytes);
        turned[at >> 3] = (turned[at >> 3] ?? 0) ^ (1 << (at & 7));
        const read = findChange(folder, change, memoryDisk([[path, turned]]));
        await expect(read).rejects.toMatchObject({
          code: 'journal_damaged',
          hint: expect.stringMatching(/sessions get|the version that wrote it/),
        });
      }),
      { numRuns: 300 },
    );
    expect(whole?.header).toMatchObject({ change, what: 'extend by 30m', exam: '42' });
  });

  test('is durable before begin resolves, its whole plan before that', async () => {
    const files = memoryDisk();
    const folder = temporaryFolder();
    const journal = await beginChange(folder, header, { host, files });
    const kept = async () => (await findChange(folder, journal.header.change, memoryDisk(files.durable)))?.moves;
    expect([...((await kept())?.all() ?? [])].map(({ set }) => set)).toEqual(['planned', 'planned', 'planned']);
    await journal.begin(2, 'set');
    expect((await kept())?.get(2)?.set).toBe('begun');
    await journal.close();
  });

  test('that cannot be written lets nothing begin, and names the remedy', async () => {
    const full = (at: number) =>
      memoryDisk([], (operation, count) => {
        if (operation === 'sync' && count === at) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
        return undefined;
      });
    for (const at of [1, 2]) {
      const files = full(at);
      const failed = beginChange(temporaryFolder(), header, { host, files });
      await expect(failed).rejects.toMatchObject({ code: 'journal_failed', hint: expect.stringMatching(/^Nothing was sent/) });
      expect(files.opened()).toBe(0);
    }
    const journal = await beginChange(temporaryFolder(), header, { host, files: full(3) });
    const failure = { code: 'journal_failed', hint: expect.stringContaining(`changes show ${journal.header.change}`) };
    await expect(journal.begin(1, 'set')).rejects.toMatchObject(failure);
    await expect(journal.begin(2, 'set')).rejects.toMatchObject(failure);
    await expect(journal.close()).rejects.toMatchObject(failure);
  });

  test('is listed in the order in which it was begun, also within one second', async () => {
    const [folder, files] = [temporaryFolder(), memoryDisk()];
    const begun: string[] = [];
    for (let at = host.now(); begun.length < 6; at++) {
      const journal = await beginChange(folder, header, { host: { ...host, now: () => at }, files });
      begun.unshift(journal.header.change);
      await journal.close();
    }
    const { changes } = await listChanges(folder, files);
    expect(changes.map(({ header }) => header.change)).toEqual(begun);
  });

  test('of a newer proctor-cli, or a damaged one, does not keep the others from being listed', async () => {
    const folder = temporaryFolder();
    const { path, bytes } = await written(folder);
    const newer = Buffer.from(bytes.toString().replace('"journal":2', '"journal":3'));
    const files = memoryDisk([
      [path, bytes],
      [`${folder}/20270302T090000-000000.ndjson`, newer],
      [`${folder}/note.txt`, Buffer.from('?')],
    ]);
    const { changes, unreadable } = await listChanges(folder, files);
    expect(changes).toHaveLength(1);
    expect(unreadable.map(({ message }) => message)).toEqual([expect.stringContaining('newer proctor-cli')]);
  });
});

describe('What cannot have happened', () => {
  const seven = moveRecord(plan[0] as PlannedMove);
  const planned: ChangeRecord[] = [seven, { planned: 1 }];
  test.each<[string, ChangeRecord[]]>([
    ['a session is changed before the plan is whole', [seven, { move: 1, step: 'set', is: 'begun' }]],
    ['a session is changed that is not in the plan', [...planned, { move: 2, step: 'set', is: 'begun' }]],
    ['a session is planned twice', [seven, seven]],
    ['a session is planned later', [...planned, { ...seven, id: '8' }]],
    ['the plan counts another number', [seven, { planned: 2 }]],
    ['the plan ends twice', [...planned, { planned: 1 }]],
    [
      'a session is changed after the undo was begun',
      [...planned, { move: 1, step: 'undo', is: 'begun' }, { move: 1, step: 'set', is: 'done' }],
    ],
  ])('%s', (_, records) => {
    const { apply } = foldedMoves();
    expect(() => {
      for (const record of records) apply(record);
    }).toThrow(expect.objectContaining({ name: 'IllegalTransition' }));
  });
});
