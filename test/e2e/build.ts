/**
 * The program as it ships, built once for all tests of this folder in a place of its own: the
 * checkout's dist may be older than its sources, or be built anew at any moment.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

const root = join(import.meta.dirname, '..', '..');

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder in which bin and dist are. */
    installation: string;
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-e2e-'));
  for (const name of ['bin', 'package.json']) cpSync(join(root, name), join(folder, name), { recursive: true });
  for (const name of ['src', 'node_modules']) symlinkSync(join(root, name), join(folder, name));
  execFileSync(process.execPath, [join(root, 'build.mjs')], { cwd: folder });
  project.provide('installation', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
