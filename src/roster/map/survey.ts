/**
 * One pass over the rows before the columns are chosen: which columns hold addresses, how names are
 * written, and which values stand in the columns that decide about people.
 */
import { isJsonObject, type Json, parseJson } from '../../model/json.ts';
import { isSecretHeader } from '../../model/secret-keys.ts';
import type { Table } from '../read/table.ts';
import { addressFault } from './address.ts';
import { booleanOf } from './booleans.ts';
import { type DecidingKind, decidingKind, isNumbering, isRoleNumber, tells, verdictOn } from './deciding.ts';

export type Deciding = {
  index: number;
  header: string;
  kind: DecidingKind;
  /** How often each value stands there, that of empty cells included. */
  values: Map<string, number>;
};

export type Survey = {
  /** For each column, of the first rows: cells with text, and those that are an address. */
  columns: readonly { filled: number; addresses: number; example: string | undefined }[];
  /** The first rows. */
  sample: readonly (readonly string[])[];
  deciding: readonly Deciding[];
};

const sampled = 1000;
/** More values than these say nothing about people by themselves; where nearly each row has its own, they are numbers or names. */
const mostValues = 50;
/** Values beyond these are not counted. */
export const keptValues = 2000;
const longestValue = 100;

/** `prefix`: a sign that the export puts before addresses. `taken`: the columns with another meaning; `named`: those that the user has decide. */
type SurveyOptions = { prefix: string | undefined; taken: ReadonlySet<number>; named: ReadonlySet<number> };

export async function survey(table: Table, { prefix = '', taken, named }: SurveyOptions): Promise<Survey> {
  const columns = table.header.map(() => ({ filled: 0, addresses: 0, example: undefined as string | undefined }));
  const sample: (readonly string[])[] = [];
  let counted = [...table.header.entries()].flatMap(([index, header]): Deciding[] => {
    const kind = header === '' || isSecretHeader(header) ? 'any' : decidingKind(header);
    if (named.has(index)) return [{ index, header, kind: kind === 'any' ? 'group' : kind, values: new Map() }];
    return kind === 'any' && (taken.has(index) || header === '' || isSecretHeader(header))
      ? []
      : [{ index, header, kind, values: new Map() }];
  });
  for await (const rows of table.rows()) {
    for (const { cells, ragged } of rows) {
      if (ragged) continue;
      if (sample.length < sampled) {
        sample.push(cells);
        for (const [index, column] of columns.entries()) countAddress(column, addressOf(cells[index] ?? '', prefix));
      }
      for (const { index, kind, values } of counted) {
        const value = valueIn(cells, index);
        const most = kind === 'any' ? mostValues + 1 : keptValues;
        if (values.has(value) || values.size <= most) values.set(value, (values.get(value) ?? 0) + 1);
      }
    }
    counted = counted.filter(({ kind, values }) => kind !== 'any' || values.size <= mostValues);
    if (counted.length === 0 && sample.length >= sampled) break;
  }
  const deciding = counted.filter((column) => named.has(column.index) || decides(column));
  const hasRoles = deciding.some(({ kind, header }) => kind === 'role' && !isRoleNumber(header));
  return { columns, sample, deciding: deciding.filter(({ header }) => !(hasRoles && isRoleNumber(header))) };
}

/** A value as it is compared and counted: of a longer one the beginning, of JSON the words in it. */
export function valueIn(cells: readonly string[], index: number): string {
  const text = cells[index]?.trim() ?? '';
  return (/^[[{]/.test(text) ? wordsOfJson(text) : text).slice(0, longestValue);
}

/** The values in a JSON text that say something about people, such as those of Canvas enrollments; the text itself where none does. */
function wordsOfJson(text: string): string {
  const found: string[] = [];
  try {
    collectTexts(parseJson(text), found);
  } catch {
    return text;
  }
  const roles = found.filter((word) => verdictOn('role', word) !== 'unknown');
  // Another person's states say nothing more.
  const states = roles.some((word) => verdictOn('role', word) === 'other')
    ? []
    : found.filter((word) => verdictOn('status', word) === 'other');
  const told = [...new Set([...roles, ...states.filter((word) => booleanOf(word) === undefined)])];
  return told.length > 0 ? told.join(', ') : text;
}

function collectTexts(value: Json, found: string[]): void {
  if (typeof value === 'string') found.push(value);
  else if (Array.isArray(value)) for (const item of value) collectTexts(item, found);
  else if (isJsonObject(value)) for (const item of Object.values(value)) collectTexts(item, found);
}

/** The text of a cell without what may stand around an address. */
export function addressOf(cell: string, prefix: string): string {
  const text = cell.trim();
  const inner = /<([^<>]*)>$/.exec(text)?.[1]?.trim() ?? text;
  return prefix !== '' && inner.startsWith(prefix) ? inner.slice(prefix.length) : inner;
}

function countAddress(column: { filled: number; addresses: number; example: string | undefined }, text: string) {
  if (text === '') return;
  column.filled += 1;
  if (!text.includes('@') || addressFault(text)) return;
  column.addresses += 1;
  column.example ??= text;
}

function decides({ kind, header, values }: Deciding): boolean {
  const filled = [...values.keys()].filter((value) => value !== '');
  const verdicts = filled.map((value) => verdictOn(kind, value));
  if (filled.length === 0) return false;
  if (kind === 'any') return filled.some((value) => tells(header, value));
  if (kind === 'mark' || kind === 'staffMark') return filled.some((value) => booleanOf(value) !== undefined);
  if (kind === 'exclusion') return filled.some((value) => booleanOf(value) !== undefined || /\d/.test(value));
  if (kind === 'group') return verdicts.includes('other') || (verdicts.includes('student') && verdicts.includes('unknown'));
  if (verdicts.some((verdict) => verdict !== 'unknown')) return true;
  if (filled.every((value) => isDate(value)) || (kind === 'status' && isNumbering(header, filled))) return false;
  if (kind === 'role' && !isRoleNumber(header) && !filled.some((value) => /\p{L}/u.test(value))) return false;
  const rows = filled.reduce((sum, value) => sum + (values.get(value) ?? 0), 0);
  return filled.length <= mostValues || rows > 2 * filled.length;
}

const isDate = (value: string) => /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}/.test(value);
