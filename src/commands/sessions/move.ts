import { defineCommand } from '../../command.ts';
import { examFlag } from '../shared.ts';
import { sessions } from './shared.ts';

export const command = defineCommand({
  name: 'sessions move',
  summary: 'Move students to another exam',
  details:
    'Creates each student in the other exam with address, name, number, times and skip_requirements. It deletes the old session only after it has seen the new one with all of that. Otherwise, or if the old one has changed meanwhile, both stay and are named. Own times move along by the difference between the starts of the exams. Other fields, such as a seat, are listed first and not copied; set them with -F.\n\nIf one of the students has started, or is in the other exam already, nothing is sent. If the move is stopped, run the same command again; runs undo puts the students back.',
  effect: 'write',
  takes: true,
  args: { ids: sessions },
  flags: { exam: { ...examFlag, description: 'exam to move them to' } },
  needs: ['exam'],
  writes: { resource: 'session', writing: 'create', adds: true },
  async run(context, { ids, exam, body }) {
    const { moveSessions } = await import('../../features/copy/move.ts');
    return moveSessions(context, { ids, to: exam, given: body });
  },
  examples: {
    'proctor-cli sessions move 37 --exam 5 --yes': 'move a student to exam 5; the ID is from sessions find or list',
    'proctor-cli sessions move 37 38 --exam 5 --dry-run': 'each request that it would send',
  },
});
