/** `sessions watch`: an exam while it is running. */
import { defineCommand } from '../command.ts';
import { examSelection, lateFlag, selectionOf } from './exam-selection-flags.ts';

export const watch = defineCommand({
  name: 'sessions watch',
  summary: 'Watch exams while they are running',
  details:
    'Without an exam it watches those that are running now. On a terminal it fills the screen: a line for each exam, and who needs help. The arrows select a student, Enter shows the details with the commands to help, / searches all students, q quits with status 0; Ctrl-C ends every watch with 130 and without an error. Elsewhere, and with --plain, it prints a line for each change; with -o ndjson an object (field is status, level_of_suspicion, open_time, close_time, added, removed or problem), with json one document at the end. Who needs help: suspicion 2 or 3; and, some minutes after the student could start (--late), a check that is not completed, or an exam that is not started. all-finished is reached when each student has finished or, by close_time and the end of the exam, can no longer start or continue; without students, when the exam is over.',
  effect: 'read',
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
    stopAt: { type: 'text', value: 'when', choices: ['all-finished'], description: 'end with status 0 once all have finished' },
    bell: { type: 'boolean', description: 'ring the bell of the terminal where more help is needed' },
  },
  async run(context, { exam, name, from, until, interval, late, stopAt, bell }) {
    const options = { interval, late, untilFinished: stopAt !== undefined, bell: bell === true };
    const selected = { exam, name, from, until };
    const isSelected = Object.values(selected).some((value) => value !== undefined);
    const { watchExams } = await import('../features/exam-view/watch.ts');
    return watchExams(context, isSelected ? selectionOf(selected) : undefined, options);
  },
  examples: [
    { line: 'proctor-cli sessions watch', description: 'the exams that are running now' },
    { line: 'proctor-cli sessions watch --exam 3', description: 'one exam, until q is pressed' },
    { line: 'proctor-cli sessions watch --exam 3 --exam 4', description: 'a line for each exam, and the problems of both' },
    {
      line: 'proctor-cli sessions watch --exam 1 --stop-at all-finished -o ndjson',
      description: 'each change for a script, until everyone has finished',
    },
  ],
});
