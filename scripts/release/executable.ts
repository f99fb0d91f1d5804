/** The executable in an archive for this platform, with its terms, its bill of materials, completions and the man page. */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, lutimesSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { baseName, sourceDate } from './product.ts';

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
    pack(temporary, base, resolve(archive));
    const notices = join(output, `${base}-THIRD-PARTY-NOTICES.txt`);
    cpSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), notices);
    const bill = join(output, `${base}.cdx.json`);
    cpSync(join(folder, 'sbom.cdx.json'), bill);
    return [archive, bill, notices];
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/** The same files yield the same bytes: sorted, of one time, of no user, for all to read. Windows' own tar writes the ZIP. */
function pack(parent: string, base: string, archive: string): void {
  const names = [base, ...readdirSync(join(parent, base), { recursive: true, encoding: 'utf8' }).map((name) => join(base, name))].sort();
  const time = sourceDate();
  for (const name of names.toReversed()) {
    const path = join(parent, name);
    chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);
    lutimesSync(path, time, time);
  }
  if (isWindows) {
    execFileSync(join(process.env.SystemRoot ?? '', 'System32/tar.exe'), ['-a', '-cf', archive, ...names.slice(0, 1)], { cwd: parent });
    return;
  }
  const isGnu = /GNU tar/.test(execFileSync('tar', ['--version'], { encoding: 'utf8' }));
  const withoutUser = isGnu
    ? ['--owner=0', '--group=0', '--numeric-owner', '--format=ustar']
    : ['--uid=0', '--gid=0', '--uname=', '--gname=', '--format=ustar'];
  const line = [...withoutUser, '--no-recursion', '-cf', '-', ...names];
  mkdirSync(join(archive, '..'), { recursive: true });
  // On macOS, tar would add a file for the attributes of each.
  const env = { ...process.env, COPYFILE_DISABLE: '1' };
  writeFileSync(archive, gzipSync(execFileSync('tar', line, { cwd: parent, env, maxBuffer: 2 ** 30 }), { level: 9 }));
}
