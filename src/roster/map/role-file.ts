/** The file beside a roster that says who is a student, by sourcedId: the roles of a OneRoster 1.2 or Microsoft SDS export. */
import { CliError } from '../../errors.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { capitalised, type Sentence, sentence } from '../../text/sentence.ts';
import type { RosterFormat } from '../formats/roster-format.ts';
import { headerKey } from '../header-key.ts';
import { quote } from '../read/quote.ts';
import type { Table } from '../read/source-table.ts';
import type { AskYes } from './address-column.ts';
import { foldedText } from './declaration.ts';

export type RoleFile = {
  /** The indexes of the columns that are compared with the file. */
  columns: readonly number[];
  notes: readonly Sentence[];
  leftOut(cells: readonly string[]): string | undefined;
};

const none: RoleFile = { columns: [], notes: [], leftOut: () => undefined };

type RoleOptions = { ignored: readonly string[]; askYes: AskYes | undefined };

/** Throws `invalid_input` if the file is another one, or is missing: the users include teachers. */
export async function roleFileOf(table: Table, format: RosterFormat | undefined, { ignored, askYes }: RoleOptions): Promise<RoleFile> {
  const { roles } = format ?? {};
  if (roles === undefined || format === undefined) return none;
  const file = await table.beside(roles);
  if (file) {
    const students = await studentsIn(file).finally(file.close);
    const id = table.header.map(headerKey).indexOf('sourcedid');
    const leftOut = (cells: readonly string[]) => (students.has(cells[id]?.trim() ?? '') ? undefined : `no student role in ${roles}`);
    return { columns: [id], notes: [], leftOut };
  }
  if (table.header.includes('reject_code')) return none;
  const what = `${capitalised(format.name)} has its roles in ${roles}, which is not beside ${quote(table.name)}`;
  if (ignored.some((header) => foldedText(header) === roles) || (await askYes?.(sentence`${what}. Import every row as a student?`)))
    return { ...none, notes: [sentence`${what}: every row is treated as a student.`] };
  throw new CliError('invalid_input', sentence`${what}: students cannot be told from teachers.`, {
    hint: sentence`Import the whole export (its zip file, or from its folder); or import every row: ${typedOption('--ignore-column', roles)}`,
  });
}

/** The sourcedIds with an active student's role. */
async function studentsIn(roles: Table): Promise<Set<string>> {
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
      const cell = (index: number) => foldedText(cells[index] ?? '');
      if (cell(role) === 'student' && ['', 'active'].includes(cell(status))) students.add((cells[user] ?? '').trim());
    }
  }
  return students;
}
