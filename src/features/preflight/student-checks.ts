/** Checks of who is in the exam: their number, their addresses, their mails. */
import { students as studentsInWords } from '../../model/count.ts';
import { firstInLine } from '../../model/first-of.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { type Check, failed, ok, skipped, warning } from './preflight-check.ts';
import { isRegistered, isWaiting, type Student, type Subject } from './subject.ts';

/** So many are named; JSON has no more, because the list of the exam has them all. */
export const namedAtMost = 3;

const listLine = ({ exam, command }: Pick<Subject, 'exam' | 'command'>) => command('sessions list', [], typedOption('--exam', exam.id));

export const studentsCount: Check = {
  name: 'students: number',
  needs: [],
  judge(subject) {
    const { students, unread, exam, command } = subject;
    if (unread.students !== undefined) return { ...skipped(unread.students), remedy: listLine(subject), unread: true };
    if (students.length > 0) return ok(studentsInWords(students.length));
    return failed('the exam has no students', command('sessions import', ['FILE'], typedOption('--exam', exam.id)));
  },
};

export const studentsDuplicates: Check = {
  name: 'students: duplicates',
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

export const mails: Check = {
  name: 'mails',
  needs: ['students', 'statuses'],
  judge({ students, exam, command }) {
    const waiting = students.filter((student) => isRegistered(student) && (student.email !== undefined || !student.showsEmail));
    if (waiting.length === 0) return ok(students.length === 0 ? 'no students' : 'no student is waiting for a mail');
    const again = students.length - waiting.length;
    const rest = again === 0 ? '' : '; mailing them also mails the others again';
    return warning(
      `${waiting.length} of ${studentsInWords(students.length)} ${waiting.length === 1 ? 'is' : 'are'} registered and not mailed${rest}`,
      command('exams send-emails', [exam.id]),
    );
  },
};

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
