/** Exams: the specification's section 4.1, apart from their students, pools and mails. */
import { type BooleanFlag, type Column, defineCommand, type TextFlag } from '../../command.ts';
import { again, anyExam, examSelection, selectionOf, someExams, timesColumns, type Words } from '../shared.ts';

export const columns: readonly Column[] = [
  { key: 'id' },
  { key: 'name', identifies: true },
  { key: 'start_time', title: 'start', as: 'time' },
  { key: 'end_time', title: 'end', as: 'time' },
  { key: 'allow_headphones', title: 'headphones', as: 'boolean' },
  { key: 'allow_whiteboard', title: 'whiteboard', as: 'boolean' },
  { key: 'allow_leave_room', title: 'leave room', as: 'boolean' },
  { key: 'allow_pen_paper', title: 'paper', as: 'boolean' },
  { key: 'save_recording', title: 'recording', as: 'boolean', detail: true },
];

const yesNo = (field: string, description: string) =>
  ({ type: 'boolean', negatable: true, field, description }) as const satisfies BooleanFlag;

export const settings = {
  saveRecording: yesNo('save_recording', "save the students' video streams (the service's default: yes)"),
  allowHeadphones: yesNo('allow_headphones', 'allow headphones'),
  allowWhiteboard: yesNo('allow_whiteboard', 'allow a whiteboard'),
  allowLeaveRoom: yesNo('allow_leave_room', 'allow leaving the room'),
  allowPenPaper: yesNo('allow_pen_paper', 'allow pen and paper'),
} as const;

export const fields = {
  name: { type: 'text', value: 'name', field: 'dialect.examNameKey', description: 'name of the exam' },
  start: { type: 'time', field: 'start_time', description: 'start of the exam' },
  end: { type: 'time', field: 'end_time', after: 'start', description: 'end of the exam' },
  ...settings,
} as const;

export const oneExam = { id: { description: 'ID of the exam', complete: 'exams' } } as const;

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
