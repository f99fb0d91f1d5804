/** Whether the setting in force reads a list to its end: for `doctor`, and for a login. */
import { Doubts } from '../../api/doubts.ts';
import { eachPage, itemKey, type ListRequest, readPage, type Settle } from '../../api/list.ts';
import { firstPath, notWhole, pagingOf, wayOfList } from '../../api/paging.ts';
import { orElse } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { sentence } from '../../text/sentence.ts';

/** Throws if it does not; the hint names another one. If a declared way leads to no second page, the first page must not show one either. */
export async function checkPaging(listing: ListRequest): Promise<void> {
  const paging = wayOfList(listing.dialect.paging, listing.operation);
  let pages = 0;
  let first: readonly JsonObject[] = [];
  const read = async (way: string) => {
    const tried = { ...listing, dialect: { ...listing.dialect, paging: way } };
    pages = 0;
    const settle: Settle = (keys, beside) => new Doubts().settle(tried, keys, paging === 'none' ? 'accept' : 'refuse', beside);
    for await (const page of eachPage(tried, settle)) {
      if (++pages === 1) first = page;
      else if (page.length > 0) break;
    }
  };
  await orElse(read(paging), (error) => {
    if (pages > 0) throw error;
  });
  await checkFirstNumber(listing, paging, first);
  if (pages !== 1 || paging === 'auto') return;
  await read('auto');
  const set = sentence`Set: proctor-cli config set dialect.paging auto`;
  const why = `its first page shows another one, which dialect.paging ${paging} does not request`;
  if (pages > 1) throw notWhole(listing, why, { hint: set, paging: 'auto' });
}

/** If pages are declared to count from 1, and count from 0, the second one is never read. */
async function checkFirstNumber(listing: ListRequest, paging: string, first: readonly JsonObject[]): Promise<void> {
  const { style, names } = pagingOf(paging);
  const [name = '', number = ''] = names;
  if (style !== 'page') return;
  const items = await orElse(
    readPage(listing, firstPath(listing.path, `${name}=${number}`)).then((page) => page.items),
    () => [],
  );
  const keys = new Set(first.map(itemKey));
  if (items.length === 0 || items.some((item) => keys.has(itemKey(item)))) return;
  const other = `page,${name},${number === '1' ? 0 : 1}`;
  const ways = listing.dialect.paging.split(' ').map((way) => (way.endsWith(paging) ? way.slice(0, -paging.length) + other : way));
  const value = ways.join(' ');
  const set = sentence`Set: proctor-cli ${typedCommand('config set dialect.paging', [value])}`;
  throw notWhole(listing, `its page ${number} is not its first page, as dialect.paging ${paging} says`, { hint: set, paging: value });
}
