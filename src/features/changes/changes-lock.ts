/** The lock that lets one process of this machine at a time change the exams and sessions of a service. */
import { join } from 'node:path';
import type { Context } from '../../command.ts';
import { showTime } from '../../model/time.ts';
import { journalOrigin } from '../../state/journal/origin.ts';
import { originName } from '../../state/journal/origin-name.ts';
import { holdLock } from '../../state/lock.ts';

/**
 * Runs `act` while no other command changes exams or sessions of the current service. Throws
 * `already_running`, `output_failed`.
 */
export async function withChangesLock<T>(
  { host, settings, zone }: Context,
  { folder, command }: { folder: string; command: string },
  act: () => Promise<T>,
): Promise<T> {
  const path = join(folder, `${originName(journalOrigin(settings()))}.lock`);
  const lock = await holdLock({ sleep: host.sleep, inWords: (instant) => showTime(instant, zone()) }, path, {
    pid: host.pid,
    machine: host.machine,
    since: host.now(),
    command,
  });
  try {
    return await act();
  } finally {
    lock.release();
  }
}
