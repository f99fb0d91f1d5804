/** Lists of services of every kind: a list comes whole, or it fails or is warned about with the setting to set; never short in silence. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultDialect } from '../../src/api/dialect.ts';
import { Doubts, lookBehind, type Unsure } from '../../src/api/doubts.ts';
import { eachPage, type ListAnswer, pagesOf } from '../../src/api/list.ts';
import { operations } from '../../src/api/operations.ts';
import { CliError } from '../../src/errors.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { draws } from '../fuzz/draw.ts';

type Style = 'none' | 'link' | 'next' | 'cursor' | 'page' | 'offset';
type Change = 'none' | 'added in front' | 'appended' | 'deleted in front';

/** A service. `own`: it has names of its own, which nobody can know who is not told. */
type Service = {
  style: Style;
  own: boolean;
  first: 0 | 1;
  size: number;
  total: number;
  shape: 'bare' | 'data' | 'exams';
  shows: readonly ('total' | 'pages' | 'more' | 'page')[];
  /** What it answers to the request for a page behind the last one. */
  beyond: 'empty' | 'missing' | 'last again';
  /** It refuses parameters that it does not know. */
  strict: boolean;
  change: Change;
  /** How many items, and at which request. */
  changed: number;
  at: number;
};

const services: fc.Arbitrary<Service> = fc.record({
  style: fc.constantFrom('none', 'link', 'next', 'cursor', 'page', 'offset'),
  own: fc.boolean(),
  first: fc.constantFrom(0, 1),
  size: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 1000 })),
  total: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 4000 })),
  shape: fc.constantFrom('bare', 'data', 'exams'),
  shows: fc.subarray(['total', 'pages', 'more', 'page']),
  beyond: fc.constantFrom('empty', 'missing', 'last again'),
  strict: fc.boolean(),
  change: fc.oneof(
    { weight: 3, arbitrary: fc.constant('none' as const) },
    fc.constantFrom('added in front', 'appended', 'deleted in front'),
  ),
  changed: fc.integer({ min: 1, max: 12 }),
  at: fc.integer({ min: 1, max: 6 }),
});

/** The parameters and the field of a service, and the setting that declares it. */
function namesOf({ style, own, first }: Service) {
  const parameter = { page: own ? 'p' : 'page', offset: own ? '$skip' : 'offset', cursor: own ? 'after' : 'cursor' };
  const field = { next: own ? '@odata.nextLink' : 'next', cursor: own ? 'paging.after' : 'next_cursor' };
  const setting = {
    none: 'none',
    link: 'link',
    next: `next,${field.next}`,
    cursor: `cursor,${field.cursor},${parameter.cursor}`,
    page: `page,${parameter.page},${first}`,
    offset: `offset,${parameter.offset}`,
  }[style];
  return { parameter: style === 'next' || style === 'link' ? 'from' : style === 'none' ? '' : parameter[style], field, setting };
}

/** The service, and what it has: its items now, and those that were there all the time. */
function serve(service: Service) {
  const { style, size, shape, shows, beyond, strict, change, changed, at } = service;
  const { parameter, field } = namesOf(service);
  let ids = Array.from({ length: Math.min(service.total, 200 * size) }, (_, index) => index + 1);
  const begun = ids;
  let requests = 0;
  const read = async (path: string) => {
    requests += 1;
    if (requests === at + 1) {
      if (change === 'added in front') ids = [...Array.from({ length: changed }, (_, index) => -index - 1), ...ids];
      if (change === 'appended') ids = [...ids, ...Array.from({ length: changed }, (_, index) => 10_000 + index)];
      if (change === 'deleted in front') ids = ids.slice(changed);
    }
    const query = new URL(path, 'http://x').searchParams;
    if (strict && [...query.keys()].some((key) => key !== parameter)) throw new CliError('rejected', 'unknown parameter', { status: 400 });
    const asked = query.get(parameter);
    const first = style === 'page' ? service.first : 0;
    const last = Math.max(0, Math.ceil(ids.length / size) - 1);
    // A cursor or an address is the ID before the page, whatever comes and goes.
    const after = asked === null ? -1 : ids.findIndex((id) => String(id) === asked);
    let from = style === 'page' ? (Number(asked ?? first) - first) * size : style === 'offset' ? Number(asked ?? 0) : after + 1;
    if (style === 'none') from = 0;
    const isBehind = from > 0 && from >= ids.length;
    if (isBehind && beyond === 'missing') throw new CliError('not_found', 'no such page', { status: 404 });
    if (isBehind && beyond === 'last again') from = last * size;
    const items = style === 'none' ? ids : ids.slice(from, from + size);
    const isOver = from + items.length >= ids.length;
    const next = isOver ? null : String(items.at(-1));
    const said: Record<string, Json> = {
      ...(shows.includes('total') ? { total: ids.length } : {}),
      ...(shows.includes('pages') ? { total_pages: style === 'none' ? 1 : last + 1 } : {}),
      ...(shows.includes('page') && style === 'page' ? { page: from / size + first, per_page: size } : {}),
    };
    const headers: Record<string, string> = Object.fromEntries(
      Object.entries(shape === 'bare' ? said : {}).map(([name, value]) => [`x-pagination-${name.replace('_', '-')}`, String(value)]),
    );
    if (style === 'link') headers.link = isOver ? '</api/v1/exams>; rel="first"' : `</api/v1/exams?from=${next}>; rel="next"`;
    const body: JsonObject = {
      ...said,
      ...(shows.includes('more') ? { has_more: !isOver } : {}),
      ...(style === 'next' ? { [field.next]: isOver ? null : `/api/v1/exams?from=${next}` } : {}),
      ...(style === 'cursor' ? (field.cursor === 'next_cursor' ? { next_cursor: next } : { paging: { after: next } }) : {}),
    };
    const records = items.map((id) => ({ id }));
    const isBare = shape === 'bare' && style !== 'next' && style !== 'cursor';
    return { status: 200, headers, data: isBare ? records : { ...body, [shape === 'exams' ? 'exams' : 'data']: records } };
  };
  return { read, begun, now: () => ids, requests: () => requests };
}

type Outcome = { ids: number[]; warnings: string[]; error?: CliError; stayed: number[]; requests: number };

async function listed(service: Service, paging: string, whole = false, unsure: Unsure = 'refuse'): Promise<Outcome> {
  const served = serve(service);
  const warnings: string[] = [];
  const listing = {
    ...{ operation: operations.listExams, path: '/exams', baseUrl: 'https://x.example/api/v1', does: 'list the exams' },
    ...{ read: served.read, dialect: { ...defaultDialect, paging }, warn: (text: string) => void warnings.push(text) },
  };
  const doubts = new Doubts();
  const settle = (keys: readonly string[]) => doubts.settle(listing, keys, unsure);
  const ids: number[] = [];
  let error: CliError | undefined;
  try {
    for await (const page of pagesOf(listing, whole, settle)) ids.push(...page.map(({ id }) => id as number));
  } catch (thrown) {
    if (!(thrown instanceof CliError)) throw thrown;
    error = thrown;
  }
  const now = new Set(served.now());
  const stayed = served.begun.filter((id) => now.has(id));
  return { ids, warnings, ...(error ? { error } : {}), stayed, requests: served.requests() };
}

/** What no reader can notice: fewer than ten items without a word, names that nobody declared, and a deletion that no total shows. */
function isHidden(service: Service, isDeclared: boolean): boolean {
  const { style, own, size, shows, shape, change } = service;
  const says = shows.includes('total') || shows.includes('pages') || (shows.includes('more') && shape !== 'bare');
  const isNumbered = style === 'page' || style === 'offset';
  if (change === 'deleted in front' && isNumbered && (isDeclared || !shows.includes('total'))) return true;
  if (isDeclared || style === 'none' || style === 'link') return false;
  if (isNumbered) return !says && (own || (size < 10 && (style === 'offset' || !shows.includes('page'))));
  return own && !says;
}

function expectTruth({ ids, stayed }: Outcome, { change }: Service) {
  expect(new Set(ids).size).toBe(ids.length);
  if (change === 'none') expect(ids).toEqual(stayed);
  const read = new Set(ids);
  expect(stayed.filter((id) => !read.has(id))).toEqual([]);
}

const settingIn = (text: string) => /config set dialect\.paging (\S+?)\.?(?:\s|$)/.exec(text)?.[1];

test('The list of a service that is declared is whole, or fails.', async () => {
  await fc.assert(
    fc.asyncProperty(services, fc.boolean(), async (service, whole) => {
      const outcome = await listed(service, namesOf(service).setting, whole);
      expect(outcome.warnings).toEqual([]);
      if (outcome.error === undefined && !isHidden(service, true)) expectTruth(outcome, service);
      const repeats = service.beyond === 'last again' && (service.style === 'page' || service.style === 'offset');
      if (service.change === 'none' && !repeats) expect(outcome.error).toBeUndefined();
    }),
    draws(300),
  );
});

test('The list of a service that nobody declared is whole, or is refused, or warned about with the setting that brings it.', async () => {
  await fc.assert(
    fc.asyncProperty(services, fc.boolean(), async (service, whole) => {
      if (isHidden(service, false)) return;
      const refused = await listed(service, 'auto', whole);
      if (refused.error === undefined) expectTruth(refused, service);
      const warned = await listed(service, 'auto', whole, 'warn');
      if (warned.error === undefined && warned.warnings.length === 0) expectTruth(warned, service);
      if (refused.error === undefined) return;
      expect(refused.error.hint).not.toBe('');
      const setting = settingIn(`${refused.error.hint} ${warned.warnings.join(' ')}`);
      if (setting === undefined || /none|WAY/.test(setting) || service.change !== 'none') return;
      const followed = await listed(service, setting, whole);
      if (followed.error === undefined) expectTruth(followed, service);
    }),
    draws(300),
  );
});

test.each([
  ['with fewer than a page deleted', 4, 2],
  ['with a page deleted', 6, 2],
  ['of one item a page', 3, 1],
])('A service that ignores the number of a page loses nothing in silence when its list shrinks: a list %s.', async (_what, total, size) => {
  const cursor = { style: 'cursor', own: true, first: 0, size, total, shape: 'bare', shows: ['pages'], beyond: 'empty' } as const;
  const deletes = { ...cursor, strict: false, change: 'deleted in front', changed: total === 6 ? 2 : 1, at: 1 } as const;
  const { error } = await listed(deletes, 'auto');
  expect(error).toMatchObject({ code: 'bad_answer' });
});

test.each([12, 15, 40, 75])('Ten or more items without a word are never taken for the whole list: %i.', async (size) => {
  const bare = { style: 'page', own: false, first: 1, size, total: 2 * size + 10, shape: 'bare', shows: [], beyond: 'empty' } as const;
  const { error } = await listed({ ...bare, strict: false, change: 'none', changed: 1, at: 1 }, 'auto');
  expect(error).toMatchObject({ code: 'list_in_doubt', hint: expect.stringContaining('config set dialect.paging page') });
});

test('Fewer than ten are, unless their answer says that there are more.', async () => {
  const bare = { style: 'page', own: false, first: 1, size: 9, total: 18, shape: 'bare', shows: [], beyond: 'empty' } as const;
  const short = { ...bare, strict: false, change: 'none', changed: 1, at: 1 } as const;
  const { error, ids } = await listed(short, 'auto');
  expect([error, ids.length]).toEqual([undefined, 9]);
  expect((await listed({ ...short, shows: ['total'] }, 'auto')).ids).toHaveLength(18);
});

/** What page 2 shows of a list of ten items that does not show its end. */
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
  ['refuses page 1, and has nothing on page 2', { 0: ten, 1: refusal }, 'unknown', 3],
  ['cannot be read', { 2: new CliError('network', 'no') }, 'unknown', 1],
  ['skips by an offset', { 1: ten, 2: others }, 'offset', 2, skips],
  ['has other items behind its offset, and no page 2', { 1: ten, 9: others }, 'page', 3, knowsPages],
  ['refuses an offset, and has nothing on page 2', { 1: ten, 9: refusal }, 'whole', 3, knowsPages],
  ['refuses an offset, and has no pages', { 1: ten, 2: ten, 9: refusal }, 'whole', 2, knowsPages],
])('is told by page 2: a service that %s.', async (_what, pages, found, requests, numberIn = ({ page }) => Number(page)) => {
  let asked = 0;
  const read = async (path: string) => {
    asked += 1;
    const page = pages[numberIn(Object.fromEntries(new URLSearchParams(path.split('?')[1])))] ?? [];
    if (page instanceof CliError) throw page;
    return { status: 200, headers: {}, data: page.map((id) => ({ id })) };
  };
  const listing = { operation: operations.listExams, path: '/exams', baseUrl: 'https://x.example/api/v1', does: 'list the exams' };
  const doubt = await lookBehind({ ...listing, read, warn() {}, dialect: defaultDialect }, ten);
  const [, way] = /(?<!one page, set): proctor-cli config set dialect.paging (\S+)$/.exec(doubt?.hint ?? '') ?? [];
  expect([way, asked]).toEqual([found === 'whole' || found === 'unknown' ? undefined : found, requests]);
  expect(doubt === undefined).toEqual(found === 'whole');
});

test.each<[string, ListAnswer | CliError, boolean]>([
  ['has other items', { status: 200, headers: {}, data: [{ id: 'x' }] }, true],
  ['has the same ones', { status: 200, headers: {}, data: ten.map((id) => ({ id })) }, false],
  ['is empty', { status: 200, headers: {}, data: [] }, false],
  ['is refused', refusal, false],
  ['cannot be read', new CliError('network', 'no'), false],
])('A total of the first page is doubted only where page 2 shows more: it %s.', async (_what, second, isDoubted) => {
  const read = async (path: string): Promise<ListAnswer> => {
    const isFirst = !path.includes('page=2');
    if (!isFirst && second instanceof CliError) throw second;
    return isFirst || second instanceof CliError
      ? { status: 200, headers: {}, data: { total: 10, data: ten.map((id) => ({ id })) } }
      : second;
  };
  const listing = { operation: operations.listExams, path: '/exams', baseUrl: 'https://x.example/api/v1', does: 'list the exams' };
  const doubts = new Doubts();
  const whole = { ...listing, read, warn() {}, dialect: defaultDialect };
  const all = Array.fromAsync(eachPage(whole, (keys, beside) => doubts.settle(whole, keys, 'refuse', beside)));
  const message = expect.stringContaining('has 10 items and says that these are all, and page 2 has other items');
  if (isDoubted)
    await expect(all).rejects.toMatchObject({ code: 'list_in_doubt', message, hint: expect.stringContaining('dialect.paging page') });
  else expect((await all).flat()).toHaveLength(10);
});

test('A list whose new items never end is given up after 10,000 pages, and a setting is named.', async () => {
  let pages = 0;
  const read = async (): Promise<ListAnswer> => {
    pages += 1;
    return { status: 200, headers: {}, data: { data: [{ id: pages }], next: `?page=${pages + 1}` } };
  };
  const listing = {
    operation: operations.listExams,
    path: '/exams',
    baseUrl: 'https://a.example/api/v1',
    does: 'list',
    dialect: defaultDialect,
  };
  const reading = Array.fromAsync(eachPage({ ...listing, read, warn() {} }, async () => {}));
  await expect(reading).rejects.toMatchObject({ code: 'list_in_doubt', message: expect.stringContaining('it goes on after 10000 pages') });
  expect(pages).toBe(10_001);
});
