/** Version 1.x resets restrictions missing from an update. Whichever one a user changes, the others stay. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RestrictionKey, restrictionKeys } from '../../src/model/fields.ts';
import { type Data, embedded } from './embedded.ts';

const flagOf = (key: RestrictionKey, value: boolean) => `--${value ? '' : 'no-'}${key.replaceAll('_', '-')}`;
const four = fc.record(
  Object.fromEntries(restrictionKeys.map((key) => [key, fc.boolean()])) as Record<RestrictionKey, fc.Arbitrary<boolean>>,
);
const some = fc.record(
  Object.fromEntries(restrictionKeys.map((key) => [key, fc.record({ value: fc.boolean(), asFlag: fc.boolean() })])) as Record<
    RestrictionKey,
    fc.Arbitrary<{ value: boolean; asFlag: boolean }>
  >,
  { requiredKeys: [] },
);

test('an update of any restrictions keeps all others, by PATCH and PUT, by flag and field', async () => {
  const service = embedded();
  await fc.assert(
    fc.asyncProperty(four, some, fc.boolean(), async (before, change, put) => {
      await service.json(['exams', 'update', '2', ...restrictionKeys.map((key) => flagOf(key, before[key]))]);
      const given = Object.entries(change) as [RestrictionKey, { value: boolean; asFlag: boolean }][];
      const words = given.flatMap(([key, { value, asFlag }]) => (asFlag ? [flagOf(key, value)] : ['-F', `${key}=${value}`]));
      const printed = await service.json<Data>(['exams', 'update', '2', ...words, '-F', 'note=x', ...(put ? ['--put'] : [])]);
      const after = { ...before, ...Object.fromEntries(given.map(([key, { value }]) => [key, value])) };
      expect(printed).toMatchObject(after);
      expect(await service.json('exams get 2')).toMatchObject(after);
    }),
    { numRuns: 12 },
  );
});
