import type { TextFlag } from '../../command.ts';
import { parseDelay } from '../../features/times/amount.ts';
import { moveCommand } from './shared.ts';

const later: TextFlag = {
  type: 'text',
  value: 'duration',
  description: 'how much later the exams end: 15m, 1h30m',
  check: parseDelay,
};

export const command = moveCommand('exams delay', later, {
  summary: 'Move the end of exams to a later time, for every student',
  details:
    "Adds the same time to the end of an exam and to each session's own close_time, so that students with extra time keep it. Finished sessions are not changed. A close_time that has passed is opened again if the new one is still to come; otherwise it stays, and is named. If it is stopped, run the same command again; runs undo takes it back. For a fixed time: exams update ID --end TIME.",
  examples: {
    'proctor-cli exams delay 3 6 --by 15m --dry-run': 'what would end later',
    'proctor-cli exams delay 3 --by 15m --yes': 'a quarter of an hour more after a fire alarm',
  },
});
