/**
 * Deletes what this machine remembers of the embedded service's data: the journals of changes and imports. New data has the
 * same IDs for other exams and students, so that an old journal would resume, undo or block what it never was about.
 */
import { rm } from 'node:fs/promises';
import { listChanges } from '../features/changes/index.ts';
import { listRuns } from '../features/import/journal/runs.ts';
import { journalOrigin } from '../state/journal/origin.ts';

/** The folders of all changes and of all imports. Journals that cannot be read stay. Resolves to how many were deleted. */
export async function deleteSandboxJournals(folders: { changes: string; imports: string }): Promise<number> {
  const [{ changes }, { runs }] = await Promise.all([listChanges(folders.changes), listRuns(folders.imports)]);
  const sandbox = journalOrigin({ sandbox: true, origin: '' });
  const ofSandbox = [...changes, ...runs].filter(({ header }) => header.origin === sandbox);
  for (const { path } of ofSandbox) await rm(path, { force: true });
  return ofSandbox.length;
}
