import { resolve } from 'node:path';
import { defineCommand } from '../../command.ts';
import { sandboxPlace } from '../../config/folders.ts';
import { recordIfThere } from '../../config/record-options.ts';
import { count, sentence } from '../../text/sentence.ts';
import { folderFlag, seedFlag } from './shared.ts';

export const command = defineCommand({
  name: 'sandbox reset',
  summary: 'Delete the data of the embedded service and seed it again',
  details: 'Also erases the runs of the profile sandbox, because the new data reuses the IDs. With --folder they stay.',
  effect: 'local',
  flags: { folder: folderFlag, seed: seedFlag },
  async run(context, { folder, seed }) {
    const { host, reportClosed: onClosed } = context;
    const place = sandboxPlace(host, folder);
    const ofProfile = resolve(place.folder) === resolve(sandboxPlace(host).folder);
    const what = ofProfile ? 'exams, students, mails and runs' : 'exams, students and mails';
    await context.confirm(() => sentence`Delete all ${what} of the embedded service in ${place.folder}?`);
    const { resetSandbox } = await import('../../sandbox/index.ts');
    const row = resetSandbox(place.folder, { ...place, onClosed, now: () => host.now(), seed });
    if (ofProfile) {
      const { runs = 0 } = (await (await recordIfThere(context))?.forget({ origin: 'sandbox' })) ?? {};
      if (runs > 0) context.say(sentence`Erased with the data: ${count(runs, 'run')}.`);
    }
    return { kind: 'one', row, columns: Object.keys(row).map((key) => ({ key })), id: null };
  },
  examples: { 'proctor-cli sandbox reset --yes': 'start over without a prompt' },
});
