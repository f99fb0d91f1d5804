import { runCommand } from './shared.ts';

export const command = runCommand({
  name: 'runs show',
  summary: 'Show the steps of a run, each with its state',
  details: 'As JSON, it is one object: the run as in runs list, numbers by state, and the steps.',
  effect: 'local',
  yields: true,
  act: async (...of) => (await import('../../features/runs/recorded-runs.ts')).showRun(...of),
  examples: { 'proctor-cli runs show 20261121T104057-2e8521': 'each step and its state' },
});
