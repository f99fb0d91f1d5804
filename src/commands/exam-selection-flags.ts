/**
 * The flags that select exams, alike in every command that takes several: spread `examSelection` into `flags`,
 * put `anyExam` into `anyOf`, and give the values to `selectExams`. Commands that took one ID before take several
 * in its place (`someExams`), which `selectionOf` adds to --exam.
 */
import type { Argument, Body, NumberFlag, TextFlag, TextsFlag, TimeFlag, Values } from '../command.ts';

export const examSelection = {
  exam: { type: 'texts', value: 'id', complete: 'exams', description: 'exams to include; can be repeated' },
  name: {
    type: 'text',
    value: 'text',
    description: 'only exams with this in their name; with * or ?, the whole name; case and accents are ignored',
  },
  from: { type: 'time', day: 'start', description: 'only exams that start at this time or later; a date means the beginning of the day' },
  until: { type: 'time', day: 'end', description: 'only exams that start at this time or earlier; a date means the end of the day' },
} as const satisfies Record<string, TextFlag | TextsFlag | TimeFlag>;

/** At least one of them; without any, a picker on a terminal. */
export const anyExam = ['exam', 'from', 'until', 'name'] as const;

/** The delay after which a student who has not started is late. Milliseconds. */
export const lateFlag = {
  type: 'duration',
  value: 'duration',
  least: 0,
  most: 86_400_000,
  standard: 600_000,
  description: 'time after which a student who could start, and has not, is a problem (default: 10m)',
} as const satisfies NumberFlag;

/** Among whose users proctors are looked up. */
export const instituteFlag = {
  type: 'text',
  value: 'id',
  rare: true,
  description: "institute among whose users proctors are looked up, instead of the profile's",
} as const satisfies TextFlag;

export const someExams = {
  ids: { description: 'IDs of exams, the same as --exam', variadic: true, optional: true, complete: 'exams' },
} as const satisfies Record<string, Argument>;

type Given = Partial<Values<typeof someExams, typeof examSelection>> & Partial<Pick<Body, 'typedTimes'>>;

export function selectionOf({ ids = [], exam = [], from, until, name, typedTimes }: Given) {
  return { exam: [...ids, ...exam], from, until, name, typedTimes };
}

/** The exam that a command is about. */
export const examFlag = {
  type: 'text',
  value: 'id',
  complete: 'exams',
  description: 'ID of the exam',
} as const satisfies TextFlag;
