/** A record may have any number of fields: as arguments of one call, that many would overflow the stack. */
import { expect, test } from 'vitest';
import { list, one, paper, show, terminal } from './paper.ts';

const wide = { id: 1, ...Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`f${at}`, at])) };

test('200,000 fields are shown, alone and in a list whose columns nobody has named: in a pipe, and on a terminal as many as fit', async () => {
  for (const result of [one(wide), list([wide])]) expect((await show(result, 'table', paper())).text).toMatch(/f199999/i);
  expect((await show(one(wide), 'table', terminal())).text).toMatch(/f199999/i);
  expect((await show(list([wide]), 'table', terminal())).text).toMatch(/^ID +F0 .* \+1999\d\d\n/);
});
