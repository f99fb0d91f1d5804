/**
 * The words of paging in headers and in fields beside a list: which role a name has in the dialect, which names only
 * resemble paging, and which values say something.
 */
import { isExactNumber, type Json, type JsonObject, textOfJson } from '../model/json.ts';
import { lettersAndDigits } from '../text/letters.ts';
import { type Dialect, type DialectKey, words } from './dialect.ts';

export type Role = 'page' | 'pages' | 'total' | 'size' | 'offset' | 'next' | 'more' | 'end' | 'ignored';

const settings: Record<Role, DialectKey> = {
  page: 'pageKeys',
  pages: 'pageCountKeys',
  total: 'totalKeys',
  size: 'pageSizeKeys',
  offset: 'offsetKeys',
  next: 'nextKeys',
  more: 'moreKeys',
  end: 'endKeys',
  ignored: 'ignoredKeys',
};

const vocabularies = new WeakMap<Dialect, ReadonlyMap<string, Role>>();

/** The roles of the words of a dialect, by their `plain` form. */
export function vocabularyOf(dialect: Dialect): ReadonlyMap<string, Role> {
  const known = vocabularies.get(dialect);
  if (known) return known;
  const made = new Map<string, Role>();
  for (const [role, key] of Object.entries(settings)) {
    for (const word of words(dialect[key])) made.set(plain(word), role as Role);
  }
  vocabularies.set(dialect, made);
  return made;
}

/** A name without case, separators and the prefixes of its family. */
export function plain(name: string): string {
  const own = name
    .toLowerCase()
    .replace(/^@odata\./, '')
    .replace(/^x-/, '')
    .replace(/^(pagination|paging)[-_](?=.)/, '');
  return lettersAndDigits(own);
}

/** The ends of a header's name, longest first: `WP-Total` and `Total` of `X-WP-Total`. */
export function endsOf(name: string): string[] {
  const [, ...parts] = name.split('-');
  return parts.map((_, at) => lettersAndDigits(parts.slice(at).join('-').toLowerCase()));
}

const paging =
  /^(page|pages|paging|paginated|pagination|pager|total|totals|count|counts|cursor|offset|range|next|more|continuation|truncated|partial|incomplete|remaining|following|older|marker|bookmark|scroll|found|hits|matches|matched|records|amount|length|showing|limited|capped)$/;
/** In names written as one word. */
const joined = /total|cursor|continuation|paginat|nextpage|nexttoken|pagecount/;
/** Headers and fields in which such words have another meaning. */
const otherFamilies =
  /^(rate|ratelimit|quota|cache|cors|accept|access|query|queries|db|sql|retry|speed|request|requests|age|view|views|powered|nextjs|frame|previous|prev|first|title|name|content)$/;
/** What is counted or remains in such names is an amount of something else than items. */
const otherAmounts =
  /^(time|times|timeout|seconds?|minutes?|hours?|days?|duration|cost|costs|points?|scores?|seats?|places?|capacity|weight|credits?|calls?|throttle|throttling|usage|trace|traces|daily|hourly|monthly|concurrent|concurrency)$/;
/** `X-Limit-Remaining`, `X-Api-Limit-Remaining`, `X-Token-Remaining`; `remaining_items` is another matter. */
const quotaLeft = /\b(limits?|api|tokens?)\b.*\bremaining\b|\bremaining\b.*\b(limits?|api|tokens?)\b/;
/** `more_info`, `next_update`: neither is about items. */
const otherNews = /\bmore ?info\b|\bnext (update|refresh|poll|sync|run|check|attempt|reminder|deadline)\b/;

/** Whether a name resembles paging, a total or a range. */
export function sounds(name: string): boolean {
  const parts = lettersAndDigits(name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase(), ' ').split(' ');
  if (!parts.some((part) => paging.test(part) || joined.test(part))) return false;
  const spaced = parts.join(' ');
  return !parts.some((part) => otherFamilies.test(part) || otherAmounts.test(part)) && !quotaLeft.test(spaced) && !otherNews.test(spaced);
}

/** Words of paging that may also say how far an exam or a student is, and how many may still come. */
const alsoOfResources = /^(is)?(finished|completed)$|^(left|exhausted)$/;
const ofResource =
  /^(id|uuid|name|title|subject|email|status|exam|course|student|date|day|room|duration|(start|end|open|close)(time|s|sat)?|(exam|session|student|course|institute)id|allow(headphones|whiteboard|leaveroom|penpaper))$/;
/** Beside them, `left` is what is left of something else, how many have left, or a place on a page. */
const ofAmounts =
  /capacity|seat|place|quota|slot|attempt|time|minute|licen[cs]e|credit|^max(students|participants|candidates|users)|^(top|right|width|lft|used|taken)$|registered|started|finished|present|absent|joined|entered|arrived|enrolled|invited|online|offline|disconnected|waiting|writing/;

/** Whether a word of paging that is one of many has its other meaning here: `{"id": 3, "finished": false, "students": []}`. */
export function isOfResource(key: string, value: Json, siblings: JsonObject): boolean {
  const word = plain(key);
  if (!alsoOfResources.test(word)) return false;
  if (typeof value === 'object' && value !== null) return true;
  return Object.entries(siblings).some(([name, other]) => {
    const beside = plain(name);
    if (word === 'left' && ofAmounts.test(beside)) return true;
    return ofResource.test(beside) && !(beside === 'status' && /^(ok|success|error|fail(ed|ure)?|\d+)$/i.test(textOfJson(other)));
  });
}

/** Whether a relation of a link is that of the next page; `next-archive` is another one (RFC 5005). */
export function isNextRelation(relation: string): boolean {
  return /(^|[/#:])next([-_]?page)?$/i.test(relation);
}

/** Whether a value is a signal: null, false, an empty text, 0 and a negative number are not. */
export function speaks(value: Json): boolean {
  if (typeof value === 'string') return !/^\s*(|0|false|none|null|no)\s*$/i.test(value);
  if (typeof value === 'number') return value > 0;
  if (Array.isArray(value)) return value.length > 0;
  return value !== null && value !== false;
}

/** A count, as a number or as text; undefined if the value is none. */
export function countIn(value: Json): number | undefined {
  const number = typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** Whether a value is a number of any kind, or text that is one. */
export function isNumeric(value: Json): boolean {
  if (typeof value === 'number' || typeof value === 'bigint' || isExactNumber(value)) return true;
  return typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value);
}

/** Whether a value is the address of a page. */
export function isAddress(value: Json): value is string {
  return typeof value === 'string' && /^(https?:)?\/\/|^[/?]|^[\w./-]+\?/i.test(value.trim());
}
