/** `dialect.paging`: how the next page of a list is requested. One value: a style and, after commas, the names that it takes. */
import { InvalidValue } from '../model/invalid-value.ts';
import { sentence } from '../text/sentence.ts';

export const pagingStyles = ['auto', 'none', 'link', 'next', 'cursor', 'page', 'offset'] as const;

/** `field`: a header, or the path of a field beside the list; `parameter`: in the query of the next request. */
export type PagingStyle =
  | { style: 'auto' }
  | { style: 'none' }
  | { style: 'link' }
  | { style: 'next'; field: string }
  | { style: 'cursor'; field: string; parameter: string }
  | { style: 'page'; parameter: string; first: number }
  | { style: 'offset'; parameter: string };

/** Throws `InvalidValue`. */
export function pagingStyle(setting: string): PagingStyle {
  const [word = '', ...names] = setting.split(',').map((part) => part.trim());
  const style = pagingStyles.find((each) => each === word);
  const most = style === 'cursor' || style === 'page' ? 2 : style === 'next' || style === 'offset' ? 1 : 0;
  if (!style || names.length > most || names.includes('')) {
    throw new InvalidValue(
      sentence`"${setting}" is not a way to request the next page. The ways: auto, none, link, next,FIELD, cursor,FIELD,PARAMETER, page,PARAMETER,FIRST and offset,PARAMETER.`,
    );
  }
  const [name, other] = names;
  if (style === 'next') return { style, field: name ?? 'next' };
  if (style === 'cursor') return { style, field: name ?? 'next_cursor', parameter: other ?? 'cursor' };
  if (style === 'offset') return { style, parameter: name ?? 'offset' };
  if (style === 'auto' || style === 'none' || style === 'link') return { style };
  if (other !== undefined && !/^[01]$/.test(other)) {
    throw new InvalidValue(sentence`"${other}" is not the number of a first page. Pages count from 0 or from 1.`);
  }
  return { style, parameter: name ?? 'page', first: Number(other ?? 1) };
}

/** Throws `InvalidValue` for anything but a query such as `per_page=100&sort=id`. */
export function checkListQuery(query: string): void {
  if (query === '' || /^[\w.~%[\]-]+=[^\s#?&]*(&[\w.~%[\]-]+=[^\s#?&]*)*$/.test(query)) return;
  throw new InvalidValue(sentence`"${query}" is not a query such as per_page=100.`);
}
