/**
 * Students that earlier runs of this machine registered in the exam, and that its listing lacks. A listing
 * that is late or cut would let a new run register them twice, so each is read by its ID: what still exists
 * shows that the listing is incomplete, and what does not was deleted since.
 */
import { type Client, idOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import { fieldAt, type JsonObject, textOfJson } from '../../model/json.ts';
import type { RowStateName } from '../../model/row-states.ts';
import type { Entries } from '../../roster/map/entries.ts';
import { studentKey } from './journal/records.ts';
import { stateOf } from './journal/row-state.ts';
import type { Rows } from './journal/rows.ts';
import { listRunsOf, readRun } from './journal/runs.ts';
import type { Presence } from './presence.ts';
import type { UnlistedRow } from './whole-listing.ts';

/** So many are read at the same time. */
const concurrency = 8;

/** The service has said, or a listing has shown, that these are no longer there. */
const gone: ReadonlySet<RowStateName> = new Set(['deleted', 'missing', 'absent']);

type Listed = { client: Client; exam: string; entries: Entries; presence: Presence };

/** Those of the entries that the exam still has, and its listing lacks. `folder`: of the runs of this exam. Throws `journal_damaged`. */
export async function unlistedStudents(folder: string, { client, exam, entries, presence }: Listed): Promise<UnlistedRow[]> {
  const { runs } = await listRunsOf(folder);
  const found = new Map<number, UnlistedRow>();
  for (const { path, header, counts } of runs) {
    if (counts.created + counts.partial === 0) continue;
    const sessions = sessionsOf((await readRun(path))?.rows);
    for (const entry of entries) {
      if (entry.email === undefined || found.has(entry.row) || presence.match(entry.email).length > 0) continue;
      const session = sessions.get(studentKey(header.salt, entry.email));
      if (session !== undefined && presence.withSession(session) === undefined) found.set(entry.row, { entry, session });
    }
  }
  return stillThere([...found.values()], client, exam);
}

/** The sessions that a run knows of, by the key of their student. */
function sessionsOf(rows: Rows | undefined): ReadonlyMap<string, string> {
  const sessions = new Map<string, string>();
  for (const [, state] of rows?.entries() ?? []) {
    if (state.session !== undefined && !gone.has(stateOf(state))) sessions.set(state.key, state.session);
  }
  return sessions;
}

async function stillThere(rows: readonly UnlistedRow[], client: Client, exam: string): Promise<UnlistedRow[]> {
  const there: UnlistedRow[] = [];
  const left = rows.values();
  const reader = async () => {
    for (const row of left) if (await isThere(row, client, exam)) there.push(row);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, rows.length) }, reader));
  return there;
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
  const of = fieldAt(shown, client.dialect.sessionExamKey) ?? undefined;
  const elsewhere = of !== undefined && textOfJson(of) !== exam;
  const other = typeof shown.email === 'string' && addressKey(shown.email) !== addressKey(entry.email ?? '');
  return idOf(shown, client) === session && !elsewhere && !other;
}
