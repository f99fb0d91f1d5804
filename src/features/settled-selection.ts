/** A selection of exams, settled by their IDs: what a command that writes is about stays the same each time that its plan is computed. */
import type { Context } from '../command.ts';
import { caughtUp } from '../runs-before/index.ts';
import { type ExamSelection, isByIdOnly, type SelectedExam, type Selecting, selectExams } from './exam-selection.ts';

/**
 * The exams of a selection by their IDs, for a command whose plan is computed more than once: it means the same exams each time, also when
 * it is run again and counts from another now. `read`: each of them as it is.
 */
export async function settledSelection(
  context: Context,
  selection: ExamSelection,
): Promise<{ ids: readonly string[]; read(): Promise<readonly SelectedExam[]> }> {
  const isSettled = isByIdOnly(selection);
  const ids = isSettled ? [...new Set(selection.exam)].toSorted() : (await selectExams(context, selection)).map(({ id }) => id);
  // What was chosen is told once; IDs that were typed need not be.
  const quiet: Selecting = { client: context.client, zone: context.zone, say() {}, warn() {} };
  return {
    ids,
    read: () => selectExams(quiet, { exam: ids }, { current: (id, shown) => caughtUp(context, 'exam', id, shown) }),
  };
}
