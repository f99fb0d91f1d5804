/**
 * Students that earlier runs of this machine registered in the exam, and that its listing lacks. A listing
 * that is late or cut would let a new run register them twice, so each is read by its ID: what still exists
 * shows that the listing is incomplete, and what does not was deleted since.
 */
import { type Client, examOf, idOf } from '../../api/client.ts';
import { inParallel } from '../../api/in-parallel.ts';
import { operations } from '../../api/operations.ts';
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import type { JsonObject } from '../../model/json.ts';
import type { RowStateName } from '../../model/row-states.ts';
import type { Entries, Entry } from '../../roster/map/entries.ts';
import { studentKey } from './journal/records.ts';
import { stateOf } from './journal/row-state.ts';
import type { Rows } from './journal/rows.ts';
import { eachRun } from './journal/runs.ts';
import type { Presence } from './presence.ts';
import type { UnlistedRow } from './whole-listing.ts';

/** The service has said, or a listing has shown, that these are no longer there. */
const gone: ReadonlySet<RowStateName> = new Set(['deleted', 'missing', 'absent']);

type Listed = { client: Client; exam: string; entries: Entries; presence: Presence };

/** Those of the entries that the exam still has, and its listing lacks. `folder`: of the runs of this exam. */
export async function unlistedStudents(folder: string, { client, exam, entries, presence }: Listed): Promise<UnlistedRow[]> {
  if (!hasUnlisted(entries, presence)) return [];
  const latest = new Map<number, UnlistedRow & { startedAt: number }>();
  await eachRun(folder, ({ run: { header, counts, startedAt }, rows }) => {
    if (counts.created + counts.partial === 0) return;
    const sessions = sessionsOf(rows);
    for (const entry of entries) {
      // A later run registered the student again because the session of the earlier one was gone.
      if (startedAt < (latest.get(entry.row)?.startedAt ?? 0) || !isUnlisted(entry, presence)) continue;
      const session = sessions.get(studentKey(header.salt, entry.email));
      if (session !== undefined && presence.withSession(session) === undefined) latest.set(entry.row, { entry, session, startedAt });
    }
  });
  const rows = [...latest.values()];
  const there = await inParallel(rows, (row) => isThere(row, client, exam));
  return rows.filter((_, at) => there[at]);
}

/** Known by its address, which the listing lacks. */
function isUnlisted(entry: Entry, presence: Presence): entry is Entry & { email: string } {
  return entry.email !== undefined && presence.match(entry.email).length === 0;
}

function hasUnlisted(entries: Entries, presence: Presence): boolean {
  for (const entry of entries) if (isUnlisted(entry, presence)) return true;
  return false;
}

/** The sessions that a run knows of, by the key of their student. */
function sessionsOf(rows: Rows): ReadonlyMap<string, string> {
  const sessions = new Map<string, string>();
  for (const [, state] of rows.entries()) {
    if (state.session !== undefined && !gone.has(stateOf(state))) sessions.set(state.key, state.session);
  }
  return sessions;
}

/** Whether the exam has the session, and it is still of this student. */
async function isThere({ entry, session }: UnlistedRow, client: Client, exam: string): Promise<boolean> {
  let shown: JsonObject;
  try {
    shown = await client.get(operations.getSession, { params: { id: session } });
  } catch (error) {
    if (error instanceof CliError && error.code === 'not_found') return false;
    throw error;
  }
  const elsewhere = (examOf(shown, client) ?? exam) !== exam;
  const other = typeof shown.email === 'string' && addressKey(shown.email) !== addressKey(entry.email ?? '');
  return idOf(shown, client) === session && !elsewhere && !other;
}
