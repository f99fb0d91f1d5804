/** What the file beside the timetable says after an apply: each line with its exam, and the values that were applied last. */

import type { Digests, KnownLine, ReadLine } from '../ids-file.ts';
import { digestOfField } from './field-digest.ts';
import type { PlanItem } from './period-plan.ts';
import type { ItemResult } from './period-rows.ts';
import { poolField } from './pools.ts';

/** `isDone`: what the line says is so in the service. */
export type Applied = { item: PlanItem; became: ItemResult; isDone: boolean };

type Before = { ids: readonly ReadLine[]; orphans: readonly ReadLine[]; origin: string };

/** In the order of the timetable; then the lines of exams that are no longer in it, and those of other services. */
export function knownLines(applied: readonly Applied[], { ids, orphans, origin }: Before): KnownLine[] {
  const lines = applied.flatMap(({ item, became, isDone }): KnownLine[] => {
    const { entry, exam, held, action } = item;
    const id = became.exam ?? exam?.id;
    // Whether it is the exam of the line is not decided.
    if (id === undefined || (action === 'adopt' && held)) return [];
    const { key, name = exam?.name, start = exam?.start } = entry;
    return [{ key, name, start, exam: id, origin, applied: isDone ? digestsOf(item) : item.last }];
  });
  return [...lines, ...orphans, ...ids.filter((row) => row.origin !== origin)];
}

function digestsOf({ entry: { wanted, pool }, kept, last }: PlanItem): Digests {
  const digests: Record<string, string> = {};
  for (const [field, value] of Object.entries({ ...wanted, ...(pool ? { [poolField]: [...pool] } : {}) })) {
    const digest = kept.includes(field) ? last[field] : digestOfField(field, value);
    if (digest !== undefined) digests[field] = digest;
  }
  return digests;
}
