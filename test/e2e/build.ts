/**
 * The program as it ships, the package installed from its tarball on another Node, or the standalone
 * executable: made once for all tests of this folder in a place of its own, as what the checkout has may be
 * older than its sources, or be built anew at any moment.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { inStage } from '../../scripts/release/stage.ts';
import { packTarball } from '../../scripts/release/tarball.ts';

const root = join(import.meta.dirname, '..', '..');

type Program = {
  /** The folder in which bin and dist are, or the standalone executable. */
  installation: string;
  /** The command that starts the program: a file, and the arguments before the program's own. */
  command: readonly [file: string, ...before: string[]];
};

declare module 'vitest' {
  interface ProvidedContext extends Program {
    /** A folder of the tests, for compiled code. */
    scratch: string;
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-e2e-'));
  const [, version] = /^Node (.+)$/.exec(project.name) ?? [];
  const { installation, command } = version
    ? installed(folder, version)
    : project.name === 'standalone'
      ? standalone(folder)
      : built(folder);
  project.provide('scratch', folder);
  project.provide('installation', installation);
  project.provide('command', command);
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** Puts the sources into the folder and runs one of the scripts there. */
export function build(folder: string, script: string): void {
  for (const name of ['bin', 'package.json']) cpSync(join(root, name), join(folder, name), { recursive: true });
  for (const name of ['src', 'node_modules']) symlinkSync(join(root, name), join(folder, name));
  execFileSync(process.execPath, [join(root, 'scripts', script)], { cwd: folder });
}

function built(folder: string): Program {
  build(folder, 'build.mjs');
  return { installation: folder, command: [process.execPath, join(folder, 'bin/proctor-cli.js')] };
}

function standalone(folder: string): Program {
  build(folder, 'standalone.mjs');
  return { installation: folder, command: [join(folder, 'standalone/proctor-cli')] };
}

/** The tarball in an empty prefix, installed by that Node without the registry, which may refuse it. */
function installed(folder: string, version: string): Program {
  const node = nodeOf(folder, version);
  const prefix = join(folder, 'prefix');
  const tarball = inStage((stage) => packTarball(stage, { output: folder }));
  const env = { PATH: `${dirname(node)}${delimiter}${process.env.PATH}`, HOME: folder, npm_config_engine_strict: 'true' };
  execFileSync('npm', ['install', '--global', '--offline', '--prefix', prefix, tarball], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { installation: join(prefix, 'lib/node_modules/proctor-cli'), command: [node, join(prefix, 'bin/proctor-cli')] };
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
