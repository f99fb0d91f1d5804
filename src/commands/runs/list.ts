import { type Column, defineCommand } from '../../command.ts';

const runColumns: readonly Column[] = [
  { key: 'run' },
  { key: 'when', as: 'time' },
  { key: 'command' },
  { key: 'exam' },
  { key: 'state' },
  { key: 'done', detail: true },
  { key: 'failed', detail: true },
  { key: 'who', detail: true },
];

export const command = defineCommand({
  name: 'runs list',
  summary: 'List what was done from here, latest first',
  details:
    "A run is one command that changed the service, from this machine or, with a team's database, from any machine of the team. It is open while the outcome of a step is unknown, or a step is still to be sent; partial if it has ended and something was not done; undone if another run took it back; otherwise finished (N done). In commands, words such as ADDRESS stand for values that may be personal. From 100 columns on it shows who ran it; else: --columns when,who,command. A run can be resumed, undone or closed only at the service at which it was made.",
  effect: 'local',
  yields: true,
  flags: {
    open: { type: 'boolean', description: 'only runs that are open' },
    since: {
      type: 'time',
      day: 'start',
      description: 'only runs with something recorded since this time or day, such as yesterday',
    },
    exam: {
      type: 'text',
      value: 'id',
      description: 'only runs with a step about this exam',
    },
    allServices: { type: 'boolean', description: 'runs at all services, each with its service' },
  },
  columns: runColumns,
  async run(context, { open = false, since, exam, allServices = false }) {
    const { listRuns } = await import('../../features/runs/recorded-runs.ts');
    return listRuns(context, allServices, { since, exam, states: open ? ['open'] : undefined });
  },
  examples: {
    'proctor-cli runs list --since yesterday --timezone Europe/Vienna': 'what was done yesterday and today, latest first',
    'proctor-cli runs list --open -o json': 'the open runs for a script',
    'proctor-cli runs list --all-services': 'also those of other profiles, each with its service',
  },
});
