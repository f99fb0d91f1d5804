/**
 * The program as it ships, or the standalone executable: made once for all tests of this folder in a place of its own, as what the
 * checkout has may be older than its sources, or be built anew at any moment. In the projects "Node X", it runs on that Node.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

const root = join(import.meta.dirname, '..', '..');

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder in which bin and dist are, or standalone. */
    installation: string;
    /** The command that starts the program: a file, and the arguments before the program's own. */
    command: readonly [file: string, ...before: string[]];
    /** Before a release each command is run, else one of each noun: they share what bundling may break. */
    isRelease: boolean;
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-e2e-'));
  const [, version] = /^Node (.+)$/.exec(project.name) ?? [];
  const isStandalone = project.name === 'standalone';
  project.provide('isRelease', project.name !== 'e2e');
  build(folder, ...(isStandalone ? ['standalone'] : []));
  mkdirSync(join(folder, 'cache'));
  project.provide('installation', folder);
  const node = version ? nodeOf(folder, version) : process.execPath;
  project.provide('command', isStandalone ? [join(folder, 'standalone/proctor-cli')] : [node, join(folder, 'bin/proctor-cli.js')]);
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** Puts the sources into the folder and builds them there. */
export function build(folder: string, ...options: string[]): void {
  for (const name of ['bin', 'package.json', 'LICENSE']) cpSync(join(root, name), join(folder, name), { recursive: true });
  for (const name of ['src', 'node_modules']) symlinkSync(join(root, name), join(folder, name));
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), ...options], { cwd: folder });
}

/** Node of that version, from the package of the registry that has it. Throws if it cannot be had, as the tests then prove nothing. */
function nodeOf(folder: string, version: string): string {
  const nodes = join(folder, 'node');
  mkdirSync(nodes);
  writeFileSync(join(nodes, 'package.json'), JSON.stringify({ private: true, allowScripts: { node: true } }));
  const node = join(nodes, 'node_modules/node/bin/node');
  try {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', `node@${version}`], { cwd: nodes, stdio: ['ignore', 'pipe', 'pipe'] });
    const is = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    if (is !== `v${version}`) throw new Error(`It is ${is}.`);
  } catch (error) {
    const { message, stderr = '' } = error as Error & { stderr?: string };
    throw new Error(`Node ${version} cannot be installed from the npm registry: ${message}\n${stderr}`);
  }
  return node;
}
