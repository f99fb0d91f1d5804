/**
 * What earlier changes on this machine have done to the same sessions: whoever extends twice by
 * accident gives twice the time.
 */
import type { Context } from '../command.ts';
import { CliError } from '../errors.ts';
import { listChanges } from './history.ts';
import { shows } from './moment.ts';
import { type ChangeState, mayStand } from './moves.ts';
import type { Task } from './report.ts';

type Unfinished = Extract<ChangeState, 'unfinished' | 'undo unfinished'>;

export type Earlier = {
  /** The latest change that was not brought to its end, and may have extended so many of the sessions. */
  unfinished: { change: string; what: string; state: Unfinished; sessions: number } | undefined;
  /** Sessions whose present close_time comes from an earlier change, the latest change first. */
  repeated: { session: string; change: string; startedAt: number }[];
};

/** Compares tasks with all changes of the same service. */
export async function earlierChanges(context: Context, folder: string, origin: string, tasks: readonly Task[]): Promise<Earlier> {
  const { changes, unreadable } = await listChanges(folder);
  for (const { message } of unreadable) context.warn(`warning: ${message} Whether it extended one of these sessions is not known.`);
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

/** Throws where an unfinished change may have extended some of the sessions. */
export function refuseUnfinished({ unfinished }: Earlier): void {
  if (!unfinished) return;
  const { change, what, state, sessions } = unfinished;
  const concerned = sessions === 1 ? 'one of these sessions' : `${sessions} of these sessions`;
  const undo = `proctor-cli changes undo ${change}`;
  const { is, hint } = {
    unfinished: { is: 'not finished', hint: `Go on with it: proctor-cli changes resume ${change}; take it back: ${undo}` },
    'undo unfinished': { is: 'not undone to its end', hint: `Go on with that: ${undo}` },
  }[state];
  throw new CliError('invalid_input', `Change ${change} (${what}) is ${is}, and ${concerned} may have been extended by it.`, {
    hint: `${hint}; or extend all the same: --again. Nothing was sent.`,
  });
}
