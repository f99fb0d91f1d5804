/** The files of a release in a folder, as the pipelines of the docs download and check them. */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { inject } from 'vitest';
import { packFolder } from '../../scripts/release/archive.ts';
import { writeChecksums } from '../../scripts/release/checksums.ts';
import { inStage } from '../../scripts/release/stage.ts';
import { packTarball } from '../../scripts/release/tarball.ts';
import { version } from '../../src/text/version.ts';
import { pages } from '../docs/pages.ts';
import { temporaryFolder } from '../support/run.ts';
import { command } from './program.ts';

export type Release = {
  folder: string;
  /** The names of its two files. */
  executable: string;
  nodePackage: string;
  /** The line of a file that the jobs download, found as docs/ci.md says. */
  pin(name: string): string;
};

/** Made by each file of tests: a folder lasts as long as they do. */
export function pinnedRelease(): Release {
  const folder = temporaryFolder();
  const executable = archive(folder);
  const nodePackage = basename(inStage((stage) => packTarball(stage, { output: folder })));
  writeChecksums(folder);
  return {
    folder,
    executable,
    nodePackage,
    pin(name) {
      const ending = name.slice(`proctor-cli-${version}`.length);
      const line = /^grep .*(?= > )/m.exec(pages.get('docs/ci.md') ?? '')?.[0].replace('X.Y.Z.tgz', version + ending) ?? '';
      return execFileSync('bash', ['-c', line], { cwd: folder, encoding: 'utf8' });
    },
  };
}

/** The executable; where the tests are not about that one, a script in its place. */
function archive(release: string): string {
  const parent = temporaryFolder();
  const base = `proctor-cli-${version}-linux-x64`;
  const executable = join(parent, base, 'proctor-cli');
  mkdirSync(dirname(executable));
  const [built = '', script] = inject('command');
  if (script) writeFileSync(executable, `#!/bin/sh\nexec ${command} "$@"\n`);
  else cpSync(built, executable);
  chmodSync(executable, 0o755);
  packFolder(parent, base, join(release, `${base}.tar.gz`));
  return `${base}.tar.gz`;
}

/** The files that a page shows, by their names. */
export function filesOf(page: string): ReadonlyMap<string, string> {
  const text = pages.get(page) ?? '';
  return new Map([...text.matchAll(/^```\w+ (\S+\.\S+)\n([\s\S]*?)^```$/gm)].map(([, name = '', content = '']) => [name, content]));
}
