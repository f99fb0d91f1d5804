/**
 * The npm package: built from the files that git tracks, in a folder of its own, so that nothing else of the
 * checkout gets into it. The same files yield the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Repository } from './repository.ts';
import { root } from './root.ts';

type Options = {
  /** The folder that gets the tarball. */
  output: string;
  /** The project's address for package.json; npm publishes with provenance only where it is stated. */
  repository?: Repository | undefined;
  /** Where esbuild's description of the bundle goes. */
  metafile?: string;
};

/** Writes the tarball. Returns its path. Throws if git or npm fails. */
export function packTarball({ output, repository, metafile }: Options): string {
  const stage = mkdtempSync(join(tmpdir(), 'proctor-cli-package-'));
  try {
    for (const file of trackedFiles()) cpSync(join(root, file), join(stage, file), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(stage, 'node_modules'), 'junction');
    const options = metafile === undefined ? [] : ['--metafile', metafile];
    execFileSync(process.execPath, ['scripts/build.mjs', ...options], { cwd: stage });
    writeManifest(join(stage, 'package.json'), repository);
    const line = ['pack', '--ignore-scripts', '--json', '--pack-destination', output];
    const packed = JSON.parse(npm(line, stage)) as Record<string, { filename: string }>;
    const [{ filename }] = Object.values(packed) as [{ filename: string }];
    return join(output, filename);
  } finally {
    rmSync(stage, { recursive: true });
  }
}

/** What git tracks and the package or its build needs. */
function trackedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--', '.', ':!test'], { cwd: root, encoding: 'utf8' });
  return listed.split('\0').filter((file) => file !== '');
}

/** Leaves out what only a checkout uses: npm warns whoever installs a package with scripts. */
function writeManifest(file: string, repository: Repository | undefined): void {
  const {
    scripts: _,
    devDependencies: __,
    allowScripts: ___,
    ...manifest
  } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const { home } = repository ?? {};
  const address = home && {
    homepage: `${home}#readme`,
    repository: { type: 'git', url: `git+${home}.git` },
    bugs: { url: `${home}/issues` },
  };
  writeFileSync(file, `${JSON.stringify({ ...manifest, ...(address || {}) }, null, 2)}\n`);
}

/** npm is a batch file on Windows, which only a shell runs. */
function npm(args: readonly string[], cwd: string): string {
  const shell = process.platform === 'win32';
  return execFileSync('npm', args, { cwd, shell, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
