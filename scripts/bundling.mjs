// The esbuild options shared by the bundle and the standalone executable.
import { accessSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const grammar = fileURLToPath(new URL('../src/cli/complete/grammar.ts', import.meta.url));

export const common = {
  bundle: true,
  platform: 'node',
  target: 'node22',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  define: { 'process.env.UNDICI_USE_MILO': 'undefined' },
};

/** CommonJS, in which require loads both kinds of modules without the machinery of the other. */
export const commonJs = { format: 'cjs', supported: { 'dynamic-import': false } };

/** Values known at build time, in place of code that finds them out. */
export const knownNow = [
  {
    // undici's other parser, some 150 kB, is used only where the variable above asks for it.
    name: 'without-milo',
    setup({ onLoad }) {
      onLoad({ filter: /undici[\\/]lib[\\/]milo[\\/](no-)?simd\.js$/ }, () => ({ contents: '' }));
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
      // The filter alone would miss a file that has moved, and say nothing.
      accessSync(grammar);
      onLoad({ filter: /[\\/]grammar\.ts$/ }, async ({ path }) => {
        if (path !== grammar) return undefined;
        const { readGrammar } = await import(pathToFileURL(path));
        const text = JSON.stringify(JSON.stringify(await readGrammar()));
        return { contents: `export const readGrammar = async () => JSON.parse(${text});`, loader: 'js' };
      });
    },
  },
];
