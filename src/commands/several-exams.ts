/** What commands that take several exams have in common. */
import type { Arguments, Body, BooleanFlag, Column, NumberFlag, TextFlag, Values } from '../command.ts';
import type { examSelection } from './courses.ts';

/** At least one of them; without any, a picker on a terminal. */
export const anyExam = ['exam', 'from', 'until', 'name'] as const;

export const lateFlag = {
  type: 'duration',
  value: 'duration',
  least: 0,
  most: 86_400_000,
  standard: 600_000,
  description: 'time after which a student who could start, and has not, is a problem (default: 10m)',
} as const satisfies NumberFlag;

export const instituteFlag = {
  type: 'text',
  value: 'id',
  rare: true,
  description: "institute among whose users proctors are looked up, instead of the profile's",
} as const satisfies TextFlag;

export const someExams = {
  ids: {
    description: 'IDs of exams, the same as --exam',
    variadic: true,
    optional: true,
    complete: 'exams',
  },
} as const satisfies Arguments;

type Given = Partial<Values<typeof someExams, typeof examSelection> & Pick<Body, 'typedTimes'>>;

export function selectionOf({ ids = [], exam = [], from, until, name, typedTimes }: Given) {
  return { exam: [...ids, ...exam], from, until, name, typedTimes };
}

export const timesColumns: readonly Column[] = [
  ...['exam', 'session', 'email', 'field'].map((key) => ({ key })),
  { key: 'from', as: 'time' },
  { key: 'to', as: 'time', identifies: true },
  { key: 'result', identifies: true },
  { key: 'reason' },
];

export const again = {
  type: 'boolean',
  rare: true,
  description: 'do it once more, although a run has done it by the same amount within the hour',
} as const satisfies BooleanFlag;
