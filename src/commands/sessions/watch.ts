import { type Column, defineCommand } from '../../command.ts';
import { examSelection, lateFlag, selectionOf } from '../shared.ts';

const watchColumns: readonly Column[] = [
  { key: 'at', as: 'time' },
  ...['exam', 'session', 'email', 'field'].map((key) => ({ key })),
  { key: 'from', as: 'field' },
  { key: 'to', as: 'field' },
];

export const command = defineCommand({
  name: 'sessions watch',
  summary: 'Watch exams while they are running',
  details:
    'Without an exam it watches the exams that are running now. On a terminal it fills the screen: a line for each exam, and the students who need help. The arrows select a student, Enter shows the details with the commands to help, / searches all students, q quits. Elsewhere, and with --plain, it prints a line for each change.\n\nA student needs help if the suspicion is 2 or 3, or if the student, some minutes after the start (--late), has not come, has not completed the check, or still waits after it. WAIT counts students who can still start, BUSY those in the check or the exam, LOST those who can no longer start (no-shows), STUCK those who can no longer finish. all-finished is reached when each student has finished or can neither start nor continue; without students, when the exam is over.',
  effect: 'read',
  yields: false,
  flags: {
    ...examSelection,
    interval: {
      rare: true,
      type: 'duration',
      value: 'duration',
      least: 1000,
      most: 86_400_000,
      standard: 30_000,
      description: 'time between two updates, from 1s (default: 30s); longer while the service asks to slow down',
    },
    late: lateFlag,
    stopAt: {
      type: 'text',
      value: 'when',
      choices: ['all-finished'],
      description: 'end with status 0 once all have finished',
    },
    bell: {
      type: 'boolean',
      description: 'ring the bell of the terminal where more help is needed',
    },
  },
  columns: watchColumns,
  async run(context, { exam, name, from, until, interval, late, stopAt, bell }) {
    const options = { interval, late, untilFinished: stopAt !== undefined, bell: bell === true };
    const selected = { exam, name, from, until };
    const isSelected = Object.values(selected).some((value) => value !== undefined);
    const { watchExams } = await import('../../features/monitoring/watch.ts');
    return watchExams(context, isSelected ? selectionOf(selected) : undefined, options);
  },
  examples: {
    'proctor-cli sessions watch': 'the exams that are running now',
    'proctor-cli sessions watch --exam 3': 'one exam',
    'proctor-cli sessions watch --exam 1 --stop-at all-finished -o ndjson': 'each change for a script, until everyone has finished',
  },
});
