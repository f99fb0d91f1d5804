/** The outcome of each move as rows, and of all moves as the command's exit status. */
import { batchFailure, type ItemFailure } from '../../api/batch.ts';
import type { Client } from '../../api/client.ts';
import type { Column, Result, Row } from '../../command.ts';
import type { CliError } from '../../errors.ts';
import { idAs } from '../../model/id.ts';
import type { Sentence } from '../../text/sentence.ts';
import { type ChangeMove, type ChangeTask, changedFields } from './change-move.ts';
import { wordsOf } from './kinds.ts';
import type { ChangeStep, MoveState } from './records.ts';

export const notTried = 'not tried';

/** `did`: whether the step was made. `waits`: it was not tried, because an earlier move was not made. */
export type TaskOutcome<T extends ChangeMove = ChangeTask> = { task: T; result: string; did: boolean; problem?: string };

/** `stopped`: why the rest was not tried. */
export type AppliedTasks = { outcomes: TaskOutcome[]; failures: ItemFailure[]; stopped: CliError | undefined };

/** The outcome of a move, as its row says it. */
export function resultOf(kind: string | undefined, step: ChangeStep, is: Exclude<MoveState, 'begun'>): string {
  return is === 'done' ? wordsOf(kind, step).did : is === 'left' ? 'skipped' : is;
}

/** How a move is shown, in one row or more. `id`: the field for the format `id`. */
export type RowShape = {
  columns: readonly Column[];
  rows(move: ChangeMove, result: string, problem?: string): Row[];
  id: string | null;
};

const ending: readonly Column[] = [{ key: 'from', as: 'time' }, { key: 'to', as: 'time' }, { key: 'result' }, { key: 'problem' }];

/** For sessions whose close_time alone changes. */
const closings: RowShape = {
  columns: [{ key: 'session' }, { key: 'email' }, ...ending],
  rows({ id, email, fields: { close_time: at } }, result, problem) {
    return [{ session: id, email, from: at?.old ?? null, to: at?.new ?? null, result, ...(problem === undefined ? {} : { problem }) }];
  },
  id: 'session',
};

/** For exams and sessions, one row per time. */
const times: RowShape = {
  columns: [{ key: 'exam' }, { key: 'session' }, { key: 'email' }, { key: 'field' }, ...ending],
  rows(move, result, problem) {
    const { kind, id, exam, email } = move;
    const of = { exam: kind === 'exam' ? id : (exam ?? null), session: kind === 'session' ? id : null, email };
    const changed = changedFields(move);
    // A resource that cannot be changed has no times, but still gets a row.
    const shown = changed.length > 0 ? changed : [{ field: null, from: null, to: null }];
    return shown.map((time) => ({ ...of, ...time, result, ...(problem === undefined ? {} : { problem }) }));
  },
  id: 'exam',
};

/** The default shape of a kind of change. */
export function shapeOf(kind: string | undefined): RowShape {
  return (kind ?? 'extend') === 'extend' ? closings : times;
}

/** The rows, with IDs as the service shows them. */
export function listOf(client: Client, { columns, id }: RowShape, rows: readonly Row[], failure?: CliError): Result {
  const typed = (key: string, resource: 'exam' | 'session') => (row: Row) =>
    typeof row[key] === 'string' ? { ...row, [key]: idAs(row[key], client.idType(resource)) } : row;
  const shown = rows.map(typed('session', 'session')).map(typed('exam', 'exam'));
  return { kind: 'list', rows: shown, columns, id, ...(failure ? { failure } : {}) };
}

/** `also`: failures from before the first move, counted among all. */
type EndWords = { did: string; hint: Sentence | undefined; also?: readonly ItemFailure[] };

/** The failure of a command that did not make all moves; undefined if it did. */
export function failureOf(
  client: Client,
  { outcomes, failures, stopped }: AppliedTasks,
  { did, hint, also = [] }: EndWords,
): CliError | undefined {
  const done = outcomes.filter((outcome) => outcome.did).length;
  const untried = outcomes.filter(({ result }) => result === notTried).length;
  const all = [...failures, ...also];
  return batchFailure(
    { done, all: outcomes.length + also.length, untried, failures: all, stopped },
    { did, idType: client.idType('session'), hint: hint ?? all[0]?.error.hint },
  );
}
