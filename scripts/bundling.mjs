// What esbuild makes of the sources, for the package and for the executable: CommonJS, which Node starts faster. Libraries
// are in it as they are published.
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

// Throws if the file has moved.
const grammar = realpathSync(fileURLToPath(new URL('../src/cli/complete/grammar.ts', import.meta.url)));

const options = {
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node22',
  format: 'cjs',
  // `import()` of our own parts runs them when they are asked for; of Node's modules, without the machinery of the other kind.
  supported: { 'dynamic-import': false },
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  // node_modules may be a link; the order of what is in the bundle would depend on where it leads.
  preserveSymlinks: true,
  // A question that undici asks of its bundler: whether its second, experimental parser stays out; and one of pg: whether its native
  // client, which is not in the package, is wanted.
  define: { esbuildDetection: 'true', 'process.env.NODE_PG_FORCE_NATIVE': 'undefined' },
};

/** What our own code finds out, where it is known at build time. */
const knownNow = {
  name: 'known-now',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/]text[\\/]version\.ts$/ }, async () => {
      const { version } = JSON.parse(await readFile('package.json', 'utf8'));
      return { contents: `export const version = ${JSON.stringify(version)};`, loader: 'js' };
    });
    onLoad({ filter: /[\\/]grammar\.ts$/ }, async ({ path }) => {
      if (realpathSync(path) !== grammar) return undefined;
      const { readGrammar } = await import(pathToFileURL(path));
      const text = JSON.stringify(JSON.stringify(await readGrammar()));
      return { contents: `export const readGrammar = async () => JSON.parse(${text});`, loader: 'js' };
    });
  },
};

/** Text of a function as Node makes one of each module. */
const asFunction = { banner: { js: '(function(require,module,exports){' }, footer: { js: '})' } };

/** What few commands need of the program, each a file of its own: by the import that loads it. */
const parts = { './client.ts': { source: 'src/state/postgres/client.ts', name: 'postgres' } };

/**
 * The program but its start: its text, a function between two marks of this build, that mark, and esbuild's description; and
 * the same of its parts, by their names.
 */
export async function bundledProgram() {
  const apart = {
    name: 'parts',
    setup({ onResolve }) {
      onResolve({ filter: /\.ts$/ }, ({ path, kind }) => {
        const part = parts[path];
        return part && kind === 'dynamic-import' ? { path: `./${part.name}.cjs`, external: true } : undefined;
      });
    },
  };
  const built = async (source) => {
    const { outputFiles, metafile } = await build({ ...options, ...asFunction, entryPoints: [source], plugins: [apart, knownNow] });
    return { text: outputFiles[0].text, metafile };
  };
  const [program, ...others] = await Promise.all(['src/program-file.ts', ...Object.values(parts).map(({ source }) => source)].map(built));
  const hash = createHash('sha256');
  for (const { text } of [program, ...others]) hash.update(text);
  const mark = `/*${hash.digest('hex').slice(0, 16)}*/`;
  const marked = ({ text, metafile }) => ({ text: `${mark}${text}${mark}`, metafile });
  return {
    ...marked(program),
    mark,
    parts: Object.fromEntries(Object.values(parts).map(({ name }, at) => [name, marked(others[at])])),
  };
}

/** `start` or `complete`, for the program with this mark. `beside`: the files of other entries, by their sources. */
export async function bundledEntry(source, mark, beside = {}) {
  const apart = {
    name: 'apart',
    setup({ onResolve }) {
      onResolve({ filter: /\/program-file\.ts$/ }, () => ({ path: resolve('src/compiled-program.ts') }));
      onResolve({ filter: /\.ts$/ }, ({ path, kind, importer }) => {
        if (beside[path]) return { path: beside[path], external: true };
        // Help has the summaries of commands and topics; the program loads them.
        const isSummarised = kind === 'dynamic-import' && /[\\/](commands|topics)[\\/]index\.ts$/.test(importer);
        return isSummarised ? { path, external: true } : undefined;
      });
    },
  };
  const define = { ...options.define, PROGRAM_MARK: JSON.stringify(mark) };
  // A block has an end: wherever a file was cut, it is no JavaScript.
  const block = { banner: { js: '"use strict";{' }, footer: { js: '}' } };
  const { outputFiles, metafile } = await build({ ...options, ...block, define, entryPoints: [source], plugins: [apart, knownNow] });
  return { text: outputFiles[0].text, metafile };
}
