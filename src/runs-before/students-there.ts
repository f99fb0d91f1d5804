/**
 * Who of many students is in an exam already: by address in one reading, and by the claims of earlier runs, which know students whom
 * the list shows under another spelling, under no address, or not at all. A session that lives in the exam and that the list lacks shows
 * that the list is not whole; a claim whose session is gone, or another person's, has ended.
 */

import { examOf } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { CliError, orGone } from '../errors.ts';
import { addTo } from '../model/groups.ts';
import type { JsonObject } from '../model/json.ts';
import type { Claim, ClaimName } from '../state/state.ts';
import { sentence } from '../text/sentence.ts';
import { studentScope } from './claims.ts';
import { type ListedSession, type Reading, readExam } from './reading.ts';
import { isOnlyListed, listedKey, otherStudent } from './relies.ts';
import { lateLooks, type World } from './world.ts';

export type StudentsThere = {
  reading: Reading;
  /** Sessions that are known by a claim only, by the place of the student among those who were looked for. */
  claimed: ReadonlyMap<number, ListedSession>;
  /** Those of them whose session the list alone shows under another address, or another of the students means too: whether it is the same person, nobody can tell. */
  renamed: ReadonlySet<number>;
  /** Claims of students who provably are not there any more. */
  stale: readonly ClaimName[];
};

type Doubtful = { at: number; email: string; claim: Claim & { session: string } };

/** Throws `bad_answer` where the list lacks a session that is in the exam. */
export async function lookForStudents(
  world: World,
  exam: string,
  students: Iterable<{ email?: string | undefined }>,
  before?: Reading,
): Promise<StudentsThere> {
  let reading = before ?? (await readExam(world.client, world.host, exam, world.keep));
  const claims = await claimsByKey(world, exam);
  if (claims.size === 0) return { reading, claimed: new Map(), renamed: new Set(), stale: [] };
  const looks = lateLooks(world);
  const alive = new Set<string>();
  for (;;) {
    const { claimed, renamed, doubtful } = matched(world, reading, students, claims, alive);
    if (doubtful.length === 0) return { reading, claimed, renamed, stale: [] };
    const states = await world.client.pacer.map(doubtful, (one) => livesIn(world, exam, one));
    const unlisted = doubtful.find((_, index) => states[index]);
    for (const [index, { claim }] of doubtful.entries()) if (states[index]) alive.add(claim.session);
    // A second reading: the address may be there under another session, and a late list shows it by now.
    reading = await readExam(world.client, world.host, exam, world.keep);
    if (!unlisted) {
      const again = matched(world, reading, students, claims, alive);
      return { reading, claimed: again.claimed, renamed: again.renamed, stale: again.doubtful.map(({ claim }) => claim) };
    }
    if (!reading.withId(unlisted.claim.session) && (await looks.next()).done) throw incompleteListing(exam, unlisted.claim.session);
  }
}

/** The same for several exams, as many at a time as the pacer allows, in their order. */
export function lookInExams(
  world: World,
  exams: readonly { id: string; students: Iterable<{ email?: string | undefined }> }[],
): Promise<StudentsThere[]> {
  return world.client.pacer.map(exams, ({ id, students }) => lookForStudents(world, id, students));
}

/** The claims of students who are there, as far as the state knows, by their keys. */
async function claimsByKey({ state, origin }: World, exam: string): Promise<ReadonlyMap<string, Doubtful['claim'][]>> {
  const claims = new Map<string, Doubtful['claim'][]>();
  const keys = new Set<string>();
  for (const claim of await state.claims(origin, studentScope(exam))) {
    const { done, session, key } = claim;
    keys.add(key);
    if (done && session !== null) addTo(claims, key, { ...claim, session });
  }
  // What a list has shown of one student's session, and is another student's address: the ID is that student's by now.
  for (const all of claims.values())
    for (const claim of all) if (isOnlyListed(claim.shownKey) && keys.has(listedKey(claim.shownKey))) claim.shownKey = null;
  return claims;
}

/** `alive`: sessions that a read by their ID has shown as their student's. `doubtful`: the reading shows neither the address nor, under it, the session of the claim. */
function matched(
  { state }: World,
  reading: Reading,
  students: Iterable<{ email?: string | undefined }>,
  claims: ReadonlyMap<string, readonly Doubtful['claim'][]>,
  alive: ReadonlySet<string>,
): Pick<StudentsThere, 'claimed' | 'renamed'> & { doubtful: Doubtful[] } {
  const renamed = new Set<number>();
  const claimed = new Map<number, ListedSession>();
  const doubtful: Doubtful[] = [];
  let at = -1;
  for (const { email } of students) {
    at += 1;
    if (email === undefined || reading.withAddress(email).length > 0) continue;
    for (const claim of claims.get(state.studentKey(email)) ?? []) {
      const listed = reading.withId(claim.session);
      const isListedSo = listed !== undefined && isOf(email, listed.data, claim, state, listed.email === undefined);
      if (listed && (isListedSo || alive.has(claim.session))) {
        claimed.set(at, listed);
        if (listed.email !== undefined && (!isListedSo || isOnlyListed(claim.shownKey))) renamed.add(at);
      } else doubtful.push({ at, email, claim });
    }
  }
  for (const at of meantTwice(reading, students, claimed)) renamed.add(at);
  return { claimed, renamed, doubtful: doubtful.filter((one) => !claimed.has(one.at)) };
}

/** The claimed students whose session is another's: of one whom the list shows under that address, or of one who was claimed before. */
function meantTwice(
  reading: Reading,
  students: Iterable<{ email?: string | undefined }>,
  claimed: ReadonlyMap<number, ListedSession>,
): number[] {
  if (claimed.size === 0) return [];
  const meant = new Set<ListedSession>();
  for (const { email } of students) if (email !== undefined) for (const session of reading.withAddress(email)) meant.add(session);
  return [...claimed].flatMap(([at, session]) => {
    const isMeant = meant.has(session);
    meant.add(session);
    return isMeant ? [at] : [];
  });
}

function isOf(email: string, shown: JsonObject, { shownKey }: Claim, state: World['state'], masks = false): boolean {
  const known = isOnlyListed(shownKey) ? listedKey(shownKey) : (shownKey ?? undefined);
  return otherStudent({ email }, shown, { state }, { shownKey: known, masks }) === undefined;
}

/** Whether the session of a claim is in the exam, and still this student's. */
async function livesIn({ client, state }: World, exam: string, { email, claim }: Doubtful): Promise<boolean> {
  const shown = await orGone(client.get(operations.getSession, { params: { id: claim.session } }));
  return shown !== undefined && (examOf(shown, client) ?? exam) === exam && isOf(email, shown, claim, state);
}

export function incompleteListing(exam: string, session: string): CliError {
  return new CliError(
    'bad_answer',
    sentence`The list of exam ${exam} is incomplete: it lacks session ${session}, which the service shows by its ID.`,
    { hint: 'Check the paging of the service with: proctor-cli doctor' },
  );
}
