/** A machine whose configuration file holds this, for the tests of settings. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostOf, type World } from '../support/run.ts';

/** Without content there is no file yet. */
export function stored(content?: string | Buffer, world: World = {}) {
  const host = hostOf(world);
  const folder = host.env.PROCTOR_CONFIG_DIR ?? '';
  const path = join(folder, 'config.json');
  mkdirSync(folder, { mode: 0o700 });
  if (content !== undefined) writeFileSync(path, content, { mode: 0o600 });
  return { host, folder, path };
}
