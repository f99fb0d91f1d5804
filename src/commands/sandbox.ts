/** The embedded service: the whole API on loopback. */
import { once } from 'node:events';
import { resolve } from 'node:path';
import { type Context, defineCommand, type TextFlag } from '../command.ts';
import { sandboxFolder, stateFolder } from '../config/folders.ts';
import { statePlace } from '../files/private-files.ts';
import { count } from '../model/count.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { faultKinds, parseFault, withFaults } from '../sandbox/faults.ts';
import { sentence } from '../text/sentence.ts';

const folderFlag = {
  type: 'text',
  value: 'folder',
  rare: true,
  complete: 'folders',
  description: 'folder for its data, instead of the state folder',
} as const satisfies TextFlag;
const seedFlag = {
  type: 'text',
  value: 'word',
  rare: true,
  description: 'the same seed gives the same invented data',
} as const satisfies TextFlag;

/** A folder of the user's choice is judged alone. */
function keptBy({ host, reportClosed }: Context, folder?: string) {
  return { within: folder === undefined ? statePlace(stateFolder(host), host) : undefined, onClosed: reportClosed };
}

const serve = defineCommand({
  name: 'sandbox serve',
  summary: 'Serve the embedded service until it is stopped',
  details:
    'Listens on 127.0.0.1 only, and sends no mail. Its data is kept; stop it with Ctrl-C. It follows the dialect of the current profile. Each request that meets a fault is reported on stderr.',
  effect: 'local',
  flags: {
    port: {
      type: 'number',
      value: 'port',
      least: 0,
      most: 65_535,
      standard: 0,
      description: 'port to listen on (default: a free one)',
    },
    folder: folderFlag,
    seed: seedFlag,
    fault: {
      type: 'texts',
      value: 'kind[=n][,method]',
      complete: faultKinds,
      description: `a fault in every nth request (of a method), as in lost-after=5,POST: ${faultKinds.join(', ')}`,
    },
  },
  async run(context, { port, folder, seed, fault = [] }) {
    const faults = fault.map(parseFault);
    const { startSandbox } = await import('../sandbox/index.ts');
    const { host } = context;
    const sandbox = await startSandbox({
      folder: folder ?? sandboxFolder(host),
      ...keptBy(context, folder),
      port,
      dialect: context.settings().dialect,
      now: () => host.now(),
      seed,
      inFront: withFaults({
        faults,
        told: (line) => context.say(line),
        sleep: (time, signal) => host.sleep(time, signal),
      }),
    });
    const { baseUrl, token, institute, keptData } = sandbox;
    if (seed !== undefined && keptData) {
      const command = typedCommand('sandbox reset', [], typedOption('--seed', seed));
      context.warn(sentence`The data is kept, so --seed does not change it. To replace it: proctor-cli ${command}`);
    }
    return {
      kind: 'one',
      row: { base_url: baseUrl, token, institute },
      columns: [{ key: 'base_url', title: 'base URL' }, { key: 'token' }, { key: 'institute' }],
      id: 'base_url',
      reveal: true,
      async meanwhile() {
        if (faults.length > 0) context.say(sentence`Requests meet faults: ${fault.join(' ')}.`);
        context.say('Serving until it is stopped (Ctrl-C).');
        if (!host.interrupted.aborted) await once(host.interrupted, 'abort');
        await sandbox.close();
        context.say('Stopped.');
      },
    };
  },
  examples: {
    'proctor-cli sandbox serve --port 8080': 'serve on port 8080 and print base URL and token',
    'proctor-cli sandbox serve --fault lost-after=5,POST --fault 429=10': 'rehearse with faults',
  },
});

const reset = defineCommand({
  name: 'sandbox reset',
  summary: 'Delete the data of the embedded service and seed it again',
  details: 'The runs of the profile sandbox are erased with the data: the new data reuses the IDs. With --folder they stay.',
  effect: 'local',
  flags: { folder: folderFlag, seed: seedFlag },
  async run(context, { folder, seed }) {
    const place = folder ?? sandboxFolder(context.host);
    const ofProfile = resolve(place) === resolve(sandboxFolder(context.host));
    const what = ofProfile ? 'exams, students, mails and runs' : 'exams, students and mails';
    await context.confirm(() => sentence`Delete all ${what} of the embedded service in ${place}?`);
    const { resetSandbox } = await import('../sandbox/index.ts');
    const row = resetSandbox(place, { ...keptBy(context, folder), now: () => context.host.now(), seed });
    if (ofProfile) {
      const { recordIfThere } = await import('../config/record-options.ts');
      const { runs = 0 } = (await (await recordIfThere(context))?.forget({ origin: 'sandbox' })) ?? {};
      if (runs > 0) context.say(sentence`Erased with the data: ${count(runs, 'run')}.`);
    }
    return { kind: 'one', row, columns: Object.keys(row).map((key) => ({ key })), id: null };
  },
  examples: { 'proctor-cli sandbox reset --yes': 'start over without a prompt' },
});

const outbox = defineCommand({
  name: 'sandbox outbox',
  summary: 'List the mails that the embedded service would have sent',
  effect: 'local',
  flags: {
    exam: { type: 'text', value: 'id', description: 'only the mails of this exam' },
    folder: folderFlag,
  },
  async run(context, { exam, folder }) {
    const { outbox: mails } = await import('../sandbox/index.ts');
    const columns = [
      { key: 'id' },
      { key: 'call' },
      { key: 'exam_id', title: 'exam' },
      { key: 'email' },
      { key: 'name', identifies: true },
      { key: 'subject' },
      { key: 'sent_at', title: 'sent', as: 'time' },
    ] as const;
    const rows = mails(folder ?? sandboxFolder(context.host), { exam, ...keptBy(context, folder) });
    return { kind: 'list', rows, columns, id: 'id' };
  },
  examples: { 'proctor-cli sandbox outbox --exam 2': 'the mails of exam 2' },
});

export const commands = [serve, reset, outbox];
