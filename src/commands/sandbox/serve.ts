import { once } from 'node:events';
import { defineCommand } from '../../command.ts';
import { sandboxPlace } from '../../config/folders.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { faultKinds, parseFault, withFaults } from '../../sandbox/faults.ts';
import { sentence } from '../../text/sentence.ts';
import { folderFlag, seedFlag } from './shared.ts';

export const command = defineCommand({
  name: 'sandbox serve',
  summary: 'Serve the embedded service until it is stopped',
  details:
    'Listens on 127.0.0.1 only, and sends no mail. Its data is kept. Stop it with Ctrl-C. It follows the dialect of the current profile. It reports each request that meets a fault on stderr.',
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
    const { startSandbox } = await import('../../sandbox/index.ts');
    const { host } = context;
    const sandbox = await startSandbox({
      ...sandboxPlace(host, folder),
      onClosed: context.reportClosed,
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
