/** A lock may be taken as a whole or in parts: parts of one division leave each other alone. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { LockHeld } from '../../src/state/state.ts';
import { eachKind, host, opened, worker } from './state-world.ts';

const half = (part: string, of = 'two halves') => ({ of, part });

eachKind(({ newFolder }) => {
  /** Two processes, as a test can have them. */
  const two = async () => {
    const folder = await newFolder();
    return { folder, one: await opened(folder), other: await opened(folder, { host: { ...host, pid: host.pid + 1 } }) };
  };

  describe('Parts of one lock', () => {
    test('are held side by side, each by one process.', async () => {
      const { one, other } = await two();
      await one.lock('import 6', 'sessions import', half('1'));
      await other.lock('import 6', 'sessions import', half('2'));
      await expect(other.lock('import 6', 'sessions import', half('1'))).rejects.toThrow(LockHeld);
    });

    test('refuse the whole, and the whole refuses them.', async () => {
      const { one, other } = await two();
      const part = await one.lock('import 6', 'sessions import', half('1'));
      await expect(other.lock('import 6', 'sessions import')).rejects.toThrow(LockHeld);
      part.release();
      await one.lock('import 6', 'sessions import');
      await expect(other.lock('import 6', 'sessions import', half('2'))).rejects.toThrow(LockHeld);
      await other.lock('import 7', 'sessions import', half('2'));
    });

    test('of another division refuse them: they may be about the same.', async () => {
      const { one, other } = await two();
      await one.lock('import 6', 'sessions import', half('1'));
      await expect(other.lock('import 6', 'sessions import', half('2', 'three thirds'))).rejects.toThrow(LockHeld);
    });

    test('taken by many at the same moment have one holder each.', async () => {
      const folder = await newFolder();
      const states = await Promise.all(Array.from({ length: 6 }, (_, at) => opened(folder, { host: { ...host, pid: 100 + at } })));
      for (const name of ['import 6', 'import 7', 'import 8', 'import 9']) {
        const tries = states.map((state, at) => state.lock(name, 'sessions import', at % 3 === 0 ? undefined : half(String(at % 3))));
        const held = (await Promise.allSettled(tries)).flatMap(({ status }, at) => (status === 'fulfilled' ? [at % 3] : []));
        expect([[0], [1], [2], [1, 2]]).toContainEqual(held.sort());
      }
    });

    test('are counted as holders of their name until they are released.', async () => {
      const { one, other } = await two();
      expect(await other.holders('import 6')).toBe(0);
      const [first, second] = [
        await one.lock('import 6', 'sessions import', half('1')),
        await one.lock('import 6', 'sessions import', half('2')),
      ];
      expect([await other.holders('import 6'), await other.holders('import 7')]).toEqual([2, 0]);
      first.release();
      expect(await one.holders('import 6')).toBe(1);
      second.release();
      expect(await one.holders('import 6')).toBe(0);
    });
  });

  test('Whoever is refused is told who has the lock.', async () => {
    const { one, other } = await two();
    await one.lock('import 6', 'sessions import FILE', half('1'));
    const refused = await other.lock('import 6', 'sessions import').catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'already_running',
      message: expect.stringContaining(`process ${host.pid} on ${host.machine}`),
      holder: { pid: host.pid, machine: host.machine, command: 'sessions import FILE' },
    });
  });

  test('A part of a process that was killed is free for another one, and so is the whole.', async () => {
    const folder = await newFolder();
    const killed = worker(
      folder,
      `const state = await openState(options); await state.lock('import 6', 'x', { of: 'two halves', part: '1' }); say('has'); setInterval(() => {}, 1000);`,
    );
    await killed.said('has');
    const state = await opened(folder);
    await expect(state.lock('import 6', 'sessions import', half('1'))).rejects.toThrow(LockHeld);
    killed.kill('SIGKILL');
    await killed.ended();
    await pause(700);
    const part = await state.lock('import 6', 'sessions import', half('1'));
    part.release();
    await state.lock('import 6', 'sessions import');
  });
});
