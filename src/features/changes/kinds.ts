/** The kinds of changes, each with its words. A journal keeps the kind, so that resume and undo say the same. */
import type { JsonObject } from '../../model/json.ts';
import { phaseOf } from '../../model/status.ts';
import { instantOf } from '../../model/time.ts';
import type { ChangedFields } from './value.ts';

/** `verb`: "To extend: session 7"; `did`: what a row says of a move that was made; `dry`: what a dry run says. */
export type ChangeWords = {
  verb: string;
  did: string;
  dry: string;
  /**
   * Its times are computed from the exam, so making it twice adds nothing, and an earlier change of this
   * kind is no obstacle.
   */
  absolute?: true;
  /** Why a resource in its present state keeps its times; undefined if it takes the new ones. */
  keeps?(fields: ChangedFields, shown: JsonObject): string | undefined;
};

export const changeWords = {
  extend: { verb: 'extend', did: 'extended', dry: 'would be extended' },
  delay: { verb: 'delay', did: 'delayed', dry: 'would be delayed', keeps: keptOfStudents },
  shift: { verb: 'shift', did: 'shifted', dry: 'would be shifted' },
  accommodate: { verb: 'set', did: 'set', dry: 'would be set', absolute: true, keeps: keptOfStudents },
  move: { verb: 'move', did: 'moved', dry: 'would be moved' },
  copy: { verb: 'copy', did: 'copied', dry: 'would be copied' },
} as const satisfies Record<string, ChangeWords>;

/**
 * A student may have started or finished since the plan: finished sessions stay as they are, and time is
 * taken away only before the start.
 */
function keptOfStudents({ close_time: closing }: ChangedFields, { status }: JsonObject): string | undefined {
  const phase = phaseOf(status);
  if (phase === 'finished') return 'the student has finished the exam';
  const [from, to] = [instantOf(closing?.old), instantOf(closing?.new)];
  const shortens = from !== undefined && to !== undefined && to < from;
  return shortens && phase !== 'waiting' && phase !== 'checking' ? 'the student has started the exam, and would lose time' : undefined;
}

export type ChangeKind = keyof typeof changeWords;

const restoring: ChangeWords = { verb: 'restore', did: 'restored', dry: 'would be restored' };
const changing: ChangeWords = { verb: 'change', did: 'changed', dry: 'would be changed' };

/** `kind`: as in the journal; a journal of version 1 has none, and holds an extension. */
export function wordsOf(kind: string | undefined, step: 'set' | 'undo'): ChangeWords {
  if (step === 'undo') return restoring;
  const known: Record<string, ChangeWords> = changeWords;
  return (Object.hasOwn(known, kind ?? 'extend') ? known[kind ?? 'extend'] : undefined) ?? changing;
}
