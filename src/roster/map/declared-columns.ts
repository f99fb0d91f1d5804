/** The rule of every table: each of its columns is read, declared, part of a known export, or unable to decide. */
import { CliError } from '../../errors.ts';
import type { RosterLayout } from '../../model/roster-layout.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { RosterFormat } from '../formats.ts';
import { headerKey } from '../header-key.ts';
import { quote, quoteAll } from '../read/quote.ts';
import type { Table } from '../read/source-table.ts';
import type { ColumnSurvey, Survey } from './column-survey.ts';
import { type Declaration, foldedText, type MappedLayout } from './declaration.ts';
import { columnNamed } from './field-columns.ts';
import { isRejectHeader } from './reject-columns.ts';
import type { SelectionRule } from './selection.ts';
import type { ValueCount } from './value-counts.ts';

/** A deciding column with each of its values: how often it occurs, and whether its lines are imported. */
export type DecidedColumn = { header: string; values: readonly (ValueCount & { imported: boolean })[] };

/** A table with all that is known of its columns. */
export type DeclaredTable = {
  table: Table;
  declaration: Declaration;
  format: RosterFormat | undefined;
  rules: readonly SelectionRule[];
  /** Columns that are read, and other columns of names. */
  read: readonly number[];
};

/** Whether another file of the same export (the roles of OneRoster 1.2 and Microsoft SDS) says by this number who is a student. */
const isUserNumber = ({ header }: ColumnSurvey) => headerKey(header) === 'sourcedid';

/** The columns that nobody declared and that may decide. */
export function openColumns({ columns, kept }: Survey, { table, declaration, format, rules, read }: DeclaredTable): ColumnSurvey[] {
  const known = new Set((format?.others ?? []).map(headerKey));
  const closed = new Set([
    ...read,
    ...rules.map(({ index }) => index),
    ...declaration.ignored.map((header) => columnNamed(header, table, (meant) => sentence`--ignore-column ${quote(meant)}`)),
  ]);
  const isOpen = ({ index, header }: ColumnSurvey) => !closed.has(index) && !known.has(headerKey(header)) && !isRejectHeader(header);
  return columns.filter((column) => isOpen(column) && (isUserNumber(column) || !column.cannotDecide(kept)));
}

export function decidedBy(rule: SelectionRule): DecidedColumn {
  const values = rule.values.rarest().reverse();
  return { header: rule.header, values: values.map((value) => ({ ...value, imported: rule.verdictOn(value.value) === 'imported' })) };
}

/** Declared values that the file does not have today, or has in another spelling. */
export function absentValues(rules: readonly SelectionRule[], { only, except, layout }: Declaration): Sentence[] {
  if (layout) return [];
  return Object.entries({ '--only': only, '--except': except }).flatMap(([option, lists]) =>
    Object.entries(lists).flatMap(([header, values]) => {
      const rule = rules.find((one) => foldedText(one.header) === foldedText(header));
      const absent = values.filter((value) => !rule?.found.has(foldedText(value)));
      return !rule || absent.length === 0
        ? []
        : [sentence`Column ${quote(rule.header)} does not contain ${quoteAll(absent)} of ${option}.`];
    }),
  );
}

/**
 * The layout of a table, so that the next one is read alike. A column that differs in every line is kept as one that does not
 * decide: in a shorter table it may not differ.
 */
export function layoutOf(
  declared: DeclaredTable,
  { columns, kept }: Survey,
  used: readonly { field: string; header: string }[],
): MappedLayout {
  const { table, declaration, format, rules, read } = declared;
  const map: Record<string, string[]> = {};
  for (const { field, header } of used) map[field] = [...(map[field] ?? []), header];
  const ours = rules.filter(({ ofFormat }) => !ofFormat);
  for (const { header, values } of ours) if (!values.isComplete) throw unkeptValues(header);
  const mapped = new Set([...used.map(({ header }) => header), ...rules.map(({ header }) => header)]);
  const known = new Set((format?.others ?? []).map(headerKey));
  const serial = columns.filter((column) => column.isSerial(kept)).map(({ header }) => header);
  const otherNames = read.map((index) => table.header[index] ?? '');
  const passedOver = [...otherNames, ...serial].filter(
    (header) => header !== '' && !mapped.has(header) && !known.has(headerKey(header)) && !isRejectHeader(header),
  );
  const valuesIn = (verdict: string, given: RosterLayout['only']) =>
    Object.fromEntries(ours.map((rule) => [rule.header, [...new Set([...givenFor(rule, given), ...seenIn(rule, verdict)])]]));
  return {
    ...(format ? { format: format.name } : {}),
    ...(table.encoding === undefined || table.encoding === 'utf-8' ? {} : { encoding: table.encoding }),
    map,
    only: valuesIn('imported', declaration.only),
    except: valuesIn('left out', declaration.except),
    ignored: [...new Map([...declaration.ignored, ...passedOver].map((header) => [foldedText(header), header])).values()],
  };
}

function givenFor({ header }: SelectionRule, given: RosterLayout['only']): string[] {
  return Object.entries(given).flatMap(([one, values]) => (foldedText(one) === foldedText(header) ? values : []));
}

function seenIn(rule: SelectionRule, verdict: string): string[] {
  return rule.values.all.flatMap(({ value }) => (rule.verdictOn(value) === verdict ? [value] : []));
}

function unkeptValues(header: string): CliError {
  return new CliError('invalid_input', sentence`Column ${quote(header)} has too many values for a layout, or too long ones.`, {
    hint: 'Leave out --save-layout.',
  });
}
