/** Whether the setting in force reads a list to its end: for `doctor`, and for a login. */
import { Doubts } from '../../api/doubts.ts';
import { eachPage, type ListRequest, type Settle } from '../../api/list.ts';
import { notWhole, wayOfList } from '../../api/paging.ts';
import { orElse } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';

/** Throws if it does not; the hint names another one. If a declared way leads to no second page, the first page must not show one either. */
export async function checkPaging(listing: ListRequest): Promise<void> {
  const paging = wayOfList(listing.dialect.paging, listing.operation);
  let pages = 0;
  const read = async (way: string) => {
    const tried = { ...listing, dialect: { ...listing.dialect, paging: way } };
    pages = 0;
    const settle: Settle = (keys, beside) => new Doubts().settle(tried, keys, paging === 'none' ? 'accept' : 'refuse', beside);
    for await (const { length } of eachPage(tried, settle)) if (++pages > 1 && length > 0) break;
  };
  await orElse(read(paging), (error) => {
    if (pages > 0) throw error;
  });
  if (pages !== 1 || paging === 'auto') return;
  await read('auto');
  const set = sentence`Set: proctor-cli config set dialect.paging auto`;
  const why = `its first page shows another one, which dialect.paging ${paging} does not request`;
  if (pages > 1) throw notWhole(listing, why, { hint: set, paging: 'auto' });
}
