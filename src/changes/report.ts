/** What becomes of each session, as a row, and of all of them, as the way in which a command ends. */
import type { Client } from '../api/client.ts';
import type { Column, Result, Row } from '../command.ts';
import { CliError, errorTable } from '../errors.ts';
import { idAs } from '../model/id.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Moment } from './moment.ts';
import type { Standing, Step } from './records.ts';

/** What is to be done to a session. */
export type Task = {
  session: string;
  email: string | null;
  from: Moment;
  to: Moment;
  /** The exam from whose end the new time counts, where the session has none of its own. */
  exam?: { id: string; ends: Moment };
};

export type Failure = { id: string; error: CliError };

/** `stopped`: why the rest was not tried. */
export type Applied = { rows: Row[]; failures: Failure[]; stopped: CliError | undefined };

/** How a row says what became of its session. */
export const results: Record<Step, Record<Exclude<Standing, 'begun'>, string>> = {
  set: { done: 'extended', left: 'left alone', failed: 'failed', unknown: 'unknown' },
  undo: { done: 'set back', left: 'left alone', failed: 'failed', unknown: 'unknown' },
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

export function rowOf({ session, email, from, to }: Task, result: string, problem?: string): Row {
  return { session, email, from, to, result, ...(problem === undefined ? {} : { problem }) };
}

/** The rows, their sessions as the service shows them. */
export function listOf(client: Client, rows: readonly Row[], failure?: CliError): Result {
  const shown = rows.map((row) => ({ ...row, session: idAs(String(row.session), client.idType('session')) }));
  return { kind: 'list', rows: shown, columns, id: 'session', ...(failure ? { failure } : {}) };
}

/** How a command ends: with the common failure of its sessions, or with what all of it has come to; undefined where all is done. */
export function failureOf(
  client: Client,
  { rows, failures, stopped }: Applied,
  step: Step,
  hint: Sentence | undefined,
): CliError | undefined {
  const [first] = failures;
  if (!stopped && !first) return undefined;
  const done = rows.filter(({ result }) => result === results[step].done).length;
  const untried = rows.filter(({ result }) => result === notTried).length;
  const unknown = failures.find(({ error }) => error.code === 'outcome_unknown')?.error;
  const alike = failures.every(({ error }) => error.exit === first?.error.exit) ? first?.error : undefined;
  const code = stopped?.code ?? unknown?.code ?? (done === 0 && alike ? alike.code : 'partly_done');
  const counts = [`${done} of ${rows.length} ${results[step].done}`];
  if (failures.length > 0) counts.push(`${failures.length} failed`);
  if (untried > 0) counts.push(`${untried} ${notTried}`);
  const why = stopped ?? (failures.length === 1 ? first?.error : undefined);
  return new CliError(code, sentence`${counts.join(', ')}${why ? `: ${why.message}` : '.'}`, {
    hint: hint ?? first?.error.hint ?? errorTable[code].hint,
    items: failures.map(({ id, error }) => ({ id: idAs(id, client.idType('session')), code: error.code, message: error.message })),
  });
}
