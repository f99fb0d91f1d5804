/** `sessions move`: students to another exam. */
import { defineCommand } from '../command.ts';

export const move = defineCommand({
  name: 'sessions move',
  summary: 'Move students to another exam',
  details:
    'Creates each student in the other exam with address, name and skip_requirements, reads the new session, and deletes the old session only if the new session has all that is carried over, and each other value that the old session shows, such as a number. If the address is already in the other exam, the student is not created again: the session there gets the earlier start and the later end, or the student stays in both exams and the differences are printed. The window is carried over only if both exams are at the same time; what is not carried over is named. Sessions that have started, the check included, are not moved. The same command, or runs resume, finishes a move that was stopped, and names students who are in both exams until then. runs undo deletes no student who was moved; move the students back instead.',
  effect: 'write',
  takes: true,
  args: { ids: { description: 'IDs of the sessions', variadic: true, complete: 'sessions' } },
  flags: {
    exam: { type: 'text', value: 'id', required: true, complete: 'exams', description: 'exam to move them to' },
  },
  async run(context, { ids, exam }) {
    const { moveSessions } = await import('../features/transfer/move.ts');
    return moveSessions(context, { ids, exam });
  },
  examples: [
    { line: 'proctor-cli sessions move 37 38 --exam 5 --yes', description: 'move two students to exam 5' },
    { line: 'proctor-cli sessions move 37 38 --exam 5 --dry-run', description: 'each request that it would send' },
  ],
});
