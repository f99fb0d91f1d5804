/** Programs of the tests in one piece: processes start several times as fast as from their sources. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..', '..');

export type Bundle = { file: string; folder: string; remove(): void };

/** Bundles a program into a folder of its own. */
export async function bundled(program: string): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-bundle-'));
  await build({
    entryPoints: [program],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    logLevel: 'warning',
    absWorkingDir: root,
    banner: { js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);" },
  });
  const file = join(folder, basename(program).replace(/ts$/, 'mjs'));
  return { file, folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
