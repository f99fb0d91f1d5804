/** The sums of several reports: over all exams, a student who takes two counts twice. */
import type { ExamReport } from '../../model/report-content.ts';

export type Totals = {
  counts: ExamReport['counts'];
  statuses: ExamReport['statuses'];
  suspicion: ExamReport['suspicion'];
  /** Exams whose numbers may still change. */
  preliminary: number;
};

export function totalsOf(reports: readonly ExamReport[]): Totals {
  const counts = Object.fromEntries(Object.keys(reports[0]?.counts ?? {}).map((key) => [key, 0])) as ExamReport['counts'];
  for (const report of reports) for (const key of Object.keys(counts)) counts[key] = (counts[key] ?? 0) + (report.counts[key] ?? 0);
  return {
    counts,
    statuses: summed(reports.flatMap(({ statuses }) => statuses.map(({ status, count }) => [status, count] as const))).map(
      ([status, count]) => ({ status, count }),
    ),
    suspicion: summed(reports.flatMap(({ suspicion }) => suspicion.map(({ level, count }) => [level, count] as const))).map(
      ([level, count]) => ({ level, count }),
    ),
    preliminary: reports.filter(({ preliminary }) => preliminary).length,
  };
}

/** In the order in which the keys first come. */
function summed<K>(pairs: readonly (readonly [K, number])[]): [K, number][] {
  const sums = new Map<K, number>();
  for (const [key, count] of pairs) sums.set(key, (sums.get(key) ?? 0) + count);
  return [...sums];
}
