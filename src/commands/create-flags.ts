/** The flags of commands that create: what is there already is looked for first. */
import type { BooleanFlag } from '../command.ts';

/** `what`: what may be there already. */
export function createFlags(what: string) {
  return {
    ifNotExists: { type: 'boolean', rare: true, description: `succeed and print it if ${what} already exists` },
    allowDuplicate: { type: 'boolean', rare: true, description: `create it even if ${what} already exists` },
  } as const satisfies Record<string, BooleanFlag>;
}
