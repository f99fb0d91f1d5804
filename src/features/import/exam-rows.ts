/** What an import says of each exam that its lines name: for programs, and as the rows of its table. */
import type { Column, Row } from '../../command.ts';
import { lineStateNames } from '../../model/line-states.ts';
import type { SelectedExam } from '../exam-selection.ts';
import type { ExamResult } from './line-results.ts';
import type { Removal } from './removals.ts';

/** An ID as the service shows it. */
export type AsId = (exam: string) => unknown;

/** Of what is no entry, no exam is known. */
const states = lineStateNames.filter((name) => name !== 'invalid');

export function examRows(
  results: readonly ExamResult[],
  { named, asId, removal }: { named: readonly SelectedExam[]; asId: AsId; removal: Removal },
): Row[] {
  return results.map(({ id, lines, counts, notInFile }, number) => ({
    exam: asId(id),
    name: named[number]?.name ?? null,
    start_time: named[number]?.shown.start_time ?? null,
    lines,
    ...Object.fromEntries(states.map((name) => [name, counts[name]])),
    not_in_file: notInFile ?? null,
    removed: removal.ofExam.get(id) ?? 0,
  }));
}

/** The rows of the exams, and one for all lines. `all`: the result. `order`: the states in the order of the columns. */
export function examSheet(rows: readonly Row[], all: Row, order: readonly string[]): { rows: readonly Row[]; columns: Column[] } {
  const keys = ['lines', ...order, 'not_in_file', 'removed'];
  const last: Row = { exam: 'all', name: null, start_time: null, ...Object.fromEntries(keys.map((key) => [key, all[key]])) };
  const shown = keys.filter((key) => [...rows, last].some((row) => (row[key] ?? 0) !== 0));
  const columns: Column[] = [
    { key: 'exam' },
    { key: 'name' },
    { key: 'start_time', title: 'starts', as: 'time' },
    ...shown.map((key) => ({ key })),
  ];
  return { rows: [...rows, last], columns };
}
