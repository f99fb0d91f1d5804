/** Exams: the specification's section 4.1, apart from their students, pools and mails. */
import { type Column, defineCommand, type TextFlag } from '../../command.ts';
import { again, anyExam, examSelection, fieldColumns, fieldFlags, selectionOf, someExams, timesColumns, type Words } from '../shared.ts';

export const columns: readonly Column[] = [{ key: 'id' }, ...fieldColumns('exam')];

export const fields = fieldFlags('exam');

export const oneExam = { id: { description: 'ID or name of the exam', complete: 'exams' } } as const;

export function moveCommand(command: 'exams shift' | 'exams delay', by: TextFlag, words: Words) {
  return defineCommand({
    ...words,
    name: command,
    effect: 'write',
    takes: true,
    args: someExams,
    flags: { ...examSelection, by, again },
    needs: ['by'],
    anyOf: [...anyExam, 'ids'],
    columns: timesColumns,
    async run(context, { by, again, ...selection }) {
      const { shiftExams, delayExams } = await import('../../features/times/move-exams.ts');
      const move = command === 'exams shift' ? shiftExams : delayExams;
      return move(context, { selection: selectionOf(selection), by, again });
    },
  });
}
