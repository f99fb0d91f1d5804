/**
 * Where an import goes, as this machine keeps it: the service's name in journals, and the lock that
 * lets one process at a time work on an exam.
 */
import { join } from 'node:path';
import type { Context } from '../command.ts';
import { type HeldLock, holdLock } from '../lock.ts';

/** The service in journals; the embedded one has another port each time. */
export function originOf(context: Context): string {
  const { sandbox, origin } = context.settings();
  return sandbox ? 'sandbox' : origin;
}

/** Takes the lock of an exam's folder (`targetFolder`) for a command. Throws `already_running`, `output_failed`. */
export function holdTarget({ host }: Context, folder: string, command: string): Promise<HeldLock> {
  return holdLock(host, join(folder, 'lock'), { pid: host.pid, machine: host.machine, since: host.now(), command });
}
