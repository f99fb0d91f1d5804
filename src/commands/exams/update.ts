import { defineCommand } from '../../command.ts';
import { put } from '../shared.ts';
import { columns, fields, oneExam } from './shared.ts';

export const command = defineCommand({
  name: 'exams update',
  summary: 'Change an exam',
  details:
    'Changing one restriction sends all four: the exam is read before the change, and again after it to verify.\n\nWith new times, the open_time and close_time of sessions that have their own move along by as much: within half a day by elapsed time, else by the clocks of the time zone. Finished sessions are not changed, and a student who is taking the exam keeps the start. If it is stopped, each student has at least the whole old window or the whole new one.',
  effect: 'write',
  takes: true,
  args: oneExam,
  flags: { ...fields, put },
  writes: { resource: 'exam', writing: 'update' },
  columns,
  async run(context, { id, put, body, typedTimes }) {
    const { updateExam } = await import('../../features/times/move-exams.ts');
    return updateExam(context, { id, body, typedTimes, put: put === true });
  },
  examples: {
    'proctor-cli exams update 1 --allow-headphones': 'allow headphones; the other restrictions keep their values',
    'proctor-cli exams update 1 --end 2027-02-01T11:30:00+01:00': 'end it later, for students with extra time, too',
  },
});
