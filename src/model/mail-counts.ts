/** Whom the mails of an exam reach, by what its list shows. */
import { hasNoText, type Listed } from './listing.ts';
import { statusOf } from './status.ts';

/** `without`: shown to have no address, and not mailed; nobody knows what the service does about them. */
export function mailsOf(sessions: readonly Listed[]): Record<'all' | 'mailed' | 'without', number> {
  const isMailed = ({ data }: Listed) => (statusOf(data.status) ?? 'registered') !== 'registered';
  const showsAny = sessions.some(({ data }) => !hasNoText(data.email));
  const without = sessions.filter((each) => showsAny && hasNoText(each.data.email) && !isMailed(each)).length;
  return {
    all: sessions.length - without,
    mailed: sessions.filter(isMailed).length,
    without,
  };
}

/** " (1 more has no address)", behind the number of the others. */
export function addressless(without: number): string {
  return without === 0 ? '' : ` (${without} more ${without === 1 ? 'has' : 'have'} no address)`;
}
