/** The wait of a Retry-After header. */
import { expect, test } from 'vitest';
import { waitAsked } from '../../src/api/retry.ts';

const now = Date.parse('2026-11-21T08:00:00Z');

test.each([
  ['2', 2000],
  ['0.4', 400],
  [' 3 ', 3000],
  ['Sat, 21 Nov 2026 08:00:05 GMT', 5000],
  ['2, 120', 120_000],
  ['120,2', 120_000],
  ['2, 2', 2000],
  ['soon, 2', 2000],
  ['Sat, 21 Nov 2026 08:00:05 GMT, Sat, 21 Nov 2026 08:00:07 GMT', 7000],
  ['Saturday, 21-Nov-26 08:00:05 GMT, 3', 5000],
  ['3, Sat, 21 Nov 2026 07:59:00 GMT', 3000],
])('Retry-After: %s asks for a wait of %i ms.', (header, wait) => {
  expect(waitAsked(header, now)).toBe(wait);
});

test.each([undefined, '', 'soon', '-5', '0', '0.0', 'Sat, 21 Nov 2026 08:00:00 GMT', 'Sat, 21 Nov 2026 07:59:00 GMT'])(
  'Retry-After: %s asks for no wait, so that the wait is chosen as if the header were missing.',
  (header) => {
    expect(waitAsked(header, now)).toBeUndefined();
  },
);
