/** The students of a list without a session in any of the exams that their rows are about, with the nearest address. */
import { addressKey } from '../../model/address-key.ts';
import type { GrantingExam } from '../../model/granted.ts';
import { type Accommodation, type AccommodationList, ExamScope } from './accommodation.ts';
import { nearestAddresses } from './nearest-address.ts';

/** The addresses of all sessions of an exam. */
type ExamAddresses = { exam: GrantingExam; addresses: readonly string[] };

export type Unmatched = { row: Accommodation; nearest: string | undefined };

/** `elsewhere`: how many students have rows for other exams or earlier days only. */
export function unmatchedIn(
  list: AccommodationList,
  exams: readonly ExamAddresses[],
  zone: string,
): { unmatched: Unmatched[]; elsewhere: number } {
  const scopes = exams.map(({ exam, addresses }) => ({
    scope: new ExamScope(list, exam, zone),
    keys: new Set(addresses.map(addressKey)),
  }));
  const lost: Accommodation[] = [];
  let elsewhere = 0;
  for (const [key, [row]] of list.students) {
    const own = scopes.filter(({ scope }) => scope.rowsOf(key).length > 0);
    if (own.length === 0) elsewhere += 1;
    else if (row && !own.some(({ keys }) => keys.has(key))) lost.push(row);
  }
  const found = nearestAddresses(
    lost.map(({ key }) => key),
    exams.flatMap(({ addresses }) => addresses),
  );
  return { unmatched: lost.map((row) => ({ row, nearest: found.get(row.key) })), elsewhere };
}
