/** The lock that lets one process of this machine at a time import into an exam, or take an import back. */
import { join } from 'node:path';
import type { Context } from '../../command.ts';
import { showTime } from '../../model/time.ts';
import { type HeldLock, holdLock } from '../../state/lock.ts';

/** Takes the lock of an exam's folder (`targetFolder`) for a command. Throws `already_running`, `output_failed`. */
export function lockExam({ host, zone }: Context, folder: string, command: string): Promise<HeldLock> {
  return holdLock({ sleep: host.sleep, inWords: (instant) => showTime(instant, zone()) }, join(folder, 'lock'), {
    pid: host.pid,
    machine: host.machine,
    since: host.now(),
    command,
  });
}
