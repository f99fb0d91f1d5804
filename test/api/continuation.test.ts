/** What page 2 shows of a list of ten items that does not show its end: whether it is whole, and which way brings further pages. */
import { expect, test } from 'vitest';
import { defaultDialect } from '../../src/api/dialect.ts';
import { lookBehind } from '../../src/api/list.ts';
import { operations } from '../../src/api/operations.ts';
import { CliError } from '../../src/errors.ts';

const { listExams } = operations;
const keys = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => String(from + at));
const ten = keys(0, 10);
const others = keys(10, 20);
const refusal = new CliError('rejected', 'no', { status: 400 });
type Pages = Record<number, readonly string[] | CliError>;
type Query = Record<string, string>;
/** A number for each page of a service that counts items and ignores the number of a page, and of one that refuses an offset. */
const skips = ({ offset }: Query) => (offset === '10' ? 2 : 1);
const knowsPages = ({ page, offset }: Query) => (offset === undefined ? Number(page) : 9);

test.each<[string, Pages, string, number, ((query: Query) => number)?]>([
  ['shows the same again', { 2: ten }, 'whole', 1],
  ['shows the same again, with one more', { 2: [...ten, 'x'] }, 'whole', 1],
  ['shows the same again, without one of them', { 2: ten.slice(1) }, 'whole', 1],
  ['has nothing behind its first page', { 1: ten }, 'whole', 3],
  ['has no page behind its first one', { 1: ten, 2: new CliError('not_found', 'no') }, 'whole', 3],
  ['has nothing behind its page 0', { 0: ten }, 'whole', 4],
  ['has other items on page 2', { 1: ten, 2: others }, 'page', 3],
  ['has a page 2 that shares items with the first', { 1: ten, 2: [...ten.slice(1), 'x'] }, 'page', 3],
  ['has a second page 1, and no third', { 0: ten, 1: others }, 'page,page,0', 3],
  ['shows nothing for any page', {}, 'unknown', 4],
  ['refuses page 2', { 2: refusal }, 'unknown', 2],
  ['cannot be read', { 2: new CliError('network', 'no') }, 'unknown', 1],
  ['skips by an offset', { 1: ten, 2: others }, 'offset', 2, skips],
  ['skips by an offset, which may count pages', { 1: ten }, 'offset', 2, skips],
  ['has other items behind its offset, and no page 2', { 1: ten, 9: others }, 'page', 3, knowsPages],
  ['refuses an offset, and has no pages', { 1: ten, 2: ten, 9: refusal }, 'whole', 2, knowsPages],
  ['refuses an offset, and has nothing on page 2', { 1: ten, 9: refusal }, 'whole', 3, knowsPages],
  ['refuses an offset, and has other items on page 2', { 1: ten, 2: others, 9: refusal }, 'page', 3, knowsPages],
])('is told by page 2: a service that %s.', async (_what, pages, found, requests, numberIn = ({ page }) => Number(page)) => {
  let asked = 0;
  const read = async (path: string) => {
    asked += 1;
    const page = pages[numberIn(Object.fromEntries(new URLSearchParams(path.split('?')[1])))] ?? [];
    if (page instanceof CliError) throw page;
    return { status: 200, headers: {}, data: page.map((id) => ({ id })) };
  };
  const listing = { operation: listExams, path: '/exams', baseUrl: 'https://x.example/api/v1', does: 'list the exams' };
  const doubt = await lookBehind({ ...listing, read, dialect: defaultDialect }, '/exams', ten);
  const [, way] = /(?<!one page, set): proctor-cli config set dialect.paging (\S+)$/.exec(doubt?.hint ?? '') ?? [];
  expect([doubt === undefined, way, asked]).toEqual([
    found === 'whole',
    found === 'whole' || found === 'unknown' ? undefined : found,
    requests,
  ]);
});
