/** What commands about sessions have in common: their columns, and the exam that they are about. */
import type { Column, TextFlag } from '../command.ts';

export const sessionColumns: readonly Column[] = [
  { key: 'id' },
  { key: 'email' },
  { key: 'name', identifies: true },
  { key: 'status', as: 'status', identifies: true },
  { key: 'open_time', title: 'opens', as: 'time', detail: true },
  { key: 'close_time', title: 'closes', as: 'time' },
  { key: 'level_of_suspicion', title: 'suspicion', as: 'suspicion' },
  { key: 'skip_requirements', title: 'skips requirements', as: 'boolean', detail: true },
];

/** The exam that a command is about. */
export const examFlag = {
  type: 'text',
  value: 'id',
  complete: 'exams',
  description: 'ID of the exam',
} as const satisfies TextFlag;
