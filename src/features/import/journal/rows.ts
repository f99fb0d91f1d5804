/**
 * What a run's records come to: the state of each row, and of the run. About 27 bytes a row, so that
 * a million rows need no more than a large picture does; in pages, so that row numbers may be far apart.
 */

import type { IdType } from '../../../model/id.ts';
import { noRows, type RowCounts, sumOf } from '../../../model/row-states.ts';
import { IllegalTransition } from '../../../state/journal/format.ts';
import { type JournalRecord, outcomes, type RemovalRecord, steps } from './records.ts';
import { after, type RowState, stateOf } from './row-state.ts';

export type Rows = {
  /** The state of a row; undefined where the journal says nothing of it: no request of it ever left. */
  get(row: number): RowState | undefined;
  /** All rows that the journal speaks of, by their number. */
  entries(): Iterable<[row: number, state: RowState]>;
  /** How many of those are in each state. */
  counts(): RowCounts;
  /** The states of all rows of a run that has so many. */
  countsOf(rows: number): RowCounts;
  /** `finished`: the run takes nothing more, unless it is resumed. `open`: it runs, or its process died. */
  run(): 'open' | 'stopped' | 'finished';
  /** The run was taken back, or that was begun. */
  undone(): boolean;
  /** Students whom no row has and whose deletion was begun, by their sessions. */
  removals(): ReadonlyMap<string, RemovalRecord>;
  /** The JSON type of the sessions' IDs; undefined where the journal does not tell. */
  idType(): IdType | undefined;
};

const pageSize = 512;
const keySize = 16;

type RowPage = { flags: Uint16Array; keys: Buffer; sessions: Float64Array };
/** What is rare, or fits in no number. */
type RowTexts = Pick<RowState, 'session' | 'code' | 'reason'>;

const statuses = ['intended', ...outcomes] as const;
const present = 1;
const ours = 2;
const more = 4;

/** Pure in what it says: the same records in the same order make the same rows. `apply` throws `IllegalTransition`. */
export function foldedRows(): Rows & { apply(record: JournalRecord): void } {
  const pages = new Map<number, RowPage>();
  const texts = new Map<number, RowTexts>();
  const removals = new Map<string, RemovalRecord>();
  let run: ReturnType<Rows['run']> = 'open';
  let undone = false;
  let idType: IdType | undefined;
  const tally = noRows();
  let untouched: Partial<RowCounts> = {};

  function get(row: number): RowState | undefined {
    const page = pages.get(Math.floor(row / pageSize));
    const at = row % pageSize;
    const flags = page?.flags[at] ?? 0;
    if (!page || !(flags & present)) return undefined;
    const session = page.sessions[at] ?? Number.NaN;
    return {
      key: page.keys.toString('base64url', at * keySize, (at + 1) * keySize),
      step: steps[(flags >> 3) & 3] ?? 'create',
      status: statuses[flags >> 5] ?? 'intended',
      ours: Boolean(flags & ours),
      more: Boolean(flags & more),
      ...(Number.isNaN(session) ? {} : { session: String(session) }),
      ...texts.get(row),
    };
  }

  function set(row: number, state: RowState) {
    const page = pageOf(row);
    const at = row % pageSize;
    page.keys.write(state.key, at * keySize, keySize, 'base64url');
    page.flags[at] =
      present |
      (state.ours ? ours : 0) |
      (state.more ? more : 0) |
      (steps.indexOf(state.step) << 3) |
      (statuses.indexOf(state.status) << 5);
    const { session, code, reason } = state;
    const number = session === undefined ? Number.NaN : Number(session);
    const fits = Number.isFinite(number) && String(number) === session;
    page.sessions[at] = fits ? number : Number.NaN;
    const kept: RowTexts = {
      ...(session === undefined || fits ? {} : { session }),
      ...(code === undefined ? {} : { code }),
      ...(reason === undefined ? {} : { reason }),
    };
    if (Object.keys(kept).length > 0) texts.set(row, kept);
    else texts.delete(row);
  }

  function pageOf(row: number): RowPage {
    const number = Math.floor(row / pageSize);
    let page = pages.get(number);
    if (!page) {
      page = { flags: new Uint16Array(pageSize), keys: Buffer.alloc(pageSize * keySize), sessions: new Float64Array(pageSize) };
      pages.set(number, page);
    }
    return page;
  }

  return {
    get,
    *entries() {
      for (const number of [...pages.keys()].sort((a, b) => a - b)) {
        for (let row = number * pageSize; row < (number + 1) * pageSize; row++) {
          const state = get(row);
          if (state) yield [row, state];
        }
      }
    },
    counts: () => ({ ...tally }),
    countsOf(all) {
      const counts = { ...tally };
      for (const [name, count] of Object.entries(untouched)) counts[name as keyof RowCounts] += count;
      counts.not_sent += Math.max(0, all - sumOf(counts));
      return counts;
    },
    run: () => run,
    undone: () => undone,
    removals: () => removals,
    idType: () => idType,
    apply(record) {
      if (run === 'finished' && !('note' in record && record.note === 'resumed')) throw new IllegalTransition('the run is finished');
      if ('note' in record) {
        if (record.untouched) untouched = record.untouched;
        run = record.note === 'stopped' || record.note === 'finished' ? record.note : 'open';
        return;
      }
      if ('removal' in record) {
        if (record.is !== 'begun' && !removals.has(record.removal))
          throw new IllegalTransition(`the deletion of session ${record.removal} was never started`);
        removals.set(record.removal, record);
        return;
      }
      if ('outcome' in record) idType = record.ids ?? idType;
      const before = get(record.row);
      const state = after(before, record);
      set(record.row, state);
      undone ||= state.step === 'delete';
      if (before) tally[stateOf(before)]--;
      tally[stateOf(state)]++;
    },
  };
}
