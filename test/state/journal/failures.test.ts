import { describe, expect, test } from 'vitest';
import { type Journal, openJournal } from '../../../src/features/import/journal/journal.ts';
import { readRun } from '../../../src/features/import/journal/runs.ts';
import { identity } from '../../features/import/journal/roster.ts';
import { begin, now } from '../../features/import/journal/sample.ts';
import { type Disk, type Fault, memoryDisk } from './disk.ts';

const rows = 12;

/** An import by four workers: what it was told is durable, what it sent, and the error that ended it. */
async function importRows(disk: Disk) {
  const sent: number[] = [];
  let failure: unknown;
  let journal: Journal | undefined;
  try {
    ({ journal } = await begin(disk));
    let next = 0;
    const worker = async (opened: Journal) => {
      for (let row = ++next; row <= rows; row = ++next) {
        await opened.intent({ row, key: opened.keyOf(`${row}`), intent: 'create' });
        sent.push(row);
        await new Promise(setImmediate);
        opened.outcome({ row, outcome: 'done', session: String(row) });
      }
    };
    const workers = await Promise.allSettled(Array.from({ length: 4 }, () => worker(journal as Journal)));
    failure = workers.find((result) => result.status === 'rejected')?.reason;
    await journal.close().catch((error) => {
      failure ??= error;
    });
  } catch (error) {
    failure ??= error;
  }
  return { sent, failure, journal };
}

const enospc = () => {
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
};
const eio = () => {
  throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
};

async function operationsOfAnImport() {
  const disk = memoryDisk();
  expect((await importRows(disk)).failure).toBeUndefined();
  return disk.counts;
}

describe('a disk that fails', () => {
  test.each([
    ['full at a write', 'write', enospc],
    ['broken at a sync', 'sync', eio],
    ['broken at the sync of the folder', 'syncFolder', eio],
  ] as const)('%s: nothing is sent after it, every call fails, and what was sent is on the disk', async (_, operation, fail) => {
    const total = (await operationsOfAnImport())[operation];
    for (let at = 1; at <= total; at++) {
      let asked = -1;
      const fault: Fault = (now, count) => {
        if (now !== operation || count !== at) return undefined;
        asked = disk.log.length;
        return fail();
      };
      const disk: Disk = memoryDisk([], fault);
      const { sent, failure, journal } = await importRows(disk);
      expect(failure).toMatchObject({ code: 'journal_failed', exit: 3, message: expect.stringMatching(/ENOSPC|EIO/) });
      if (journal) {
        const again = { row: 99, key: journal.keyOf('x'), intent: 'create' } as const;
        for (const call of [journal.intent(again), journal.flush(), journal.note('stopped'), journal.close()])
          await expect(call).rejects.toBe(failure);
        expect(() => journal.outcome({ row: 1, outcome: 'absent' })).toThrow(failure as Error);
        await thoseSentAreKnown(journal.path, sent, memoryDisk(disk.durable));
      }
      expect(disk.log.length).toBe(asked);
    }
  });

  test('fails later callers too', async () => {
    let late: Promise<void> | undefined;
    const disk = memoryDisk([], (operation, count) => {
      if (operation !== 'sync' || count !== 2) return undefined;
      late = journal.intent({ row: 2, key: journal.keyOf('b'), intent: 'create' });
      return eio();
    });
    const { journal } = await begin(disk);
    await expect(journal.intent({ row: 1, key: journal.keyOf('a'), intent: 'create' })).rejects.toMatchObject({ code: 'journal_failed' });
    await expect(late).rejects.toMatchObject({ code: 'journal_failed' });
  });

  test('as the file is closed ends in the same way', async () => {
    const { journal } = await begin(memoryDisk([], (operation) => (operation === 'close' ? eio() : undefined)));
    await expect(journal.close()).rejects.toMatchObject({ code: 'journal_failed', message: expect.stringContaining('EIO') });
  });

  test('that takes a few bytes at a time gets all of them', async () => {
    for (const limit of [1, 7, 100]) {
      const disk = memoryDisk([], (operation) => (operation === 'write' ? limit : undefined));
      const { failure, journal } = await importRows(disk);
      expect(failure).toBeUndefined();
      expect(await readRun(journal?.path ?? '', disk)).toMatchObject({ run: { counts: { created: rows }, torn: 0 } });
    }
  });

  test('that takes no more bytes is not asked for ever', async () => {
    const disk = memoryDisk([], (operation, count) => (operation === 'write' && count > 2 ? 0 : undefined));
    const { failure } = await importRows(disk);
    expect(failure).toMatchObject({ code: 'journal_failed', message: expect.stringContaining('no more can be written') });
  });

  test('that is full in the middle of a line leaves a journal that can be resumed', async () => {
    for (let bytes = 1; bytes < 120; bytes += 7) {
      const fault: Fault = (operation, count) => (operation !== 'write' || count < 3 ? undefined : count === 3 ? bytes : enospc());
      const disk = memoryDisk([], fault);
      const { sent, journal } = await importRows(disk);
      const healed = memoryDisk(disk.now);
      await thoseSentAreKnown(journal?.path ?? '', sent, memoryDisk(disk.now));
      const opened = await openJournal(journal?.path ?? '', identity, { now, files: healed });
      expect(opened.torn).toBeGreaterThan(0);
      expect(healed.log).toEqual(['truncate', 'sync', 'write', 'sync']);
      await opened.journal.close();
      expect(await readRun(journal?.path ?? '', healed)).toMatchObject({ run: { torn: 0 } });
    }
  });

  test('at the repair of a torn line stops the run before anything else', async () => {
    const { journal, disk } = await begin();
    disk.now.set(journal.path, Buffer.concat([disk.now.get(journal.path) ?? Buffer.alloc(0), Buffer.from('{"n":2')]));
    for (const operation of ['truncate', 'sync', 'write'] as const) {
      const failing = memoryDisk(disk.now, (asked) => (asked === operation ? eio() : undefined));
      await expect(openJournal(journal.path, identity, { now, files: failing })).rejects.toMatchObject({ code: 'journal_failed' });
    }
  });
});

describe('a power cut', () => {
  test('at any moment leaves every row that was sent in the journal', async () => {
    const counts = await operationsOfAnImport();
    for (const operation of ['write', 'sync', 'syncFolder'] as const) {
      for (let at = 1; at <= counts[operation]; at++) {
        let path = '';
        let sentThen: number[] = [];
        const left: [string, Buffer][] = [];
        const disk: Disk = memoryDisk([], (asked, count) => {
          if (asked !== operation || count !== at) return undefined;
          left.push(...remains(disk));
          sentThen = [...sent];
          return undefined;
        });
        const sent: number[] = [];
        const { journal } = await begin(disk);
        path = journal.path;
        await Promise.all(
          Array.from({ length: rows }, async (_, index) => {
            for (let turn = 0; turn < index * 2; turn++) await new Promise(setImmediate);
            await journal.intent({ row: index + 1, key: journal.keyOf(`${index}`), intent: 'create' });
            sent.push(index + 1);
            journal.outcome({ row: index + 1, outcome: 'done' });
          }),
        );
        for (const [name, bytes] of left) {
          expect(name).toBe(path);
          await thoseSentAreKnown(path, sentThen, memoryDisk([[name, bytes]]));
        }
      }
    }
  });
});

/** What a power cut may leave: what was synced, or more of what was written, cut anywhere or in zeros. */
function remains(disk: Disk): [string, Buffer][] {
  return [...disk.durable].flatMap(([path, kept]) => {
    const all = disk.now.get(path) ?? kept;
    const lost = all.length - kept.length;
    const cuts = [0, 1, lost >> 1, lost - 1, lost].filter((cut) => cut >= 0 && cut <= lost);
    return cuts.flatMap((cut): [string, Buffer][] => {
      const part = all.subarray(0, kept.length + cut);
      return [
        [path, part],
        [path, Buffer.concat([part, Buffer.alloc(lost - cut + 512)])],
      ];
    });
  });
}

async function thoseSentAreKnown(path: string, sent: readonly number[], disk: Disk) {
  const { journal } = await openJournal(path, identity, { now, files: disk });
  const known = new Map(journal.rows.entries());
  for (const row of sent) expect(['intended', 'done']).toContain(known.get(row)?.status);
}
