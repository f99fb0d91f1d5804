/** What commands about sessions have in common: their columns, and which of them are meant. */
import type { Column, Flags } from '../command.ts';
import { sessionStatuses } from '../model/status.ts';

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

/** Which sessions are meant; `sessionFilter` reads them. */
export const sessionFilterFlags = {
  status: {
    type: 'text',
    value: 'statuses',
    suggests: sessionStatuses,
    description: `only sessions with one of these statuses, separated by commas: ${sessionStatuses.join(', ')}`,
  },
  notStatus: {
    type: 'text',
    value: 'statuses',
    suggests: sessionStatuses,
    description: 'only sessions with none of these statuses',
  },
  email: { type: 'text', value: 'text', description: 'only sessions with this in their address; case and accents are ignored' },
} as const satisfies Flags;
