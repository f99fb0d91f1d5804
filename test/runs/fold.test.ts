/** The state of a step by its events, where a process has lost the run to another and says later what became of its own request. */
import { expect, test } from 'vitest';
import { operations } from '../../src/api/operations.ts';
import { Book } from '../../src/runs-before/book.ts';
import { fold } from '../../src/runs-before/recorded.ts';
import type { StepState } from '../../src/runs-before/step-states.ts';

function stateAfter(...events: [event: StepState, epoch: number][]): StepState {
  const step = { operation: operations.createSession, params: {} };
  const book = new Book({ length: 1, at: () => step, last: [] });
  fold(
    book,
    events.map(([event, epoch], at) => ({ n: 1, event, epoch, at })),
    [],
  );
  return book.state(0);
}

test('that the request of a process was never sent counts, however late it says so', () => {
  expect(stateAfter(['sending', 1], ['absent', 2])).toBe('absent');
  expect(stateAfter(['sending', 1], ['absent', 2], ['planned', 1])).toBe('planned');
});

test('it says nothing about a request that another process has sent since', () => {
  expect(stateAfter(['sending', 1], ['absent', 2], ['sending', 2], ['planned', 1])).toBe('unknown');
  expect(stateAfter(['sending', 1], ['absent', 2], ['sending', 2], ['planned', 1], ['done', 2])).toBe('done');
});
