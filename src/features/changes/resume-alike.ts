/**
 * Running a command again resumes the change it left unfinished: a second change on top of a stopped one
 * would move some resources twice.
 */
import type { Context, Result } from '../../command.ts';
import { journalOrigin } from '../../state/journal/origin.ts';
import { sentence } from '../../text/sentence.ts';
import type { ChangeKind } from './kinds.ts';
import { listChanges } from './list-changes.ts';
import { reviseChange } from './revise.ts';

/** `what`: as in the change's journal, with the amount. `exams`: the exams of the present command. */
export type AlikeRequest = { folder: string; kind: ChangeKind; what: string; exams: readonly string[]; again: boolean };

/**
 * Resumes the latest unfinished change with the same words that covers all of these exams, and returns
 * its result; undefined if there is none, or with `again`. An exam outside that change makes this a
 * different change. Throws as `changes resume` does.
 */
export async function resumedAlike(context: Context, { folder, kind, what, exams, again }: AlikeRequest): Promise<Result | undefined> {
  if (again) return undefined;
  const origin = journalOrigin(context.settings());
  const { changes } = await listChanges(folder);
  const unfinished = changes.find(({ header, moves }) => {
    if (header.origin !== origin || header.kind !== kind || header.what !== what || moves.state() !== 'unfinished') return false;
    const recorded = new Set(moves.all().map(({ exam }) => exam));
    return exams.every((exam) => recorded.has(exam));
  });
  if (!unfinished) return undefined;
  context.say(sentence`Change ${unfinished.header.change} (${what}) was stopped; resuming it.`);
  return reviseChange(context, folder, unfinished, 'set');
}
