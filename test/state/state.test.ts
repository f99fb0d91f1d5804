/** What is recorded of a run is there again, durable before anybody acts on it, and the same for every process. */
import { describe, expect, test } from 'vitest';
import { ClaimTaken, TakenOver } from '../../src/state/state.ts';
import { eachKind, newRun, opened, origin, step, steps, worker } from './state-world.ts';

const claim = (key: string, number = 1) => ({ scope: 'exam:42', key, number });

eachKind(({ newFolder, takeOver }) => {
  describe('a run', () => {
    test('is read as it was recorded, by whoever opens the state next', async () => {
      const folder = await newFolder();
      const state = await opened(folder);
      const [first, second] = [
        step(1, {
          line: 7,
          target: '901',
          exam: '42',
          sentKey: state.studentKey('ada@example.org'),
          values: { close_time: '2026-11-21T10:40:57Z', skip: true, id: 12345678901234567890n },
          personal: { email: 'ada@example.org', note: 'Zoë \ud83d\ude00 \u0000' },
        }),
        step(2, { op: 'sessions.update', after: [1] }),
      ];
      const run = await state.begin({ ...newRun, reason: 'fire alarm', undoOf: 'x' }, [first, second], ['31', '32', '31']);
      expect(await run.intend(1, 'sending')).toBeLessThanOrEqual(Date.now());
      run.record({ n: 1, event: 'done', session: '77', shownKey: 'k', ours: true, code: '201' });
      run.record({ n: 2, event: 'skipped', ours: false });
      await run.flush();
      await state.close();

      const again = await opened(folder);
      expect(await again.runs()).toEqual([
        {
          ...{ id: run.run.id, origin, profile: 'default', kind: 'sessions import', command: 'sessions import --exam 42' },
          ...{ who: 'ada on build-7', reason: 'fire alarm', undoOf: 'x', epoch: 1, holder: `process ${process.pid} on build-7` },
          ...{ state: 'open', at: run.run.at, lastAt: expect.any(Number), steps: 2 },
        },
      ]);
      expect(await again.steps(run.run.id)).toEqual([first, second]);
      expect(await again.events(run.run.id)).toEqual([
        { n: 1, event: 'sending', at: expect.any(Number), epoch: 1 },
        { n: 1, event: 'done', session: '77', shownKey: 'k', ours: true, code: '201', at: expect.any(Number), epoch: 1 },
        { n: 2, event: 'skipped', ours: false, at: expect.any(Number), epoch: 1 },
      ]);
      expect(await again.listed(run.run.id)).toEqual(new Set(['31', '32']));
      expect(await again.run('other')).toBeUndefined();
    });

    test('is found by the command that began it, the latest first', async () => {
      const state = await opened(await newFolder());
      expect(await state.runsOf(origin, newRun.identity)).toEqual([]);
      const run = await state.begin(newRun, steps(1), ['5']);
      expect(await state.runsOf(origin, newRun.identity)).toEqual([run.run]);
      expect(await state.runsOf('https://other.example', newRun.identity)).toEqual([]);
      expect(await state.runsOf(origin, 'another')).toEqual([]);
      await run.close('finished');
      const next = await state.begin(newRun, steps(1));
      expect(await state.runsOf(origin, newRun.identity)).toMatchObject([
        { id: next.run.id, state: 'open' },
        { id: run.run.id, state: 'finished' },
      ]);
      expect((await state.listed(run.run.id)).size).toBe(0);
    });

    test('takes more steps when it is taken again, and is open then', async () => {
      const state = await opened(await newFolder());
      const first = await state.begin(newRun, steps(2));
      await first.close('finished');
      const taken = await state.take(first.run.id, 'grace@build-8');
      await taken.addSteps([step(3)]);
      expect(await state.run(first.run.id)).toMatchObject({ state: 'open', steps: 3, epoch: 2 });
      expect((await state.steps(first.run.id)).map(({ n }) => n)).toEqual([1, 2, 3]);
      await expect(state.take('other', 'grace@build-8')).rejects.toMatchObject({ code: 'not_found', exit: 6 });
    });

    test('of a plan that fails while it is made is not there, and nothing is written after it', async () => {
      const state = await opened(await newFolder());
      function* failing() {
        yield* steps(3000);
        throw new Error('no plan');
      }
      await expect(state.begin(newRun, failing())).rejects.toThrow('no plan');
      expect(await state.runs()).toEqual([]);
      await expect(state.begin(newRun, steps(1))).rejects.toThrow('no plan');
    });

    test('can be of very many steps: others see none of it before all of it is there', async () => {
      const folder = await newFolder();
      const state = await opened(folder);
      const child = worker(folder, `await (await openState(options)).begin(newRun, steps(20000)); say('begun')`);
      const seen = new Set<number>();
      while (!child.lines.includes('begun')) {
        seen.add((await state.runs())[0]?.steps ?? 0);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      expect([...seen].filter((count) => count !== 20000)).toEqual([0]);
      expect(await state.runs()).toMatchObject([{ steps: 20000 }]);
    });
  });

  describe('an intent', () => {
    test('is in the file before its promise resolves, and so is what was queued before it', async () => {
      const folder = await newFolder();
      const [state, other] = [await opened(folder), await opened(folder)];
      const run = await state.begin(newRun, steps(2));
      run.record({ n: 1, event: 'skipped' });
      await run.intend(2, 'sending', [claim('k')]);
      expect((await other.events(run.run.id)).map(({ event }) => event)).toEqual(['skipped', 'sending']);
      expect(await other.claims(origin, 'exam:42')).toMatchObject([{ key: 'k', n: 2, done: false }]);
    });

    test('shares one commit with all of the same turn; an outcome waits for no intent', async () => {
      const folder = await newFolder();
      const [state, other] = [await opened(folder), await opened(folder)];
      const run = await state.begin(newRun, steps(100));
      const moments = await Promise.all(Array.from({ length: 100 }, (_, index) => run.intend(index + 1, 'sending')));
      expect(new Set(moments).size).toBe(1);
      run.record({ n: 1, event: 'done' });
      await expect.poll(async () => (await other.events(run.run.id)).at(-1)).toMatchObject({ n: 1, event: 'done' });
    });

    test('is refused with a claim that another step has, open or done; nothing of it is recorded, and the others are', async () => {
      const state = await opened(await newFolder());
      const [one, two] = [await state.begin(newRun, steps(3)), await state.begin(newRun, steps(3))];
      await one.intend(1, 'sending', [claim('taken')]);
      const refused = two.intend(1, 'sending', [claim('free'), claim('taken')]);
      const passed = two.intend(2, 'sending', [claim('other')]);
      await expect(refused).rejects.toEqual(expect.any(ClaimTaken));
      await expect(refused).rejects.toMatchObject({ claim: { run: one.run.id, n: 1, key: 'taken', epoch: 1, done: false } });
      await passed;
      one.settleClaim(claim('taken'), 1, { session: '77', shownKey: 'shown' });
      await expect(two.intend(3, 'sending', [claim('taken')])).rejects.toMatchObject({
        claim: { done: true, session: '77', shownKey: 'shown' },
      });
      expect((await state.events(two.run.id)).map(({ n }) => n)).toEqual([2]);
      expect((await state.claims(origin, 'exam:42')).map(({ key, run }) => [key, run])).toEqual([
        ['other', two.run.id],
        ['taken', one.run.id],
      ]);
      await two.intend(3, 'sending', [claim('taken', 2)]);
    });

    test('may be made again by the step that has the claim, and by any once that has ended', async () => {
      const state = await opened(await newFolder());
      const [one, two] = [await state.begin(newRun, steps(2)), await state.begin(newRun, steps(2))];
      await one.intend(1, 'sending', [claim('k')]);
      const first = (await state.claims(origin, 'exam:42'))[0]?.at ?? 0;
      while (Date.now() === first) await new Promise(setImmediate);
      await one.intend(1, 'sending', [claim('k')]);
      expect((await state.claims(origin, 'exam:42'))[0]?.at).toBeGreaterThan(first);
      await expect(one.intend(2, 'sending', [claim('k')])).rejects.toEqual(expect.any(ClaimTaken));
      one.endClaim(claim('k'), 2);
      await expect(two.intend(1, 'sending', [claim('k')])).rejects.toEqual(expect.any(ClaimTaken));
      one.endClaim(claim('k'), 1);
      await two.intend(1, 'sending', [claim('k')]);
    });

    test('may be made again for what another run has done, once that is gone; not while its request is open', async () => {
      const state = await opened(await newFolder());
      const [one, two] = [await state.begin(newRun, steps(3)), await state.begin(newRun, steps(3))];
      await one.intend(1, 'sending', [claim('k'), claim('open')]);
      const [first] = await state.claims(origin, 'exam:42');
      two.endClaim(claim('k'), 0);
      await expect(two.intend(1, 'sending', [claim('k')])).rejects.toEqual(expect.any(ClaimTaken));
      one.settleClaim(claim('k'), 1, { session: '77', shownKey: null });
      two.endClaim(claim('k'), 0);
      await two.intend(1, 'sending', [claim('k')]);
      two.settleClaim(claim('k'), 1, { session: '78', shownKey: null });
      one.endClaim(first ?? claim('k'), 0);
      await one.flush();
      expect((await state.claims(origin, 'exam:42')).map(({ key, session }) => [key, session])).toEqual([
        ['k', '78'],
        ['open', null],
      ]);
    });

    test('is refused once another process has taken the run over; what had happened before is recorded with its epoch', async () => {
      const folder = await newFolder();
      const state = await opened(folder);
      const run = await state.begin(newRun, steps(2));
      await run.intend(1, 'sending', [claim('k')]);
      await takeOver(folder, run.run.id);
      await expect(run.intend(2, 'sending', [claim('l')])).rejects.toEqual(expect.any(TakenOver));
      run.record({ n: 1, event: 'done' });
      run.endClaim(claim('k'), 1);
      await run.flush();
      expect((await state.events(run.run.id)).filter(({ n }) => n > 0)).toMatchObject([
        { n: 1, event: 'sending', epoch: 1 },
        { n: 1, event: 'done', epoch: 1 },
      ]);
      expect((await state.claims(origin, 'exam:42')).map(({ key }) => key)).toEqual(['k']);
      await expect(run.close('finished')).rejects.toEqual(expect.any(TakenOver));
      expect(await state.run(run.run.id)).toMatchObject({ state: 'open', epoch: 2 });
    });
  });

  test('a student has one key, whatever the spelling of the address, and another in another installation', async () => {
    const [state, other] = [await opened(await newFolder()), await opened(await newFolder())];
    const key = state.studentKey('ada@example.org');
    expect(key).toMatch(/^[\w-]{22}$/);
    expect(state.studentKey(' Ada@Example.ORG')).toBe(key);
    expect(state.digest('ada@example.org')).not.toBe(key);
    expect(other.studentKey('ada@example.org')).not.toBe(key);
  });
});
