/** The sentences of a report, the same on a terminal and on the page. */

import type { ExamReport } from '../../model/exam-report.ts';
import { showTime } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

/** Exam, name and times in one line. */
export function headline({ exam, name, start_time, end_time }: ExamReport, zone: string): Sentence {
  const called = name === null ? `Exam ${exam}` : `Exam ${exam}, ${name}`;
  const time = (value: ExamReport['start_time']) => (value === null ? 'no time given' : showTime(value, zone));
  return sentence`${called}: ${time(start_time)} to ${time(end_time)}`;
}

/** Why the numbers may still change by themselves; undefined where they cannot. */
export function whyPreliminary({ preliminary, standing, counts }: ExamReport): string | undefined {
  if (!preliminary) return undefined;
  switch (standing) {
    case 'ahead':
      return 'the exam has not started. Students who may still start are not counted as no-shows.';
    case 'running':
      return 'the exam is not over. Students who may still start are not counted as no-shows.';
    case 'open':
      return 'the exam has no readable end. Only students whose own window is over are counted as no-shows.';
    case 'over': {
      const open = counts.under_way + counts.expected;
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
  { name: 'Expected', means: 'is registered or mail_sent, and may still start.' },
  {
    name: 'No-show',
    means: "is registered or mail_sent, and the time to start is over: the student's close_time, or else the end of the exam.",
  },
  { name: 'Not mailed', means: 'is still registered: the service shows no mail to this student.' },
  { name: 'Suspicion', means: 'the rating of the service: a reason to check, not a finding; "not rated" does not mean cleared.' },
];
