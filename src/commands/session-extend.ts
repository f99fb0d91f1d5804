/** `sessions extend`: more time for students, from the close time that they have. */
import { defineCommand } from '../command.ts';
import { sessionColumns } from './session-columns.ts';

export const extend = defineCommand({
  name: 'sessions extend',
  summary: 'Give students more time',
  details:
    "--by 30m adds to the close_time of a session, or to the end of its exam if the session has none; if that time has passed, it counts from now. --by 25% adds a share of the student's window, from open_time (or the start of the exam) to close_time (or its end), rounded to a second. The end of the exam is not changed. With --exam, finished sessions are left out; an ID that cannot be extended stops the command before anything is sent. It asks if the sessions are chosen by their exam, if it adds more than 24 hours, and if the exam is over. If it is stopped, the same command resumes it; runs undo takes it back.",
  effect: 'write',
  takes: true,
  args: { ids: { description: 'IDs of the sessions', variadic: true, optional: true, complete: 'sessions' } },
  flags: {
    exam: { type: 'text', value: 'id', complete: 'exams', description: 'exam whose unfinished sessions to extend, instead of IDs' },
    by: {
      type: 'text',
      value: 'amount',
      description: 'time to add: 30m, +1h30m, or 25% for a share of the window',
      check: async (amount) => (await import('../features/times/amount.ts')).parseExtension(amount),
    },
    again: {
      type: 'boolean',
      rare: true,
      description: 'extend them once more, although a run has done so by the same amount within the hour',
    },
  },
  needs: ['by'],
  oneOf: ['ids', 'exam'],
  columns: sessionColumns,
  async run(context, { ids = [], exam, by, again }) {
    const { extendSessions } = await import('../features/times/extend.ts');
    return extendSessions(context, { choice: exam === undefined ? { ids } : { exam }, by, again });
  },
  examples: [
    { line: 'proctor-cli sessions extend 21 --by 15m', description: '15 more minutes for one student' },
    { line: 'proctor-cli sessions extend 21 22 --by 25%', description: 'a quarter more time for two students' },
    { line: 'proctor-cli sessions extend --exam 3 --by 10m --yes', description: 'ten more minutes for all who have not finished' },
  ],
});
