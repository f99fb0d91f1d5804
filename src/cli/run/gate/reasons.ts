/** The record of what was sent during an exam, and why: a private file to which lines are only added. */
import { join } from 'node:path';
import type { Outgoing } from '../../../api/request.ts';
import type { Context } from '../../../command.ts';
import { stateFolder } from '../../../config/folders.ts';
import type { Settings } from '../../../config/settings.ts';
import { CliError } from '../../../errors.ts';
import { stringifyJson } from '../../../model/json.ts';
import { maskSecretPairs } from '../../../model/secret-pairs.ts';
import { journalOrigin } from '../../../state/journal/origin.ts';
import { addPrivateLine } from '../../../state/private-log.ts';
import { sentence } from '../../../text/sentence.ts';

export function reasonsFile(host: Context['host']): string {
  return join(stateFolder(host), 'during-exam.ndjson');
}

/** `reason`: without secrets. */
type Admitted = { exam: string; reason: string; write: Pick<Outgoing, 'method' | 'path'> };

/** Throws `journal_failed`: what cannot be recorded is not sent. `target`: the service. */
export async function recordReason({ host, secrets }: Context, target: Settings, { exam, reason, write }: Admitted): Promise<void> {
  const path = reasonsFile(host);
  const line = {
    at: new Date(host.now()).toISOString(),
    origin: journalOrigin(target),
    profile: target.profile,
    exam,
    method: write.method,
    path: maskSecretPairs(write.path),
    reason,
  };
  try {
    await addPrivateLine(path, stringifyJson(secrets.maskedIn(line)));
  } catch (cause) {
    throw new CliError(
      'journal_failed',
      sentence`The reason could not be recorded in ${path}: ${(cause as Error).message}. The request was not sent.`,
      {
        hint: 'Free some space or correct the permissions of the file, and run the command again.',
        cause,
      },
    );
  }
}
