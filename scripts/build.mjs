// Bundles src into dist, as CommonJS, which Node starts faster: `start` and what it answers after Tab by themselves,
// the program split into modules, so that a command runs only what it uses, and these packed into few files.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { common, commonJs, knownNow } from './bundling.mjs';
import { bundledPackages, noticeOf, noticesText } from './notices.mjs';
import { packed } from './packing.mjs';
import { componentOf, sbomText } from './sbom.mjs';

const program = {
  main: 'src/main.ts',
  process: 'src/host/process.ts',
  live: 'src/cli/complete/live.ts',
  'remove-later': 'src/cli/complete/remove-later.ts',
};
const groups = [
  { file: 'program', sources: [...Object.values(program), 'src/cli/parse/program.ts', 'src/cli/run/run.ts'] },
  {
    file: 'request',
    sources: [
      'src/api/client.ts',
      ...['dispatcher/pool', 'dispatcher/client', 'core/connect'].map((part) => `node_modules/undici/lib/${part}.js`),
    ],
  },
  { file: 'table', sources: ['src/output/table.ts', 'src/output/terminal-table.ts'] },
];
const alone = { start: 'src/start.ts', complete: 'src/complete.ts' };

await rm('dist', { recursive: true, force: true });
const modules = await build({
  ...common,
  entryPoints: program,
  outdir: 'dist',
  splitting: true,
  format: 'esm',
  charset: 'ascii',
  supported: { 'template-literal': false },
  chunkNames: '[name]-[hash]',
  plugins: knownNow,
  write: false,
});
const { files, ...bundle } = packed(modules, groups);
await mkdir('dist');
for (const { file, text } of files) await writeFile(join('dist', `${file}.cjs`), text);
const loader = `
import { partsOf } from './src/host/compiled-code.ts';
import { codeFolder } from './src/host/startup.ts';
const { first, elsewhere: files, build } = ${JSON.stringify(bundle)};
export const load = partsOf({ folder: __dirname, build, first, files, require, cache: codeFolder });
`;
const scripts = await build({
  ...common,
  entryPoints: alone,
  ...commonJs,
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  plugins: [
    {
      name: 'leave-to-the-others',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /\.ts$/ }, ({ kind, path, importer }) => {
          if (kind !== 'dynamic-import') return undefined;
          const name = basename(path, '.ts');
          // The program loads the lazy parts of the command table; these files use its summaries only.
          const isUsed = basename(importer, '.ts') in alone;
          if (isUsed && !(name in alone) && !(name in program))
            return { errors: [{ text: `${path} would have no file in dist: add it to "program"` }] };
          return name in alone ? { path: `./${name}.cjs`, external: true } : { path: name, namespace: 'part' };
        });
        onLoad({ filter: /.*/, namespace: 'part' }, ({ path }) => ({
          contents: `module.exports = require('loader').load('${path}');`,
        }));
        onResolve({ filter: /^loader$/ }, ({ path }) => ({ path, namespace: 'loader' }));
        onLoad({ filter: /.*/, namespace: 'loader' }, () => ({ contents: loader, resolveDir: '.' }));
      },
    },
    ...knownNow,
  ],
});
const packages = bundledPackages([modules.metafile, scripts.metafile]);
await writeFile('dist/THIRD-PARTY-NOTICES.txt', noticesText(packages.map(noticeOf)));
await writeFile('dist/sbom.cdx.json', sbomText(packages.map(componentOf)));

// For the tests: which library is in which part.
const [, , option, metafile] = process.argv;
if (option === '--metafile') await writeFile(metafile, JSON.stringify(modules.metafile));
