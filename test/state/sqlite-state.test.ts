/** The state on this machine: its file is for its owner only, has nothing in clear, and one commit for all of a turn. */
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RunDatabase } from '../../src/state/run-database.ts';
import { temporaryFolder } from '../support/run.ts';
import { filesWith, host, newRun, opened, step, steps } from './state-world.ts';

test('an intent shares one commit with all of the same turn; an outcome waits for no intent', async () => {
  const folder = temporaryFolder();
  const [state, other] = [await opened(folder), await opened(folder)];
  const run = await state.begin(newRun, steps(100));
  const commits = () => Number(readFileSync(join(folder, 'runs.last'), 'utf8').split(' ')[1]);
  const before = commits();
  const moments = await Promise.all(Array.from({ length: 100 }, (_, index) => run.intend(index + 1, 'sending')));
  expect([commits() - before, new Set(moments).size]).toEqual([1, 1]);
  run.record({ n: 1, event: 'done' });
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect((await other.events(run.run.id)).at(-1)).toMatchObject({ n: 1, event: 'done' });
});

describe('after a commit that failed', () => {
  test('every call fails with the same sentence, and nothing more is written', async () => {
    const folder = temporaryFolder();
    const state = await opened(folder);
    const run = await state.begin(newRun, steps(3));
    await run.intend(1, 'sending');
    const other = new RunDatabase(join(folder, 'runs.sqlite'));
    other.exec('ALTER TABLE events RENAME TO moved');
    const group = [run.intend(2, 'sending'), run.close('finished')];
    for (const call of group) await expect(call).rejects.toMatchObject({ code: 'state_damaged', exit: 3 });
    other.exec('ALTER TABLE moved RENAME TO events');
    other.close();
    for (const call of [run.intend(2, 'sending'), run.addSteps([]), run.flush(), state.begin(newRun, [])])
      await expect(call).rejects.toMatchObject({ code: 'state_damaged' });
    expect(() => run.record({ n: 1, event: 'done' })).toThrow('is damaged');
    expect(await state.events(run.run.id)).toHaveLength(1);
  });
});

describe('the files', () => {
  test('are for their owner only, and so is the folder', async () => {
    const folder = join(temporaryFolder(), 'state');
    mkdirSync(folder, { mode: 0o755 });
    const state = await opened(folder, { host: { ...host, env: {} } });
    const run = await state.begin(newRun, steps(1));
    const modes = () => readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);
    expect(modes()).toEqual([
      ['locks', '700'],
      ['runs.key', '600'],
      ['runs.last', '600'],
      ['runs.sqlite', '600'],
      ['runs.sqlite-shm', '600'],
      ['runs.sqlite-wal', '600'],
    ]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    await run.close('finished');
    await state.close();
    expect(readdirSync(join(folder, 'locks'))).toEqual(['guard.lock']);
  });

  test('have no name, address or reason in clear', async () => {
    const folder = temporaryFolder();
    const state = await opened(folder);
    const [address, name, reason] = ['ada.lovelace@example.org', 'Ada Lovelace', 'she asked for it'];
    const sentKey = state.studentKey(address);
    const run = await state.begin({ ...newRun, reason }, [step(1, { sentKey, personal: { address, name } })]);
    await run.intend(1, 'sending', [{ scope: 'exam:42', key: sentKey, number: 1 }]);
    for (const text of [address, name, reason, newRun.identity]) expect(filesWith(folder, text)).toEqual([]);
    expect(filesWith(folder, sentKey)).not.toEqual([]);
  });
});
