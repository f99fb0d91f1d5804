/** This machine: the program itself, the folder in which it keeps its state, the embedded service. */
import { accessSync, constants, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { sandboxFolder, stateFolder as stateFolderOf } from '../../config/folders.ts';
import { nearestExisting } from '../../state/private-folder.ts';
import { version } from '../../text/version.ts';
import { type Check, failed, ok, skipped, warning } from './check.ts';

export const program: Check = {
  name: 'program',
  find: ({ host }) => ok(`proctor-cli ${version} on Node ${host.node} (${host.platform})`),
};

/** A journal that cannot be written stops an import. Bytes. */
const littleRoom = 50_000_000;

export const stateFolder: Check = {
  name: 'state folder',
  find({ host }) {
    const folder = stateFolderOf(host);
    const nearest = nearestExisting(folder);
    const elsewhere = 'Choose another folder: export PROCTOR_STATE_DIR=FOLDER';
    try {
      if (nearest === folder) rmSync(mkdtempSync(join(folder, '.proctor-doctor-')), { recursive: true });
      else accessSync(nearest, constants.W_OK | constants.X_OK);
      const { bavail, bsize } = statfsSync(nearest);
      const free = bavail * bsize;
      const room = `${Math.floor(free / 1e6)} MB free`;
      if (free < littleRoom) return warning(`${folder}: only ${room}; imports keep their journals here`, elsewhere);
      return ok(nearest === folder ? `${folder}, ${room}` : `${folder}, not created yet, ${room}`);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return failed('output_failed', `${folder} is not writable (${code})`, elsewhere);
    }
  },
};

export const embeddedService: Check = {
  name: 'embedded service',
  network: true,
  after: ['state folder'],
  async find({ host }) {
    const folder = sandboxFolder(host);
    if (!existsSync(folder)) return skipped('not used yet; try it with: proctor-cli --profile sandbox exams list');
    const { startSandbox } = await import('../../sandbox/index.ts');
    const sandbox = await startSandbox({ folder, now: () => host.now() });
    await sandbox.close();
    return ok(`starts; its data is in ${folder}`);
  },
};
