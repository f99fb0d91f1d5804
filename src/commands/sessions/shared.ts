/** Student sessions (specification 4.2), and one student by way of the exam (4.1). */
import type { Column, Flags } from '../../command.ts';
import { windowTitles } from '../../model/fields.ts';

export const sessionColumns: readonly Column[] = [
  { key: 'id' },
  { key: 'email' },
  { key: 'dialect.sessionNameKey', title: 'name', identifies: true },
  { key: 'dialect.sessionNumberKey', title: 'number' },
  { key: 'status', as: 'status', identifies: true },
  { key: 'open_time', title: windowTitles.open_time, as: 'time', detail: true },
  { key: 'close_time', title: windowTitles.close_time, as: 'time' },
  { key: 'level_of_suspicion', title: 'suspicion', as: 'suspicion' },
  { key: 'skip_requirements', title: 'skips requirements', as: 'boolean', detail: true },
];

export const sessionFields = {
  email: { type: 'text', value: 'address', field: 'email', description: "the student's e-mail address" },
  name: { type: 'text', value: 'name', field: 'dialect.sessionNameKey', description: "the student's name" },
  openTime: { type: 'time', field: 'open_time', description: 'earliest time to start (START FROM)' },
  closeTime: { type: 'time', field: 'close_time', after: 'openTime', description: 'latest time to start (START BY)' },
  skipRequirements: { type: 'boolean', field: 'skip_requirements', description: 'skip the check of the requirements' },
} as const satisfies Flags;

export const oneSession = { id: { description: 'ID of the session', complete: 'sessions' } } as const;

export const sessions = { description: 'IDs of the sessions', variadic: true, complete: 'sessions' } as const;

/** What adds one student to an exam, by either of the service's two ways. */
export const studentCreation = {
  summary: 'Add one student to an exam',
  columns: sessionColumns,
  fields: sessionFields,
  what: 'a student with this address',
  needs: ['exam'],
} as const;
