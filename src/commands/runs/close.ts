import { runCommand } from './shared.ts';

export const command = runCommand({
  name: 'runs close',
  summary: 'Check once more what was done, then mark a run as ended',
  details:
    'Sends nothing. It prints what was stored otherwise than sent, and what stays unknown. Check that first: no command waits for it any more, and the same student can be created again.',
  effect: 'local',
  act: async (...of) => (await import('../../features/runs/resume.ts')).closeNamed(...of),
  examples: { 'proctor-cli runs close 20261121T104057-2e8521': 'once you have looked yourself' },
});
