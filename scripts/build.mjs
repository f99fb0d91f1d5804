// Bundles src into dist: `start` and what it answers after Tab by themselves as CommonJS, which Node
// starts faster, the program as ES modules, split so that a command loads only what it uses.
import { rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { common, commonJs, knownNow } from './bundling.mjs';
import { bundledPackages, noticeOf, noticesText } from './notices.mjs';
import { componentOf, sbomText } from './sbom.mjs';

const program = {
  main: 'src/main.ts',
  process: 'src/host/process.ts',
  live: 'src/cli/complete/live.ts',
  'remove-later': 'src/cli/complete/remove-later.ts',
};
const alone = { start: 'src/start.ts', complete: 'src/complete.ts' };

await rm('dist', { recursive: true, force: true });
const modules = await build({
  ...common,
  entryPoints: program,
  outdir: 'dist',
  splitting: true,
  format: 'esm',
  chunkNames: '[name]-[hash]',
  plugins: knownNow,
  // Bundled CommonJS asks for Node's own modules with require.
  banner: { js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);" },
});
const scripts = await build({
  ...common,
  entryPoints: alone,
  ...commonJs,
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  plugins: [
    {
      name: 'leave-to-the-others',
      setup({ onResolve }) {
        onResolve({ filter: /\.ts$/ }, ({ kind, path, importer }) => {
          if (kind !== 'dynamic-import') return undefined;
          const name = basename(path, '.ts');
          // The program loads the lazy parts of the command table; these files use its summaries only.
          const isUsed = basename(importer, '.ts') in alone;
          if (isUsed && !(name in alone) && !(name in program))
            return { errors: [{ text: `${path} would have no file in dist: add it to "program"` }] };
          return { path: `./${name}${name in alone ? '.cjs' : '.js'}`, external: true };
        });
      },
    },
    ...knownNow,
  ],
});
const packages = bundledPackages([modules.metafile, scripts.metafile]);
await writeFile('dist/THIRD-PARTY-NOTICES.txt', noticesText(packages.map(noticeOf)));
await writeFile('dist/sbom.cdx.json', sbomText(packages.map(componentOf)));

// For the tests: which library is in which file.
const [, , option, metafile] = process.argv;
if (option === '--metafile') await writeFile(metafile, JSON.stringify(modules.metafile));
