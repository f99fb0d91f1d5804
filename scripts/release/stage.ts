/**
 * A folder with what git tracks and a build needs, so that nothing else of a checkout gets into what is released.
 * Its files can be read by all, as can those that a build writes there, whatever the umask here or at the checkout.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The folder exists until `use` returns. Throws if git fails. */
export function inStage<T>(use: (stage: string) => T): T {
  const umask = process.umask(0o022);
  // By its real name: macOS has links in it, and Windows a short form.
  const stage = mkdtempSync(join(realpathSync.native(tmpdir()), 'proctor-cli-release-'));
  try {
    const listed = execFileSync('git', ['ls-files', '-z', '--', '.', ':!test'], { cwd: root, encoding: 'utf8' });
    for (const file of listed.split('\0').filter((name) => name !== '')) {
      const copy = join(stage, file);
      cpSync(join(root, file), copy);
      chmodSync(copy, statSync(copy).mode & 0o100 ? 0o755 : 0o644);
    }
    symlinkSync(join(root, 'node_modules'), join(stage, 'node_modules'), 'junction');
    return use(stage);
  } finally {
    process.umask(umask);
    rmSync(stage, { recursive: true });
  }
}
