/**
 * A process that changes the configuration, for tests that need real ones: the folder, then what to
 * do. `set PROFILE KEY VALUE` changes once; `flip` changes between two whole states until it is killed.
 */
import { changeConfig, withProfile } from '../../src/config/store.ts';
import type { Host } from '../../src/host/host.ts';
import { realHost } from '../../src/host/process.ts';

const [folder = '', action, profile = '', key = '', value = ''] = process.argv.slice(2);
const host = { ...(realHost() as unknown as Host), env: { PROCTOR_CONFIG_DIR: folder } };

try {
  if (action === 'set') {
    await changeConfig(host, (config) => withProfile(config, profile, { ...config.profiles[profile], [key]: value }));
  } else {
    for (let turn = 0; ; turn++) {
      const state = turn % 2 === 0 ? 'a' : 'b';
      await changeConfig(host, (config) => withProfile(config, 'flip', { institute: state, timezone: state.repeat(20_000) }));
      if (turn === 1) process.stdout.write('flipping\n');
    }
  }
} catch (error) {
  process.stderr.write(`${(error as { code?: string }).code}: ${(error as Error).message}\n`);
  process.exitCode = 3;
}
