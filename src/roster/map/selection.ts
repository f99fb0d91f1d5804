/** Which lines are imported: each column that decides has its values, and all of them must let a line through. */
import { CliError } from '../../errors.ts';
import { nearest } from '../../model/nearest.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { DecidingColumn, RosterFormat } from '../formats.ts';
import { headerKey } from '../header-key.ts';
import { quote, quoteAll } from '../read/quote.ts';
import type { Table } from '../read/source-table.ts';
import { type Declaration, foldedText } from './declaration.ts';
import { columnNamed, refuseSecret } from './field-columns.ts';
import { ValueCounts } from './value-counts.ts';

/** What one column says about a line; `unnamed`: its value is in no list. */
type Verdict = 'imported' | 'left out' | 'unnamed';

/** A column that decides, with how often each value stands in the whole file. */
export class SelectionRule {
  readonly index: number;
  readonly header: string;
  /** Whether a known export says so, and not the user. */
  readonly ofFormat: boolean;
  readonly values = new ValueCounts();
  /** Those of which nothing says whether they are imported. */
  readonly unnamed = new ValueCounts();
  /** The declared values that the file has, folded. */
  readonly found = new Set<string>();
  readonly only: ReadonlySet<string> | undefined;
  readonly except: ReadonlySet<string> | undefined;
  /** Endings of values, which a record writes with an asterisk in front. */
  readonly #endings: readonly string[];

  constructor(index: number, header: string, { only, except }: Omit<DecidingColumn, 'column'>, ofFormat: boolean) {
    this.index = index;
    this.header = header;
    this.ofFormat = ofFormat;
    this.only = only && new Set(only.map(foldedText));
    this.except = except && new Set(except.map(foldedText));
    this.#endings = ofFormat ? (except ?? []).filter((value) => value.startsWith('*')).map((value) => foldedText(value.slice(1))) : [];
  }

  /** The value in a cell, as it is counted and shown. */
  valueIn(cells: readonly string[]): string {
    return cells[this.index]?.trim() ?? '';
  }

  count(cells: readonly string[], line: number): void {
    const value = this.valueIn(cells);
    this.values.add(value, line);
    const folded = foldedText(value);
    if (this.only?.has(folded) || this.except?.has(folded)) this.found.add(folded);
    if (this.verdictOn(value) === 'unnamed') this.unnamed.add(value, line);
  }

  verdictOn(value: string): Verdict {
    const folded = foldedText(value);
    if (this.except?.has(folded) || this.#endings.some((ending) => folded.endsWith(ending))) return 'left out';
    if (this.only === undefined) return 'imported';
    return this.only.has(folded) ? 'imported' : this.except === undefined ? 'left out' : 'unnamed';
  }
}

/** The columns that decide: those that the user declares, and of a known export those of which the user says nothing. */
export function selectionRules(table: Table, format: RosterFormat | undefined, { only, except, ignored }: Declaration): SelectionRule[] {
  const named = (header: string, option: string) => columnNamed(header, table, (meant) => sentence`${typedOption(option, meant)}`);
  const free = new Set(ignored.map((header) => named(header, '--ignore-column')));
  const declared = new Map<number, { only?: string[]; except?: string[] }>();
  for (const [key, values] of [
    ['only', only],
    ['except', except],
  ] as const) {
    for (const [header, given] of Object.entries(values)) {
      const index = columnNamed(header, table, (meant) => sentence`${typedOption(`--${key}`, `${meant}=${valuesTyped(given)}`)}`);
      refuseSecret(table.header[index] ?? '');
      const rule = declared.get(index) ?? {};
      declared.set(index, { ...rule, [key]: [...(rule[key] ?? []), ...given] });
    }
  }
  for (const [index, rule] of declared) refuseContradiction(table.header[index] ?? '', rule, free.has(index));
  const rules = [...declared].map(([index, rule]) => new SelectionRule(index, table.header[index] ?? '', rule, false));
  const keys = table.header.map(headerKey);
  for (const { column, ...rule } of format?.decides ?? []) {
    const index = [column]
      .flat()
      .map((header) => keys.indexOf(headerKey(header)))
      .find((found) => found >= 0);
    if (index !== undefined && !declared.has(index) && !free.has(index))
      rules.push(new SelectionRule(index, table.header[index] ?? '', rule, true));
  }
  return rules;
}

function refuseContradiction(header: string, { only, except }: { only?: string[]; except?: string[] }, ignored: boolean): void {
  if (ignored) {
    throw new CliError('usage', sentence`Column ${quote(header)} is named by --ignore-column, and by --only or --except.`, {
      hint: 'Leave out one of them.',
    });
  }
  const excluded = new Set(except?.map(foldedText));
  const both = only?.find((value) => excluded.has(foldedText(value)));
  if (both === undefined) return;
  throw new CliError('usage', sentence`${valueShown(both)} of column ${quote(header)} is named by --only and by --except.`, {
    hint: 'Leave out one of them.',
  });
}

/** Refuses values of which nothing says whether they are imported, and declared values that the whole file lacks. */
export function refuseUnnamed(table: Table, rules: readonly SelectionRule[], format: RosterFormat | undefined): void {
  for (const rule of rules) {
    const { header, index, unnamed, ofFormat } = rule;
    if (unnamed.all.length > 0) {
      const place = `${quote(header)} (column ${index + 1})`;
      const why = ofFormat ? `unknown in ${format?.name ?? ''}` : 'in neither --only nor --except';
      const how = ofFormat
        ? sentence`Declare the column: ${waysToDeclare(header)}.`
        : sentence`Add each value to --only or --except of this column.`;
      const what = sentence`${table.name}, column ${place}: ${why}: ${unnamed.inWords(unnamed.rarest())}.`;
      throw new CliError('invalid_input', what, { hint: how });
    }
    if (!ofFormat) refuseAbsent(rule);
  }
}

/** Refuses an `--only` of which the column has no value: every line would be left out. */
function refuseAbsent({ header, values, only, found }: SelectionRule): void {
  if (only === undefined || only.size === 0 || [...only].some((value) => found.has(value))) return;
  const present = values.all.map(({ value }) => value);
  const meant = [...only].map((value) => nearest(value, present)).find((value) => value !== undefined);
  throw new CliError('invalid_input', sentence`Column ${quote(header)} contains no value of --only. Its values: ${quoteAll(present)}.`, {
    hint:
      meant === undefined
        ? 'Give the values as they are in the file.'
        : sentence`Did you mean ${typedOption('--only', `${header}=${valuesTyped([meant])}`)}?`,
  });
}

/** The options that say what a column decides; without a header, as a form to fill in. */
export function waysToDeclare(header?: string): Sentence {
  const typed = (option: string, given: string) => (header === undefined ? `${option} '${given}'` : typedOption(option, given));
  const values = `${header ?? 'HEADER'}=VALUE,VALUE`;
  return sentence`${typed('--only', values)} uses only lines with these values, ${typed('--except', values)} leaves such lines out, ${typed('--ignore-column', header ?? 'HEADER')} uses all lines`;
}

/** Why a line is left out, in a few words; undefined for one that is imported. */
export function reasonAgainst(rules: readonly SelectionRule[], cells: readonly string[]): string | undefined {
  for (const rule of rules) {
    const value = rule.valueIn(cells);
    if (rule.verdictOn(value) !== 'imported') return `${rule.header} ${valueShown(value)}`;
  }
  return undefined;
}

/** A value of a column in words. */
export function valueShown(value: string): Sentence {
  return value === '' ? sentence`empty` : sentence`${quote(value)}`;
}

/** Values as `--only` takes them. */
export function valuesTyped(values: readonly string[]): string {
  return values.map((value) => (/[,"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join(',');
}
