/** What a person reads in a cell: one line, nothing hidden, and the words that a column asks for. */
import type { Column } from '../command.ts';
import { stringifyJson } from '../model/json.ts';
import { showTime } from '../model/time.ts';
import { visible } from './characters.ts';

const nothing = '-';

/** The text of a value in a column; times are shown in the zone. */
export function cell(value: unknown, as: Column['as'], zone: string): string {
  if (value === undefined || value === null || value === '') return nothing;
  if (as === 'boolean' && typeof value === 'boolean') return value ? 'yes' : 'no';
  if (as === 'suspicion' && typeof value === 'number') return suspicion(value);
  if (as === 'time' && typeof value !== 'object') return visible(showTime(value, zone));
  return visible(typeof value === 'object' ? stringifyJson(value) : String(value));
}

/** The rating in words (specification 2.2): 0 is not an acquittal, it is no rating. */
function suspicion(level: number): string {
  if (level === 0) return 'not rated';
  return level >= 1 && level <= 3 ? `${level} of 3` : String(level);
}

/** What a column is called: its title, or its key in words. */
export function heading(column: Column): string {
  const words = column.title ?? column.key.replaceAll('_', ' ');
  return visible(words.charAt(0).toUpperCase() + words.slice(1));
}
