// Packs the modules that esbuild has split into few files. Node takes longer to find, read and link a module than
// to run it: what every command loads, and every small part, is in one file, what requests and tables load in
// two more, and each large part in a file of its own. A part runs only when it is loaded: src/host/compiled-code.ts.
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { build as bundle, transformSync } from 'esbuild';
import { markOf } from '../src/host/compiled-code.ts';
import { ascii, common, knownNow } from './bundling.mjs';

/** Modules up to this size go into the first file, whoever loads them. Bytes. */
const small = 4_000;

/** What is loaded from outside the program, by name. */
const entries = {
  main: 'src/main.ts',
  process: 'src/host/process.ts',
  live: 'src/cli/complete/live.ts',
  'remove-later': 'src/cli/complete/remove-later.ts',
};
/** The files with more than one large part: the sources whose modules each holds, with all that these import. */
const groups = [
  { file: 'program', sources: [...Object.values(entries), 'src/cli/parse/program.ts', 'src/cli/run/run.ts'] },
  {
    file: 'request',
    sources: [
      'src/api/client.ts',
      ...['dispatcher/pool', 'dispatcher/client', 'core/connect'].map((part) => `node_modules/undici/lib/${part}.js`),
    ],
  },
  { file: 'table', sources: ['src/output/table.ts', 'src/output/terminal-table.ts'] },
];

/** An esbuild plugin: what `start` and `complete` load of the program comes out of its parts, which `files` has; `complete` is elsewhere. */
export function fromParts({ first, elsewhere, alone }, files, complete) {
  const loader = `${files}
import { partsOf } from './src/host/compiled-code.ts';
export const load = partsOf({ ...files, first: '${first}', elsewhere: ${JSON.stringify(elsewhere)}, alone: ${JSON.stringify(alone)}, require });
`;
  return {
    name: 'from-parts',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.ts$/ }, ({ kind, path, importer }) => {
        if (kind !== 'dynamic-import') return undefined;
        const name = basename(path, '.ts');
        if (name === 'complete') return complete();
        // The program loads the lazy parts of the command table; `start` and `complete` use its summaries only.
        if (!(name in entries) && ['start', 'complete'].includes(basename(importer, '.ts')))
          return { errors: [{ text: `${path} would be in no part: add it to the entries of scripts/packing.mjs` }] };
        return { path: name, namespace: 'part' };
      });
      onLoad({ filter: /.*/, namespace: 'part' }, ({ path }) => ({ contents: `module.exports = require('loader').load('${path}');` }));
      onResolve({ filter: /^loader$/ }, ({ path }) => ({ path, namespace: 'loader' }));
      onLoad({ filter: /.*/, namespace: 'loader' }, () => ({ contents: loader, resolveDir: '.' }));
    },
  };
}

/**
 * The files of the program, as text; the file of each part that is not in the first, unless it has one of its own
 * name; the parts that have; a name for the build; and esbuild's description of the parts.
 */
export async function packedProgram() {
  const { outputFiles, metafile } = await bundle({
    ...common,
    entryPoints: entries,
    outdir: 'dist',
    splitting: true,
    format: 'esm',
    charset: 'ascii',
    chunkNames: '[name]-[hash]',
    plugins: knownNow,
    write: false,
  });
  const nameOf = (path) => /([^\\/]+)\.js$/.exec(path)?.[1];
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [nameOf(path), output]));
  const texts = new Map(outputFiles.map(({ path, text }) => [nameOf(path), text]));
  const moduleOf = new Map([...outputs].flatMap(([name, { entryPoint }]) => (entryPoint ? [[realpathSync(entryPoint), name]] : [])));
  const [{ file: first }] = groups;
  const fileOf = new Map();
  const place = (name, file) => {
    if (fileOf.has(name)) return;
    fileOf.set(name, file);
    for (const { path, kind } of outputs.get(name).imports) if (kind === 'import-statement' && nameOf(path)) place(nameOf(path), file);
  };
  for (const { file, sources } of groups) {
    for (const source of sources) {
      const name = moduleOf.get(realpathSync(source));
      if (name === undefined) throw new Error(`${source} is no longer loaded by itself: correct the groups in scripts/packing.mjs`);
      place(name, file);
    }
  }
  for (const [name, { bytes }] of outputs) if (!fileOf.has(name)) fileOf.set(name, bytes <= small ? first : name);
  const packed = [...Map.groupBy(outputs.keys(), (name) => fileOf.get(name))].map(([file, names]) => {
    const parts = names.map((name) => `"${name}":function(module){${commonJs(texts.get(name), texts)}}`).join(',\n');
    return {
      file,
      code: ascii(`(function(require){'use strict';return function(__load,__export,__toESM,__toCommonJS){return{${parts}}}})\n`),
    };
  });
  const elsewhere = Object.fromEntries([...fileOf].filter(([name, file]) => file !== first && file !== name));
  const alone = [...fileOf].flatMap(([name, file]) => (file !== first && file === name ? [name] : []));
  const build = createHash('sha256')
    .update(packed.map(({ code }) => code).join(''))
    .digest('hex')
    .slice(0, 16);
  const files = packed.map(({ file, code }) => ({ file, text: markOf(build) + code }));
  return { first, files, elsewhere, alone, build, metafile };
}

/** The body of a module as CommonJS without esbuild's helpers, which loads other modules with `__load`. */
function commonJs(text, modules) {
  const options = { format: 'cjs', platform: 'node', target: 'node22', minifyWhitespace: true, supported: { 'dynamic-import': false } };
  const { code } = transformSync(text, { ...options, sourcefile: 'chunk.js', logLevel: 'warning' });
  const from = code.indexOf('var chunk_exports={};');
  if (from < 0 && code.includes('var __')) throw new Error('a module of the bundle has no mark where the helpers of esbuild end');
  // The escapes of `ascii` would stand in such a text as they are.
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(code)) throw new Error('String.raw with characters beyond ASCII: write them as escapes');
  const names = new Map();
  const loading = (call, name) => {
    if (!modules.has(name)) throw new Error(`${call} in the bundle names no module of it`);
    return `__load("${name}")`;
  };
  return code
    .slice(Math.max(0, from))
    .trimEnd()
    .replaceAll(/__toESM\(require\("\.\/([\w-]+)\.js"\)\)/g, loading)
    .replaceAll(/\brequire\("\.\/([\w-]+)\.js"\)/g, loading)
    .replaceAll(/\bimport_(?:chunk_[A-Z0-9]{8}|node_\w+)\b/g, (name) => {
      if (!names.has(name)) names.set(name, `__${names.size.toString(36)}_`);
      return names.get(name);
    });
}
