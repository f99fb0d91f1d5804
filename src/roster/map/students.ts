/**
 * Finds the rows that are not students: by columns such as role or status, by marks of deletion, by the rules of
 * the export's shape, by a file of roles beside it. Known values are left out and counted; for unknown ones it
 * asks, or fails until `--only` or `--any` decides.
 */
import { CliError } from '../../errors.ts';
import { firstInLine } from '../../model/first-of.ts';
import { nearest } from '../../model/nearest.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { quote } from '../read/quote.ts';
import type { Table } from '../read/table.ts';
import { columnNamed } from './columns.ts';
import { type DecidingKind, tells, type Verdict, verdictOn } from './deciding.ts';
import type { ColumnShape } from './shapes.ts';
import { type Deciding, keptValues, type Survey, valueIn } from './survey.ts';
import { headerKey } from './vocabulary.ts';

/** Why a row is left out, in a few words; undefined for a student. */
export type LeftOut = (cells: readonly string[]) => string | undefined;

export type PeopleOptions = {
  /** Header → the values of the imported rows. */
  only?: { readonly [header: string]: readonly string[] };
  /** Headers of columns that decide nothing. */
  any?: readonly string[];
  /** Which of these values mean a student; undefined leaves them unknown. */
  askStudents?:
    | ((header: string, values: readonly { value: string; count: number }[]) => Promise<readonly string[] | undefined>)
    | undefined;
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
  { any, only, askStudents }: Choices & Pick<PeopleOptions, 'askStudents'>,
): Promise<People> {
  const keys = table.header.map(headerKey);
  const id = keys.indexOf('sourcedid');
  const rules = (shape?.leaveOut ?? []).map((rule) => ({ ...rule, index: keys.indexOf(rule.column) })).filter(({ index }) => index >= 0);
  const judges: Judge[] = [];
  const decided: Decided[] = [];
  const choices: [string, readonly string[]][] = [];
  for (const column of deciding) {
    const { index, header, values } = column;
    const wanted = only.get(index);
    if (wanted) refuseAbsent(column, wanted);
    const chosen = wanted ?? (any.has(index) ? undefined : await chosenAmong(column, askStudents));
    if (chosen) choices.push([header, [...chosen].sort()]);
    if (any.has(index)) choices.push([header, ['*']]);
    const verdict = verdictIn(column);
    const known = (value: string) => verdict(value) === 'student' || chosen?.has(value.toLowerCase()) === true;
    const isStudent = any.has(index) ? () => true : wanted ? has(wanted) : known;
    const judge: Judge = { index, kind: column.kind, isStudent };
    judges.push(judge);
    decided.push({
      header,
      values: [...values].sort(([, a], [, b]) => b - a).map(([value, count]) => ({ value, count, imported: judge.isStudent(value) })),
    });
  }
  const leftOut: LeftOut = (cells) => {
    const cell = (index: number) => cells[index]?.trim() ?? '';
    for (const { index, when, column, reason } of rules) {
      if (when.test(cell(index))) return reason ?? `${column} ${cell(index).toLowerCase()}`;
    }
    for (const { index, kind, isStudent } of judges) {
      const value = valueIn(cells, index);
      if (!isStudent(value))
        return `${kind === 'role' || kind === 'status' ? kind : (table.header[index] ?? '')} ${value === '' ? 'empty' : value.toLowerCase()}`;
    }
    return students && id >= 0 && !students.has(cell(id)) ? 'no student role in roles.csv' : undefined;
  };
  const columns = new Set([...judges.map(({ index }) => index), ...rules.map(({ index }) => index), ...(students ? [id] : [])]);
  return { leftOut, columns, decided, choices };
}

const has = (values: ReadonlySet<string>) => (value: string) => values.has(value.toLowerCase());

/**
 * What a value says where nothing else is said of it. An empty cell tells nothing, except beside the marks of other rows.
 * Among groups, an unknown value is one more group, unless students are named there too.
 */
function verdictIn({ header, kind, values }: Deciding): (value: string) => Verdict {
  const namesStudents = kind === 'group' && [...values.keys()].some((value) => verdictOn(kind, value) === 'student');
  return (value) => {
    if (value === '') return kind === 'mark' ? 'unknown' : 'student';
    const verdict = verdictOn(kind, value);
    if (kind === 'group') return verdict === 'unknown' && !namesStudents ? 'student' : verdict;
    // Only a person knows what a column without a known name is about.
    return kind === 'any' ? (tells(header, value) ? 'unknown' : 'student') : verdict;
  };
}

type Choices = { any: ReadonlySet<number>; only: ReadonlyMap<number, ReadonlySet<string>> };

/** What `--only` and `--any` say, by column; values in lower case. Throws `invalid_input` for columns that the table lacks. */
export function choicesIn(table: Table, options: PeopleOptions): Choices {
  const any = new Set((options.any ?? []).map((header) => columnNamed(header, table, (meant) => sentence`${typedOption('--any', meant)}`)));
  const only = new Map<number, Set<string>>();
  for (const [header, values] of Object.entries(options.only ?? {})) {
    const index = columnNamed(header, table, (meant) => sentence`${typedOption('--only', `${meant}=${valuesTyped(values)}`)}`);
    if (any.has(index))
      throw new CliError('usage', sentence`--only and --any both name column ${quote(table.header[index] ?? '')}.`, {
        hint: 'Leave out one of them.',
      });
    only.set(index, new Set([...(only.get(index) ?? []), ...values.map((value) => value.trim().toLowerCase())]));
  }
  return { any, only };
}

/** Refuses an `--only` of which the column has no value: every row would be left out. */
function refuseAbsent({ header, values }: Deciding, wanted: ReadonlySet<string>): void {
  if (values.size > keptValues || [...values.keys()].some((value) => wanted.has(value.toLowerCase()))) return;
  const present = [...values].sort(([, a], [, b]) => b - a).map(([value]) => value);
  const meant = [...wanted].map((value) => nearest(value, present)).find((value) => value !== undefined);
  throw new CliError(
    'invalid_input',
    sentence`Column ${quote(header)} has no value of --only. Its values: ${firstInLine(present, valueShown, 8)}.`,
    {
      hint:
        meant === undefined
          ? 'Give the values as they are in the file.'
          : sentence`Did you mean ${typedOption('--only', `${header}=${valuesTyped([meant])}`)}?`,
    },
  );
}

/** The unknown values that mean a student, as a person says; undefined where all are known. Throws `invalid_input`. */
async function chosenAmong(column: Deciding, askStudents: PeopleOptions['askStudents']): Promise<Set<string> | undefined> {
  const { index, header, kind, values } = column;
  const verdict = verdictIn(column);
  const unknown = [...values].filter(([value]) => verdict(value) === 'unknown').map(([value, count]) => ({ value, count }));
  if (unknown.length === 0) return undefined;
  const chosen = await askStudents?.(header, unknown);
  if (chosen) return new Set(chosen.map((value) => value.toLowerCase()));
  const known = [...values.keys()].filter((value) => verdict(value) === 'student');
  const told = unknown.slice(0, 8).map(({ value, count }) => `${valueShown(value)} (${count})`);
  const more = unknown.length > told.length ? ` and ${unknown.length - told.length} more` : '';
  const what =
    kind === 'any'
      ? sentence`Column ${quote(header)} (column ${index + 1}) may decide which rows are imported: it contains ${told.join(', ')}${more}.`
      : sentence`Column ${quote(header)} decides which rows are imported, but has unknown values: ${told.join(', ')}${more}.`;
  // Beside the dates of withdrawals, empty cells and marks, the values to import are the known ones.
  const example = ['role', 'status', 'group'].includes(kind) ? [...known, (unknown[0] as { value: string }).value] : known;
  throw new CliError('invalid_input', what, {
    hint: sentence`Name the values to import: ${typedOption('--only', `${header}=${valuesTyped(example)}`)}; or import all rows: ${typedOption('--any', header)}`,
  });
}

/** A value of a column in words. */
export function valueShown(value: string): string {
  return value === '' ? 'empty' : quote(value);
}

/** Values as `--only` takes them; of many the first. */
function valuesTyped(values: readonly string[]): string {
  const typed = values.slice(0, 8).map((value) => (/[,"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value));
  return values.length > typed.length ? `${typed.join(',')},…` : typed.join(',');
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

/**
 * The note for a missing file of roles, once a person or `--any` says that every row is a student; none for rejects,
 * which are rows of students. Throws `invalid_input` otherwise: such an export has the teachers among its users.
 */
export async function missingRoles(shape: ColumnShape, table: Table, { any = [], askYes }: RolesOptions): Promise<string[]> {
  const roles = shape.roles ?? '';
  if (table.header.includes('reject_code')) return [];
  const what = `${shape.name.replace(/^a/, 'A')} has its roles in ${roles}, which is not beside ${quote(table.name)}`;
  if (any.includes(roles) || (await askYes?.(sentence`${what}. Import every row as a student?`)))
    return [`${what}: every row is treated as a student.`];
  throw new CliError('invalid_input', sentence`${what}: students cannot be told from teachers.`, {
    hint: sentence`Import the whole export (its zip file, or from its folder); or import every row: ${typedOption('--any', roles)}`,
  });
}

type RolesOptions = Pick<PeopleOptions, 'any'> & { askYes?: ((question: Sentence) => Promise<boolean>) | undefined };
