import { defineCommand } from '../../command.ts';
import { createFlags } from '../shared.ts';
import { columns, fields } from './shared.ts';

const { start, end, name, ...settings } = fields;

export const command = defineCommand({
  name: 'exams clone',
  summary: 'Create an exam with the settings and proctors of another',
  details:
    'Copies the name, the four restrictions, save_recording and the proctor pool; options override them. The end moves with the start: within half a day by elapsed time, else by the clocks of the time zone, so that 09:00 to 11:00 stays so. Own times of students move along by the difference between the starts. If the clone is stopped, run the same command again: no student is created twice.',
  effect: 'write',
  args: { id: { description: 'ID of the exam to clone', complete: 'exams' } },
  flags: {
    start: { ...start, description: 'start of the new exam' },
    end: { ...end, description: 'end of the new exam, if its duration differs' },
    name: { ...name, description: 'name of the new exam, if it differs' },
    ...settings,
    withStudents: { type: 'boolean', description: 'copy the students, too' },
    ...createFlags('an exam with this name and start'),
  },
  needs: ['start'],
  writes: { resource: 'exam', writing: 'create' },
  columns,
  async run(context, { id, withStudents = false, body, typedTimes, allowDuplicate, ifNotExists }) {
    const { cloneExam } = await import('../../features/copy/clone.ts');
    return cloneExam(context, { id, given: body, typedTimes, withStudents, consents: { allowDuplicate, ifNotExists } });
  },
  examples: {
    'proctor-cli exams clone 1 --start 2027-02-01T09:00+01:00': 'the same exam at another time',
    'proctor-cli exams clone 10 --start 2027-09-01T09:00+02:00 --with-students': 'the same exam and its students at another time',
  },
});
