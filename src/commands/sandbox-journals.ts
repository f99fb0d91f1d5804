/**
 * Deletes what this machine remembers of the embedded service's data: the journals of changes. New data has the
 * same IDs for other exams and students, so that an old journal would resume, undo or block what it never was about.
 */
import { rm } from 'node:fs/promises';
import { listChanges } from '../features/changes/index.ts';
import { journalOrigin } from '../state/journal/origin.ts';

/** The folder of all changes. Journals that cannot be read stay. Resolves to how many were deleted. */
export async function deleteSandboxJournals(folders: { changes: string }): Promise<number> {
  const { changes } = await listChanges(folders.changes);
  const sandbox = journalOrigin({ sandbox: true, origin: '' });
  const ofSandbox = changes.filter(({ header }) => header.origin === sandbox);
  for (const { path } of ofSandbox) await rm(path, { force: true });
  return ofSandbox.length;
}
