/** The sentences of a report, the same on a terminal and on the page. */

import { count, students } from '../../model/count.ts';
import { idAndName } from '../../model/describe.ts';
import type { ExamReport } from '../../model/report-content.ts';
import { instantOf, showDay, showTime } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { totalsOf } from './totals.ts';

/** Exam, name and times in one line. */
export function headline({ exam, name, start_time, end_time }: ExamReport, zone: string): Sentence {
  const time = (value: ExamReport['start_time']) => (value === null ? 'no time given' : showTime(value, zone));
  return sentence`Exam ${idAndName(exam, name)}: ${time(start_time)} to ${time(end_time)}`;
}

/** How many exams and when, and their numbers: "2 exams, 2027-03-22 to 2027-04-02: 40 students, 38 present, 2 no-shows, 0 stuck, 1 with suspicion 2–3, 5 not rated." */
export function periodHeadline(reports: readonly ExamReport[], zone: string): Sentence {
  const { counts } = totalsOf(reports);
  const numbers = `${students(counts.students)}, ${counts.present} present, ${count(counts.no_shows, 'no-show')}, ${counts.stuck} stuck, ${counts.suspicious} with suspicion 2–3, ${counts.not_rated} not rated`;
  return reports.length === 0 ? sentence`No exams.` : sentence`${periodInWords(reports, zone)}: ${numbers}.`;
}

/** "12 exams, 2027-03-22 to 2027-04-02", as far as they show when they start. */
export function periodInWords(reports: readonly ExamReport[], zone: string): string {
  const starts = reports.flatMap(({ start_time }) => instantOf(start_time) ?? []).sort((a, b) => a - b);
  const [first, last] = [starts[0], starts.at(-1)].map((start) => start && showDay(start / 1000, zone));
  const when = first === undefined ? '' : first === last ? `, ${first}` : `, ${first} to ${last}`;
  return `${count(reports.length, 'exam')}${when}`;
}

/** "The figures of 2 exams are not final": how many of the reports may still change by themselves. */
export function notFinal(reports: readonly ExamReport[]): string {
  return `The figures of ${count(reports.filter(({ preliminary }) => preliminary).length, 'exam')} are not final`;
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

/** What the counts mean, in their order. */
export const meanings: readonly { name: string; means: string }[] = [
  { name: 'Present', means: 'has started at least the check: finished, in progress or stuck.' },
  { name: 'Finished', means: 'has the status exam_finished.' },
  { name: 'In progress', means: 'has started the check or the exam, and may still finish.' },
  {
    name: 'Stuck',
    means: 'has started and can no longer finish: the exam is over, or the time to start is over and only the check was started.',
  },
  { name: 'Not started yet', means: 'is registered or mail_sent, and may still start.' },
  {
    name: 'No-show',
    means: "is registered or mail_sent, and the time to start is over: the student's close_time, or else the end of the exam.",
  },
  { name: 'Not mailed', means: 'is still registered: the service shows no mail to this student.' },
  { name: 'Suspicion', means: 'the rating of the service, from 1 to 3: a reason to check, not a finding.' },
  { name: 'Not rated', means: 'has level 0, or the service shows no level. It does not mean cleared; no-shows are counted here, too.' },
];
