/** The students of a list without a session in any of the exams that their rows are about, with the nearest address. */
import { addressKey } from '../../model/address-key.ts';
import { nearest } from '../../model/nearest.ts';
import { folded } from '../../text/fold.ts';
import { type Accommodation, type AccommodationList, ExamScope, type GrantingExam } from './accommodation.ts';

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

/** For each of the keys the nearest of the addresses; keys without one are left out. */
export function nearestAddresses(keys: Iterable<string>, addresses: Iterable<string>): Map<string, string> {
  /** What a key can be found by. */
  const sought = new Map<string, string[]>();
  const add = (word: string, key: string) => {
    const before = sought.get(word);
    if (before) before.push(key);
    else sought.set(word, [key]);
  };
  const wanted = new Set(keys);
  for (const key of wanted) for (const word of wordsOf(key)) add(word, key);
  const candidates = new Map<string, Set<string>>();
  for (const address of addresses) {
    const key = addressKey(address);
    for (const word of wordsOf(key)) {
      for (const near of sought.get(word) ?? []) {
        if (near === key) continue;
        candidates.set(near, (candidates.get(near) ?? new Set()).add(address));
      }
    }
  }
  return new Map(
    [...candidates].flatMap(([key, found]) => {
      const best = [...found].find((address) => untagged(addressKey(address)) === untagged(key)) ?? nearest(key, found) ?? [...found][0];
      return best === undefined ? [] : [[key, best] as const];
    }),
  );
}

/** Shorter names differ from those of other people by one letter. */
const shortestName = 3;

/** A key without its +tag, its name alone, and the key without each of its characters: a slip changes all but one of them. */
function* wordsOf(key: string): Generator<string> {
  yield key;
  yield untagged(key);
  const [name = ''] = key.split('@');
  if (name.length > 3) yield `${name}@`;
  // Accents, and ß for ss, are a slip as well, however many there are.
  yield folded(key);
  // In a very short name, another letter is another person: only its domain can have a slip.
  const from = name.length < shortestName ? name.length + 1 : 0;
  for (let at = from; at < key.length; at += 1) yield key.slice(0, at) + key.slice(at + 1);
}

function untagged(key: string): string {
  const tag = key.indexOf('+');
  const domain = key.indexOf('@', tag);
  return tag < 0 || domain < 0 ? key : key.slice(0, tag) + key.slice(domain);
}
