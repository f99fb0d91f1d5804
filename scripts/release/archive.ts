/** A folder in an archive. The same files yield the same bytes: sorted, of one time, of no user, for all to read. */
import { execFileSync } from 'node:child_process';
import { chmodSync, lutimesSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sourceDate } from './product.ts';

const isWindows = process.platform === 'win32';

/** Packs the folder `base` of `parent`. Windows' own tar writes the ZIP. */
export function packFolder(parent: string, base: string, file: string): void {
  const archive = resolve(file);
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
