/** The flags with which lists are filtered, sorted and cut short, alike in every command that has them. */
import type { Flags } from '../command.ts';
import { sessionStatuses } from '../model/status.ts';

export const listFlags = {
  sort: {
    type: 'text',
    value: 'fields',
    complete: 'keys',
    description: 'fields to sort by, separated by commas; -field for the reverse; rows without a value come last',
  },
  limit: { type: 'number', value: 'number', least: 1, most: 1_000_000_000, description: 'print at most this many rows' },
} as const satisfies Flags;

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
