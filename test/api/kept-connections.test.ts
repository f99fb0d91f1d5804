import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { KeptConnections } from '../../src/api/kept-connections.ts';

/** Dispatchers that write down what becomes of them; `end` lets one close whose requests have ended. */
function opened() {
  const all: { sent: string[]; told: string[]; end(): void }[] = [];
  const open = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const one = { sent: [] as string[], told: [] as string[], end: resolve };
    all.push(one);
    return {
      dispatch: ({ path }: Dispatcher.DispatchOptions) => one.sent.push(path) > 0,
      close: () => {
        one.told.push('close');
        return promise;
      },
      destroy: async () => void one.told.push('destroy'),
    } as unknown as Dispatcher;
  };
  return { all, open };
}

const why = new Error('the end');

test('Kept connections are given up once for each time that they were used.', async () => {
  const { all, open } = opened();
  const kept = new KeptConnections(open);
  const send = (path: string) => kept.dispatch({ path, method: 'GET' }, {});
  kept.giveUp();
  expect(all).toHaveLength(1);
  send('/a');
  kept.giveUp();
  kept.giveUp();
  send('/b');
  expect(all.map(({ sent, told }) => ({ sent, told }))).toEqual([
    { sent: ['/a'], told: ['close'] },
    { sent: ['/b'], told: [] },
  ]);
});

test('At the end those with requests that have not ended are destroyed as well, and no others.', async () => {
  const { all, open } = opened();
  const kept = new KeptConnections(open);
  for (const path of ['/a', '/b', '/c']) {
    kept.dispatch({ path, method: 'GET' }, {});
    if (path !== '/c') kept.giveUp();
  }
  all[0]?.end();
  await new Promise(setImmediate);
  await kept.destroy(why);
  expect(all.map(({ told }) => told)).toEqual([['close'], ['close', 'destroy'], ['destroy']]);
});
