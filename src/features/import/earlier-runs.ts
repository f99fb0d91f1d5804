/**
 * Students that earlier runs of this machine registered in the exam, and that its listing does not show by their
 * address. A listing that hides addresses shows their sessions. One that is late or cut would let a new run register
 * them twice, so each is read by its ID: what still exists shows that the listing is incomplete, and what does not was
 * deleted since. A row without an address is known by its number, as long as the file is the same.
 */
import { type Client, examOf, idOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { orGone } from '../../errors.ts';
import { addressIn, addressKey } from '../../model/address-key.ts';
import type { RowStateName } from '../../model/row-states.ts';
import type { Entries, Entry } from '../../roster/map/entries.ts';
import { showsOthers } from './hidden-students.ts';
import { nameOfRow, type RunHeader, settledLater, studentKey } from './journal/records.ts';
import { mayBePresent, type RowState, stateOf } from './journal/row-state.ts';
import type { Rows } from './journal/rows.ts';
import { eachRun } from './journal/runs.ts';
import type { ExamStudent, Presence } from './presence.ts';
import type { EarlierStudents, UnlistedRow } from './whole-listing.ts';

/** The service has said, or a listing has shown, that these are no longer there. */
const gone: ReadonlySet<RowStateName> = new Set(['deleted', 'missing', 'absent']);

/** `input`: the digest of the file. */
type Listed = { client: Client; exam: string; input: string; entries: Entries; presence: Presence };

type EarlierRow = UnlistedRow & { startedAt: number; shown: boolean };

/**
 * A row whose student an earlier run may have registered: that run, and the row there. `others`: it has seen the service
 * show other addresses than it was sent. `confirmed`: the service said that it registered the student.
 */
type PossibleRow = { run: string; row: number; others: boolean; confirmed: boolean };
/** By the row of the file. */
export type PossibleRows = ReadonlyMap<number, PossibleRow>;

/** What earlier runs know of the entries that a listing does not show by their address. `folder`: of the runs of this exam. */
export async function earlierStudents(
  folder: string,
  { client, exam, input, entries, presence }: Listed,
): Promise<EarlierStudents & { possible: PossibleRows }> {
  const listed = new Map<number, string>();
  const unlisted = new Map<number, EarlierRow>();
  const possible = new Map<number, PossibleRow>();
  if (hiddenIn(entries, presence).next().done) return { listed, unlisted: [], possible };
  await eachRun(folder, ({ run: { header, startedAt }, rows }) => {
    const { confirmed, unknown } = statesOf(rows);
    if (confirmed.size + unknown.size === 0) return;
    const others = unknown.size > 0 && showsOthers(presence, rows, header.salt);
    for (const entry of hiddenIn(entries, presence)) {
      const key = keyOf(entry, header, input);
      const state = confirmed.get(key);
      const may = unknown.get(key);
      if (may !== undefined) possible.set(entry.row, { run: header.run, ...may, others });
      if (state === undefined) continue;
      const student = presence.withSession(state.session);
      if (student && isOf(entry, state, student)) listed.set(entry.row, state.session);
      // A later run registered the student again because the session of the earlier one was gone.
      else if (!student && startedAt >= (unlisted.get(entry.row)?.startedAt ?? 0))
        unlisted.set(entry.row, { entry, session: state.session, startedAt, shown: state.shown });
    }
  });
  const rows = [...unlisted.values()].filter(({ entry }) => !listed.has(entry.row));
  const there = await client.pacer.map(rows, (row) => isThere(row, client, exam));
  return { listed, unlisted: rows.filter((_, at) => there[at]), possible };
}

function* hiddenIn(entries: Entries, presence: Presence): Generator<Entry, undefined> {
  for (const entry of entries) if (presence.addressed(entry.email).length === 0) yield entry;
}

/** A row without an address is the same only in the same file. */
function keyOf({ email, row }: Entry, { salt, input }: RunHeader, file: string): string | undefined {
  if (email !== undefined) return studentKey(salt, email);
  return input === file ? studentKey(salt, nameOfRow(row)) : undefined;
}

/** `shown`: a listing of the run has shown the addresses of its students. */
type KnownState = RowState & { session: string; shown: boolean };

/** The states of a run's rows with a session, and the rows that may have created one, by the key of their student. */
function statesOf(rows: Rows) {
  const shown = rows.shown();
  const confirmed = new Map<string | undefined, KnownState>();
  const unknown = new Map<string | undefined, { row: number; confirmed: boolean }>();
  for (const [row, state] of rows.entries()) {
    const { session } = state;
    const is = stateOf(state);
    if (session !== undefined && !gone.has(is)) confirmed.set(state.key, { ...state, session, shown });
    else if (mayBePresent(state)) unknown.set(state.key, { row, confirmed: state.code === settledLater.confirmed });
  }
  return { confirmed, unknown };
}

/**
 * Whether a listed session, which does not show the address of the row, is that of its student still. Another address
 * means another student, unless the service showed another one from the start, or may have: the run saw no address.
 */
function isOf({ email }: Entry, state: KnownState, student: ExamStudent): boolean {
  return email === undefined || student.email === undefined || stateOf(state) === 'different' || !state.shown;
}

/** Whether the exam has the session, and it is still of this student. */
async function isThere({ entry, session, shown: known }: EarlierRow, client: Client, exam: string): Promise<boolean> {
  const shown = await orGone(client.get(operations.getSession, { params: { id: session } }));
  if (!shown) return false;
  const elsewhere = (examOf(shown, client) ?? exam) !== exam;
  const email = addressIn(shown);
  const other = known && email !== undefined && entry.email !== undefined && addressKey(email) !== addressKey(entry.email);
  return idOf(shown, client) === session && !elsewhere && !other;
}
