/** `sessions extend`: more time for students, from the close time that they have. */
import { defineCommand } from '../command.ts';
import { sessionStatuses } from '../model/status.ts';
import { sessionColumns } from './session-columns.ts';

export const extend = defineCommand({
  name: 'sessions extend',
  summary: 'Give students more time',
  details:
    "--by 30m adds to the close_time of a session, or to the end of its exam if the session has none; if that time has passed, it counts from now. --by 25% adds a share of the student's window, from open_time (or the start of the exam) to close_time (or its end), rounded to a second. With --exam, finished sessions are left out; an ID that cannot be extended stops the command before anything is sent. The end of the exam is not changed. It asks for confirmation if the sessions are chosen by their exam, if it adds more than 24 hours, if the exam is over, and if a session was extended before. Old and new times are shown first. If the command is stopped, or the service refuses some sessions, the same command does only what is left; runs undo takes it back.",
  effect: 'write',
  takes: true,
  args: { ids: { description: 'IDs of the sessions', variadic: true, optional: true, complete: 'sessions' } },
  flags: {
    exam: { type: 'text', value: 'id', complete: 'exams', description: 'exam whose unfinished sessions to extend, instead of IDs' },
    status: {
      type: 'text',
      value: 'status',
      suggests: sessionStatuses,
      requires: 'exam',
      description: 'only sessions of the exam with this status',
    },
    by: {
      type: 'text',
      value: 'amount',
      required: true,
      description: 'time to add: 30m, +1h30m, or 25% for a share of the window',
      check: async (amount) => (await import('../features/extend/extension.ts')).parseExtension(amount),
    },
  },
  oneOf: ['ids', 'exam'],
  columns: sessionColumns,
  async run(context, { ids = [], exam, status, by }) {
    const { extendSessions } = await import('../features/extend/extend.ts');
    const choice = exam === undefined ? { ids } : { exam, status };
    return extendSessions(context, { choice, by });
  },
  examples: [
    { line: 'proctor-cli sessions extend 21 --by 15m', description: 'give one student 15 more minutes to start' },
    { line: 'proctor-cli sessions extend 21 22 --by 25%', description: 'a quarter more time for two students' },
    {
      line: 'proctor-cli sessions extend --exam 3 --status exam_started --by 10m --yes',
      description: 'ten more minutes for students who are taking the exam',
    },
  ],
});
