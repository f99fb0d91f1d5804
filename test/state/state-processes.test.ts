/** Several processes at one state: none freezes, none claims what another has, none is lost when one is killed. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ClaimTaken } from '../../src/state/state.ts';
import { temporaryFolder } from '../support/run.ts';
import { eachKind, host, newRun, opened, origin, statusOf, steps, type Worker, worker } from './state-world.ts';

const kills = Number(process.env.STATE_KILLS ?? 6);

/** Makes a run of 200 intents, by four at a time, with claims on the same 200 students as all others, and counts its own ticks. */
const importer = `
  const state = await openState(options);
  const run = await state.begin(newRun, steps(200));
  let ticks = 0, longest = 0, before = performance.now();
  const tick = () => { const now = performance.now(); longest = Math.max(longest, now - before); before = now; ticks += 1; };
  const ticking = setInterval(tick, 2);
  let next = 0, taken = 0;
  const began = performance.now();
  await Promise.all([1, 2, 3, 4].map(async () => {
    for (let n = ++next; n <= 200; n = ++next) {
      try {
        await run.intend(n, 'sending', [{ scope: 'exam:42', key: 'student ' + n, number: 1 }]);
        await new Promise(setImmediate);
        run.record({ n, event: 'done', ours: true });
        run.settleClaim({ scope: 'exam:42', key: 'student ' + n }, n, { session: String(n), shownKey: null });
      } catch (error) {
        if (error.name !== 'ClaimTaken') throw error;
        taken += 1;
      }
    }
  }));
  const took = performance.now() - began;
  clearInterval(ticking);
  await run.close('finished');
  await state.close();
  say('end', run.run.id, taken, ticks, Math.round(longest), Math.round(took));`;

eachKind(({ newFolder, lockLives }) => {
  describe.each([2, 8])('%i processes at once', (count) => {
    test('record all of it; each student is claimed once; each process goes on while others commit', async () => {
      const folder = await newFolder();
      const ends = await Promise.all(Array.from({ length: count }, async () => (await ended(worker(folder, importer))).map(String)));
      const state = await opened(folder);
      const claims = await state.claims(origin, 'exam:42');
      expect(claims.map(({ key }) => key).sort()).toEqual(Array.from({ length: 200 }, (_, index) => `student ${index + 1}`).sort());
      expect(claims.every(({ done }) => done)).toBe(true);
      for (const [id = '', taken, ticks, longest] of ends) {
        const own = claims.filter(({ run }) => run === id).length;
        expect(own + Number(taken)).toBe(200);
        expect((await state.events(id)).length).toBe(2 * own);
        // Waiting in SQLite would stop the process for as long as others take.
        expect([Number(ticks) > 0 || Number(taken) === 200, Number(longest) < 2000]).toEqual([true, true]);
      }
      expect((await statusOf(folder)).locks).toEqual([]);
      if (lockLives > 0) return;
      // A file whose removal met another process may stay; nobody holds it, and the next look removes it.
      expect(readdirSync(join(folder, 'locks'))).toEqual(['guard.lock']);
    });
  });

  describe('a run that another process holds', () => {
    const holder = `
    const state = await openState(options);
    const run = await state.begin(newRun, steps(3));
    await run.intend(1, 'sending', [{ scope: 'exam:42', key: 'ada', number: 1 }]);
    await state.lock('imports into 42', 'sessions import');
    say('held', run.run.id);
    setInterval(() => {}, 1000);`;

    test('is not taken while that lives, and the error names it; afterwards it is, with what was recorded', async () => {
      const folder = await newFolder();
      const child = worker(folder, holder);
      const [id = ''] = await child.said('held');
      const state = await opened(folder);
      const other = await state.begin(newRun, steps(1));
      const refused = { code: 'already_running', exit: 8, message: expect.stringContaining(`process ${child.pid} on build-7, since 20`) };
      await expect(state.take(id, 'grace@build-8')).rejects.toMatchObject(refused);
      await expect(state.lock('imports into 42', 'imports undo')).rejects.toMatchObject(refused);
      await expect(other.intend(1, 'sending', [{ scope: 'exam:42', key: 'ada', number: 1 }])).rejects.toMatchObject({
        claim: { run: id, n: 1 },
      });
      child.kill('SIGKILL');
      await child.ended();
      await pause(lockLives);
      const taken = await state.take(id, 'grace@build-8');
      expect(taken.run).toMatchObject({ epoch: 2, state: 'open', holder: `process ${process.pid} on build-7` });
      expect(await state.events(id)).toMatchObject([
        { n: 1, event: 'sending', epoch: 1 },
        { n: 0, event: 'taken', epoch: 2, code: 'grace@build-8' },
      ]);
      await taken.intend(1, 'sending', [{ scope: 'exam:42', key: 'ada', number: 1 }]);
      expect(await state.claims(origin, 'exam:42')).toMatchObject([{ run: id, epoch: 2 }]);
      (await state.lock('imports into 42', 'imports undo')).release();
      await taken.close('finished');
    });

    test('leaves no lock file behind, and a lock that is taken and released by many is never held by two', async () => {
      const folder = await newFolder();
      const contender = `
      const { existsSync, openSync, closeSync, rmSync } = await import('node:fs');
      const state = await openState(options);
      let held = 0;
      for (let tries = 0; held < 12 && tries < 4000; tries += 1) {
        let lock;
        try { lock = await state.lock('one', 'test'); } catch (error) { if (error.code !== 'already_running') throw error; continue; }
        closeSync(openSync(${JSON.stringify(join(folder, 'inside'))}, 'wx'));
        await new Promise((resolve) => setTimeout(resolve, 1));
        rmSync(${JSON.stringify(join(folder, 'inside'))});
        lock.release();
        held += 1;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
      }
      await state.close();
      say('end', held);`;
      const ends = await Promise.all([1, 2, 3].map(async () => ended(worker(folder, contender))));
      expect(ends).toEqual([['12'], ['12'], ['12']]);
      expect(existsSync(join(folder, 'inside'))).toBe(false);
      if (lockLives === 0) expect(readdirSync(join(folder, 'locks')).filter((name) => name !== 'guard.lock')).toEqual([]);
    });
  });

  test(`${kills} times a process is killed at some moment: what it was promised is there, and another goes on`, async () => {
    const folder = await newFolder();
    const sender = `
    const state = await openState(options);
    const open = (await state.runs())[0];
    const run = open ? await state.take(open.id, 'grace@build-8') : await state.begin(newRun, steps(10));
    say('run', run.run.id, run.run.epoch);
    for (let n = 1; ; n += 1) {
      const claims = [{ scope: 'exam:42', key: 'student ' + run.run.epoch + ' ' + n, number: 1 }];
      await Promise.all([run.intend(n, 'sending', claims), run.intend(n + 50000, 'sending')]);
      say('sent', n);
      run.record({ n, event: 'done' });
    }`;
    let id = '';
    const promised: [epoch: number, sent: number][] = [];
    for (let round = 1; round <= kills; round += 1) {
      const child = worker(folder, sender);
      const [run = '', epoch] = await child.said('run');
      id = run;
      await child.said('sent');
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
      child.kill('SIGKILL');
      await child.ended();
      await pause(lockLives);
      promised.push([Number(epoch), child.lines.filter((line) => line.startsWith('sent')).length]);
    }
    const state = await opened(folder);
    const events = await state.events(id);
    const claims = await state.claims(origin, 'exam:42');
    for (const [epoch, sent] of promised) {
      const intents = events.filter((event) => event.epoch === epoch && event.event === 'sending' && event.n < 50000).map(({ n }) => n);
      expect(intents.slice(0, sent)).toEqual(Array.from({ length: sent }, (_, index) => index + 1));
      expect(intents.length).toBeLessThanOrEqual(sent + 1);
      expect(events.filter((event) => event.epoch === epoch && event.n > 50000)).toHaveLength(intents.length);
      expect(claims.filter((claim) => claim.epoch === epoch)).toHaveLength(intents.length);
    }
    expect(promised.map(([epoch]) => epoch)).toEqual(Array.from({ length: kills }, (_, index) => index + 1));
    const taken = await state.take(id, 'grace@build-8');
    await expect(taken.intend(1, 'sending', [{ scope: 'exam:42', key: 'student 1 1', number: 1 }])).resolves.toBeTypeOf('number');
    await expect(taken.intend(2, 'sending', [{ scope: 'exam:42', key: 'student 1 1', number: 1 }])).rejects.toEqual(expect.any(ClaimTaken));
  });
});

test('a process that opens the state while another makes it waits for it', async () => {
  const folder = temporaryFolder();
  const making = await locking(folder, 'EXCLUSIVE');
  const opening = opened(folder);
  await new Promise((resolve) => setTimeout(resolve, 100));
  making.kill('SIGKILL');
  expect(await (await opening).runs()).toEqual([]);
});

test('a process goes on while another keeps the database locked, and gives up after half a minute', async () => {
  const folder = temporaryFolder();
  const state = await opened(folder);
  const run = await state.begin(newRun, steps(1));
  const other = await locking(folder, 'IMMEDIATE');
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 2);
  const intent = run.intend(1, 'sending');
  run.record({ n: 1, event: 'done' });
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(ticks).toBeGreaterThan(10);
  other.kill('SIGKILL');
  await intent;
  await run.flush();
  clearInterval(ticking);
  expect((await state.events(run.run.id)).length).toBe(2);

  const hurried = await opened(folder, { host: { ...host, sleep: async () => {} } });
  await locking(folder, 'IMMEDIATE');
  const refused = { code: 'state_failed', exit: 3, message: `Another program has kept the state ${state.place} locked for 30 s.` };
  await expect(hurried.begin(newRun, steps(1))).rejects.toMatchObject(refused);
});

/** A process that keeps the database locked. */
async function locking(folder: string, how: 'EXCLUSIVE' | 'IMMEDIATE'): Promise<Worker> {
  const child = worker(
    folder,
    `const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
     const database = new DatabaseSync(${JSON.stringify(join(folder, 'runs.sqlite'))});
     database.exec('BEGIN ${how}'); say('locked'); setInterval(() => {}, 1000);`,
  );
  await child.said('locked');
  return child;
}

async function ended(child: Worker): Promise<string[]> {
  const end = await child.said('end');
  expect(await child.ended()).toBe(0);
  return end;
}
