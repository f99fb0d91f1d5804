/** Which moves may be made at the same time. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChangeTask } from '../../../src/features/changes/change-move.ts';
import { wavesOf } from '../../../src/features/changes/phases.ts';

const task: fc.Arbitrary<Omit<ChangeTask, 'number'>> = fc.record({
  kind: fc.constantFrom('session' as const, 'exam' as const),
  id: fc.integer({ min: 1, max: 9 }).map(String),
  exam: fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined }),
  email: fc.constant(null),
  fields: fc.constant({}),
  phase: fc.integer({ min: 1, max: 3 }),
});
const tasks = fc.array(task, { maxLength: 30 }).map((all): ChangeTask[] => all.map((one, at) => ({ ...one, number: at + 1 })));
const steps = fc.constantFrom('set' as const, 'undo' as const);

test('No two moves of a wave are about the same resource, or of two phases of one exam.', () => {
  fc.assert(
    fc.property(tasks, steps, (all, step) => {
      for (const wave of wavesOf(all, step)) {
        expect(new Set(wave.map(({ kind, id }) => `${kind} ${id}`)).size).toBe(wave.length);
        const ofExams = Map.groupBy(
          wave.filter(({ exam }) => exam !== undefined),
          ({ exam }) => exam,
        );
        for (const [, ofOne] of ofExams) expect(new Set(ofOne.map(({ phase }) => phase)).size).toBe(1);
      }
    }),
  );
});

test('Each move is in one wave, in the order of the plan; an undo makes the last phase of an exam first.', () => {
  fc.assert(
    fc.property(tasks, steps, (all, step) => {
      const made = wavesOf(all, step).flat();
      expect(made.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(all.map(({ number }) => number));
      if (step === 'set') expect(made).toEqual(all);
      else if (new Set(all.map(({ phase }) => phase)).size > 1)
        for (const [, ofOne] of Map.groupBy(made, ({ exam }) => exam)) {
          const phases = ofOne.map(({ phase }) => phase ?? 1);
          expect(phases).toEqual(phases.toSorted((a, b) => b - a));
        }
    }),
  );
});

test('The sessions of an exam that is shifted are one wave between its two ends.', () => {
  const moves = [1, 2, 2, 2, 3].map(
    (phase, at): ChangeTask => ({
      kind: phase === 2 ? 'session' : 'exam',
      id: phase === 2 ? String(at) : '7',
      exam: '7',
      email: null,
      fields: {},
      phase,
      number: at + 1,
    }),
  );
  expect(wavesOf(moves, 'set').map((wave) => wave.length)).toEqual([1, 3, 1]);
  expect(wavesOf(moves, 'undo').map((wave) => wave.map(({ number }) => number))).toEqual([[5], [2, 3, 4], [1]]);
});
