/** Of the processes that end their shares of one import at the same moment, one is the last. */
import { expect, test } from 'vitest';
import type { Context } from '../../src/command.ts';
import { leaveInTurn } from '../../src/runs/shares.ts';
import { eachKind, host, opened } from '../state/state-world.ts';

eachKind(({ newFolder }) => {
  test('Each process that ends while others have not left is not the last; exactly one is.', async () => {
    const folder = await newFolder();
    const context = { host, recorded: () => 'sessions import', whileWaiting: (work) => work() } as Partial<Context> as Context;
    const shares = await Promise.all(
      ['1', '2', '3'].map(async (part) => {
        const state = await opened(folder);
        return { state, part: await state.lock('import 6', 'sessions import', { of: 'three thirds', part }) };
      }),
    );
    const areLast = await Promise.all(
      shares.map(async ({ state, part }) => {
        const turn = await leaveInTurn({ state, context }, 'import 6');
        part.release();
        turn.release();
        return turn.isLast;
      }),
    );
    expect(areLast.filter(Boolean)).toHaveLength(1);
  });
});
