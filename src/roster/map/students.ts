/**
 * Finds the rows that are not students: by columns such as role or status, by marks of deletion, by the rules of
 * the export's shape, by a file of roles beside it. Known values are left out and counted; for unknown ones it
 * asks, or fails until `--only` or `--any` decides.
 */
import { CliError } from '../../errors.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { sentence } from '../../text/sentence.ts';
import { quote } from '../read/quote.ts';
import type { Table } from '../read/table.ts';
import { columnNamed } from './columns.ts';
import { type DecidingKind, verdictOn } from './deciding.ts';
import type { ColumnShape } from './shapes.ts';
import { type Deciding, type Survey, valueIn } from './survey.ts';
import { headerKey } from './vocabulary.ts';

/** Why a row is left out, in a few words; undefined for a student. */
export type LeftOut = (cells: readonly string[]) => string | undefined;

export type PeopleOptions = {
  /** Header → the values of the imported rows. */
  only?: { readonly [header: string]: readonly string[] };
  /** Headers of columns that decide nothing. */
  any?: readonly string[];
  /** Which of these values mean a student; undefined leaves them unknown. */
  askStudents?: (header: string, values: readonly { value: string; count: number }[]) => Promise<readonly string[] | undefined>;
};

/** A deciding column with each of its values: how often it occurs, and whether its rows are imported. */
export type Decided = { header: string; values: readonly { value: string; count: number; imported: boolean }[] };

export type People = {
  leftOut: LeftOut;
  /** The indexes of the columns that decide. */
  columns: ReadonlySet<number>;
  decided: readonly Decided[];
  /** The user's choices, for the digest of the mapping. */
  choices: readonly (readonly [header: string, values: readonly string[]])[];
};

type Judge = { index: number; kind: DecidingKind; isStudent(value: string): boolean };

const deletion = /^to\s?be\s?deleted$|^deleted$/i;

export async function peopleIn(
  table: Table,
  shape: ColumnShape | undefined,
  { deciding }: Survey,
  students: ReadonlySet<string> | undefined,
  options: PeopleOptions,
): Promise<People> {
  const keys = table.header.map(headerKey);
  const id = keys.indexOf('sourcedid');
  const rules = (shape?.leaveOut ?? []).map((rule) => ({ ...rule, index: keys.indexOf(rule.column) })).filter(({ index }) => index >= 0);
  const any = new Set((options.any ?? []).map((header) => columnNamed(header, table, (meant) => sentence`${typedOption('--any', meant)}`)));
  const only = onlyIn(table, options.only ?? {});
  const judges: Judge[] = [];
  const decided: Decided[] = [];
  const choices: [string, readonly string[]][] = [];
  for (const column of [...deciding, ...[...only.keys()].filter((index) => !deciding.some((one) => one.index === index)).map(named)]) {
    const { index, header, values } = column;
    const wanted = only.get(index);
    const chosen = wanted ?? (any.has(index) ? undefined : await chosenAmong(column, options));
    if (chosen) choices.push([header, [...chosen].sort()]);
    if (any.has(index)) choices.push([header, ['*']]);
    const judge: Judge = { ...column, isStudent: any.has(index) ? () => true : wanted ? has(wanted) : judgeOf(column, chosen) };
    judges.push(judge);
    decided.push({
      header,
      values: [...values].sort(([, a], [, b]) => b - a).map(([value, count]) => ({ value, count, imported: judge.isStudent(value) })),
    });
  }
  function named(index: number): Deciding {
    return { index, header: table.header[index] ?? '', kind: 'group', values: new Map() };
  }
  const leftOut: LeftOut = (cells) => {
    const cell = (index: number) => cells[index]?.trim() ?? '';
    for (const { index, when, column, reason } of rules) {
      if (when.test(cell(index))) return reason ?? `${column} ${cell(index).toLowerCase()}`;
    }
    for (const { index, kind, isStudent } of judges) {
      const value = valueIn(cells, index);
      if (!isStudent(value))
        return `${kind === 'group' ? (table.header[index] ?? '') : kind} ${value === '' ? 'empty' : value.toLowerCase()}`;
    }
    return students && id >= 0 && !students.has(cell(id)) ? 'no student role in roles.csv' : undefined;
  };
  const columns = new Set([...judges.map(({ index }) => index), ...rules.map(({ index }) => index), ...(students ? [id] : [])]);
  return { leftOut, columns, decided, choices };
}

const has = (values: ReadonlySet<string>) => (value: string) => values.has(value.toLowerCase());

/** A known value decides by itself, an unknown one by the user's choice. In a column of groups, unknown values mean students. */
function judgeOf({ kind }: Deciding, chosen: ReadonlySet<string> | undefined): (value: string) => boolean {
  return (value) => {
    if (value === '') return true;
    const verdict = verdictOn(kind, value);
    return verdict === 'unknown' ? kind === 'group' || chosen?.has(value.toLowerCase()) === true : verdict === 'student';
  };
}

/** `--only` by column: its values in lower case. */
function onlyIn(table: Table, only: { readonly [header: string]: readonly string[] }): Map<number, Set<string>> {
  return new Map(
    Object.entries(only).map(([header, values]) => [
      columnNamed(header, table, (meant) => sentence`${typedOption('--only', `${meant}=${values.join(',')}`)}`),
      new Set(values.map((value) => value.trim().toLowerCase())),
    ]),
  );
}

/** The unknown values that mean a student, as a person says; undefined where all are known. Throws `invalid_input`. */
async function chosenAmong({ header, kind, values }: Deciding, { askStudents }: PeopleOptions): Promise<Set<string> | undefined> {
  // Beside the roles that make a column of groups decide, its other values are groups.
  if (kind === 'group') return undefined;
  const unknown = [...values].filter(([value]) => verdictOn(kind, value) === 'unknown').map(([value, count]) => ({ value, count }));
  if (unknown.length === 0) return undefined;
  const chosen = await askStudents?.(header, unknown);
  if (chosen) return new Set(chosen.map((value) => value.toLowerCase()));
  const known = [...values.keys()].filter((value) => verdictOn(kind, value) === 'student');
  const told = unknown.slice(0, 8).map(({ value, count }) => `${quote(value)} (${count})`);
  const more = unknown.length > told.length ? ` and ${unknown.length - told.length} more` : '';
  const first = (unknown[0] as { value: string }).value;
  throw new CliError(
    'invalid_input',
    sentence`Column ${quote(header)} decides which rows are imported, but has unknown values: ${told.join(', ')}${more}.`,
    {
      hint: sentence`Name the values to import: ${typedOption('--only', `${header}=${[...known, first].slice(0, 4).join(',')}`)}; or import all rows: ${typedOption('--any', header)}`,
    },
  );
}

/** The sourcedIds that have a student's role and keep it. Throws `invalid_input` for a file that cannot be read. */
export async function studentsIn(roles: Table): Promise<Set<string>> {
  const keys = roles.header.map(headerKey);
  const [user = -1, role = -1, status = -1] = ['usersourcedid', 'role', 'status'].map((key) => keys.indexOf(key));
  if (user < 0 || role < 0) {
    throw new CliError(
      'invalid_input',
      sentence`${roles.name} is expected to hold the roles of the users, but has no columns "userSourcedId" and "role".`,
      {
        hint: "Put the export's original file there, or import the users from a folder without it.",
      },
    );
  }
  const students = new Set<string>();
  for await (const rows of roles.rows()) {
    for (const { cells } of rows) {
      const cell = (index: number) => cells[index]?.trim() ?? '';
      if (headerKey(cell(role)) === 'student' && !deletion.test(cell(status))) students.add(cell(user));
    }
  }
  return students;
}

/** The note for a missing file of roles. */
export function missingRoles(shape: ColumnShape, table: Table): string {
  return `${shape.name.replace(/^a/, 'A')} has its roles in ${shape.roles}, which is not beside ${quote(table.name)}: every row is treated as a student.`;
}
