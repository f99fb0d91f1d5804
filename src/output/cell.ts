/** Rows, the columns that people read, and the text of a cell for people: one line, no hidden characters, formatted for its column. */
import { booleanIn, stringifyJson } from '../model/json.ts';
import { statusText, suspicionInWords } from '../model/status.ts';
import { showDay, showTime } from '../model/time.ts';
import { visible } from '../text/characters.ts';
import { capitalised } from '../text/sentence.ts';
import { roomFor } from './stderr.ts';

/** A row of output: a resource as the service shows it, or a record of our own. */
export type Row = Record<string, unknown>;

export type Column = {
  key: string;
  /** Heading; the key in words where it is absent. */
  title?: string;
  /**
   * How a person reads the value; machine formats show it as it is. `field`: as the field of the service that the row names in `field`.
   * `changes`: each a field with the values `from` and `to`. `day`: of a time.
   */
  as?: 'time' | 'day' | 'boolean' | 'status' | 'suspicion' | 'field' | 'changes';
  /** A name or a state, by which a person knows the row: on a terminal, other columns are left out before; `whole`: and it is never cut. */
  identifies?: true | 'whole';
  /** Shown when one resource is shown, and on request; not in a list. */
  detail?: true;
};

/** The text of a value in a column; times are shown in the zone, and `nothing` where there is no value. */
export function cell(value: unknown, as: Column['as'], zone: string, nothing = '-'): string {
  if (value === undefined || value === null || value === '') return nothing;
  const isYes = as === 'boolean' ? booleanIn(value) : undefined;
  if (isYes !== undefined) return isYes ? 'yes' : 'no';
  if (as === 'status') return visible(statusText(value) ?? stringifyJson(value));
  if (as === 'suspicion' && typeof value === 'number') return suspicionInWords(value);
  if (as === 'changes' && Array.isArray(value))
    return visible(value.map((change: Row) => changeInWords(change, zone)).join(', ') || nothing);
  if (as === 'time' && typeof value !== 'object') return visible(showTime(value, zone));
  if (as === 'day' && typeof value !== 'object') return visible(showDay(value, zone));
  return visible(typeof value === 'object' ? stringifyJson(value) : String(value));
}

function changeInWords({ field, from, to }: Row, zone: string): string {
  const shown = (value: unknown) => cell(Array.isArray(value) ? value.join(', ') : value, kindOf('field', { field }), zone);
  return `${String(field).replaceAll('_', ' ')} ${(from ?? null) === null ? '' : `${shown(from)} → `}${shown(to)}`;
}

export function kindOf(as: Column['as'], { field }: Row): Column['as'] {
  if (as !== 'field') return as;
  return field === 'level_of_suspicion' ? 'suspicion' : typeof field === 'string' && field.endsWith('_time') ? 'time' : undefined;
}

export function heading(column: Column): string {
  const words = column.title ?? column.key.replaceAll('_', ' ');
  return visible(capitalised(words).replace(/\b(id|url)\b/gi, (each) => each.toUpperCase()));
}

/** Columns that a text takes on a terminal. */
export type Measure = (text: string) => number;

/** A measure that is right for these texts and for parts of them. */
export async function measureFor(texts: readonly string[]): Promise<Measure> {
  const isLatin = texts.every((text) => roomFor(text) === text.length);
  return isLatin ? (text) => text.length : (await import('string-width')).default;
}

const segmenter = new Intl.Segmenter();

/** The text, shortened to a width; what was cut shows as an ellipsis. */
export function clip(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  let fitting = '';
  let used = 1;
  for (const { segment } of segmenter.segment(text)) {
    used += measure(segment);
    if (used > width) break;
    fitting += segment;
  }
  return `${fitting}…`;
}
