import { runCommand } from './shared.ts';

export const command = runCommand({
  name: 'runs resume',
  summary: 'Finish a run that was stopped, or try again what it did not do',
  details:
    'Looks up the requests whose outcome is unknown. Then it does what is left of a deletion, a move, a clone or a change of times. Any other run is ended, and the command for the rest is printed. If the run has ended, it tries again what failed, unless that may have been carried out. An import is resumed by its own command, because it needs its file.',
  effect: 'write',
  takes: true,
  act: async (...of) => (await import('../../features/runs/resume.ts')).resumeNamed(...of),
  examples: {
    'proctor-cli runs resume 20261121T104057-2e8521 --yes': 'finish it without a question',
  },
});
