/** Rows, columns, and the text of a cell for people: a line without hidden characters. */
import { booleanIn, stringifyJson } from '../model/json.ts';
import { statusText, suspicionInWords } from '../model/status.ts';
import { showDay, showTime } from '../model/time.ts';
import { visible } from '../text/characters.ts';
import { capitalised } from '../text/sentence.ts';
import { roomFor } from './stderr.ts';

/** A resource of the service, or a record of our own. */
export type Row = Record<string, unknown>;

export type Column = {
  key: string;
  /** The heading, if it is not the key in words. */
  title?: string;
  /** `field`: as the field that the row names in `field`. `changes`: of fields, each `from` and `to` a value. */
  as?: 'time' | 'day' | 'boolean' | 'count' | 'status' | 'suspicion' | 'field' | 'changes';
  /** A person knows the row by it: other columns are left out before. `whole`: it is never cut. */
  identifies?: true | 'whole';
  /** A list shows the column only if it is requested. */
  detail?: true;
};

export function cell(value: unknown, as: Column['as'], zone: string, nothing = '-'): string {
  if (value === undefined || value === null || value === '') return nothing;
  const isYes = as === 'boolean' ? booleanIn(value) : undefined;
  if (isYes !== undefined) return isYes ? 'yes' : 'no';
  if (as === 'status') return visible(statusText(value) ?? stringifyJson(value));
  if (as === 'suspicion' && typeof value === 'number') return suspicionInWords(value);
  if (as === 'changes' && Array.isArray(value))
    return visible(value.map((change: Row) => changeInWords(change, zone)).join(', ') || nothing);
  if (typeof value === 'object') return visible(stringifyJson(value));
  if (as === 'time') return visible(showTime(value, zone));
  return visible(as === 'day' ? showDay(value, zone) : String(value));
}

function changeInWords({ field, from, to }: Row, zone: string): string {
  const as = cellKind('field', { field });
  const shown = (value: unknown) => cell(Array.isArray(value) ? value.join(', ') : value, as, zone);
  const before = (from ?? null) === null ? '' : `${shown(from)} → `;
  return `${String(field).replaceAll('_', ' ')} ${before}${shown(to)}`;
}

export function cellKind(as: Column['as'], { field }: Row): Column['as'] {
  if (as !== 'field') return as;
  if (field === 'level_of_suspicion') return 'suspicion';
  return typeof field === 'string' && field.endsWith('_time') ? 'time' : undefined;
}

/** A secret in its name is masked before the name is changed. */
export function heading(column: Column, masked: (text: string) => string): string {
  const words = column.title ?? masked(column.key).replaceAll('_', ' ');
  return visible(capitalised(words).replace(/\b(id|url)\b/gi, (each) => each.toUpperCase()));
}

/** How many columns a text takes. */
export type Measure = (text: string) => number;

export async function measureFor(texts: readonly string[]): Promise<Measure> {
  const isLatin = texts.every((text) => roomFor(text) === text.length);
  return isLatin ? (text) => text.length : (await import('string-width')).default;
}

/** Made at its first use: that takes 20 ms, and few texts need it. */
let segmenter: Intl.Segmenter | undefined;

export function clip(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  if (/^[ -~]*$/.test(text)) return `${text.slice(0, Math.max(0, width - 1))}…`;
  let fitting = '';
  let used = 1;
  segmenter ??= new Intl.Segmenter();
  for (const { segment } of segmenter.segment(text)) {
    used += measure(segment);
    if (used > width) break;
    fitting += segment;
  }
  return `${fitting}…`;
}
