/** A short sweep, from a seed; SWEEP_SEED draws another one, and SWEEP_RUNS makes it longer. */
import { expect, test } from 'vitest';
import { Random } from '../fuzz/random.ts';
import { foundIn, plant } from './planted.ts';
import { sweepRun } from './sweep-run.ts';

test('a planted secret is found again, also cut, escaped and in base64', () => {
  const { tokenVariable } = plant(new Random(1));
  const { value, core } = tokenVariable;
  for (const text of [
    value,
    core.slice(3, 12),
    JSON.stringify(value),
    encodeURIComponent(value),
    Buffer.from(`jo:${value}`).toString('base64'),
  ]) {
    expect(foundIn(`before ${text} after`, [tokenVariable])).toEqual(['tokenVariable']);
  }
  expect(foundIn('nothing of it', [tokenVariable])).toEqual([]);
});

const seed = Number(process.env.SWEEP_SEED ?? 20261121);
const runs = Number(process.env.SWEEP_RUNS ?? 12);

test.each(Array.from({ length: 10 }, (_, part) => part))(
  'no command shows a secret or commands a terminal, whatever the service says (%i)',
  async (part) => {
    let reached = 0;
    for (let index = 0; index < runs; index += 1) {
      for (const { findings, requests } of await sweepRun(seed, part * runs + index)) {
        expect(findings, `run ${part * runs + index}`).toEqual([]);
        if (requests > 0) reached += 1;
      }
    }
    expect(reached).toBeGreaterThan(0);
  },
);
