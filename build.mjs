// Bundles src into dist: `start` and what it answers after Tab by themselves as CommonJS, which Node
// starts faster, the program as ES modules, split so that a command loads only what it uses.
import { readFile, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const common = {
  bundle: true,
  platform: 'node',
  target: 'node22',
  minify: true,
  legalComments: 'none',
  outdir: 'dist',
  logLevel: 'warning',
};
const program = { main: 'src/main.ts', host: 'src/host.ts', live: 'src/cli/completion/live.ts' };
const alone = { start: 'src/start.ts', complete: 'src/complete.ts' };

await rm('dist', { recursive: true, force: true });
await build({
  ...common,
  entryPoints: program,
  splitting: true,
  format: 'esm',
  chunkNames: '[name]-[hash]',
  // Bundled CommonJS asks for Node's own modules with require.
  banner: { js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);" },
});
await build({
  ...common,
  entryPoints: alone,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  // require loads both kinds of modules, and CommonJS without the machinery of the other.
  supported: { 'dynamic-import': false },
  plugins: [
    {
      name: 'leave-to-the-others',
      setup({ onResolve }) {
        onResolve({ filter: /\.ts$/ }, ({ kind, path }) => {
          const name = basename(path, '.ts');
          return kind === 'dynamic-import' ? { path: `./${name}${name in alone ? '.cjs' : '.js'}`, external: true } : undefined;
        });
      },
    },
    {
      name: 'only-the-version-of-the-package',
      setup({ onLoad }) {
        onLoad({ filter: /[\\/]package\.json$/ }, async ({ path }) => {
          const { version } = JSON.parse(await readFile(path, 'utf8'));
          return { contents: JSON.stringify({ version }), loader: 'json' };
        });
      },
    },
    {
      name: 'read-the-grammar-now',
      setup({ onLoad }) {
        onLoad({ filter: /completion.grammar\.ts$/ }, async ({ path }) => {
          const { readGrammar } = await import(pathToFileURL(path));
          const text = JSON.stringify(JSON.stringify(await readGrammar()));
          return { contents: `export const readGrammar = async () => JSON.parse(${text});`, loader: 'js' };
        });
      },
    },
  ],
});
