/** The sentences of a report, the same on a terminal and on the page. */

import { count, students } from '../../model/count.ts';
import { idAndName } from '../../model/describe.ts';
import { instantOf, showDay, showTime } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { ExamReport } from './report-figures.ts';

/** Exam, name and times in one line. */
export function headline({ exam, name, start_time, end_time }: ExamReport, zone: string): Sentence {
  const time = (value: ExamReport['start_time']) => (value === null ? 'no time given' : showTime(value, zone));
  return sentence`Exam ${idAndName(exam, name)}: ${time(start_time)} to ${time(end_time)}`;
}

/** How many exams and when, and their numbers: "2 exams, 2027-03-22 to 2027-04-02: 40 students, 38 present, 2 no-shows, 0 stuck, 1 with suspicion 2–3, 5 not rated." */
export function headlineOfAll(reports: readonly ExamReport[], zone: string): Sentence {
  if (reports.length === 0) return sentence`No exams.`;
  const sum = (key: keyof ExamReport['counts']) => reports.reduce((all, { counts }) => all + counts[key], 0);
  const numbers = `${students(sum('students'))}, ${sum('present')} present, ${count(sum('no_shows'), 'no-show')}, ${sum('stuck')} stuck, ${sum('suspicious')} with suspicion 2–3, ${sum('not_rated')} not rated`;
  return sentence`${examsInWords(reports, zone)}: ${numbers}.`;
}

/** "12 exams, 2027-03-22 to 2027-04-02", as far as they show when they start. */
export function examsInWords(reports: readonly ExamReport[], zone: string): string {
  const starts = reports.flatMap(({ start_time }) => instantOf(start_time) ?? []).sort((a, b) => a - b);
  const [first, last] = [starts[0], starts.at(-1)].map((start) => start && showDay(start / 1000, zone));
  const when = first === undefined ? '' : first === last ? `, ${first}` : `, ${first} to ${last}`;
  return `${count(reports.length, 'exam')}${when}`;
}

/** Why the numbers may still change by themselves; undefined where they cannot. */
export function whyPreliminary({ preliminary, standing, counts }: ExamReport): string | undefined {
  if (!preliminary) return undefined;
  switch (standing) {
    case 'ahead':
      return 'the exam has not started. Students who have not started yet are not counted as no-shows.';
    case 'running':
      return 'the exam is not over. Students who have not started yet are not counted as no-shows.';
    case 'open':
      return 'the exam has no readable end. Only students whose own window is over are counted as no-shows.';
    case 'over': {
      const open = counts.in_progress + counts.not_started_yet;
      return `the exam is over, but ${open === 1 ? '1 student has a window that is' : `${open} students have windows that are`} still open.`;
    }
  }
}
