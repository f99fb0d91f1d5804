/** The rule of every table: each of its columns is read, declared, part of a known export, or unable to decide. */
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { RosterFormat } from '../formats.ts';
import { headerKey } from '../header-key.ts';
import { quote, quoteAll } from '../read/quote.ts';
import type { Table } from '../read/source-table.ts';
import type { ColumnSurvey, Survey } from './column-survey.ts';
import { type Declaration, foldedText } from './declaration.ts';
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
export function absentValues(rules: readonly SelectionRule[], { only, except }: Declaration): Sentence[] {
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
