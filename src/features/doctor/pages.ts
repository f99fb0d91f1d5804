/**
 * Paging: whether the service shows a next page that can be followed and, if not,
 * which setting requests one. The check requests a second page and compares it with the first.
 */
import { type Dialect, type DialectKey, words } from '../../api/dialect.ts';
import { firstPage, pageAfter } from '../../api/paging.ts';
import { type Signals, signalsIn } from '../../api/paging-signals.ts';
import { outgoingFor } from '../../api/request.ts';
import { CliError } from '../../errors.ts';
import { type JsonObject, stringifyJson } from '../../model/json.ts';
import { type DoctorContext, type Finding, failed, ok, skipped, warning } from './check.ts';
import { dialectCheck, setLine } from './dialect.ts';
import { allLists, exams, type List, listIn } from './lists.ts';

/** A list with a round length of at least this may have been cut without notice. */
const suspicious = 10;

export const dialectPages = dialectCheck('pages', exams, async (context) => {
  const found: string[] = [];
  for (const list of await allLists(context)) {
    const finding = await pagesOf(list, context);
    if (finding && finding.state !== 'ok') return finding;
    if (finding) found.push(finding.detail);
  }
  return found.length > 0 ? ok([...new Set(found)].join('; ')) : skipped('no list to check');
});

async function pagesOf(list: List, context: DoctorContext): Promise<Finding | undefined> {
  const answer = await context.answer(list);
  const listed = answer.problem ? undefined : listIn(answer, list, context);
  if (!listed) return undefined;
  const { dialect, origin, baseUrl } = context.settings();
  const { items, siblings } = listed;
  const page = {
    ...firstPage(outgoingFor(list.operation, { params: list.params ?? {} }, dialect).path, dialect),
    headers: answer.headers,
    siblings,
    items: items.length,
  };
  const signals = signalsIn({ headers: answer.headers, siblings }, dialect);
  const where = { dialect, origin, basePath: new URL(baseUrl).pathname, does: `list the ${list.name}` };
  try {
    const next = pageAfter(page, items.length, where);
    if (next) {
      const query = Object.fromEntries(new URL(next.path, 'http://path').searchParams);
      const fromZero = { [dialect.pageParameter]: '1' };
      const isThird = next.otherwise !== undefined && dialect.firstPage === '1' && (await bringsNews(list, fromZero, items, context));
      if (!isThird && (await bringsNews(list, query, items, context))) return ok('several, all of them followed');
      return (
        (await proposal(list, items, signals, context)) ??
        failed(
          'bad_answer',
          `the next page of the ${list.name} was requested (${next.path}), but the same page came again, or none`,
          `Set the parameter that requests a page: ${setLine(context, 'pageParameter', 'NAME')}`,
        )
      );
    }
  } catch (error) {
    if (!(error instanceof CliError && error.code === 'bad_answer')) throw error;
    return (await proposal(list, items, signals, context)) ?? notUnderstood(error, signals.strange[0]?.name, context);
  }
  if (items.length < suspicious || items.length % 10 !== 0) return ok('one');
  const cut = await proposal(list, items, signals, context);
  return cut ? { ...cut, state: 'failed', code: 'bad_answer' } : ok('one');
}

type Way = { query: Record<string, string>; settings: [DialectKey, string][] };

/** The setting that makes a second page appear. */
async function proposal(list: List, items: readonly JsonObject[], signals: Signals, context: DoctorContext): Promise<Finding | undefined> {
  const { dialect } = context.settings();
  for (const { query, settings } of waysToGoOn(items.length, signals, dialect)) {
    if (!(await bringsNews(list, query, items, context))) continue;
    const [key, value] = settings.find(([key, value]) => !isInForce(key, value, dialect)) ?? settings.at(-1) ?? ['paging', 'page'];
    const asked = new URLSearchParams(query);
    return failed(
      'bad_answer',
      `the list of ${list.name} has a second page ("${asked}"), but no answer says so`,
      `Request it: ${setLine(context, key, value)}`,
    );
  }
  return undefined;
}

const cursorParameters = [
  ...['cursor', 'after', 'starting_after', 'page_token', 'next_page_token', 'next_cursor', 'next_token', 'token', 'continuation', 'marker'],
  ...['pageToken', 'nextToken', 'continuationToken', 'continuation_token', 'Marker', 'NextToken', 'bookmark', 'scroll_id'],
];

/** Queries for the items after the first page, each with its settings. */
function* waysToGoOn(count: number, { next, total, more }: Signals, dialect: Dialect): Generator<Way> {
  const counted = more?.value || (total?.value ?? 0) > count ? 'counted-' : '';
  if (typeof next?.value === 'string' && !/[/?]/.test(next.value)) {
    for (const name of cursorParameters) yield { query: { [name]: next.value }, settings: [['cursorParameter', name]] };
  }
  // Page 1 differs from the first page only if pages are counted from 0.
  const pageParameters = new Set([dialect.pageParameter, 'page', 'page_number', 'pageNumber', 'p', 'page_no', 'page[number]', '_page']);
  for (const name of pageParameters) {
    const named: [DialectKey, string] = ['pageParameter', name];
    yield { query: { [name]: '1' }, settings: [['firstPage', '0'], named, ['paging', `${counted}page`]] };
    yield { query: { [name]: '2' }, settings: [named, ['paging', `${counted}page`]] };
  }
  for (const name of new Set([
    dialect.offsetParameter || 'offset',
    'offset',
    'skip',
    '$skip',
    'start',
    '_start',
    'startAt',
    'from',
    'page[offset]',
  ])) {
    const named: [DialectKey, string] = ['offsetParameter', name];
    yield { query: { [name]: String(count) }, settings: [named, ['paging', `${counted}offset`]] };
  }
}

function isInForce(key: DialectKey, value: string, dialect: Readonly<Record<DialectKey, string>>): boolean {
  return dialect[key] === value || (key === 'offsetParameter' && dialect[key] === '' && value === 'offset');
}

/** Whether a page has items that are not on the first page. */
async function bringsNews(
  list: List,
  query: Record<string, string>,
  items: readonly JsonObject[],
  context: DoctorContext,
): Promise<boolean> {
  const { idKey } = context.settings().dialect;
  const answer = await context.answer(list, { query });
  const others = answer.problem ? [] : (listIn(answer, list, context)?.items ?? []);
  const mark = (item: JsonObject) => stringifyJson(item[idKey] ?? item);
  const known = new Set(items.map(mark));
  return others.length > 0 && !others.some((item) => known.has(mark(item)));
}

function notUnderstood(error: CliError, strange: string | undefined, context: DoctorContext): Finding {
  const { ignoredKeys } = context.settings().dialect;
  if (strange === undefined || !error.message.includes(strange)) return failed('bad_answer', error.message, error.hint);
  return warning(
    `"${strange}" suggests that a list has more pages, but no second page was found`,
    `If the field has another meaning, ignore it: ${setLine(context, 'ignoredKeys', [...words(ignoredKeys), strange].join(','))}`,
  );
}
