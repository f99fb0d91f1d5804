/** The executable in an archive for this platform, with its terms, its bill of materials, completions and the man pages. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packFolder } from './archive.ts';
import { baseName } from './product.ts';

const isWindows = process.platform === 'win32';

/** Builds standalone/ in a stage. */
export function buildExecutable(stage: string): void {
  execFileSync(process.execPath, ['scripts/standalone.mjs'], { cwd: stage, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Writes the archive, the notices and the bill of materials of what is in the stage. Returns their paths. */
export function archiveExecutable(stage: string, output: string): string[] {
  const base = baseName();
  const temporary = mkdtempSync(join(tmpdir(), 'proctor-cli-archive-'));
  try {
    const folder = join(temporary, base);
    cpSync(join(stage, 'standalone'), folder, { recursive: true });
    for (const name of ['completions', 'man']) cpSync(join(stage, name), join(folder, name), { recursive: true });
    const archive = join(output, `${base}${isWindows ? '.zip' : '.tar.gz'}`);
    packFolder(temporary, base, archive);
    const notices = join(output, `${base}-THIRD-PARTY-NOTICES.txt`);
    cpSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), notices);
    const bill = join(output, `${base}.cdx.json`);
    cpSync(join(folder, 'sbom.cdx.json'), bill);
    return [archive, bill, notices];
  } finally {
    rmSync(temporary, { recursive: true });
  }
}
