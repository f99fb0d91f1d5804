/**
 * Settles unfinished changes before the same command computes its moves anew. Only for kinds whose moves
 * add nothing when made twice: unsent moves are abandoned, and those that may have been sent are read.
 */
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { journalOrigin } from '../../state/journal/origin.ts';
import { sentence } from '../../text/sentence.ts';
import { changedFields } from './change-move.ts';
import { withChangesLock } from './changes-lock.ts';
import { openChange } from './journal.ts';
import type { ChangeKind } from './kinds.ts';
import { listChanges } from './list-changes.ts';
import { isSettled } from './moves.ts';
import { readResource } from './read.ts';
import { shows } from './value.ts';

/** `exams`: only changes whose open moves all belong to these exams are settled. */
export type SettleRequest = { folder: string; kind: ChangeKind; command: string; exams: ReadonlySet<string> };

/** Throws `already_running`, `journal_failed`, the client's errors. */
export async function settleEarlier(context: Context, { folder, kind, command, exams }: SettleRequest): Promise<void> {
  const origin = journalOrigin(context.settings());
  const open = async () =>
    (await listChanges(folder)).changes.filter(({ header, moves }) => {
      if (header.origin !== origin || header.kind !== kind || moves.state() !== 'unfinished') return false;
      return moves.all().every((move) => isSettled(move, 'set') || (move.exam !== undefined && exams.has(move.exam)));
    });
  if ((await open()).length === 0) return;
  await withChangesLock(context, { folder, command }, async () => {
    // Opened only under the lock: its last holder may have written more.
    for (const { header } of await open()) {
      context.say(sentence`Change ${header.change} (${header.what}) was stopped; what it left open is part of this one.`);
      await settle(context, folder, header.change);
    }
  });
}

async function settle(context: Context, folder: string, change: string): Promise<void> {
  const client = await context.client();
  const journal = await openChange(folder, change, context);
  try {
    for (const move of journal.moves.all()) {
      if (isSettled(move, 'set')) continue;
      if (move.set === 'planned') {
        journal.end(move.number, 'set', 'left');
        continue;
      }
      const shown = await readResource(client, move.kind, move.id);
      const done = !(shown instanceof CliError) && changedFields({ fields: move.fields }).every(({ field, to }) => shows(shown[field], to));
      journal.end(move.number, 'set', done ? 'done' : 'left');
    }
  } finally {
    await journal.close();
  }
}
