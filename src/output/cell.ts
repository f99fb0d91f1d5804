/** The text of a cell for people: one line, no hidden characters, formatted for its column. */

import { booleanIn } from '../model/boolean.ts';
import { count } from '../model/count.ts';
import { stringifyJson } from '../model/json.ts';
import { statusText, suspicionInWords } from '../model/status.ts';
import { showDay, showTime } from '../model/time.ts';
import { visible } from '../text/characters.ts';
import { capitalised, type Sentence, sentence } from '../text/sentence.ts';
import type { Column, Row } from './row.ts';

/** The text of a value in a column; times are shown in the zone, and `nothing` where there is no value. */
export function cell(value: unknown, as: Column['as'], zone: string, nothing = '-'): string {
  if (value === undefined || value === null || value === '') return nothing;
  const isYes = as === 'boolean' ? booleanIn(value) : undefined;
  if (isYes !== undefined) return isYes ? 'yes' : 'no';
  if (as === 'status') return visible(statusText(value) ?? stringifyJson(value));
  if (as === 'suspicion' && typeof value === 'number') return suspicionInWords(value);
  if (as === 'share' && typeof value === 'number') return `${(value * 100).toFixed(1)} %`;
  if (as === 'size' && typeof value === 'number') return sizeInWords(value);
  if (as === 'list' && Array.isArray(value))
    return value.length === 0 ? nothing : visible(value.map((item) => itemInWords(item, zone)).join(', '));
  if (as === 'time' && typeof value !== 'object') return visible(showTime(value, zone));
  if (as === 'day' && typeof value !== 'object') return visible(showDay(value, zone));
  return visible(typeof value === 'object' ? stringifyJson(value) : String(value));
}

function itemInWords(item: unknown, zone: string): string {
  if (typeof item !== 'object' || item === null) return String(item);
  const { field, from, to } = item as Record<string, unknown>;
  const shown = (value: unknown) => (String(field).endsWith('_time') ? showTime(value, zone) : String(value));
  if (field !== undefined && to !== undefined)
    return `${String(field)} ${from === null || from === undefined ? '' : `${shown(from)} → `}${shown(to)}`;
  return Object.values(item)
    .filter((value) => value !== null && value !== '')
    .map(String)
    .join(' ');
}

/** How the value of a row is shown in a column. */
export function kindOf({ as }: Column, { field }: Row): Column['as'] {
  if (as !== 'field') return as;
  return field === 'level_of_suspicion' ? 'suspicion' : typeof field === 'string' && field.endsWith('_time') ? 'time' : undefined;
}

/** The heading of a column: its title, or its key in words. */
export function heading(column: Column): string {
  const words = column.title ?? column.key.replaceAll('_', ' ');
  return visible(capitalised(words).replace(/\b(id|url)\b/gi, (each) => each.toUpperCase()));
}

/** As people read it: 812 bytes, 14 kB, 2.4 MB. */
function sizeInWords(bytes: number): Sentence {
  if (bytes < 1e3) return sentence`${count(bytes, 'byte')}`;
  const [value, unit] = bytes < 999.5e3 ? [bytes / 1e3, 'kB'] : [bytes / 1e6, 'MB'];
  return sentence`${value.toFixed(value < 9.95 ? 1 : 0)} ${unit}`;
}
