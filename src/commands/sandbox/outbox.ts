import { defineCommand } from '../../command.ts';
import { sandboxPlace } from '../../config/folders.ts';
import { folderFlag } from './shared.ts';

export const command = defineCommand({
  name: 'sandbox outbox',
  summary: 'List the mails that the embedded service would have sent',
  effect: 'local',
  yields: true,
  flags: {
    exam: { type: 'text', value: 'id', description: 'only the mails of this exam' },
    folder: folderFlag,
  },
  async run(context, { exam, folder }) {
    const { outbox: mails } = await import('../../sandbox/index.ts');
    const columns = [
      { key: 'id' },
      { key: 'call' },
      { key: 'exam_id', title: 'exam' },
      { key: 'email' },
      { key: 'name', identifies: true },
      { key: 'subject' },
      { key: 'sent_at', title: 'sent', as: 'time' },
    ] as const;
    const place = sandboxPlace(context.host, folder);
    const rows = mails(place.folder, { ...place, exam, onClosed: context.reportClosed });
    return { kind: 'list', rows, columns, id: 'id' };
  },
  examples: { 'proctor-cli sandbox outbox --exam 2': 'the mails of exam 2' },
});
