/** The exams of a selection, for a command that writes: chosen once, so that it means the same exams each time that its plan is computed. */
import type { Context } from '../../command.ts';
import { type ExamSelection, isByIdOnly, type SelectedExam, type Selecting, selectExams } from '../exam-selection.ts';

/** `read`: each of them as it is. */
type ChosenExams = { ids(): Promise<readonly string[]>; read(): Promise<readonly SelectedExam[]> };

export function chosenExams(context: Context, selection: ExamSelection): ChosenExams {
  const choose = async () =>
    isByIdOnly(selection) ? [...new Set(selection.exam)].toSorted() : (await selectExams(context, selection)).map(({ id }) => id);
  let chosen: Promise<readonly string[]> | undefined;
  const ids = () => {
    chosen ??= choose();
    return chosen;
  };
  // The choice is told once, and typed IDs not at all.
  const quiet: Selecting = { client: context.client, zone: context.zone, say() {}, warn() {} };
  return { ids, read: async () => selectExams(quiet, { exam: await ids() }) };
}
