import { runCommand } from './shared.ts';

export const command = runCommand({
  name: 'runs undo',
  summary: 'Take back what a run did',
  details:
    'Restores times and fields that the service still shows as the run set them. Puts back students whom it moved. Deletes students and exams that the run created, if they are as the run left them and none of them has begun. An open run is ended first. Later changes, deletions and mails stay and are named: the status is 9, or 11 if nothing else was left to do.',
  effect: 'destroy',
  takes: true,
  act: async (...of) => (await import('../../features/runs/undo.ts')).undoNamed(...of),
  examples: {
    'proctor-cli runs undo 20261121T104057-2e8521 --yes': 'take it back',
    'proctor-cli runs undo 20261121T104057-2e8521 --dry-run': 'the requests that would take it back',
  },
});
