/** The part of the program that `start` and `complete` load; in the bundle a file of its own, run by src/compiled-program.ts. */
import type { Asked } from './cli/complete/cache.ts';
import type { Candidate } from './cli/complete/candidates.ts';

/** For what fails to load later. */
export { CliError } from './errors.ts';

/** Runs the command line; resolves to its exit status. `began` hears what kind of command it is. */
export async function run(began?: (kind: string) => void): Promise<number> {
  const [{ realHost }, { main }] = await Promise.all([import('./host/process.ts'), import('./main.ts')]);
  return main(realHost(), began);
}

/** Candidates from the service for a word that is completed, within a time limit. */
export async function candidates(asked: Asked, milliseconds: number): Promise<readonly Candidate[]> {
  const [{ realHost }, { liveCandidates }, { removeLater }] = await Promise.all([
    import('./host/process.ts'),
    import('./cli/complete/live.ts'),
    import('./cli/complete/remove-later.ts'),
  ]);
  return liveCandidates({ ...realHost(), interrupted: AbortSignal.timeout(milliseconds) }, asked, removeLater);
}
