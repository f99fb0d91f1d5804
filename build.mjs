// Bundles src into dist: `start` by itself as CommonJS, which Node starts faster, the program as ES
// modules, split so that a command loads only what it uses.
import { rm } from 'node:fs/promises';
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

await rm('dist', { recursive: true, force: true });
await build({
  ...common,
  entryPoints: ['src/main.ts', 'src/host.ts'],
  splitting: true,
  format: 'esm',
  chunkNames: '[name]-[hash]',
  // Bundled CommonJS asks for Node's own modules with require.
  banner: { js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);" },
});
await build({
  ...common,
  entryPoints: ['src/start.ts'],
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  plugins: [
    {
      name: 'leave-to-the-program',
      setup({ onResolve }) {
        onResolve({ filter: /\.ts$/ }, ({ kind, path }) =>
          kind === 'dynamic-import' ? { path: path.replace(/\.ts$/, '.js'), external: true } : undefined,
        );
      },
    },
  ],
});
