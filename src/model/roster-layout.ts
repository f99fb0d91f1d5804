/**
 * A saved layout: how a table of students is read, and which of its lines are used. It is a part of a profile in the
 * configuration, which people may edit, so its shape is checked.
 */
import { isJsonObject } from './json.ts';
import { type DateOrder, dateOrders } from './time.ts';

/** Header → values of its column. */
export type ValuesByHeader = { readonly [header: string]: readonly string[] };

export type RosterLayout = {
  /** The known export whose record reads the file; absent for another table. */
  format?: string;
  encoding?: string;
  sheet?: string;
  hiddenRows?: string;
  dates?: DateOrder;
  /** Field → headers. */
  map: ValuesByHeader;
  only: ValuesByHeader;
  except: ValuesByHeader;
  ignored: readonly string[];
};

/** What is wrong with the shape of a stored layout; undefined for a good one. */
export function layoutProblem(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'is not an object';
  const { format, encoding, sheet, hiddenRows, dates, map, only, except, ignored, ...others } = value;
  for (const [key, text] of Object.entries({ format, encoding, sheet, hiddenRows })) {
    if (text !== undefined && typeof text !== 'string') return `has a ${key} that is not a string`;
  }
  if (dates !== undefined && !dateOrders.some((order) => order === dates)) return `has dates that are neither ${dateOrders.join(' nor ')}`;
  for (const [key, lists] of Object.entries({ map, only, except })) {
    if (!isJsonObject(lists) || !Object.values(lists).every(isTexts)) return `has no "${key}" that maps headers to lists of strings`;
  }
  if (!isTexts(ignored)) return 'has no "ignored" that lists headers';
  const [unknown] = Object.keys(others);
  return unknown === undefined ? undefined : `has the unknown field ${JSON.stringify(unknown)}`;
}

const isTexts = (value: unknown) => Array.isArray(value) && value.every((text) => typeof text === 'string');
