/** Which runs have taken something of a run back, and still do. */
import type { Run, RunRecord } from '../record/index.ts';

/** The last first. What an undo took back is there again once that undo was undone, too. */
export async function standingUndos(record: RunRecord, run: string): Promise<Run[]> {
  const undos = await record.runs({ undoOf: run });
  if (undos.length === 0) return [];
  const counts = await record.counts(undos.map(({ id }) => id));
  const standing: Run[] = [];
  for (const undo of undos) {
    const isEffective = counts.get(undo.id)?.some(({ state }) => state === 'done') === true;
    if (isEffective && !(await standingUndos(record, undo.id)).some(isWhole)) standing.push(undo);
  }
  return standing;
}

/** It has taken back all that was to be taken back. */
export function isWhole({ state, more }: Run): boolean {
  return state === 'finished' && more.isPart !== true;
}
