/**
 * What earlier changes on this machine have done to the same sessions: whoever extends twice by
 * accident gives twice the time.
 */
import type { Context } from '../command.ts';
import { CliError } from '../errors.ts';
import { isMoment, type Task } from './apply.ts';
import { type Change, listChanges } from './journal.ts';
import { mayBeSet } from './moves.ts';

export type Earlier = {
  /** A change that was not brought to its end, and may have extended so many of the sessions. */
  unfinished: { change: string; what: string; sessions: number } | undefined;
  /** Sessions whose present close_time comes from an earlier change. */
  repeated: { session: string; change: string; startedAt: number }[];
};

/** Compares tasks with all changes of the same service. */
export async function earlierChanges(context: Context, folder: string, origin: string, tasks: readonly Task[]): Promise<Earlier> {
  const { changes, unreadable } = await listChanges(folder);
  for (const { message } of unreadable) context.warn(`warning: ${message}`);
  const found: Earlier = { unfinished: undefined, repeated: [] };
  for (const change of changes) {
    if (change.header.origin !== origin) continue;
    const state = change.moves.state();
    const touched = tasks.filter(({ session }) => hasSet(change, session));
    if (touched.length > 0 && (state === 'unfinished' || state === 'undo unfinished')) {
      found.unfinished ??= { change: change.header.change, what: change.header.what, sessions: touched.length };
    }
    for (const { session, from } of touched) {
      if (from === null || !isMoment(from, change.moves.get(session)?.new ?? null)) continue;
      found.repeated.push({ session, change: change.header.change, startedAt: change.startedAt });
    }
  }
  return found;
}

function hasSet({ moves }: Change, session: string): boolean {
  const move = moves.get(session);
  return move !== undefined && mayBeSet(move) && move.undo !== 'done';
}

/** Throws where an unfinished change may have extended some of the sessions. */
export function refuseUnfinished({ unfinished }: Earlier): void {
  if (!unfinished) return;
  const { change, what, sessions } = unfinished;
  const concerned = sessions === 1 ? 'one of these sessions' : `${sessions} of these sessions`;
  throw new CliError('invalid_input', `Change ${change} (${what}) is not finished, and ${concerned} may have been extended by it.`, {
    hint: `Go on with it: proctor-cli changes resume ${change}; take it back: proctor-cli changes undo ${change}; or extend all the same: --again. Nothing was sent.`,
  });
}
