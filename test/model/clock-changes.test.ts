/** Around the changes of clocks, times are what another library says, with the calendar of this Node and with the one that older ones get. */
import fc from 'fast-check';
import { Temporal as StandIn } from 'temporal-polyfill';
import { afterEach, expect, test, vi } from 'vitest';
import { answers, cases } from './clock-changes.ts';

afterEach(() => vi.unstubAllGlobals());

test.each([
  ['of this Node', globalThis.Temporal],
  ['of older ones', StandIn],
])('with the calendar %s, each time is the same, or refused with the same two choices', (_, calendar) => {
  vi.stubGlobal('Temporal', calendar);
  const seen = new Set<string | undefined>();
  fc.assert(
    fc.property(cases(), (one) => {
      const { ours, theirs } = answers(one);
      expect(ours).toBe(theirs);
      seen.add(/^does not exist|^happens twice/.exec(ours)?.[0]);
    }),
    { numRuns: 3000 },
  );
  expect(seen).toEqual(new Set([undefined, 'does not exist', 'happens twice']));
});
