/** Checks of who is in the exam: their number, their addresses, the roster. */
import { count, students as studentsInWords } from '../../model/count.ts';
import { firstInLine } from '../../model/first-of.ts';
import { removalsAtMost } from '../../model/removal-limit.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { type Check, failed, ok, skipped, warning } from './preflight-check.ts';
import { isWaiting, type Roster, type Student, type Subject } from './subject.ts';

/** So many are named; JSON has no more, because the list of the exam has them all. */
export const namedAtMost = 3;

/** Without a roster its file is for the user to name. */
const importLine = ({ exam, roster, command }: Subject, ...options: string[]) =>
  command('sessions import', [roster?.file ?? 'FILE'], typedOption('--exam', exam.id), ...(roster?.options ?? []), ...options);

const listLine = ({ exam, command }: Pick<Subject, 'exam' | 'command'>) => command('sessions list', [], typedOption('--exam', exam.id));

export const studentsCount: Check = {
  name: 'students: number',
  title: 'the exam has students',
  needs: [],
  judge(subject) {
    const { students, unread } = subject;
    if (unread.students !== undefined) return { ...skipped(unread.students), remedy: listLine(subject), unread: true };
    return students.length === 0 ? failed('the exam has no students', importLine(subject)) : ok(studentsInWords(students.length));
  },
};

export const studentsDuplicates: Check = {
  name: 'students: duplicates',
  title: 'each address is in the exam once, whatever its spelling',
  needs: ['students', 'addresses'],
  judge(subject) {
    const groups = [...byKey(subject.students).values()].filter((group) => group.length > 1);
    if (groups.length === 0) return ok(`${studentsInWords(subject.students.length)}, no address twice`);
    const words = (group: readonly Student[]) => `${group[0]?.email} (${namesOf(group)})`;
    const many = groups.length === 1 ? '1 address is' : `${groups.length} addresses are`;
    return failed(`${many} in the exam more than once: ${firstInLine(groups, words, namedAtMost)}`, removalOf(groups, subject));
  },
};

/** Deletes the later ones of each group, as long as their students have not begun. */
function removalOf(groups: readonly (readonly Student[])[], { exam, command }: Subject): string {
  const surplus = groups.flatMap((group) => {
    const kept = group.find((student) => !isWaiting(student)) ?? group[0];
    return group.filter((student) => student !== kept && isWaiting(student)).flatMap(({ session }) => session ?? []);
  });
  if (surplus.length > 0) return command('sessions delete', surplus);
  return listLine({ exam, command });
}

export const studentsAddresses: Check = {
  name: 'students: addresses',
  title: 'each student has an address, so that a mail can reach them',
  needs: ['students', 'addresses'],
  judge({ students, exam, command }) {
    const without = students.filter(({ email }) => email === undefined);
    if (without.length === 0) return ok(`${studentsInWords(students.length)}, each with an address`);
    const [first] = without;
    return warning(
      `${without.length} of ${studentsInWords(students.length)} ${without.length === 1 ? 'has' : 'have'} no address: ${namesOf(without)}`,
      first?.session === undefined ? listLine({ exam, command }) : command('sessions update', [first.session]),
    );
  },
};

export const studentsRoster: Check = {
  name: 'students: roster',
  title: 'the students of the roster (--roster) are in the exam, and no others',
  needs: ['students', 'addresses', 'roster'],
  judge(subject) {
    const { students, roster } = subject;
    const { addresses, unusable } = roster as Roster;
    const present = byKey(students);
    const missing = [...addresses].flatMap(([key, address]) => (present.has(key) ? [] : [address]));
    const extra = [...present].flatMap(([key, [student]]) => (addresses.has(key) ? [] : [student?.email ?? key]));
    const parts = [
      ...(unusable > 0 ? [`${count(unusable, 'line')} of the roster without a usable address`] : []),
      ...part(missing, 'of the roster missing'),
      ...part(extra, 'not in the roster'),
    ];
    if (parts.length === 0) return ok(`the ${studentsInWords(addresses.size)} of the roster`);
    const detail = parts.join('; ');
    if (missing.length > 0) return failed(detail, importLine(subject));
    // A student who seems to be one too many may be one of those lines.
    if (extra.length > 0 && unusable === 0)
      return warning(detail, importLine(subject, '--remove-missing', ...removals(subject, addresses)));
    return warning(detail, importLine(subject, '--dry-run'));
  },
};

/** The limit that the deletions need where they are more than an import allows by itself. */
function removals({ students }: Subject, addresses: ReadonlyMap<string, string>): string[] {
  const surplus = students.filter((student) => student.key !== undefined && !addresses.has(student.key));
  const deleted = surplus.filter((student) => student.session !== undefined && isWaiting(student)).length;
  return deleted > removalsAtMost(students.length) ? [`--max-removals ${deleted}`] : [];
}

function part(addresses: readonly string[], what: string): string[] {
  if (addresses.length === 0) return [];
  return [`${studentsInWords(addresses.length)} ${what}: ${firstInLine(addresses, (address) => address, namedAtMost)}`];
}

function byKey(students: readonly Student[]): Map<string, Student[]> {
  const groups = new Map<string, Student[]>();
  for (const student of students) {
    if (student.key === undefined) continue;
    const group = groups.get(student.key);
    if (group) group.push(student);
    else groups.set(student.key, [student]);
  }
  return groups;
}

/** "session 12", "sessions 12, 14 and 3 more". */
export function namesOf(students: readonly { session: string | undefined }[]): string {
  const ids = students.flatMap(({ session }) => session ?? []);
  if (ids.length === 0) return 'the service shows no IDs';
  return `${ids.length === 1 ? 'session' : 'sessions'} ${firstInLine(ids, (id) => id, namedAtMost)}`;
}
