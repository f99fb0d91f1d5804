/** What was found once never comes back, and a few seconds of new inputs find nothing; FUZZ_SEED draws others, and FUZZ_INPUTS more. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { drawn, judged, targets } from './campaign.ts';
import type { Input, Target } from './target.ts';
import { removeHome } from './world.ts';

afterAll(removeHome);

const kept = join(import.meta.dirname, 'kept');
const cases = readdirSync(kept).filter((name) => name.endsWith('.json'));

test.each(cases)('a fixed failure does not return: %s', async (name) => {
  const { target, input } = JSON.parse(readFileSync(join(kept, name), 'utf8')) as { target: string; input: Input };
  const found = targets.find((one) => one.name === target) as Target;
  expect(await judged({ target: found, input })).toBeUndefined();
});

const seed = Number(process.env.FUZZ_SEED ?? 20261121);
const inputs = Number(process.env.FUZZ_INPUTS ?? 8);

test.each(targets)('no input of $name breaks a promise', async (target) => {
  for (let index = 0; index < inputs * target.weight; index++) {
    const one = drawn(seed, index, [target]);
    expect(await judged(one), JSON.stringify(one.input).slice(0, 2000)).toBeUndefined();
  }
});

test('the same seed and number give the same input', () => {
  for (let index = 0; index < 40; index++) expect(drawn(7, index, targets).input).toEqual(drawn(7, index, targets).input);
  expect(drawn(7, 1, targets).input).not.toEqual(drawn(8, 1, targets).input);
});
