/** The table of the states of a row: what each means for a run, and that everything shown reads it. */

import { expect, test } from 'vitest';
import { completeStates, failedStates, lineStateNames, lineStateOf, lineStates, openStates } from '../../src/model/line-states.ts';
import { stepStateNames } from '../../src/runs-before/step-states.ts';

test('Each state is exactly one of: complete, failed, open.', () => {
  expect([...completeStates, ...failedStates, ...openStates].sort()).toEqual([...lineStateNames].sort());
});

test('What the same command settles keeps a run open, and no state that is complete has to be settled.', () => {
  for (const name of openStates) expect(lineStates[name]).toMatchObject({ complete: false, settledBy: 'the same command' });
  for (const name of completeStates) expect(lineStates[name].settledBy).toBeNull();
  for (const name of failedStates) expect(lineStates[name].settledBy).not.toBe('the same command');
});

test('Each state of a step of a line has exactly one word.', () => {
  for (const step of ['creates', 'updates'] as const) {
    for (const state of stepStateNames) {
      const words = lineStateNames.filter((name) =>
        (lineStates[name] as { [key in typeof step]?: readonly string[] })[step]?.includes(state),
      );
      expect({ step, state, words }).toEqual({ step, state, words: [lineStateOf(step, state)] });
    }
  }
});
