/** A folder with what git tracks and a build needs, so that nothing else of a checkout gets into what is released. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The folder exists until `use` returns. Throws if git fails. */
export function inStage<T>(use: (stage: string) => T): T {
  // By its real name: macOS has links in it, and Windows a short form.
  const stage = mkdtempSync(join(realpathSync.native(tmpdir()), 'proctor-cli-release-'));
  try {
    const listed = execFileSync('git', ['ls-files', '-z', '--', '.', ':!test'], { cwd: root, encoding: 'utf8' });
    for (const file of listed.split('\0').filter((name) => name !== '')) cpSync(join(root, file), join(stage, file));
    symlinkSync(join(root, 'node_modules'), join(stage, 'node_modules'), 'junction');
    return use(stage);
  } finally {
    rmSync(stage, { recursive: true });
  }
}
