/**
 * What an answer says about the pages of its list, where the profile declares nothing. Nine names count, spelled
 * exactly like this, in an object that holds the list and in its `meta`, `pagination` and `links`; and a few headers. No other
 * field or header is a signal, whatever its name looks like.
 */
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';

export const pagingNames = [
  'next',
  'next_page',
  'next_cursor',
  'has_more',
  'total',
  'total_count',
  'total_pages',
  'page',
  'per_page',
] as const;
type PagingName = (typeof pagingNames)[number];

const describing = ['meta', 'pagination', 'links'];

/** Besides `Link`. Yii has other names for the number of pages and the number of this page. */
const headerNames: Readonly<Record<string, PagingName>> = {
  'x-total-count': 'total_count',
  'x-total': 'total',
  'x-total-pages': 'total_pages',
  'x-next-page': 'next_page',
  ...Object.fromEntries(pagingNames.map((name) => [`x-pagination-${name.replaceAll('_', '-')}`, name])),
  'x-pagination-page-count': 'total_pages',
  'x-pagination-current-page': 'page',
};

/** A page of a list as it came. `envelopes`: the objects that hold the list, from the outermost. */
export type Came = { status: number; headers: Readonly<Record<string, string>>; envelopes: readonly JsonObject[] };

/** A value and its place: the name of the header, or the path of the field. */
export type Signal<T> = { name: string; value: T };

export type Signals = {
  /** Undefined where no answer names a next page; an empty value says that there is none. */
  next: (Signal<Json> & { kind: 'link' | 'next' | 'next_page' | 'next_cursor' }) | undefined;
  more: Signal<boolean> | undefined;
  total: Signal<number> | undefined;
  pages: Signal<number> | undefined;
  page: Signal<number> | undefined;
  size: Signal<number> | undefined;
};

export function signalsIn({ headers, envelopes }: Came): Signals {
  const found = new Map<PagingName, Signal<Json>[]>();
  const note = (name: PagingName, signal: Signal<Json>) => found.set(name, [...(found.get(name) ?? []), signal]);
  for (const [header, value] of Object.entries(headers)) {
    const name = Object.hasOwn(headerNames, header) ? headerNames[header] : undefined;
    if (name) note(name, { name: header, value: value.trim() });
  }
  for (const envelope of envelopes) {
    for (const [path, object] of [['', envelope], ...describing.map((key) => [`${key}.`, envelope[key]])] as [string, Json | undefined][]) {
      if (!isJsonObject(object)) continue;
      for (const name of pagingNames) if (Object.hasOwn(object, name)) note(name, { name: path + name, value: object[name] as Json });
    }
  }
  const count = (...names: PagingName[]) => names.flatMap((name) => found.get(name) ?? []).flatMap(counted)[0];
  const nexts = (['next', 'next_page', 'next_cursor'] as const).flatMap((kind) =>
    (found.get(kind) ?? []).map((signal) => ({ ...signal, kind })),
  );
  return {
    next: nextLink(headers.link) ?? nexts.find(({ value }) => !isEnd(value)) ?? nexts[0],
    more: (found.get('has_more') ?? []).flatMap(said)[0],
    total: count('total', 'total_count'),
    pages: count('total_pages'),
    page: count('page'),
    size: count('per_page'),
  };
}

/** A next page that is null, empty, false or 0 is none. */
export function isEnd(value: Json): boolean {
  return value === null || value === '' || value === false || value === 0 || value === '0';
}

function counted({ name, value }: Signal<Json>): Signal<number>[] {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? [{ name, value: number }] : [];
}

function said({ name, value }: Signal<Json>): Signal<boolean>[] {
  return value === true || value === 'true'
    ? [{ name, value: true }]
    : value === false || value === 'false'
      ? [{ name, value: false }]
      : [];
}

/** The target of `rel="next"`; an empty target if the header shows that pages exist, as on the last page. */
export function nextLink(header = ''): (Signal<string> & { kind: 'link' }) | undefined {
  const links = linksIn(header);
  const next = links.find(({ relations }) => relations.includes('next'));
  const isPaged = links.some(({ relations }) => relations.some((relation) => /^(first|prev|previous|last)$/.test(relation)));
  return next || isPaged ? { name: 'link', value: next?.target ?? '', kind: 'link' } : undefined;
}

/** `<target>; name=value; name="quoted, value"`, as RFC 8288 has it. */
function linksIn(header: string): { target: string; relations: string[] }[] {
  const links: { target: string; relations: string[] }[] = [];
  for (let at = header.indexOf('<'); at >= 0; ) {
    const end = header.indexOf('>', at);
    if (end < 0) break;
    const after = endOfLink(header, end + 1);
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(header.slice(end + 1, after));
    links.push({ target: header.slice(at + 1, end).trim(), relations: (rel?.[1] ?? rel?.[2] ?? '').toLowerCase().trim().split(/\s+/) });
    at = header.indexOf('<', after);
  }
  return links;
}

/** The offset of the comma behind a link's parameters, outside of quotes. */
function endOfLink(header: string, from: number): number {
  let quoted = false;
  for (let at = from; at < header.length; at += 1) {
    if (header[at] === '"') quoted = !quoted;
    else if (header[at] === ',' && !quoted) return at;
  }
  return header.length;
}
