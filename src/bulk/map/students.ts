/**
 * Who in a roster is no student: by the column of roles, by a deletion, by what the export's shape
 * says, by a file of roles beside it. Only what is known to be no student is left out; a role that
 * nobody has heard of stays, because a student who is missing is worse than a guest.
 */
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';
import { quote } from '../read/quote.ts';
import type { Table } from '../read/table.ts';
import type { Shape } from './shapes.ts';
import { headerKey } from './vocabulary.ts';

/** Why a row is left out, in a few words; undefined for a student. */
export type LeftOut = (cells: readonly string[]) => string | undefined;

/** `columns`: the indexes of those that decide. */
type Rule = { leftOut: LeftOut; columns: ReadonlySet<number> };

const staff = new Set(
  `teacher editingteacher noneditingteacher teachingassistant ta instructor primaryinstructor secondaryinstructor reader grader lecturer
    professor faculty staff admin administrator systemadministrator siteadministrator districtadministrator principal counselor
    aide guardian parent relative proctor manager coursecreator designer contentdeveloper observer teacherenrollment taenrollment
    lehrer lehrerin lehrende lehrender dozent dozentin dozierende trainer trainerin tutor tutorin betreuer betreuerin
    enseignant enseignante professeur professeure formateur formatrice surveillant gestionnaire`.split(/\s+/),
);
const roleHeaders = new Set(['role', 'roles', 'role1', 'rolle', 'rollen']);
const deletion = /^to\s?be\s?deleted$|^deleted$/i;

export function leftOutBy(table: Table, shape: Shape | undefined, students: ReadonlySet<string> | undefined): Rule {
  const keys = table.header.map(headerKey);
  const roles = keys.flatMap((key, index) => (roleHeaders.has(key) ? [index] : []));
  const status = keys.indexOf('status');
  const id = keys.indexOf('sourcedid');
  const rules = (shape?.leaveOut ?? []).map((rule) => ({ ...rule, index: keys.indexOf(rule.column) })).filter(({ index }) => index >= 0);
  const leftOut: LeftOut = (cells) => {
    const cell = (index: number) => cells[index]?.trim() ?? '';
    for (const { index, when, column, reason } of rules) {
      if (when.test(cell(index))) return reason ?? `${column} ${cell(index).toLowerCase()}`;
    }
    if (status >= 0 && deletion.test(cell(status))) return `status ${cell(status).toLowerCase()}`;
    for (const index of roles) {
      if (isStaff(cell(index))) return `role ${cell(index).toLowerCase()}`;
    }
    return students && id >= 0 && !students.has(cell(id)) ? 'no student role in roles.csv' : undefined;
  };
  return { leftOut, columns: new Set([...roles, status, ...rules.map(({ index }) => index), ...(students ? [id] : [])]) };
}

/** Whether every role in a cell is one of those who are no students. */
function isStaff(cell: string): boolean {
  const named = cell.split(/[,;|/]/).filter((role) => role.trim() !== '');
  return named.length > 0 && named.every((role) => staff.has(headerKey(role)));
}

/** The sourcedIds that have a student's role and keep it. Throws `invalid_input` for a file that cannot be read. */
export async function studentsIn(roles: Table): Promise<Set<string>> {
  const keys = roles.header.map(headerKey);
  const [user = -1, role = -1, status = -1] = ['usersourcedid', 'role', 'status'].map((key) => keys.indexOf(key));
  if (user < 0 || role < 0) {
    throw new CliError(
      'invalid_input',
      sentence`${roles.name} is taken for the roles of the users, and has no columns "userSourcedId" and "role".`,
      {
        hint: "Put the export's own file there, or import the users from a folder without it.",
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

/** What is to be said where a file of roles is wanted and missing. */
export function missingRoles(shape: Shape, table: Table): string {
  return `${shape.name.replace(/^a/, 'A')} has its roles in ${shape.roles}, which is not beside ${quote(table.name)}: everyone in it is taken for a student.`;
}
