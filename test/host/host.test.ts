/** Our requests to the real host. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { realHost } from '../../src/host/process.ts';
import { temporaryFolder } from '../support/run.ts';

test('programs that are run for people get no token in their environment', async () => {
  for (const name of ['PROCTOR_TOKEN', 'PROCTOR_TOKEN_FILE', 'PROCTOR_PROFILE']) vi.stubEnv(name, `planted-${name}`);
  const host = realHost();
  const shown = 'JSON.stringify(process.env)';
  const ofTokenCommand = await host.execute(process.execPath, ['-p', shown], { milliseconds: 20_000 });
  const file = join(temporaryFolder(), 'environment');
  await host.shell(`"${process.execPath}" -p '${shown}' > '${file}'`, { input: '', milliseconds: 20_000 });
  vi.unstubAllEnvs();
  for (const environment of [ofTokenCommand, readFileSync(file, 'utf8')]) {
    expect(environment).not.toContain('planted-PROCTOR_TOKEN');
    expect(environment).toContain('planted-PROCTOR_PROFILE');
  }
});
