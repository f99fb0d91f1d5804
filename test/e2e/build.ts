/**
 * The program as it ships, or the standalone executable, built once for all tests of this folder in a
 * place of its own: what the checkout has may be older than its sources, or be built anew at any moment.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

const root = join(import.meta.dirname, '..', '..');

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder in which bin and dist are, or the standalone executable. */
    installation: string;
    /** The command that starts the program: a file, and the arguments before the program's own. */
    command: readonly [file: string, ...before: string[]];
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-e2e-'));
  for (const name of ['bin', 'package.json']) cpSync(join(root, name), join(folder, name), { recursive: true });
  for (const name of ['src', 'node_modules']) symlinkSync(join(root, name), join(folder, name));
  const standalone = project.name === 'standalone';
  const build = standalone ? ['standalone.mjs'] : ['build.mjs', '--metafile', join(folder, 'metafile.json')];
  execFileSync(process.execPath, [join(root, 'scripts', build[0] ?? ''), ...build.slice(1)], { cwd: folder });
  project.provide('installation', folder);
  project.provide(
    'command',
    standalone ? [join(folder, 'standalone/proctor-cli')] : [process.execPath, join(folder, 'bin/proctor-cli.js')],
  );
  return () => rmSync(folder, { recursive: true, force: true });
}
