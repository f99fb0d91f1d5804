import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type JournalRecord,
  type JournalStep,
  type OutcomeName,
  outcomes,
  type RowIntent,
  steps,
} from '../../../../src/features/import/journal/records.ts';
import { after, type RowState, stateOf } from '../../../../src/features/import/journal/row-state.ts';
import { FoldedRows } from '../../../../src/features/import/journal/rows.ts';
import { IllegalTransition } from '../../../../src/state/journal/journal-format.ts';
import { key, legalRecords, plainly } from './sample.ts';

type Word = JournalStep | OutcomeName | 'create+update';

/** A row's way in words: steps are intents, the rest outcomes. */
function way(...words: Word[]): RowState | undefined {
  let state: RowState | undefined;
  for (const word of words) {
    const intent: RowIntent = { row: 1, key: key(1), intent: 'create' };
    if (word === 'create+update') state = after(state, { ...intent, next: 'update' });
    else if ((steps as readonly string[]).includes(word)) state = after(state, { ...intent, intent: word as JournalStep });
    else state = after(state, { row: 1, outcome: word as OutcomeName, session: '7' });
  }
  return state;
}

const goes = (...words: Word[]) => {
  try {
    way(...words);
    return true;
  } catch (error) {
    if (error instanceof IllegalTransition) return false;
    throw error;
  }
};
const mayFollow = (step: JournalStep, ...before: Word[]) => outcomes.filter((outcome) => goes(...before, outcome, step));

describe('a row', () => {
  test('is POSTed again only with proof that the first POST did nothing', () => {
    expect(goes('create', 'create')).toBe(false);
    expect(mayFollow('create', 'create')).toEqual(['not_sent', 'rejected', 'absent', 'missing']);
    expect(mayFollow('create', 'update')).toEqual(['absent', 'missing']);
    expect(mayFollow('create', 'delete')).toEqual(['absent', 'missing']);
    expect(goes('create', 'unknown', 'absent', 'create')).toBe(true);
  });

  test('is PATCHed where its student is there, as often as it takes', () => {
    expect(mayFollow('update', 'create')).toEqual(['done', 'unchanged', 'different']);
    expect(mayFollow('update', 'update')).toEqual(['not_sent', 'rejected', 'unknown', 'done', 'unchanged', 'different']);
    expect(goes('update', 'update')).toBe(true);
    expect(goes('create', 'update')).toBe(false);
    expect(goes('create', 'done', 'delete', 'update')).toBe(false);
  });

  test('is deleted if this run created its student, and as often as it takes', () => {
    expect(goes('delete', 'delete')).toBe(true);
    expect(mayFollow('delete', 'create')).toEqual(['done']);
    expect(goes('create', 'done', 'different', 'delete')).toBe(true);
    expect(mayFollow('delete', 'update')).toEqual([]);
    expect(mayFollow('delete', 'create', 'done', 'update')).toEqual([
      'not_sent',
      'rejected',
      'unknown',
      'done',
      'unchanged',
      'different',
      'duplicate',
      'missing',
    ]);
    expect(goes('create', 'done', 'duplicate', 'delete')).toBe(true);
    expect(goes('create', 'done', 'missing', 'delete')).toBe(true);
    expect(mayFollow('delete', 'delete')).toEqual(['not_sent', 'rejected', 'unknown', 'unchanged', 'different', 'duplicate', 'missing']);
    expect(goes('create', 'done', 'delete', 'done', 'delete')).toBe(false);
  });

  test('takes an answer after an intent, and the result of a listing at any time', () => {
    const looks = ['done', 'unchanged', 'different', 'duplicate', 'absent', 'missing'];
    for (const step of steps) {
      expect(outcomes.filter((outcome) => goes(step, outcome))).toEqual(outcomes);
      for (const first of outcomes) {
        expect(outcomes.filter((outcome) => goes(step, first, outcome))).toEqual(looks);
      }
    }
    expect(outcomes.filter((outcome) => goes(outcome))).toEqual([]);
  });

  test('that may have been sent in spite of a refusal for too many requests is sent again once a listing does not show it', () => {
    const intent: RowIntent = { row: 1, key: key(1), intent: 'create' };
    const looked = (code: string) => {
      const rows = new FoldedRows();
      for (const record of [intent, { row: 1, outcome: 'unknown', code }, { row: 1, outcome: 'not_sent' }, intent] as const)
        rows.apply(record);
      return rows.get(1);
    };
    expect(looked('limited')).toMatchObject({ status: 'intended' });
    expect(() => looked('503')).toThrow(IllegalTransition);
  });

  test('belongs to one student', () => {
    const state = way('create', 'not_sent');
    expect(() => after(state, { row: 1, key: key(2), intent: 'create' })).toThrow(IllegalTransition);
  });

  test('is in the state that a person would name', () => {
    const at = (...words: Word[]) => stateOf(way(...words) as RowState);
    expect(at('create')).toBe('unknown');
    expect(at('create', 'unknown')).toBe('unknown');
    expect(at('create', 'done')).toBe('created');
    expect(at('update', 'done')).toBe('updated');
    expect(at('create+update', 'done')).toBe('partial');
    expect(at('create+update', 'done', 'update')).toBe('unknown');
    expect(at('create+update', 'done', 'update', 'done')).toBe('created');
    expect(at('create+update', 'done', 'update', 'rejected')).toBe('partial');
    expect(at('create+update', 'done', 'update', 'not_sent')).toBe('partial');
    expect(at('update', 'rejected')).toBe('rejected');
    expect(at('create', 'done', 'delete', 'done')).toBe('deleted');
    expect(at('create', 'done', 'delete', 'rejected')).toBe('created');
    expect(at('create', 'unchanged')).toBe('unchanged');
    expect(at('create', 'unknown', 'duplicate')).toBe('duplicate');
    expect(at('create', 'done', 'different')).toBe('different');
    expect(at('create', 'done', 'missing')).toBe('missing');
    expect(at('create', 'done', 'missing', 'create', 'not_sent')).toBe('not_sent');
  });

  test('knows its session until the student is gone', () => {
    expect(way('create', 'done', 'update')).toMatchObject({ session: '7', ours: true });
    expect(way('create', 'done', 'absent')).not.toHaveProperty('session');
    expect(way('create', 'done', 'missing', 'create')).not.toHaveProperty('session');
    expect(way('create', 'done', 'delete', 'done')).toMatchObject({ ours: false });
  });
});

describe('the rows of a run', () => {
  const folded = (records: JournalRecord[]) => {
    const rows = new FoldedRows();
    for (const record of records) rows.apply(record);
    return rows;
  };

  test('are what the state machine says, however they are stored', () => {
    fc.assert(
      fc.property(legalRecords(30), (records) => {
        const rows = folded(records);
        expect([...rows.entries()]).toEqual(plainly(records));
        const counts = rows.counts();
        for (const [, state] of plainly(records)) counts[stateOf(state)]--;
        expect(Object.values(counts).every((count) => count === 0)).toBe(true);
      }),
    );
  });

  test('keep any session and any number of row', () => {
    const sessions = ['0', '-0', '1e21', 'NaN', 'Infinity', '12345678901234567890', '007', '', '9007199254740993', 'a-b'];
    const far = [1, 511, 512, 1_000_000, Number.MAX_SAFE_INTEGER];
    for (const [row, session] of far.flatMap((row) => sessions.map((session) => [row, session] as const))) {
      const rows = folded([
        { row, key: key(1), intent: 'create' },
        { row, outcome: 'done', session },
      ]);
      expect([...rows.entries()]).toMatchObject([[row, { session }]]);
      expect(rows.get(row + 1)).toBeUndefined();
    }
  });

  test('take nothing more once the run is finished, until it is resumed', () => {
    const rows = folded([{ row: 1, key: key(1), intent: 'create' }, { note: 'finished' }]);
    expect(rows.run()).toBe('finished');
    expect(() => rows.apply({ row: 1, outcome: 'done' })).toThrow(IllegalTransition);
    expect(() => rows.apply({ note: 'stopped' })).toThrow(IllegalTransition);
    rows.apply({ note: 'resumed' });
    rows.apply({ row: 1, outcome: 'done' });
    expect([rows.run(), rows.get(1)?.status]).toEqual(['open', 'done']);
  });
});
