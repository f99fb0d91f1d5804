/** Checks the path from this machine to the service, one check a row, each with its remedy. */
import { type Column, defineCommand } from '../command.ts';

const columns: readonly Column[] = [
  { key: 'check' },
  { key: 'state', identifies: true },
  { key: 'detail' },
  { key: 'remedy', detail: true },
];

const run = defineCommand({
  name: 'doctor',
  summary: 'Check settings, record, token, each read operation, paging and clock',
  details:
    'Each check is ok, a warning, failed or skipped, with the fix below the table (in JSON, in its row). The doctor changes nothing: it sends one request of each read operation, and asks for the next page of a list if there may be one. The status is 0 if no check failed, else the status of the first failure. A broken configuration does not stop it.',
  effect: 'read',
  columns,
  async run(context) {
    const { examine } = await import('../features/doctor/examination.ts');
    return examine(context, columns);
  },
  examples: [
    { line: 'proctor-cli doctor', description: 'what works, what does not, and how to fix it' },
    { line: 'proctor-cli doctor -o json', description: 'the same for a script' },
  ],
});

export const doctor = [run];
