import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createJournal, openJournal } from '../../../../src/features/import/journal/journal.ts';
import { Secrets } from '../../../../src/model/secrets.ts';
import { IllegalTransition } from '../../../../src/state/journal/journal-format.ts';
import { memoryDisk } from '../../../state/journal/disk.ts';
import { identity, roster } from './roster.ts';
import { begin, folder, legalRecords, now, plainly, write } from './sample.ts';

const lines = (bytes: Buffer | undefined) => (bytes?.toString() ?? '').split('\n').slice(0, -1);

describe('a journal', () => {
  test('says line by line what was about to be done, and what became of it', async () => {
    const { journal, disk } = await begin();
    const student = journal.keyOf('ada@example.org');
    await journal.intent({ row: 2, key: student, intent: 'create', next: 'update' });
    journal.outcome({ row: 2, outcome: 'done', session: '991' });
    await journal.note('finished');
    await journal.close();

    const stamped = { at: now(), sum: expect.stringMatching(/^[0-9a-f]{8}$/) };
    expect(lines(disk.durable.get(journal.path)).map((line) => JSON.parse(line))).toEqual([
      { n: 1, ...stamped, journal: 1, run: journal.header.run, ...roster, salt: expect.stringMatching(/^[\w-]{22}$/) },
      { n: 2, ...stamped, row: 2, key: student, intent: 'create', next: 'update' },
      { n: 3, ...stamped, row: 2, outcome: 'done', session: '991' },
      { n: 4, ...stamped, note: 'finished' },
    ]);
    expect(journal.path).toMatch(/^\/state\/imports\/exam-42\/20260102T101500-[0-9a-f]{6}\.ndjson$/);
  });

  test('lies on a real disk for its owner only, and is resumed', async () => {
    const root = mkdtempSync(join(tmpdir(), 'proctor-journal-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const place = join(root, 'state', 'imports', 'exam-42');
    const first = await createJournal(place, roster, { now });
    await first.intent({ row: 1, key: first.keyOf('a@b.c'), intent: 'create' });
    await first.close();
    const modes = [first.path, place, dirname(place)].map((path) => (statSync(path).mode & 0o777).toString(8));
    expect(modes).toEqual(['600', '700', '700']);
    expect(readdirSync(place)).toHaveLength(1);

    const { journal } = await openJournal(first.path, identity, { now });
    expect(journal.rows.get(1)).toMatchObject({ step: 'create', status: 'intended' });
    journal.outcome({ row: 1, outcome: 'absent' });
    await journal.close();
    expect(lines(readFileSync(first.path)).map((line) => JSON.parse(line).n)).toEqual([1, 2, 3, 4]);
  });

  test('reads back as it was written, whatever the records', async () => {
    await fc.assert(
      fc.asyncProperty(legalRecords(20), async (records) => {
        const { journal, disk } = await begin();
        for (const record of records) await write(journal, record);
        await journal.close();
        const again = await openJournal(journal.path, identity, { now, files: disk });
        expect([...again.journal.rows.entries()]).toEqual([...journal.rows.entries()]);
        expect([...again.journal.rows.entries()].map(([, { reason, ...state }]) => state)).toEqual(
          plainly(records).map(([, { reason, ...state }]) => state),
        );
        expect(again).toMatchObject({ torn: 0, changed: [] });
      }),
      { numRuns: 50 },
    );
  });

  test('holds neither the token nor an address', async () => {
    const disk = memoryDisk();
    const secrets = new Secrets(['s3cret/token']);
    const journal = await createJournal(folder, roster, { now, files: disk, secrets });
    await journal.intent({ row: 1, key: journal.keyOf('ada@example.org'), intent: 'create' });
    const reason = `Ada <ada@example.org> was refused for s3cret/token (s3cret%2Ftoken)${'!'.repeat(1000)}`;
    journal.outcome({ row: 1, outcome: 'rejected', code: '422', reason });
    await journal.note('stopped', { reason });
    const written = String(disk.durable.get(journal.path));
    expect(written).not.toMatch(/ada@|example\.org"|s3cret/);
    expect(journal.rows.get(1)?.reason).toMatch(/^Ada <\(address\)> was refused for \*{8} \(\*{8}\)!+$/);
    expect(lines(disk.durable.get(journal.path)).every((line) => line.length < 500)).toBe(true);
  });

  test('knows a student in this run only', async () => {
    const { journal } = await begin();
    const { journal: other } = await begin();
    expect(journal.keyOf('ada@example.org')).toBe(journal.keyOf('ada@example.org'));
    expect(journal.keyOf('ada@example.org')).toBe(journal.keyOf(' Ada@example.org'));
    expect(journal.keyOf('ada@example.org')).not.toBe(journal.keyOf('ida@example.org'));
    expect(journal.keyOf('ada@example.org')).not.toBe(other.keyOf('ada@example.org'));
  });

  test('does not write what could not be read: a second POST without proof, or no record at all', async () => {
    const { journal, disk } = await begin();
    const create = { row: 1, key: journal.keyOf('a'), intent: 'create' } as const;
    await journal.intent(create);
    const before = disk.now.get(journal.path);
    await expect(journal.intent(create)).rejects.toThrow(IllegalTransition);
    await expect(journal.intent({ ...create, row: 0 })).rejects.toThrow(TypeError);
    await expect(journal.intent({ ...create, row: 2, key: 'short' })).rejects.toThrow(TypeError);
    expect(() => journal.outcome({ row: 2, outcome: 'done' })).toThrow(IllegalTransition);
    await journal.flush();
    expect(disk.now.get(journal.path)).toEqual(before);
  });
});

describe('the sync', () => {
  test('comes before the intent resolves, and after all of its bytes are written', async () => {
    const { journal, disk } = await begin();
    const intents = Array.from({ length: 40 }, async (_, index) => {
      for (let turn = index % 7; turn > 0; turn--) await new Promise(setImmediate);
      await journal.intent({ row: index + 1, key: journal.keyOf(`${index}`), intent: 'create' });
      const durable = lines(disk.durable.get(journal.path)).map((line) => JSON.parse(line).row);
      expect(durable).toContain(index + 1);
      journal.outcome({ row: index + 1, outcome: 'done' });
    });
    await Promise.all(intents);
    await journal.close();
    expect(lines(disk.durable.get(journal.path)).map((line) => JSON.parse(line).n)).toEqual(Array.from({ length: 81 }, (_, n) => n + 1));
  });

  test('is shared by all callers that wait for it', async () => {
    const { journal, disk } = await begin();
    const syncs = disk.counts.sync;
    await Promise.all(
      Array.from({ length: 100 }, (_, row) => journal.intent({ row: row + 1, key: journal.keyOf(`${row}`), intent: 'create' })),
    );
    expect(disk.counts.sync - syncs).toBe(1);
  });

  test('is shared by all workers that continue after the last one', async () => {
    const { journal, disk } = await begin();
    const syncs = disk.counts.sync;
    const worker = async (_: unknown, number: number) => {
      for (let row = number + 1; row <= 80; row += 8) {
        for (let wait = 0; wait < number; wait++) await null;
        await journal.intent({ row, key: journal.keyOf(`${row}`), intent: 'create' });
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    expect(disk.counts.sync - syncs).toBe(10);
  });

  test('is not waited for by outcomes: they are written, in order, and synced with what comes next', async () => {
    const { journal, disk } = await begin();
    await journal.intent({ row: 1, key: journal.keyOf('a'), intent: 'create' });
    const syncs = disk.counts.sync;
    journal.outcome({ row: 1, outcome: 'unknown' });
    journal.outcome({ row: 1, outcome: 'done' });
    await vi.waitFor(() => expect(lines(disk.now.get(journal.path))).toHaveLength(4));
    expect(disk.counts.sync).toBe(syncs);
    expect(lines(disk.now.get(journal.path)).map((line) => JSON.parse(line).outcome)).toEqual([undefined, undefined, 'unknown', 'done']);
    await journal.flush();
    expect(disk.counts.sync).toBe(syncs + 1);
    await journal.flush();
    expect(disk.counts.sync).toBe(syncs + 1);
    expect(disk.durable.get(journal.path)).toEqual(disk.now.get(journal.path));
  });

  test('covers the folder of a new journal, and what a process that died had left unsynced', async () => {
    const { journal, disk } = await begin();
    expect(disk.log).toEqual(['create', 'write', 'sync', 'syncFolder']);
    expect(lines(disk.durable.get(journal.path))).toHaveLength(1);

    await journal.intent({ row: 1, key: journal.keyOf('a'), intent: 'create' });
    journal.outcome({ row: 1, outcome: 'done' });
    await vi.waitFor(() => expect(lines(disk.now.get(journal.path))).toHaveLength(3));
    expect(lines(disk.durable.get(journal.path))).toHaveLength(2);
    await openJournal(journal.path, identity, { now, files: disk });
    expect(lines(disk.durable.get(journal.path))).toHaveLength(4);
  });
});

describe('a closed journal', () => {
  test('takes nothing more, and has what it took before', async () => {
    const { journal, disk } = await begin();
    const before = journal.intent({ row: 1, key: journal.keyOf('a'), intent: 'create' });
    const closed = journal.close();
    const late = journal.intent({ row: 2, key: journal.keyOf('b'), intent: 'create' });
    await expect(late).rejects.toMatchObject({ code: 'journal_failed', message: expect.stringContaining('closed') });
    await Promise.all([before, closed]);
    expect(lines(disk.durable.get(journal.path))).toHaveLength(2);
  });
});

describe('going on with a run', () => {
  const changes = [
    ['origin', { origin: 'https://other.example' }],
    ['exam', { exam: '43' }],
    ['shard', { shard: '1/2' }],
    ['input', { input: 'sha256:other' }],
    ['mapping', { mapping: 'sha256:other' }],
  ] as const;

  test.each(changes)('says that the %s changed, takes outcomes, and refuses to begin anything', async (part, change) => {
    const { journal: first, disk } = await begin();
    await first.intent({ row: 1, key: first.keyOf('a'), intent: 'create' });
    const { journal, changed } = await openJournal(first.path, { ...identity, ...change }, { now, files: disk });
    expect(changed).toEqual([part]);
    await expect(journal.intent({ row: 2, key: first.keyOf('b'), intent: 'create' })).rejects.toThrow(part);
    journal.outcome({ row: 1, outcome: 'absent' });
    await journal.note('finished');
    expect(journal.rows.counts()).toMatchObject({ absent: 1, unknown: 0 });
  });
});
