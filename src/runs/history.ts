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
  /** Ended, and not done. */
  failed: number;
};

/** One query for the counts of all of them. */
export async function summariesOf(record: RunRecord, runs: readonly Run[]): Promise<RunSummary[]> {
  const ids = runs.map(({ id }) => id);
  const [counts, exams] = [await record.counts(ids), await record.exams(ids)];
  return runs.map((run) => {
    const of = counts.get(run.id) ?? {};
    const { done = 0, planned = 0, sending = 0, unknown = 0 } = of;
    const open = run.state === 'open' ? planned + sending + unknown : 0;
    return { run, exam: exams.get(run.id), counts: inWords(of), done, failed: run.steps - done - open };
  });
}

/** `{failed: 3, "failed rejected": 1}`: two failed without a reason, one was rejected. */
function inWords(counts: Readonly<Record<string, number>>): Record<string, number> {
  const words: Record<string, number> = {};
  for (const [key, number] of Object.entries(counts)) {
    const [state = '', reason] = key.split(' ');
    if (reason !== undefined) words[reason] = (words[reason] ?? 0) + number;
    words[state] = (words[state] ?? 0) + (reason === undefined ? number : -number);
  }
  return Object.fromEntries(Object.entries(words).filter(([, number]) => number > 0));
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
