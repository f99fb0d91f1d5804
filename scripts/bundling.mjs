// The esbuild options shared by the bundle and the standalone executable.
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { maxHeaderSize } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

// Throws if the file has moved.
const grammar = realpathSync(fileURLToPath(new URL('../src/cli/complete/grammar.ts', import.meta.url)));

export const common = {
  bundle: true,
  platform: 'node',
  target: 'node22',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  // node_modules may be a link; the names of parts, made from paths, would depend on where it leads.
  preserveSymlinks: true,
  // As in Node's own bundle of undici: without its second, experimental parser.
  define: { esbuildDetection: 'true' },
};

/** CommonJS, in which require loads both kinds of modules without the machinery of the other. */
export const commonJs = { format: 'cjs', supported: { 'dynamic-import': false } };

/** For text that `ascii` follows: strings in escapes, and no tagged templates, whose raw text would have them. */
export const escaping = { charset: 'ascii', supported: { ...commonJs.supported, 'template-literal': false } };

/**
 * Code with one byte for each character, which Node reads quickest. esbuild escapes strings; what is left is in
 * regular expressions, where an escape means the same.
 */
export function ascii(code) {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What stands in the bundle for a part of a library that the program never uses. */
const failing = (what) => `module.exports = () => { throw new Error('${what} is left out of this program'); };`;
const withoutForms = `module.exports = { webidl: { is: { FormData: () => false } }, extractBody: ${failing('a form').slice('module.exports = '.length, -1)} };`;
const leftOut = [
  // src/api/http.ts turns HTTP/2 off; node:http2 alone takes as long to load as the rest of the client.
  [/undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/, failing('HTTP/2')],
  // src/api/proxy.ts refuses these proxies.
  [/undici[\\/]lib[\\/]dispatcher[\\/]socks5-proxy-agent\.js$/, failing('SOCKS')],
  // Bodies are text or bytes.
  [/undici[\\/]lib[\\/]web[\\/](webidl[\\/]index|fetch[\\/](body|formdata))\.js$/, withoutForms],
  // Names of headers are looked up in it, and written small if it has them not; to fill it takes longer than a few answers.
  [/undici[\\/]lib[\\/]core[\\/]tree\.js$/, 'module.exports = { tree: { lookup() {} } };'],
  // conf checks a schema and runs migrations only where it is given some.
  [/[\\/](ajv[\\/]dist[\\/]2020|ajv-formats[\\/]dist[\\/]index)\.js$/, failing('a schema')],
  [/[\\/]semver[\\/]index\.js$/, failing('a migration')],
];

/**
 * What undici uses of Node's own modules that load slowly: whether something holds; how long headers may be, which is known unless
 * Node was told otherwise; and a class of bodies that the program does not send.
 */
const forUndici = {
  'node:assert':
    "module.exports = (holds, message) => { if (!holds) throw new Error(message ?? 'undici is in a state that it rules out'); };",
  'node:http': `module.exports = /max.http.header.size/.test([process.env.NODE_OPTIONS, process.execArgv])
  ? require('node:http')
  : { maxHeaderSize: ${maxHeaderSize}, IncomingMessage: class {} };`,
};

/** Whether the bundle has something else in place of a file of a library. */
export const isLeftOut = (file) => leftOut.some(([filter]) => filter.test(file));

/** Values known at build time, in place of code that finds them out, and nothing that is never used. */
export const knownNow = [
  {
    name: 'left-out',
    setup({ onLoad, onResolve }) {
      // The parser for HTTP/1 is WebAssembly, of which undici has two: this one runs on every processor.
      onResolve({ filter: /llhttp_simd-wasm\.js$/ }, ({ resolveDir }) => ({ path: join(resolveDir, '../llhttp/llhttp-wasm.js') }));
      // commander starts other programs only for commands that are files.
      onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
        /[\\/]commander[\\/]/.test(importer) ? { path: 'no-programs', namespace: 'left-out' } : undefined,
      );
      onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'export default {};' }));
      onResolve({ filter: /^node:(assert|http)$/ }, ({ path, importer }) =>
        /[\\/]undici[\\/]lib[\\/]/.test(importer) ? { path, namespace: 'for-undici' } : undefined,
      );
      onLoad({ filter: /.*/, namespace: 'for-undici' }, ({ path }) => ({ contents: forUndici[path] }));
      for (const [filter, contents] of leftOut) onLoad({ filter }, () => ({ contents, loader: 'js' }));
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
      onLoad({ filter: /[\\/]grammar\.ts$/ }, async ({ path }) => {
        if (realpathSync(path) !== grammar) return undefined;
        const { readGrammar } = await import(pathToFileURL(path));
        const text = JSON.stringify(JSON.stringify(await readGrammar()));
        return { contents: `export const readGrammar = async () => JSON.parse(${text});`, loader: 'js' };
      });
    },
  },
];
