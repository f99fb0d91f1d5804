/**
 * The pages of a list. The specification shows none, so the service announces the position twice: in a
 * `Link` header, and in X-Pagination headers.
 */
import { ServiceProblem } from './problem.ts';
import type { Listing } from './stored-records.ts';

type ServedPage = { items: unknown[]; headers: Record<string, string> };

/** The page that a URL requests; a page size of 0 puts everything on one page, without headers. */
export function pageOf(list: Listing<unknown>, url: string, pageSize: number): ServedPage {
  if (pageSize === 0) return { items: list.items(-1, 0), headers: {} };
  const here = new URL(url);
  const asked = here.searchParams.get('page') ?? '1';
  if (!/^[1-9]\d{0,8}$/.test(asked)) throw new ServiceProblem(400, 'bad_page', `There is no page "${asked}": pages are counted from 1.`);
  const page = Number(asked);
  const total = list.total();
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const headers = {
    'x-pagination-current-page': String(page),
    'x-pagination-page-count': String(pages),
    'x-pagination-total-count': String(total),
  };
  const items = list.items(pageSize, (page - 1) * pageSize);
  if (page >= pages) return { items, headers };
  here.searchParams.set('page', String(page + 1));
  return { items, headers: { ...headers, link: `<${here.href}>; rel="next"` } };
}
