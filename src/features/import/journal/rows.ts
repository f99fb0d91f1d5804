/**
 * What a run's records come to: the state of each row, and of the run. About 27 bytes a row, so that a million rows
 * fit in memory; in pages, so that row numbers may be far apart.
 */

import type { IdType } from '../../../model/id.ts';
import { noRows, type RowCounts, sumOf } from '../../../model/row-states.ts';
import { IllegalTransition } from '../../../state/journal/journal-format.ts';
import { type JournalRecord, outcomes, type RemovalRecord, type RowIntent, type RowOutcome, type RunNote, steps } from './records.ts';
import { after, type RowState, stateOf } from './row-state.ts';

const pageSize = 512;
const keySize = 16;

type RowPage = { flags: Uint16Array; keys: Buffer; sessions: Float64Array };
/** Data that few rows have. */
type RowTexts = Pick<RowState, 'session' | 'code' | 'reason'>;

const statuses = ['intended', ...outcomes] as const;
const present = 1;
const ours = 2;
const more = 4;

export type RunState = 'open' | 'stopped' | 'finished';

/** Pure: the same records in the same order make the same rows. */
export class FoldedRows {
  readonly #pages = new Map<number, RowPage>();
  readonly #texts = new Map<number, RowTexts>();
  readonly #removals = new Map<string, RemovalRecord>();
  readonly #counts = noRows();
  #untouched: Partial<RowCounts> = {};
  #run: RunState = 'open';
  #undone = false;
  #shown = false;
  #idType: IdType | undefined;

  /** Takes one more record. Throws `IllegalTransition`. */
  apply(record: JournalRecord): void {
    if (this.#run === 'finished' && !('note' in record && record.note === 'resumed')) throw new IllegalTransition('the run is finished');
    if ('note' in record) this.#applyNote(record);
    else if ('removal' in record) this.#applyRemoval(record);
    else this.#applyToRow(record);
  }

  /** The state of a row; undefined if the journal has no record of it: no request of it was ever sent. */
  get(row: number): RowState | undefined {
    const page = this.#pages.get(Math.floor(row / pageSize));
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
      ...this.#texts.get(row),
    };
  }

  /** All rows that the journal speaks of, by their number. */
  *entries(): Generator<[row: number, state: RowState], undefined> {
    for (const number of [...this.#pages.keys()].sort((a, b) => a - b)) {
      for (let row = number * pageSize; row < (number + 1) * pageSize; row++) {
        const state = this.get(row);
        if (state) yield [row, state];
      }
    }
  }

  /** How many of those are in each state. */
  counts(): RowCounts {
    return { ...this.#counts };
  }

  /** The states of all rows of a run that has so many. */
  countsOf(rows: number): RowCounts {
    const counts = this.counts();
    for (const [name, count] of Object.entries(this.#untouched)) counts[name as keyof RowCounts] += count;
    counts.not_sent += Math.max(0, rows - sumOf(counts));
    return counts;
  }

  /** `finished`: no more records follow, unless the run is resumed. `open`: it is running, or its process died. */
  run(): RunState {
    return this.#run;
  }

  /** The run was undone, or that was begun. */
  undone(): boolean {
    return this.#undone;
  }

  /** Whether a listing after the last request showed the address of each student that the run created. */
  shown(): boolean {
    return this.#shown;
  }

  /** Students missing from the file whose deletion was begun, by their sessions. */
  removals(): ReadonlyMap<string, RemovalRecord> {
    return this.#removals;
  }

  /** The JSON type of the sessions' IDs; undefined where the journal does not tell. */
  idType(): IdType | undefined {
    return this.#idType;
  }

  #applyNote({ note, untouched, shown }: RunNote) {
    if (note === 'planned' || shown) this.#shown = shown === true;
    if (untouched) this.#untouched = untouched;
    this.#run = note === 'stopped' || note === 'finished' ? note : 'open';
  }

  #applyRemoval(record: RemovalRecord) {
    if (record.is !== 'begun' && !this.#removals.has(record.removal))
      throw new IllegalTransition(`the deletion of session ${record.removal} was never started`);
    this.#removals.set(record.removal, record);
  }

  #applyToRow(record: RowIntent | RowOutcome) {
    if ('outcome' in record) this.#idType = record.ids ?? this.#idType;
    const before = this.get(record.row);
    const state = after(before, record);
    this.#set(record.row, state);
    this.#undone ||= state.step === 'delete';
    if (before) this.#counts[stateOf(before)]--;
    this.#counts[stateOf(state)]++;
  }

  #set(row: number, state: RowState) {
    const page = this.#pageOf(row);
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
    if (Object.keys(kept).length > 0) this.#texts.set(row, kept);
    else this.#texts.delete(row);
  }

  #pageOf(row: number): RowPage {
    const number = Math.floor(row / pageSize);
    let page = this.#pages.get(number);
    if (!page) {
      page = { flags: new Uint16Array(pageSize), keys: Buffer.alloc(pageSize * keySize), sessions: new Float64Array(pageSize) };
      this.#pages.set(number, page);
    }
    return page;
  }
}

/** What readers of a journal see. */
export type Rows = Omit<FoldedRows, 'apply'>;
