/**
 * Listings that can prove something. A listing that lacks a confirmed session may
 * be late, or cut, or the session may be gone: it is read again for a while, and then each such session
 * is read by its ID. If one is found, the listing is not complete, and the run stops.
 */
import { type Client, examOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { backoff } from '../../api/pace-calculator.ts';
import { CliError, orGone } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { count } from '../../model/count.ts';
import type { RowStateName } from '../../model/row-states.ts';
import type { Entries, Entry } from '../../roster/map/entries.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { stateOf } from './journal/row-state.ts';
import type { Rows } from './journal/rows.ts';
import { type EarlierSessions, listStudents, Presence } from './presence.ts';

export type ListingOptions = {
  client: Client;
  host: Host;
  exam: string;
  compared: ReadonlySet<string>;
  entries: Entries;
  /** How long a listing may lag behind what the service has confirmed. Milliseconds. */
  patience: number;
  /** Sessions of earlier runs, where the list hides addresses. */
  earlier?: EarlierSessions;
  /** A listing of before, whose students have to be there still. */
  planned?: Presence;
  say(text: Sentence): void;
};

/** What earlier runs know of the rows that a list does not show by address. */
export type EarlierStudents = {
  /** Those that it shows by their session. */
  listed: EarlierSessions;
  /** Those that the exam has, and that it does not show at all. */
  unlisted: readonly UnlistedRow[];
};

/** `gone`: rows whose session the service confirmed but no longer has. */
export type Whole = { presence: Presence; gone: number[] };

/**
 * Lists the exam until all that the service has confirmed is there, or is known to be gone. `lookUp`: finds the
 * students that it has confirmed to other runs. Throws `bad_answer` for a listing that stays incomplete.
 */
export async function listWhole(
  { client, host, exam, compared, entries, patience, earlier, planned, say }: ListingOptions,
  rows: Rows | undefined,
  lookUp: (presence: Presence) => Promise<EarlierStudents> = async () => ({ listed: earlier ?? new Map(), unlisted: [] }),
): Promise<Whole> {
  let confirmedBefore: EarlierStudents | undefined;
  for (let [waited, attempt] = [0, 1]; ; attempt += 1) {
    const listed = await listStudents(client, exam, compared);
    const lacksThem = confirmedBefore?.unlisted.some((row) => isUnlisted(row, listed));
    // One listing may lack others than the one before.
    if (!confirmedBefore || !lacksThem || waited >= patience) confirmedBefore = await lookUp(listed);
    const presence = new Presence(listed.students, sessionsOf(confirmedBefore));
    const own = rows ? lackingIn(presence, entries, rows) : [];
    const confirmed = [
      ...own,
      ...confirmedBefore.unlisted.filter((row) => !own.some(({ entry }) => entry.row === row.entry.row) && isUnlisted(row, presence)),
    ];
    const listedBefore = planned ? noLongerListed(planned, presence, entries, rows) : [];
    const lacking = [...confirmed, ...listedBefore];
    if (lacking.length === 0) return { presence, gone: [] };
    if (waited >= patience) {
      const gone = new Set(await goneOf([...confirmed, ...(await stillIn(listedBefore, client, exam))], client, exam));
      return { presence, gone: own.flatMap(({ entry }) => (gone.has(entry.row) ? [entry.row] : [])) };
    }
    if (waited === 0) {
      const those = `${count(lacking.length, 'student')} that the service has confirmed`;
      say(sentence`The listing of exam ${exam} does not show ${those}. Listing again for up to ${Math.ceil(patience / 1000)} s.`);
    }
    const wait = Math.min(backoff(attempt), patience - waited);
    host.log?.({ event: 'wait', wait, reason: 'incomplete_listing' });
    await host.sleep(wait);
    waited += wait;
  }
}

/** A later listing may show those that the first one did not, without their addresses. */
function sessionsOf({ listed, unlisted }: EarlierStudents): EarlierSessions {
  return unlisted.length === 0 ? listed : new Map([...listed, ...unlisted.map(({ entry, session }) => [entry.row, session] as const)]);
}

/** Sessions that are known to be gone already. */
const proven: ReadonlySet<RowStateName> = new Set(['deleted', 'missing']);

/** A row whose session the service has confirmed and the listing does not show. */
export type UnlistedRow = { entry: Entry; session: string };

function isUnlisted({ entry, session }: UnlistedRow, presence: Presence): boolean {
  return presence.match(entry, session).length === 0;
}

/** The rows whose session was confirmed and which the listing shows neither by it nor by their address. */
function lackingIn(presence: Presence, entries: Entries, rows: Rows): UnlistedRow[] {
  const lacking: UnlistedRow[] = [];
  for (const entry of entries) {
    const state = rows.get(entry.row);
    if (state?.session === undefined || proven.has(stateOf(state))) continue;
    const row = { entry, session: state.session };
    if (isUnlisted(row, presence)) lacking.push(row);
  }
  return lacking;
}

/** The rows whose student an earlier listing showed and this one does not, and of whose sessions the run knows nothing more. */
function noLongerListed(planned: Presence, presence: Presence, entries: Entries, rows: Rows | undefined): UnlistedRow[] {
  const lacking: UnlistedRow[] = [];
  for (const entry of entries) {
    const [student, ...more] = planned.match(entry);
    if (student?.session === undefined || more.length > 0 || rows?.get(entry.row)?.session !== undefined) continue;
    const row = { entry, session: student.session };
    if (isUnlisted(row, presence)) lacking.push(row);
  }
  return lacking;
}

/** Those that the exam has, read by their IDs: another client may delete or move students at any time. */
async function stillIn(rows: readonly UnlistedRow[], client: Client, exam: string): Promise<UnlistedRow[]> {
  const there = await client.pacer.map(rows, async ({ session }) => {
    const shown = await orGone(client.get(operations.getSession, { params: { id: session } }));
    return shown !== undefined && (examOf(shown, client) ?? exam) === exam;
  });
  return rows.filter((_, at) => there[at]);
}

/** Reads each by its ID, until one is found. */
async function goneOf(lacking: readonly UnlistedRow[], client: Client, exam: string): Promise<number[]> {
  const gone: number[] = [];
  for (const { entry, session } of lacking) {
    if (!(await orGone(client.get(operations.getSession, { params: { id: session } })))) {
      gone.push(entry.row);
      continue;
    }
    throw new CliError(
      'bad_answer',
      sentence`The listing of exam ${exam} is incomplete: ${count(lacking.length - gone.length, 'student')} that the service has confirmed ${lacking.length - gone.length === 1 ? 'is' : 'are'} missing. The service shows session ${session} (line ${entry.line}), one of them, by its ID.`,
      {
        hint: 'Nothing is sent while the listing is incomplete. Check the paging of the service with: proctor-cli doctor. Then run the same command again.',
      },
    );
  }
  return gone;
}
