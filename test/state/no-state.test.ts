/** Without a record, a run is one request. */
import { expect, test } from 'vitest';
import { noState } from '../../src/state/no-state.ts';
import { host, newRun, step, steps } from './state-world.ts';

test('a run has one step, whose events it shows; more are refused, and nothing is read of an endless plan', async () => {
  const state = noState(host);
  const held = await state.begin({ ...newRun, reason: 'alarm' }, [step(1)], ['5']);
  expect(await held.intend(1, 'sending', [{ scope: 'exam:42', key: 'k', number: 1 }])).toBeLessThanOrEqual(Date.now());
  held.record({ n: 1, event: 'done', session: '7' });
  expect(await state.events(held.run.id)).toMatchObject([
    { event: 'sending', epoch: 1 },
    { event: 'done', session: '7' },
  ]);
  expect([await state.runs(), await state.claims('', ''), await state.runsOf('', '')]).toEqual([[], [], []]);
  const refused = { code: 'invalid_config', exit: 3, hint: expect.stringContaining('unset PROCTOR_STATE') };
  await expect(held.addSteps([step(2)])).rejects.toMatchObject(refused);
  await expect(state.begin(newRun, steps(Number.POSITIVE_INFINITY))).rejects.toMatchObject(refused);
  await expect(state.take('other', 'grace@build-8')).rejects.toMatchObject({ code: 'not_found' });
  expect(state.studentKey('ADA@x.org')).toBe(state.studentKey('ada@x.org'));
});
