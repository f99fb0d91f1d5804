/** The outcome of each session as a row, and of all sessions as the command's exit. */
import { batchFailure, type ItemFailure } from '../../api/batch.ts';
import type { Client } from '../../api/client.ts';
import type { Column, Result, Row } from '../../command.ts';
import type { CliError } from '../../errors.ts';
import { idAs } from '../../model/id.ts';
import type { Sentence } from '../../text/sentence.ts';
import type { CloseTime } from './close-time.ts';
import type { ExtendStep, MoveState } from './records.ts';

/** What is to be done to a session. */
export type ExtendTask = {
  session: string;
  email: string | null;
  from: CloseTime;
  to: CloseTime;
  /** The exam of the session, as far as it is shown. */
  of?: string | undefined;
  /** The student is taking the exam. */
  started?: boolean;
  /** The exam from whose end the new time counts, where the session has none of its own. */
  exam?: { id: string; ends: CloseTime };
};

/** `stopped`: why the rest was not tried. */
export type AppliedTasks = { rows: Row[]; failures: ItemFailure[]; stopped: CliError | undefined };

/** The outcome of a session in the words of its row. */
export const results: Record<ExtendStep, Record<Exclude<MoveState, 'begun'>, string>> = {
  set: { done: 'extended', left: 'skipped', failed: 'failed', unknown: 'unknown' },
  undo: { done: 'restored', left: 'skipped', failed: 'failed', unknown: 'unknown' },
};
export const notTried = 'not tried';

const columns: readonly Column[] = [
  { key: 'session' },
  { key: 'email' },
  { key: 'from', as: 'time' },
  { key: 'to', as: 'time' },
  { key: 'result' },
  { key: 'problem' },
];

export function rowOf({ session, email, from, to }: ExtendTask, result: string, problem?: string): Row {
  return { session, email, from, to, result, ...(problem === undefined ? {} : { problem }) };
}

/** The rows, their sessions as the service shows them. */
export function listOf(client: Client, rows: readonly Row[], failure?: CliError): Result {
  const shown = rows.map((row) => ({ ...row, session: idAs(String(row.session), client.idType('session')) }));
  return { kind: 'list', rows: shown, columns, id: 'session', ...(failure ? { failure } : {}) };
}

/** How a command ends that did not change all of them; undefined where it did. */
export function failureOf(
  client: Client,
  { rows, failures, stopped }: AppliedTasks,
  step: ExtendStep,
  hint: Sentence | undefined,
): CliError | undefined {
  const did = results[step].done;
  const done = rows.filter(({ result }) => result === did).length;
  const untried = rows.filter(({ result }) => result === notTried).length;
  return batchFailure(
    { done, all: rows.length, untried, failures, stopped },
    { did, idType: client.idType('session'), hint: hint ?? failures[0]?.error.hint },
  );
}
