/** Runs to test with: an identity, a clock that stands still, and records in any order that is legal. */
import fc from 'fast-check';
import { createJournal, type Journal } from '../../../../src/features/import/journal/journal.ts';
import { type JournalRecord, outcomes, steps, studentKey } from '../../../../src/features/import/journal/records.ts';
import { after, type RowState } from '../../../../src/features/import/journal/row-state.ts';
import { type Disk, memoryDisk } from '../../../state/journal/disk.ts';
import { roster } from './roster.ts';

export const now = () => Date.UTC(2026, 0, 2, 10, 15);
export const folder = '/state/imports/exam-42';
export const key = (row: number) => studentKey('c2FsdA', `student${row}@example.org`);

/** A journal on a disk of its own, or on the one given. */
export async function begin(disk: Disk = memoryDisk()): Promise<{ journal: Journal; disk: Disk }> {
  return { journal: await createJournal(folder, roster, { now, files: disk }), disk };
}

export async function write(journal: Journal, record: JournalRecord): Promise<void> {
  if ('note' in record) await journal.note(record.note, record);
  else if ('intent' in record) await journal.intent(record);
  else if ('removal' in record) await journal.removal(record.removal, record.key);
  else journal.outcome(record);
}

const text = fc.option(fc.string({ unit: 'binary', maxLength: 12 }), { nil: undefined });
const present = <T extends object>(record: T) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
const row = fc.integer({ min: 1, max: 6 });
const record: fc.Arbitrary<JournalRecord> = fc
  .oneof(
    { weight: 5, arbitrary: fc.record({ row, intent: fc.constantFrom(...steps), next: fc.constantFrom(undefined, 'update' as const) }) },
    {
      weight: 5,
      arbitrary: fc.record({
        row,
        outcome: fc.constantFrom(...outcomes),
        session: fc.oneof(text, fc.integer().map(String)),
        code: text,
        reason: text,
      }),
    },
    { weight: 1, arbitrary: fc.record({ note: fc.constantFrom('resumed' as const, 'stopped' as const), reason: text }) },
  )
  .map((drawn) => {
    if (!('intent' in drawn)) return present(drawn) as JournalRecord;
    const { next, ...intent } = drawn;
    return { ...intent, key: key(drawn.row), ...(intent.intent === 'create' && next ? { next } : {}) };
  });

export function isLegal(states: Map<number, RowState>, next: JournalRecord): boolean {
  if ('note' in next || 'removal' in next) return true;
  try {
    states.set(next.row, after(states.get(next.row), next));
    return true;
  } catch {
    return false;
  }
}

/** Records of a few rows, each legal after those before it. */
export const legalRecords = (maxLength: number): fc.Arbitrary<JournalRecord[]> =>
  fc.array(record, { maxLength: maxLength * 3, minLength: maxLength }).map((drawn) => {
    const states = new Map<number, RowState>();
    return drawn.filter((next) => isLegal(states, next));
  });

/** The states that records lead to, the slow and plain way. */
export function plainly(records: readonly JournalRecord[]): [number, RowState][] {
  const states = new Map<number, RowState>();
  for (const next of records) isLegal(states, next);
  return [...states].sort(([a], [b]) => a - b);
}
