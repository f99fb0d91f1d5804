/**
 * The flags that select exams, alike in every command that takes several: spread `examSelection` into `flags`,
 * put `anyExam` into `anyOf`, and give the values to `selectExams`.
 */
import type { RepeatedFlag, TextFlag, TimeFlag } from '../command.ts';

export const examSelection = {
  exam: { type: 'texts', value: 'id', complete: 'exams', description: 'exam to include; may be repeated' },
  name: { type: 'text', value: 'text', description: 'only exams with this in their name; case and accents are ignored' },
  from: { type: 'time', day: 'start', description: 'only exams that start at this time or later; a date means from its beginning' },
  until: { type: 'time', day: 'end', description: 'only exams that start at this time or earlier; a date means until its end' },
} as const satisfies Record<string, RepeatedFlag | TextFlag | TimeFlag>;

/** At least one of them; without any, a picker on a terminal. */
export const anyExam = ['exam', 'from', 'until', 'name'] as const;
