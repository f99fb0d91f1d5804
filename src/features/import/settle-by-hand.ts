/**
 * Settles one row of an unfinished run by what a person has seen: no listing can find rows without
 * an address. Nothing is changed on the service; a named session is read before it is accepted.
 */
import { dirname } from 'node:path';
import { type Client, examOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { addressIn } from '../../model/address-key.ts';
import { count } from '../../model/count.ts';
import type { IdType } from '../../model/id.ts';
import { refuseElsewhere } from '../../state/journal/origin.ts';
import { sentence } from '../../text/sentence.ts';
import { lockExam } from './exam-lock.ts';
import { openJournal } from './journal/journal.ts';
import { nameOfRow, type RunHeader, studentKey } from './journal/records.ts';
import { mayBePresent, type RowState, stateOf } from './journal/row-state.ts';
import { readRun } from './journal/runs.ts';

/** `session`: the one that the row created; undefined: the student is not in the exam. */
export type Settlement = { row: number; session: string | undefined };

/** States in which a person may know more than the journal. */
const settleable = new Set(['unknown', 'absent', 'missing']);
const hint = 'Give the session that this row created.';

/** `path`: the run's journal. Throws `invalid_input` for a row that needs no settling, and a session that is not the row's. */
export async function settleByHand(context: Context, path: string, settlement: Settlement): Promise<void> {
  const lock = await lockExam(context, dirname(path), 'imports settle');
  try {
    const { header, before, finished } = await settleableRow(context, path, settlement);
    let ids: IdType | undefined;
    if (settlement.session !== undefined) {
      const client = await context.client();
      await checkSession(client, header, before, { ...settlement, session: settlement.session });
      ids = client.idType('session');
    }
    const { journal } = await openJournal(path, header, {
      now: context.host.now,
      secrets: context.secrets,
      idType: () => ids,
    });
    try {
      const { row, session } = settlement;
      if (session === undefined) journal.outcome({ row, outcome: 'absent', reason: 'settled by hand' });
      else journal.outcome({ row, outcome: 'done', session });
      await journal.note(finished ? 'finished' : 'stopped');
    } finally {
      await journal.close();
    }
  } finally {
    lock.release();
  }
}

async function settleableRow(
  context: Context,
  path: string,
  { row, session }: Settlement,
): Promise<{ header: RunHeader; before: RowState; finished: boolean }> {
  const read = await readRun(path);
  if (!read) throw new CliError('not_found', sentence`The journal ${path} is empty.`);
  const { rows } = read;
  const { header, state: runState } = read.run;
  refuseElsewhere(`Run ${header.run} was an import to`, header.origin, context.settings());
  const before = rows.get(row);
  const state = before ? stateOf(before) : 'not_sent';
  const finished = runState === 'finished';
  // A finished run was started over or undone: what it left unknown keeps the next one from sending the row.
  if (before?.step !== 'create' || !settleable.has(state) || (finished && !mayBePresent(before))) {
    const beyond = row > header.rows ? `the file has ${count(header.rows, 'row')}` : `the row is ${state}`;
    const why = finished ? `${beyond}, and the run is finished` : beyond;
    throw new CliError('invalid_input', sentence`Row ${row} of run ${header.run} cannot be settled: ${why}.`, {
      hint: sentence`Only rows that are unknown, absent or missing can be settled; list them with: proctor-cli imports show ${header.run} -o json`,
    });
  }
  for (const [other, taken] of rows.entries()) {
    if (session !== undefined && other !== row && taken.session === session) {
      throw new CliError('invalid_input', sentence`Session ${session} belongs to row ${other} of this run.`, { hint });
    }
  }
  return { header, before, finished };
}

/** Throws if the session is not found, or is not that of the row. */
async function checkSession(
  client: Client,
  header: RunHeader,
  { key }: RowState,
  { row, session }: { row: number; session: string },
): Promise<void> {
  const found = await client.get(operations.getSession, { params: { id: session } });
  const email = addressIn(found);
  const exam = examOf(found, client);
  // A row without an address is known by its number: any address may be its student's.
  const nameless = key === studentKey(header.salt, nameOfRow(row));
  const otherStudent = !nameless && email !== undefined && key !== studentKey(header.salt, email);
  const otherExam = exam !== undefined && exam !== header.exam;
  if (!otherStudent && !otherExam) return;
  const why = otherExam ? `belongs to exam ${exam}` : 'has a different address than the row';
  throw new CliError('invalid_input', sentence`Session ${session} ${why}.`, { hint });
}
