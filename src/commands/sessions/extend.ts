import { defineCommand } from '../../command.ts';
import { parseExtension } from '../../features/times/amount.ts';
import { again, examFlag, timesColumns } from '../shared.ts';
import { sessions } from './shared.ts';

export const command = defineCommand({
  name: 'sessions extend',
  summary: 'Give students more time',
  details:
    "Adds to START BY of the session, or to the end of its exam if the session has no such time of its own. If that time has passed, the minutes count from now. The end of the exam does not change. --by 25% is a share of the exam's length: 25% of 2h are 30m.\n\nThis adds to the time that a student has. To reach a target however often you run it, use accommodations apply.\n\nWith --exam, finished sessions are left out. An ID that cannot be extended stops the command before anything is sent. It asks if the sessions are chosen by their exam, if it adds more than 24 hours, if the exam is over, and if the student's own window is shorter than the exam, so that a share could mean either. If it is stopped, run the same command again; runs undo takes it back.",
  effect: 'write',
  takes: true,
  args: { ids: { ...sessions, optional: true } },
  flags: {
    exam: { ...examFlag, description: 'exam whose unfinished sessions to extend, instead of IDs' },
    by: {
      type: 'text',
      value: 'amount',
      description: "time to add: 30m, +1h30m, or 25% for a share of the exam's length",
      check: parseExtension,
    },
    again,
  },
  needs: ['by'],
  oneOf: ['ids', 'exam'],
  columns: timesColumns,
  async run(context, { ids = [], exam, by, again }) {
    const { extendSessions } = await import('../../features/times/extend.ts');
    return extendSessions(context, { ids, exam, by, again });
  },
  examples: {
    'proctor-cli sessions extend 25 --by 25%': 'a quarter more time for a student; the ID is from sessions find or list',
    'proctor-cli sessions extend --exam 3 --by 10m --yes': 'ten more minutes for all who have not finished',
  },
});
