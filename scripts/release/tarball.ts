/** The npm package. The same sources yield the same bytes. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

type Options = {
  /** The folder that gets the tarball. */
  output: string;
};

/** Builds the package in a stage and writes the tarball. Returns its path. */
export function packTarball(stage: string, { output }: Options): string {
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: stage });
  writeManifest(join(stage, 'package.json'));
  const packed = JSON.parse(npm(['pack', '--ignore-scripts', '--json', '--pack-destination', resolve(output)], stage)) as Record<
    string,
    { filename: string }
  >;
  const [{ filename }] = Object.values(packed) as [{ filename: string }];
  return join(output, filename);
}

/** Leaves out what only a checkout uses: npm warns whoever installs a package with scripts. */
function writeManifest(file: string): void {
  const {
    scripts: _scripts,
    devDependencies: _devDependencies,
    allowScripts: _allowScripts,
    ...manifest
  } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}

/** npm is a batch file on Windows, which only a shell runs. */
function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, shell: process.platform === 'win32', encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
