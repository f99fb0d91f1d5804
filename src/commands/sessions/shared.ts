/** Student sessions (specification 4.2), and one student by way of the exam (4.1). */
import type { Column } from '../../command.ts';
import { fieldColumns, fieldFlags } from '../shared.ts';

export const sessionColumns: readonly Column[] = [{ key: 'id' }, ...fieldColumns('session')];

export const sessionFields = fieldFlags('session');

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
