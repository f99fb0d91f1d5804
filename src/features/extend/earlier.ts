/**
 * What earlier changes on this machine did to the same sessions: extended twice by accident, a student
 * gets twice the time.
 */
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';
import { shows } from './close-time.ts';
import { listChanges } from './list-changes.ts';
import { type ChangeState, mayStand } from './moves.ts';
import type { ExtendTask } from './result.ts';

type Unfinished = Extract<ChangeState, 'unfinished' | 'undo unfinished'>;

export type Earlier = {
  /** The latest change that was not brought to its end, and may have extended so many of the sessions. */
  unfinished: { change: string; what: string; state: Unfinished; sessions: number } | undefined;
  /** Sessions whose present close_time comes from an earlier change, the latest change first. */
  repeated: { session: string; change: string; startedAt: number }[];
};

/** Compares tasks with all changes of the same service. With `again`, a damaged journal is only warned of. Throws `journal_damaged`. */
export async function earlierChanges(
  context: Context,
  folder: string,
  { origin, tasks, again }: { origin: string; tasks: readonly ExtendTask[]; again: boolean },
): Promise<Earlier> {
  const { changes, unreadable } = await listChanges(folder);
  for (const { code, message } of unreadable) {
    const what = sentence`${message} It may have extended some of these sessions.`;
    if (again) context.warn(sentence`warning: ${what}`);
    else throw new CliError(code, what, { hint: damagedHint });
  }
  const found: Earlier = { unfinished: undefined, repeated: [] };
  for (const { header, moves, startedAt } of changes) {
    if (header.origin !== origin) continue;
    const { change, what } = header;
    const state = moves.state();
    const touched = tasks.flatMap((task) => {
      const move = moves.get(task.session);
      return move && mayStand(move) ? [{ task, move }] : [];
    });
    if (touched.length > 0 && (state === 'unfinished' || state === 'undo unfinished')) {
      found.unfinished ??= { change, what, state, sessions: touched.length };
    }
    for (const { task, move } of touched) {
      if (task.from !== null && shows(task.from, move.new)) found.repeated.push({ session: task.session, change, startedAt });
    }
  }
  return found;
}

const damagedHint =
  'Nothing was sent. Check the close times of the sessions, then move the file away and run the command again; to extend without this check: --again';

/** Throws where an unfinished change may have extended some of the sessions. */
export function refuseUnfinished({ unfinished }: Earlier): void {
  if (!unfinished) return;
  const { change, what, state, sessions } = unfinished;
  const concerned = sessions === 1 ? 'one of these sessions' : `${sessions} of these sessions`;
  const undo = `proctor-cli changes undo ${change}`;
  const { is, hint } = {
    unfinished: { is: 'unfinished', hint: `Resume it: proctor-cli changes resume ${change}; undo it: ${undo}` },
    'undo unfinished': { is: 'not completely undone', hint: `Resume the undo: ${undo}` },
  }[state];
  throw new CliError('invalid_input', sentence`Change ${change} (${what}) is ${is}, and ${concerned} may have been extended by it.`, {
    hint: sentence`${hint}; to extend anyway: --again. Nothing was sent.`,
  });
}
