/** Whether a folder is on a disk of this machine: on a network, locks and shared memory of SQLite are not to be relied on. */
import { statfsSync } from 'node:fs';
import { CliError } from '../errors.ts';
import { sentence } from '../text/sentence.ts';

/** The type of a file system as Linux gives it (statfs(2)). FUSE: sshfs, rclone and the like. */
const networks: Record<number, string> = {
  26985: 'NFS',
  20859: 'SMB',
  4266872130: 'SMB',
  4283649346: 'CIFS',
  1702057286: 'FUSE',
  16914839: '9P',
  1397113167: 'AFS',
  1799439955: 'AFS',
  1937076805: 'Coda',
  12805120: 'Ceph',
  198183888: 'Lustre',
  1196443219: 'GPFS',
  428016422: 'BeeGFS',
  1952539503: 'OCFS2',
  18225520: 'GFS2',
  2020557398: 'a folder shared with a virtual machine',
};

export type Disk = {
  platform: string;
  /** The type of the file system that an existing folder is on. */
  typeOf?(folder: string): number;
};

/** Throws `invalid_config` for a folder on a network; its hint sets a local one. Other systems than Linux do not say. */
export function refuseNetwork(folder: string, { platform, typeOf = (path) => statfsSync(path).type }: Disk): void {
  if (platform !== 'linux') return;
  // Numbers of 32 bits, which some systems give with a sign.
  const name = networks[typeOf(folder) >>> 0];
  if (name === undefined) return;
  throw new CliError(
    'invalid_config',
    sentence`The state folder ${folder} is not on a local disk (${name}), where records and locks can be lost.`,
    {
      hint: 'Nothing was sent. Set a folder on a disk of this machine, always the same one: export PROCTOR_STATE_DIR=/var/lib/proctor-cli',
    },
  );
}
