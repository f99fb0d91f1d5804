import type { TextFlag } from '../../command.ts';
import { parseShift } from '../../features/times/amount.ts';
import { moveCommand } from './shared.ts';

const farther: TextFlag = {
  type: 'text',
  value: 'amount',
  description: 'how far to move the exams: 7d, 1w, 1d2h, 90m; to an earlier time: -7d',
  check: parseShift,
};

export const command = moveCommand('exams shift', farther, {
  summary: 'Move exams to another day or time, with their students',
  details:
    'Moves start and end, and the open_time and close_time of sessions that have their own. Days and weeks are calendar days in the current time zone: 09:00 stays 09:00 when the clocks change. Hours and minutes are elapsed time. An exam that students have taken is refused.\n\nIf it is stopped, each student has at least the whole old window or the whole new one. Run the same command again to finish it; runs undo takes it back.',
  examples: {
    'proctor-cli exams shift 6 --by 7d --timezone Europe/Vienna --dry-run': 'what would move, and to when',
    'proctor-cli exams shift 6 --by 1w --timezone Europe/Vienna --yes': 'the same time of day, a week later',
  },
});
