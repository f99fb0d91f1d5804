/** A short sweep: `npx tsx test/sweep/sweep.ts` makes a long one. */
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

test.each(Array.from({ length: 10 }, (_, part) => part))(
  'no command shows a secret or commands a terminal, whatever the service says (%i)',
  async (part) => {
    let reached = 0;
    for (let index = 0; index < 12; index += 1) {
      for (const { findings, requests } of await sweepRun(20261121, part * 12 + index, { built: false })) {
        expect(findings).toEqual([]);
        if (requests > 0) reached += 1;
      }
    }
    expect(reached).toBeGreaterThan(0);
  },
);
