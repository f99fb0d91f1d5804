/** The flags with which lists are filtered, sorted and cut short, alike in every command that has them. */
import type { TextFlag } from '../command.ts';
import { sessionStatuses } from '../model/status.ts';
import { wholeNumber } from './whole-number.ts';

export const listFlags = {
  sort: {
    type: 'text',
    value: 'fields',
    complete: 'keys',
    description: 'fields to sort by, separated by commas; -field for the reverse; rows without a value come last',
  },
  limit: { type: 'text', value: 'number', description: 'print at most this many rows' },
} as const satisfies Record<string, TextFlag>;

/** What `order` of a command returns for these flags. Throws `usage`. */
export function orderOf({ sort, limit }: { sort?: string | undefined; limit?: string | undefined }) {
  return { sort, limit: limit === undefined ? undefined : wholeNumber('--limit', limit, 1, 1_000_000_000) };
}

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
} as const satisfies Record<string, TextFlag>;
