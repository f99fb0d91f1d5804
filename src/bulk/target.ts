/** The lock that lets one process of this machine at a time import into an exam, or take an import back. */
import { join } from 'node:path';
import type { Context } from '../command.ts';
import { type HeldLock, holdLock } from '../lock.ts';

/** Takes the lock of an exam's folder (`targetFolder`) for a command. Throws `already_running`, `output_failed`. */
export function holdTarget({ host }: Context, folder: string, command: string): Promise<HeldLock> {
  return holdLock(host, join(folder, 'lock'), { pid: host.pid, machine: host.machine, since: host.now(), command });
}
