/** What was done from here: the recorded runs as they are listed, and the steps of each. */
import type { Run, RunRecord } from '../record/index.ts';
import { isTriedAgain } from './states.ts';
import { type Item, isUnsettled, kindOf } from './step.ts';

export type RunSummary = {
  run: Run;
  /** Undefined where its steps are about several exams, or none. */
  exam: string | undefined;
  /** The number of its steps by the word for what became of them. */
  counts: Readonly<Record<string, number>>;
  done: number;
  failed: number;
};

/** One query for the counts of all of them. */
export async function summariesOf(record: RunRecord, runs: readonly Run[]): Promise<RunSummary[]> {
  const counts = await record.counts(runs.map(({ id }) => id));
  return runs.map((run) => {
    const of = counts.get(run.id) ?? [];
    const sum = (wanted: string) => of.reduce((all, { state, number }) => all + (state === wanted ? number : 0), 0);
    const words: Record<string, number> = {};
    for (const { state, reason, number } of of) words[reason ?? state] = (words[reason ?? state] ?? 0) + number;
    const [exam, ...others] = new Set(of.flatMap(({ exam: first, last }) => [first, last].filter((each) => each !== null)));
    return { run, exam: others.length === 0 ? exam : undefined, counts: words, done: sum('done'), failed: sum('failed') };
  });
}

/** What `runs resume` would bring to an end: of an open run what is open, of one that has ended what may be tried again. */
export function leftIn(run: Pick<Run, 'state'>, items: readonly Item[]): Item[] {
  if (run.state === 'open') return items.filter(isUnsettled);
  return items.filter(isLeft);
}

/** Tried again by `runs resume` of a run that has ended. A consent to mails is for one request. */
export function isLeft(item: Item): boolean {
  return isTriedAgain(item) && kindOf(item.step) !== 'mails';
}
