/**
 * Takes an import back: deletes exactly the sessions which the run created and which have not begun.
 * Each deletion stands in the run's journal before it leaves, so that a stopped undo can be gone on with.
 */

import { dirname, join } from 'node:path';
import { operations } from '../api/operations.ts';
import { perform } from '../api/perform.ts';
import type { Context, Result, Row } from '../command.ts';
import { CliError } from '../errors.ts';
import { holdLock } from '../lock.ts';
import { openJournal } from './journal/journal.ts';
import { readRun } from './journal/runs.ts';
import { listStudents, type Student } from './presence.ts';

const columns = [{ key: 'session' }, { key: 'email' }, { key: 'status' }, { key: 'result' }] as const;

/** States in which a student has not begun. */
const untouched = new Set(['registered', 'mail_sent']);

export async function undoRun(context: Context, path: string): Promise<Result> {
  const { host } = context;
  const before = await readRun(path);
  if (!before) throw new CliError('not_found', `The journal ${path} is empty.`);
  const { header } = before.run;
  const settings = context.settings();
  const origin = settings.sandbox ? 'sandbox' : settings.origin;
  if (header.origin !== origin) {
    throw new CliError(
      'invalid_input',
      `Run ${header.run} was an import into ${header.origin}, and the profile ${settings.profile} is for ${origin}.`,
      {
        hint: 'Choose the profile of that service with --profile NAME.',
      },
    );
  }
  const lock = await holdLock(join(dirname(path), 'lock'), {
    pid: host.pid,
    machine: host.machine,
    since: host.now(),
    command: `imports undo ${header.run}`,
  });
  try {
    const client = await context.patientClient();
    const present = new Map((await listStudents(client, header.exam, new Set())).students.map((student) => [student.session, student]));
    const mine = [...before.rows.entries()].filter(([, { ours, session }]) => ours && session !== undefined && present.has(session));
    const created = mine.map(([row, state]) => ({ row, key: state.key, student: present.get(state.session) as Student }));
    const removable = created.filter(({ student }) => untouched.has(student.status ?? ''));
    const rows: Row[] = created
      .filter(({ student }) => !untouched.has(student.status ?? ''))
      .map(({ student }) => ({ ...shown(student), result: 'kept' }));
    if (context.globals.dryRun) {
      return {
        kind: 'list',
        rows: [...removable.map(({ student }) => ({ ...shown(student), result: 'would be deleted' })), ...rows],
        columns,
      };
    }
    for (const { student } of removable.slice(0, 20))
      context.say(`To delete: ${student.session} ${student.email ?? ''} (${student.status})`);
    if (removable.length > 20) context.say(`… and ${removable.length - 20} more.`);
    for (const { session, email, status } of rows) context.say(`Kept: ${session} ${email ?? ''} (${status})`);
    if (removable.length === 0) return { kind: 'list', rows, columns };
    await context.confirm(
      () => `Delete ${removable.length} student sessions of exam ${header.exam} at ${client.origin} (profile ${settings.profile})?`,
    );
    const { journal } = await openJournal(path, header, { now: host.now, secrets: context.secrets });
    let failure: CliError | undefined;
    try {
      // Of an earlier undo that was cut off: who is not there any more is deleted.
      for (const [row, { step, status, session }] of before.rows.entries()) {
        if (step === 'delete' && status !== 'done' && !present.has(session)) journal.outcome({ row, outcome: 'done' });
      }
      for (const { row, key, student } of removable) {
        if (host.interrupted.aborted || failure?.code === 'token_refused') {
          rows.push({ ...shown(student), result: 'not tried' });
          continue;
        }
        await journal.intent({ row, key, intent: 'delete' });
        try {
          await perform(client, operations.deleteSession, { params: { id: student.session ?? '' } });
          journal.outcome({ row, outcome: 'done' });
          rows.push({ ...shown(student), result: 'deleted' });
        } catch (error) {
          if (!(error instanceof CliError)) throw error;
          journal.outcome({ row, outcome: error.code === 'outcome_unknown' ? 'ambiguous' : 'rejected', reason: error.message });
          failure = error;
          rows.push({ ...shown(student), result: 'failed', problem: error.message });
        }
      }
      await journal.note('finished', 'undone');
    } finally {
      await journal.close();
    }
    const failed = rows.filter(({ result }) => result === 'failed' || result === 'not tried').length;
    if (host.interrupted.aborted) failure = host.interrupted.reason as CliError;
    const problem =
      failure &&
      new CliError(
        failure.exit === 9 ? 'partly_done' : failure.code,
        `${failed} of ${removable.length} sessions are not deleted: ${failure.message}`,
        { hint: failure.hint },
      );
    return { kind: 'list', rows, columns, ...(problem ? { failure: problem } : {}) };
  } finally {
    lock.release();
  }
}

function shown({ session, email, status }: Student): Row {
  return { session: session ?? null, email: email ?? null, status: status ?? null };
}
