/** The numbers of a report as rows, for a table or a spreadsheet: the same rows whatever the exam. */
import type { Column } from '../../command.ts';
import type { ExamReport } from '../../model/report-content.ts';
import { shareOf } from '../../model/share.ts';
import { suspicionInWords } from '../../model/suspicion.ts';

export const measureColumns: readonly Column[] = [{ key: 'group' }, { key: 'measure' }, { key: 'count' }, { key: 'share', as: 'share' }];

export type Measure = { group: string; measure: string; count: number; share: number | null };

export function measuresOf({ counts, statuses, suspicion }: ExamReport): Measure[] {
  // The levels say it in full.
  const { suspicious: _, not_rated: __, ...attendance } = counts;
  const row = (group: string, measure: string, count: number) => ({ group, measure, count, share: shareOf(count, counts.students) });
  return [
    ...Object.entries(attendance).map(([measure, count]) => row('attendance', measure, count)),
    ...statuses.map(({ status, count }) => row('status', status ?? 'not shown', count)),
    ...suspicion.map(({ level, count }) => row('suspicion', levelName(level), count)),
  ];
}

/** A level in words; `null` where the service shows none. */
export function levelName(level: number | null): string {
  return level === null ? 'not shown' : suspicionInWords(level);
}
