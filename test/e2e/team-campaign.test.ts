/** A few stories of the campaign in which two machines share the database of a team, and processes, connections and the server end. */
import { describe, expect, inject, test } from 'vitest';
import { toldOf } from '../campaign/story/places.ts';
import { whySkipped } from '../support/cluster.ts';

const skipped = whySkipped();

describe.skipIf(skipped !== undefined)(`two machines of a team${skipped === undefined ? '' : ` (skipped: ${skipped})`}`, () => {
  test.concurrent.each([
    ['team connections', 5],
    ['team server', 5],
  ] as const)('lose no student and register none twice in the story %s:%d', async (family, seed) => {
    const { broken, kills } = await toldOf(family, seed, 'students', inject('command'));
    expect(broken).toEqual([]);
    expect(kills).toBeGreaterThan(0);
  });
});
