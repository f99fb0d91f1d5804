/** The npm package. The same sources yield the same bytes. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Repository } from './repository.ts';

type Options = {
  /** The folder that gets the tarball. */
  output: string;
  /** The project's address for package.json; npm publishes with provenance only where it is stated. */
  repository?: Repository | undefined;
};

/** Builds the package in a stage and writes the tarball. Returns its path. */
export function packTarball(stage: string, { output, repository }: Options): string {
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: stage });
  writeManifest(join(stage, 'package.json'), repository);
  const packed = JSON.parse(npm(['pack', '--ignore-scripts', '--json', '--pack-destination', resolve(output)], stage)) as Record<
    string,
    { filename: string }
  >;
  const [{ filename }] = Object.values(packed) as [{ filename: string }];
  return join(output, filename);
}

/** Leaves out what only a checkout uses: npm warns whoever installs a package with scripts. */
function writeManifest(file: string, repository: Repository | undefined): void {
  const {
    scripts: _scripts,
    devDependencies: _devDependencies,
    allowScripts: _allowScripts,
    ...manifest
  } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const address = repository && {
    homepage: `${repository.home}#readme`,
    repository: { type: 'git', url: `git+${repository.home}.git` },
    bugs: { url: `${repository.home}/issues` },
  };
  writeFileSync(file, `${JSON.stringify({ ...manifest, ...address }, null, 2)}\n`);
}

/** npm is a batch file on Windows, which only a shell runs. */
function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, shell: process.platform === 'win32', encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
