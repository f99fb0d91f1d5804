/** What became of each time, in rows: one for a session whose close time alone changes, otherwise one for each time. */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Column, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { idAs } from '../../model/id.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { restrictionKeys, restrictionsOf } from '../../model/restrictions.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import type { Outcome } from '../../runs-before/index.ts';
import { sentence } from '../../text/sentence.ts';
import { wordOf } from '../writes/outcome-rows-before.ts';
import { changedFields, isTimeValue, type TimeMove } from './time-move.ts';

/** A move and what became of it. */
export type Moved = Pick<TimeMove, 'kind' | 'id' | 'exam' | 'fields'> & { email: string | null; result: string; problem?: string };

/** `id`: the field for the format `id`. */
export type RowShape = { columns: readonly Column[]; id: string; rows(moved: Moved): Row[] };

const ending: readonly Column[] = [
  { key: 'from', as: 'time' },
  { key: 'to', as: 'time', identifies: true },
  { key: 'result', identifies: true },
  { key: 'problem' },
];

/** For sessions whose close time alone changes. */
export const closings: RowShape = {
  columns: [{ key: 'session' }, { key: 'email' }, ...ending],
  id: 'session',
  rows: ({ id, email, fields: { close_time: at }, ...rest }) => [
    { session: id, email, from: at?.old ?? null, to: at?.new ?? null, ...ended(rest) },
  ],
};

/** For exams and sessions, a row for each time. */
export const times: RowShape = {
  columns: [{ key: 'exam' }, { key: 'session' }, { key: 'email' }, { key: 'field' }, ...ending],
  id: 'exam',
  rows(moved) {
    const { kind, id, exam, email } = moved;
    const of = { exam: kind === 'exam' ? id : (exam ?? null), session: kind === 'session' ? id : null, email };
    return changedFields(moved).map((time) => ({ ...of, ...time, ...ended(moved) }));
  },
};

export function ended({ result, problem }: Pick<Moved, 'result' | 'problem'>): Row {
  return { result, ...(problem === undefined ? {} : { problem }) };
}

export function movedOf(outcome: Outcome, did: string): Moved {
  const { step, state, error, evidence, shown, id = '' } = outcome;
  const problem = error?.message ?? evidence;
  const { body = {}, expects = {}, email } = step;
  const time = (value: unknown) => (isTimeValue(value) ? value : null);
  const fields = Object.entries(body).map(([field, next]) => [field, { old: time(expects[field]), new: time(next) }] as const);
  const address = email ?? (isJsonObject(shown) && typeof shown.email === 'string' ? shown.email : null);
  return {
    kind: step.operation.resource === 'exam' ? 'exam' : 'session',
    id,
    exam: step.exam,
    email: step.operation.resource === 'exam' ? null : address,
    fields: Object.fromEntries(fields),
    result: wordOf(state, did, error),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** With IDs as the service shows them. */
export function withTypedIds(client: Client, rows: readonly Row[]): Row[] {
  const typed = (row: Row, key: 'session' | 'exam') => (typeof row[key] === 'string' ? { [key]: idAs(row[key], client.idType(key)) } : {});
  return rows.map((row) => ({ ...row, ...typed(row, 'session'), ...typed(row, 'exam') }));
}

/**
 * Only times are sent, which must leave the restrictions as they are (specification 2.1, rule 2); the failures of exams whose service
 * resets them all the same. `before`: the exams as they were planned.
 */
export function resetRestrictions(
  outcomes: Iterable<Outcome>,
  before: ReadonlyMap<string, JsonObject> = new Map(),
): { id: string; error: CliError }[] {
  const found = new Map<string, CliError>();
  for (const { step, id = '', state, shown } of outcomes) {
    const old = before.get(id);
    if (step.operation.id !== operations.patchExam.id || state !== 'done' || !old || !isJsonObject(shown)) continue;
    const [was, is] = [restrictionsOf(old), restrictionsOf(shown)];
    const reset = restrictionKeys.filter((key) => was[key] !== undefined && is[key] !== undefined && was[key] !== is[key]);
    if (reset.length === 0) continue;
    const flags = reset.map((key) => `--${was[key] ? '' : 'no-'}${key.replaceAll('_', '-')}`).join(' ');
    const what = sentence`Exam ${id} has its new times, but ${reset.join(', ')} changed with them.`;
    const hint = sentence`Set it again: proctor-cli ${typedCommand('exams update', [id], flags)}`;
    found.set(id, new CliError('partly_done', what, { hint }));
  }
  return [...found].map(([id, error]) => ({ id, error }));
}
