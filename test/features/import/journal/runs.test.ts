import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createJournal, type Journal } from '../../../../src/features/import/journal/journal.ts';
import { findRun, listRuns, listRunsOf, readRun, targetFolder } from '../../../../src/features/import/journal/runs.ts';
import { roster } from './roster.ts';
import { now } from './sample.ts';

function imports(): string {
  const folder = mkdtempSync(join(tmpdir(), 'proctor-runs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function run(folder: string, exam: string, at: number, act: (journal: Journal) => Promise<void> = async () => {}) {
  const target = targetFolder(folder, { ...roster, exam });
  let clock = at;
  const journal = await createJournal(target, { ...roster, exam }, { now: () => clock++ });
  await act(journal);
  await journal.close();
  return journal;
}

const create = (journal: Journal, row: number) => journal.intent({ row, key: journal.keyOf(`${row}`), intent: 'create' });

describe('the runs of this machine', () => {
  test('are listed, the latest first, with where each one stands', async () => {
    const folder = imports();
    const first = await run(folder, '42', now(), async (journal) => {
      await Promise.all([1, 2, 3].map((row) => create(journal, row)));
      journal.outcome({ row: 1, outcome: 'done' });
      journal.outcome({ row: 2, outcome: 'rejected' });
      await journal.note('finished');
    });
    const second = await run(folder, '43', now() + 60_000);
    const third = await run(folder, '42', now() + 120_000, async (journal) => {
      await create(journal, 1);
      await journal.note('stopped', { reason: 'Ctrl-C' });
    });

    const { runs, unreadable } = await listRuns(folder);
    expect(unreadable).toEqual([]);
    expect(runs.map(({ path }) => path)).toEqual([third.path, second.path, first.path]);
    expect(runs.map(({ state, counts }) => [state, counts.not_sent])).toEqual([
      ['stopped', 9],
      ['open', 10],
      ['finished', 7],
    ]);
    expect(runs[2]).toMatchObject({
      header: { exam: '42', run: first.header.run },
      counts: { created: 1, rejected: 1, unknown: 1, absent: 0, not_sent: 7 },
      startedAt: now(),
      lastAt: now() + 6,
      torn: 0,
    });

    const of42 = await listRunsOf(dirname(first.path));
    expect(of42.runs.map(({ path }) => path)).toEqual([third.path, first.path]);
    expect(await findRun(folder, second.header.run)).toBe(second.path);
    for (const id of ['nothing', '../secret', '']) expect(await findRun(folder, id)).toBeUndefined();
  });

  test('are none where nothing was ever imported', async () => {
    expect(await listRuns(join(imports(), 'nowhere'))).toEqual({ runs: [], unreadable: [] });
    expect(await listRunsOf(join(imports(), 'nowhere'))).toEqual({ runs: [], unreadable: [] });
    expect(await findRun(join(imports(), 'nowhere'), 'x')).toBeUndefined();
  });

  test('that cannot be read are named, and the others listed; what was never begun is no run', async () => {
    const folder = imports();
    const { path } = await run(folder, '42', now());
    const damaged = join(dirname(path), '20260101T000000-abcdef.ndjson');
    writeFileSync(damaged, 'something else\n');
    writeFileSync(join(dirname(path), '20260101T000000-000000.ndjson'), '{"n":1,');
    writeFileSync(join(dirname(path), 'import.lock.json'), '{"pid":1}\n');
    const { runs, unreadable } = await listRuns(folder);
    expect(runs.map((each) => each.path)).toEqual([path]);
    expect(unreadable).toMatchObject([{ code: 'journal_damaged', exit: 3, message: expect.stringContaining(damaged) }]);
    await expect(readRun(join(folder, 'missing'))).rejects.toMatchObject({ code: 'journal_failed' });
  });
});

describe('the folder of an origin and exam', () => {
  test('can be read by people, and is no other one', () => {
    const names = [
      { origin: 'https://proctor.example', exam: '42' },
      { origin: 'https://proctor.example', exam: '4/2' },
      { origin: 'https://proctor.example:8443', exam: '42' },
      { origin: 'http://proctor.example', exam: '42' },
      { origin: 'https://proctor.example', exam: '../..' },
      { origin: 'sandbox', exam: 'x'.repeat(300) },
    ].map((target) => targetFolder('/imports', target));
    expect(names[0]).toMatch(/^\/imports\/proctor\.example-42-[0-9a-f]{16}$/);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^\/imports\/[a-z0-9.-]{1,80}$/);
  });
});
