/**
 * What the records of a change come to: where each of its sessions stands, and the change as a whole.
 * What `apply` refuses is a bug when writing and damage when reading.
 */
import { IllegalTransition } from '../../state/journal/format.ts';
import type { ChangeRecord, ExtendStep, MoveState, PlannedMove } from './records.ts';

export type Move = PlannedMove & {
  /** `planned`: no request was ever sent. */
  set: 'planned' | MoveState;
  /** Absent unless an undo was begun. */
  undo?: MoveState;
};

/**
 * `void`: its process ended before the plan was whole, and nothing was sent. `unfinished`: some
 * sessions are still to be changed, or may be. `undo unfinished`: some are still to be set back.
 */
export type ChangeState = 'void' | 'unfinished' | 'finished' | 'undo unfinished' | 'undone';

export type Moves = {
  all(): Iterable<Move>;
  get(session: string): Move | undefined;
  state(): ChangeState;
};

/** Pure in what it says. `apply` throws `IllegalTransition`. */
export function foldedMoves(): Moves & { apply(record: ChangeRecord): void } {
  const moves = new Map<string, Move>();
  let planned = false;
  let undoing = false;

  return {
    all: () => moves.values(),
    get: (session) => moves.get(session),
    state: () => (planned ? stateOf([...moves.values()], undoing) : 'void'),
    apply(record) {
      if ('planned' in record) {
        if (planned || record.planned !== moves.size)
          throw new IllegalTransition(`${moves.size} sessions are planned, not ${record.planned}`);
        planned = true;
        return;
      }
      const { session } = record;
      const before = moves.get(session);
      if ('step' in record) {
        if (!planned || !before) throw new IllegalTransition(`session ${session} is not in the plan`);
        if (record.step === 'set' && undoing) throw new IllegalTransition(`session ${session} is changed after the undo was started`);
        undoing ||= record.step === 'undo';
        moves.set(session, { ...before, [record.step]: record.is });
        return;
      }
      if (planned || before) throw new IllegalTransition(`session ${session} is planned again`);
      moves.set(session, { ...record, set: 'planned' });
    },
  };
}

/** Whether the service may have shown the new value through this change. */
export function mayBeSet({ set }: Move): boolean {
  return set === 'begun' || set === 'done' || set === 'unknown';
}

/** Whether the service may still show the new value through this change. */
export function mayStand(move: Move): boolean {
  return mayBeSet(move) && move.undo !== 'done';
}

const settled = (standing: MoveState | 'planned' | undefined) => standing === 'done' || standing === 'left';

/** Whether the step has come to its end for a session. */
export function isSettled(move: Move, step: ExtendStep): boolean {
  return step === 'set' ? settled(move.set) : !mayBeSet(move) || settled(move.undo);
}

function stateOf(moves: readonly Move[], undoing: boolean): ChangeState {
  const step = undoing ? 'undo' : 'set';
  if (!moves.every((move) => isSettled(move, step))) return undoing ? 'undo unfinished' : 'unfinished';
  return undoing ? 'undone' : 'finished';
}
