/** The plan with the students of each line's roster: who is in its exam is looked for, exam by exam. */
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { type Plan, type Reading, worldOf } from '../../runs/index.ts';
import type { RemovalOptions } from '../import/removals.ts';
import type { ExamEntry } from './exam-entry.ts';
import type { PlanItem } from './period-plan.ts';
import { lookForRoster, type ReadRoster } from './rosters.ts';

export type WithRosters = { items: PlanItem[]; readings: ReadonlyMap<string, Reading>; stale: NonNullable<Plan['stale']> };

/** An exam of which nobody can tell who is there, or that would lose too many students, is held back. */
export async function withRosters(
  context: Context,
  items: readonly PlanItem[],
  rosterOf: (entry: ExamEntry) => ReadRoster | undefined,
  removeMissing: RemovalOptions | undefined,
): Promise<WithRosters> {
  const world = await worldOf(context);
  const readings = new Map<string, Reading>();
  const stale: NonNullable<Plan['stale']>[number][] = [];
  const all = await world.client.pacer.map(items, async (item): Promise<PlanItem> => {
    const roster = rosterOf(item.entry);
    if (!roster || item.held || (!item.exam && item.action !== 'create')) return item;
    try {
      const looked = await lookForRoster(world, roster, item.exam?.id, removeMissing);
      if (looked.reading) readings.set(looked.reading.exam, looked.reading);
      stale.push(...looked.stale);
      const { added, removals } = looked.students;
      const changes = added.length + (removals?.remove.length ?? 0) > 0;
      const action = item.action === 'unchanged' && changes ? 'update' : item.action;
      return { ...item, action, roster: looked.students };
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'invalid_input') throw error;
      return { ...item, action: item.action === 'unchanged' ? 'unclear' : item.action, held: error };
    }
  });
  return { items: all, readings, stale };
}
