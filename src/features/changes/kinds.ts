/** The kinds of changes, each with its words. A journal keeps the kind, so that resume and undo say the same. */

/** `verb`: "To extend: session 7"; `did`: what a row says of a move that was made; `dry`: what a dry run says. */
export type ChangeWords = { verb: string; did: string; dry: string };

export const changeWords = {
  extend: { verb: 'extend', did: 'extended', dry: 'would be extended' },
  delay: { verb: 'delay', did: 'delayed', dry: 'would be delayed' },
  shift: { verb: 'shift', did: 'shifted', dry: 'would be shifted' },
  accommodate: { verb: 'set', did: 'set', dry: 'would be set' },
} as const satisfies Record<string, ChangeWords>;

export type ChangeKind = keyof typeof changeWords;

const restoring: ChangeWords = { verb: 'restore', did: 'restored', dry: 'would be restored' };
const changing: ChangeWords = { verb: 'change', did: 'changed', dry: 'would be changed' };

/** `kind`: as a journal has it; one of version 1 has none, and is of an extension. */
export function wordsOf(kind: string | undefined, step: 'set' | 'undo'): ChangeWords {
  if (step === 'undo') return restoring;
  const known: Record<string, ChangeWords> = changeWords;
  return (Object.hasOwn(known, kind ?? 'extend') ? known[kind ?? 'extend'] : undefined) ?? changing;
}
