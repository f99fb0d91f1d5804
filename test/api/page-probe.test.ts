/** Whether a page is the whole list: the next page tells, and is requested no more often than needed. */
import { expect, test } from 'vitest';
import { operations } from '../../src/api/operations.ts';
import { lookBehind, PageProbe } from '../../src/api/page-probe.ts';
import { CliError } from '../../src/errors.ts';

const { listExams, listExamSessions } = operations;
const keys = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => String(from + at));
const ten = keys(0, 10);
const others = keys(10, 20);
const refusal = new CliError('rejected', 'no', { status: 400 });
const missing = new CliError('not_found', 'no', { status: 404 });

type Query = Record<string, string>;
type Pages = Record<number, readonly string[] | CliError>;

/** A service with these pages by number, and what was asked of it. */
function asking(pages: Pages, numberIn = ({ page }: Query) => Number(page)) {
  const asked: string[] = [];
  const read = async (path: string) => {
    const [, query = ''] = path.split('?');
    asked.push(query);
    await new Promise((resolve) => setImmediate(resolve));
    return pages[numberIn(Object.fromEntries(new URLSearchParams(query)))] ?? [];
  };
  return { asked, read };
}

const doubt = (probe: PageProbe, read: (path: string) => Promise<readonly string[] | CliError>, operation = listExams, first = ten) =>
  probe.doubt(operation as typeof listExams, 'list them', '/list', first, read);

test('Lists of many exams wait for the first answer, and one that is no longer than a whole one is not asked for.', async () => {
  const probe = new PageProbe();
  const { asked, read } = asking({ 2: [...keys(0, 30)].reverse() });
  const all = [30, 10, 20, 29, 30].map((items) => doubt(probe, read, listExams, keys(0, items)));
  expect(await Promise.all(all)).toEqual(Array(5).fill(undefined));
  expect(asked).toEqual(['page=2&offset=30']);
});

test('A service that shows its last page again behind it is asked for each page that may be full.', async () => {
  const probe = new PageProbe();
  expect(await doubt(probe, asking({ 2: keys(0, 12) }).read, listExams, keys(0, 12))).toBeUndefined();
  const full = await doubt(probe, asking({ 1: keys(0, 15), 2: keys(15, 20) }).read, listExams, keys(0, 15));
  expect(full?.message).toContain('page 2 has other items');
});

test('What is known of one list says nothing about those of another operation.', async () => {
  const probe = new PageProbe();
  await doubt(probe, asking({ 2: ten }).read, listExamSessions as never);
  const { asked, read } = asking({ 1: ten, 2: others });
  const error = await doubt(probe, read);
  expect([error?.code, error?.hint, asked]).toEqual([
    'bad_answer',
    'The service numbers its pages. Set: proctor-cli config set dialect.paging page',
    ['page=2&offset=10', 'page=2', 'page=1'],
  ]);
});

test('Each list in doubt is asked for, also after another one, and a person is warned once.', async () => {
  const probe = new PageProbe();
  const { asked, read } = asking({ 2: refusal });
  const doubts = await Promise.all([1, 2].map(() => doubt(probe, read)));
  expect(doubts.map((each) => each?.message)).toEqual(Array(2).fill(expect.stringContaining('page 2 was refused (400)')));
  expect(asked.sort()).toEqual(['page=2', 'page=2', 'page=2&offset=10', 'page=2&offset=10']);
  expect([probe.warns(listExams), probe.warns(listExams), probe.warns(listExamSessions)]).toEqual([true, false, true]);
});

/** A number for each page of a service that counts items and ignores the number of a page. */
const skips = ({ offset }: Query) => (offset === '10' ? 2 : 1);
/** The same for one that refuses a request with an offset. */
const knowsPages = ({ page, offset }: Query) => (offset === undefined ? Number(page) : 9);

test.each<[string, Pages, { isWhole: boolean; way?: string }, number, ((query: Query) => number)?]>([
  ['shows the same again', { 2: ten }, { isWhole: true }, 1],
  ['shows the same again, with one more', { 2: [...ten, 'x'] }, { isWhole: true }, 1],
  ['shows the same again, without one of them', { 2: ten.slice(1) }, { isWhole: true }, 1],
  ['has nothing behind its first page', { 1: ten }, { isWhole: true, way: 'page' }, 3],
  ['has no page behind its first one', { 1: ten, 2: missing }, { isWhole: true, way: 'page' }, 3],
  ['has nothing behind its page 0', { 0: ten }, { isWhole: true, way: 'page,page,0' }, 4],
  ['has other items on page 2', { 1: ten, 2: others }, { isWhole: false, way: 'page' }, 3],
  ['has a page 2 that shares items with the first', { 1: ten, 2: [...ten.slice(1), 'x'] }, { isWhole: false, way: 'page' }, 3],
  ['has a second page 1, and no third', { 0: ten, 1: others }, { isWhole: false, way: 'page,page,0' }, 3],
  ['shows nothing for any page', {}, { isWhole: false }, 4],
  ['refuses page 2', { 2: refusal }, { isWhole: false }, 2],
  ['cannot be read', { 2: new CliError('network', 'no') }, { isWhole: false }, 1],
  ['skips by an offset', { 1: ten, 2: others }, { isWhole: false, way: 'offset' }, 2, skips],
  ['skips by an offset, which may count pages', { 1: ten }, { isWhole: false, way: 'offset' }, 2, skips],
  ['refuses an offset, and has no pages', { 1: ten, 2: ten, 9: refusal }, { isWhole: true }, 2, knowsPages],
  ['refuses an offset, and has nothing on page 2', { 1: ten, 9: refusal }, { isWhole: true, way: 'page' }, 3, knowsPages],
  ['refuses an offset, and has other items on page 2', { 1: ten, 2: others, 9: refusal }, { isWhole: false, way: 'page' }, 3, knowsPages],
])('A service that %s is understood.', async (_what, pages, found, requests, numberIn) => {
  const { asked, read } = asking(pages, numberIn);
  const { words: _, ...behind } = await lookBehind('/list', ten, read);
  expect([behind, asked.length]).toEqual([found, requests]);
});

test('A list in doubt names the setting.', async () => {
  const hint = async (pages: Pages, numberIn?: (query: Query) => number) =>
    (await doubt(new PageProbe(), asking(pages, numberIn).read))?.hint;
  expect(await hint({ 1: ten, 2: others }, skips)).toBe(
    'The service skips items by an offset. Set: proctor-cli config set dialect.paging offset',
  );
  expect(await hint({ 0: ten, 1: others })).toBe(
    'The service numbers its pages from 0. Set: proctor-cli config set dialect.paging page,page,0',
  );
  expect(await hint({ 2: refusal })).toContain('set: proctor-cli config set dialect.paging none. Otherwise');
});
