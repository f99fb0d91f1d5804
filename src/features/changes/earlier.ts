/**
 * What earlier changes on this machine did to the same exams and sessions: a student extended twice by
 * accident gets twice the time.
 */
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';
import { type ChangeMove, changedFields } from './change-move.ts';
import { type ChangeKind, wordsOf } from './kinds.ts';
import { listChanges } from './list-changes.ts';
import { concerned, type Repetition } from './messages.ts';
import { type ChangeState, mayStand } from './moves.ts';
import { shows } from './value.ts';

type Unfinished = Extract<ChangeState, 'unfinished' | 'undo unfinished'>;

export type Earlier = {
  /** The latest unfinished change that may have changed these resources. */
  unfinished: { change: string; what: string; state: Unfinished; moves: readonly ChangeMove[] } | undefined;
  /** The latest change first. */
  repeated: Repetition[];
};

type Compared = { origin: string; kind: ChangeKind; moves: readonly ChangeMove[]; again: boolean };

/**
 * Compares moves with all changes of the same service. With `again`, a damaged journal only causes a
 * warning. Throws `journal_damaged`.
 */
export async function earlierChanges(context: Context, folder: string, { origin, kind, moves, again }: Compared): Promise<Earlier> {
  const { changes, unreadable } = await listChanges(folder);
  const { verb, did, absolute = false } = wordsOf(kind, 'set');
  for (const { code, message } of unreadable) {
    const what = sentence`${message} It may have ${did} some of these ${concerned(moves).every}.`;
    if (again) context.warn(sentence`warning: ${what}`);
    else
      throw new CliError(code, what, {
        hint: sentence`Nothing was sent. Check the times of the ${concerned(moves).every}, then move the file away and run the command again; to ${verb} without this check: --again`,
      });
  }
  const found: Earlier = { unfinished: undefined, repeated: [] };
  for (const { header, moves: recorded, startedAt } of changes) {
    if (header.origin !== origin) continue;
    const { change, what } = header;
    const state = recorded.state();
    const touched = moves.flatMap((move) => {
      const before = recorded.of(move.kind, move.id).filter(mayStand);
      return before.length > 0 ? [{ move, before }] : [];
    });
    const alike = (header.kind ?? 'extend') === kind;
    const stopped = (state === 'unfinished' && !(alike && absolute)) || state === 'undo unfinished';
    if (touched.length > 0 && stopped) {
      found.unfinished ??= { change, what, state, moves: touched.map(({ move }) => move) };
    }
    if (!alike || absolute) continue;
    for (const { move, before } of touched) {
      const stands = changedFields(move).some(
        ({ field, from }) => from !== null && before.some(({ fields }) => fields[field] && shows(from, fields[field].new)),
      );
      if (stands) found.repeated.push({ move, change, startedAt });
    }
  }
  return found;
}

/** Throws if an unfinished change may have changed some of them. */
export function refuseUnfinished({ unfinished }: Earlier, kind: ChangeKind): void {
  if (!unfinished) return;
  const { change, what, state, moves } = unfinished;
  const { verb, did } = wordsOf(kind, 'set');
  const undo = `proctor-cli changes undo ${change}`;
  const { is, hint } = {
    unfinished: { is: 'unfinished', hint: `Resume it: proctor-cli changes resume ${change}; undo it: ${undo}` },
    'undo unfinished': { is: 'not completely undone', hint: `Resume the undo: ${undo}` },
  }[state];
  throw new CliError(
    'invalid_input',
    sentence`Change ${change} (${what}) is ${is}, and ${concerned(moves).some} may have been ${kind === 'extend' ? did : 'changed'} by it.`,
    { hint: sentence`${hint}; to ${verb} anyway: --again. Nothing was sent.` },
  );
}
