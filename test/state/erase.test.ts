/** What is forgotten is gone from every record and from the bytes of all files; everything else is as it was. */
import { describe, expect, test } from 'vitest';
import type { NewRun, State } from '../../src/state/state.ts';
import { temporaryFolder } from '../support/run.ts';
import { eachKind, filesWith, host, newRun, opened, origin, step, worker } from './state-world.ts';

const ada = 'ada.lovelace@example.org';

/** Two runs: Ada and Bob are created, each as a session; one moves both, and shows Ada under another address. */
async function recorded(state: State) {
  const of = (address: string, personal = {}) => ({
    exam: '42',
    sentKey: state.studentKey(address),
    personal: { email: address, ...personal },
  });
  const create = await state.begin({ ...newRun, reason: 'alarm' }, [step(1, of(ada)), step(2, of('bob@example.org'))], ['6999']);
  for (const [n, address, session] of [
    [1, ada, '481516237001'],
    [2, 'bob@example.org', '481516237002'],
  ] as const) {
    const claim = { scope: 'exam:42', key: state.studentKey(address) };
    await create.intend(n, 'sending', [{ ...claim, number: 1 }]);
    create.record({ n, event: 'done', session, ours: true, shownKey: state.studentKey(address) });
    create.settleClaim(claim, n, { session, shownKey: state.studentKey(address) });
  }
  const move = await state.begin(
    { ...newRun, identity: 'move' },
    [
      step(1, { ...of('ADA.Lovelace@example.org'), op: 'sessions.update', target: '481516237001' }),
      step(2, { ...of('bob@example.org', { asked: `Ada <${ada}>` }), op: 'sessions.update', target: '481516237002' }),
      step(3, { ...of('lada.lovelace@example.org'), target: '481516237003', exam: '43' }),
      step(4, { op: 'sessions.create', exam: '43', sentKey: state.studentKey('old@example.org'), personal: { email: 'old@example.org' } }),
      step(5, { op: 'exams.update', target: '43' }),
    ],
    ['481516237001', '481516237002', '481516237003'],
  );
  move.record({ n: 2, event: 'changed', session: '481516237002', shownKey: state.studentKey(ada) });
  move.record({ n: 4, event: 'done', session: '481516237004', ours: true, shownKey: state.studentKey(ada) });
  await move.close('open');
  await create.close('finished');
  return { create: create.run.id, move: move.run.id };
}

eachKind(({ newFolder, has, sealed }) => {
  describe('a student who is forgotten', () => {
    test('is in no step, event, claim or list of any run, under no spelling; others are', async () => {
      const state = await opened(await newFolder());
      const { create, move } = await recorded(state);
      expect(await state.forget({ student: ' Ada.Lovelace@EXAMPLE.org' })).toEqual({ runs: 2, steps: 3 });
      expect((await state.steps(create)).map(({ n }) => n)).toEqual([2]);
      expect((await state.steps(move)).map(({ n, personal }) => [n, personal])).toEqual([
        [2, null],
        [3, { email: 'lada.lovelace@example.org' }],
        [5, null],
      ]);
      const [changed] = await state.events(move);
      expect(changed).toEqual({ n: 2, event: 'changed', session: '481516237002', at: expect.any(Number), epoch: 1 });
      expect(await state.listed(move)).toEqual(new Set(['481516237002', '481516237003']));
      expect((await state.claims(origin, 'exam:42')).map(({ session }) => session)).toEqual(['481516237002']);
      expect(await state.forget({ student: ada })).toEqual({ runs: 0, steps: 0 });
    });

    test('is nowhere in what is kept, in no byte of any file of this machine, and neither is anything that was sealed', async () => {
      const folder = await newFolder();
      const state = await opened(folder);
      await recorded(state);
      const traces = [ada, state.studentKey(ada), '481516237001', '481516237004'];
      expect(await has(folder, state.studentKey(ada))).toBe(true);
      const values = await sealed(folder, 'n = 1 OR n = 4');
      expect(values.length).toBeGreaterThan(2);
      await state.forget({ student: ada });
      for (const trace of [...traces, ...values]) expect(await has(folder, trace), trace).toBe(false);
      expect(await has(folder, '481516237002')).toBe(true);
      await state.close();
      expect((await (await opened(folder)).runs()).length).toBe(2);
    });

    test('stays while a process is at one of the runs, which is named', async () => {
      const folder = await newFolder();
      const child = worker(
        folder,
        `const state = await openState(options);
       const run = await state.begin(newRun, [step(1, { sentKey: state.studentKey('${ada}') })]);
       say('held', run.run.id); setInterval(() => {}, 1000);`,
      );
      const [id = ''] = await child.said('held');
      const state = await opened(folder);
      await expect(state.forget({ student: ada })).rejects.toMatchObject({
        code: 'already_running',
        message: expect.stringContaining(`process ${child.pid}`),
      });
      expect(await state.steps(id)).toHaveLength(1);
    });
  });

  test('an exam that is forgotten takes its steps and claims along, at one service where that is said', async () => {
    const state = await opened(await newFolder());
    const { create, move } = await recorded(state);
    expect(await state.forget({ exam: '42', origin: 'https://other.example' })).toEqual({ runs: 0, steps: 0 });
    expect(await state.forget({ exam: '43', origin })).toEqual({ runs: 1, steps: 3 });
    expect((await state.steps(move)).map(({ n }) => n)).toEqual([1, 2]);
    expect(await state.forget({ exam: '42' })).toEqual({ runs: 2, steps: 4 });
    expect([await state.runs(), await state.run(create), await state.claims(origin, 'exam:42')]).toEqual([[], undefined, []]);
  });
});

describe('on this machine', () => {
  test('a student is in no byte once a claim has ended, and the state was closed', async () => {
    const folder = temporaryFolder();
    const state = await opened(folder);
    const held = await state.begin(newRun, [step(1)], ['listed then']);
    await held.intend(1, 'sending', [{ scope: 'exam:42', key: state.studentKey(ada), number: 1 }]);
    held.endClaim({ scope: 'exam:42', key: state.studentKey(ada) }, 1);
    await held.close('finished');
    await state.close();
    for (const trace of [state.studentKey(ada), 'listed then']) expect(filesWith(folder, trace)).toEqual([]);
  });

  test('a new run erases finished runs that are older than the time that is set: of its profile, and neither what is open nor what it undoes', async () => {
    const folder = temporaryFolder();
    let now = Date.now();
    const state = await opened(folder, { host: { ...host, now: () => now }, keepRuns: () => 1000 });
    const began = async (more: Partial<NewRun>, end: 'open' | 'finished' = 'finished') => {
      const run = await state.begin({ ...newRun, ...more }, [step(1)], ['listed then']);
      await run.close(end);
      return run.run.id;
    };
    const [old, undone] = [await began({}), await began({})];
    const stay = [await began({ profile: 'other' }), await began({}, 'open')];
    now += 1000;
    await began({});
    expect(await state.runs()).toHaveLength(5);
    now += 1;
    const last = await began({ undoOf: undone });
    expect((await state.runs()).map(({ id }) => id).sort()).toEqual(expect.arrayContaining([...stay, undone, last]));
    expect(await state.run(old)).toBeUndefined();
    await state.close();
    expect(filesWith(folder, old)).toEqual([]);
  });
});
