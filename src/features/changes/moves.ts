/**
 * The state of a change, from its records: that of each move, and that of the change as a whole. A record
 * that `apply` refuses is a bug when writing and damage when reading.
 */
import { IllegalTransition } from '../../state/journal/journal-format.ts';
import type { ChangeRecord, ChangeStep, Mark, MovedResource, MoveState, PlannedMove } from './records.ts';

export type Move = PlannedMove & {
  /** Its number in the plan, from 1. */
  number: number;
  /** `planned`: no request was ever sent. */
  set: 'planned' | MoveState;
  /** The student's session in the other exam; created by this move, unless `requested` is absent. */
  made?: string;
  /** A read has shown that session to be the student's. */
  proven?: true;
  /** A request may have been sent before one was `made`. */
  requested?: true;
  /** Absent unless an undo has begun. */
  undo?: MoveState;
};

/**
 * `void`: the process ended before the plan was complete, and nothing was sent. `unfinished`: some moves
 * are still to be made, or may be. `undo unfinished`: some are still to be set back.
 */
export type ChangeState = 'void' | 'unfinished' | 'finished' | 'undo unfinished' | 'undone';

export type Moves = {
  /** In the order of the plan. */
  all(): readonly Move[];
  get(number: number): Move | undefined;
  /** The moves of a resource; several if its times are not all changed at once. */
  of(kind: MovedResource, id: string): readonly Move[];
  state(): ChangeState;
};

/** Folds records into moves; has no side effects. `apply` throws `IllegalTransition`. */
export function foldedMoves(): Moves & { apply(record: ChangeRecord): void } {
  const moves: Move[] = [];
  const byResource = new Map<string, Move[]>();
  let planned = false;
  let undoing = false;

  const of = (kind: MovedResource, id: string) => byResource.get(`${kind} ${id}`) ?? [];

  function plan(move: PlannedMove) {
    const others = of(move.kind, move.id);
    const twice = others.some(({ fields }) => Object.keys(move.fields).some((field) => Object.hasOwn(fields, field)));
    if (planned || twice) throw new IllegalTransition(`${move.kind} ${move.id} is planned again`);
    const added: Move = { ...move, number: moves.length + 1, set: 'planned' };
    moves.push(added);
    byResource.set(`${move.kind} ${move.id}`, [...others, added]);
  }

  function mark(move: Move | undefined, name: string, { step, is, made, proven }: Omit<Mark, 'move'>) {
    if (!planned || !move) throw new IllegalTransition(`${name} is not in the plan`);
    if (step === 'set' && undoing) throw new IllegalTransition(`${name} is changed after the undo was started`);
    undoing ||= step === 'undo';
    move[step] = is;
    if (made !== undefined) {
      move.made = made;
      if (proven) move.proven = proven;
      else delete move.proven;
    } else if (is === 'begun') move.requested = true;
  }

  return {
    all: () => moves,
    get: (number) => moves[number - 1],
    of,
    state: () => (planned ? stateOf(moves, undoing) : 'void'),
    apply(record) {
      if ('planned' in record) {
        if (planned || record.planned !== moves.length)
          throw new IllegalTransition(`${moves.length} moves are planned, not ${record.planned}`);
        planned = true;
      } else if ('move' in record) mark(moves[record.move - 1], `move ${record.move}`, record);
      else if ('step' in record) mark(of('session', record.session)[0], `session ${record.session}`, record);
      else if ('session' in record) {
        const { session, ids, old, new: next } = record;
        plan({ kind: 'session', id: session, ...(ids ? { ids } : {}), fields: { close_time: { old, new: next } } });
      } else {
        const { times, ...move } = record;
        plan({ ...move, fields: Object.fromEntries(times.map(([field, old, next]) => [field, { old, new: next }])) });
      }
    },
  };
}

/** Whether the service may have shown the new values through this change. */
export function mayBeSet({ set }: Move): boolean {
  return set === 'begun' || set === 'done' || set === 'unknown';
}

/** Whether the service may still show the new values through this change. */
export function mayStand(move: Move): boolean {
  return mayBeSet(move) && move.undo !== 'done';
}

const settled = (standing: MoveState | 'planned' | undefined) => standing === 'done' || standing === 'left';

/** Whether the step has ended for a move. */
export function isSettled(move: Move, step: ChangeStep): boolean {
  return step === 'set' ? settled(move.set) : !mayBeSet(move) || settled(move.undo);
}

function stateOf(moves: readonly Move[], undoing: boolean): ChangeState {
  const step = undoing ? 'undo' : 'set';
  if (!moves.every((move) => isSettled(move, step))) return undoing ? 'undo unfinished' : 'unfinished';
  return undoing ? 'undone' : 'finished';
}
