/** Checks of the windows that sessions have of their own, between open_time and close_time. */
import { count } from '../../model/count.ts';
import { durationInWords } from '../../model/duration.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { typedTime } from '../../model/time.ts';
import { type Check, failed, ok, skipped, warning } from './preflight-check.ts';
import { namesOf } from './student-checks.ts';
import { hasOwnWindow, type Student, type Subject, spanOf, windowOf } from './subject.ts';

/** Gives sessions the window of the exam, and never a shorter one than they have: the first of them, and all who close when it does. */
function reset(students: readonly Student[], subject: Subject): string {
  const { start, end } = spanOf(subject);
  const closes = (student: Student) => {
    const own = windowOf(student, spanOf(subject));
    return Math.max(end, start + own.closes - own.opens);
  };
  const [first] = students;
  const alike = students.filter((student) => first && closes(student) === closes(first));
  const times = [start, first ? closes(first) : end].map((time) => typedTime(time, subject.shownZone));
  return update(alike, subject, `--open-time ${times[0]} --close-time ${times[1]}`);
}

function update(students: readonly Student[], { exam, command }: Subject, options: string): string {
  const ids = students.flatMap(({ session }) => session ?? []);
  if (ids.length === 0) return command('sessions list', [], typedOption('--exam', exam.id));
  return command('sessions update', ids, options);
}

function extend(students: readonly Student[], { exam, command }: Subject): string {
  const ids = students.flatMap(({ session }) => session ?? []);
  if (ids.length === 0) return command('sessions list', [], typedOption('--exam', exam.id));
  return command('sessions extend', ids, '--by DURATION');
}

export const windowsOrder: Check = {
  name: 'windows: order',
  needs: ['students', 'times', 'windows'],
  judge(subject) {
    const span = spanOf(subject);
    const own = subject.students.filter(hasOwnWindow);
    const inverted = own.filter((student) => {
      const { opens, closes } = windowOf(student, span);
      return closes <= opens;
    });
    if (inverted.length === 0) return ok(`${count(own.length, 'session')} with a window of ${own.length === 1 ? 'its' : 'their'} own`);
    return failed(`${windows(inverted)} before opening: ${namesOf(inverted)}`, reset(inverted, subject));
  },
};

const windows = (students: readonly Student[]) => (students.length === 1 ? '1 window closes' : `${students.length} windows close`);

export const windowsExam: Check = {
  name: 'windows: exam',
  needs: ['students', 'times', 'windows'],
  judge(subject) {
    const span = spanOf(subject);
    const { start, end } = span;
    if (end <= start) return skipped('the exam does not end after it starts');
    const own = subject.students.map((student) => ({ student, ...windowOf(student, span) })).filter(({ student }) => hasOwnWindow(student));
    const outside = own.filter(({ opens, closes }) => closes <= start || opens >= end).map(({ student }) => student);
    if (outside.length > 0) {
      const what = outside.length === 1 ? '1 window is' : `${outside.length} windows are`;
      return failed(`${what} outside the exam: ${namesOf(outside)}`, reset(outside, subject));
    }
    const short = own.filter(({ opens, closes }) => closes - Math.max(opens, start) < end - start);
    if (short.length === 0) return ok(`${count(own.length, 'session')} with a window of ${own.length === 1 ? 'its' : 'their'} own`);
    // The exam may have moved under a window with extra time: how much that was, only the office knows.
    const early = short.map(({ student }) => student);
    const shortest = Math.min(...short.map(({ opens, closes }) => Math.max(0, closes - Math.max(opens, start))));
    const many = short.length === 1 ? '1 window is' : `${short.length} windows are`;
    return warning(
      `${many} shorter than the exam, down to ${durationInWords(shortest)}: ${namesOf(short.map(({ student }) => student))}`,
      extend(early, subject),
    );
  },
};
