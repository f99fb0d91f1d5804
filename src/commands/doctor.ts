/** What is wrong, each check a row with its fix: `preflight` of exams, `doctor` of the way to the service. */
import { defineCommand } from '../command.ts';
import { checkColumns } from './shared.ts';

export const command = defineCommand({
  name: 'doctor',
  summary: 'Check settings, record, token, each read operation, paging and clock',
  details:
    'Each check is ok, warning, failed or skipped; the command that corrects it stands below the table (in JSON, in its row). The doctor changes nothing: it sends one request of each read operation, and asks for the next page of a list if there may be one. A broken configuration does not stop it. The status is that of the first failure.',
  effect: 'read',
  columns: checkColumns,
  async run(context) {
    const { examine } = await import('../features/doctor/examination.ts');
    return examine(context);
  },
  examples: { 'proctor-cli doctor': 'what works, what does not, and how to fix it' },
});
