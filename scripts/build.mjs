// Bundles src into dist/proctor-cli.cjs, with the libraries as they are published; beside it lie the libraries that few commands use, what V8
// compiles of the program, the help of the program, for `bin`, and the licences. With `standalone`, also builds one executable for this
// platform, with Node and its licence.
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** What is data in the bundle: the scripts for the shells. */
const asData = {
  name: 'as data',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]shell-scripts\.ts$/ }, () => {
      const folder = new URL('../completions/', import.meta.url);
      const texts = Object.fromEntries(
        readdirSync(folder)
          .sort()
          .map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]),
      );
      return { contents: `const texts = ${JSON.stringify(texts)}; export const shellScript = (file) => texts[file];`, loader: 'js' };
    });
  },
};

/** Few commands use them, and the first start compiles all that it reads. */
const rarelyUsed = ['@hono/node-server', 'cli-table3', 'conf', 'csv-parse/sync', 'hono', 'pg', 'saxes', 'temporal-polyfill', 'yauzl'];
/** The parser for processors that lack what undici's other one needs. */
const oldParser = 'undici/lib/llhttp/llhttp-wasm.js';
const beside = {
  name: 'beside',
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`^(${rarelyUsed.join('|')})$`) }, ({ path }) => ({ path: `./libraries/${path}.cjs`, external: true }));
    onResolve({ filter: /[/]llhttp-wasm[.]js$/ }, () => ({ path: `./libraries/${oldParser}.cjs`, external: true }));
  },
};

const builtins = [
  ...[
    'assert',
    'async_hooks',
    'child_process',
    'crypto',
    'diagnostics_channel',
    'fs/promises',
    'http',
    'http2',
    'net',
    'os',
    'perf_hooks',
    'readline',
  ],
  ...['readline/promises', 'stream/promises', 'timers/promises', 'tls', 'tty', 'v8', 'worker_threads', 'zlib'],
];
/**
 * Node's own modules that libraries load at their start and few commands use are loaded at their first use; so is the part of undici for
 * HTTP/2, which no request here speaks.
 */
const lazy = {
  name: 'lazy',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^(node:)?(${builtins.join('|')})$`) }, ({ path, namespace }) =>
      namespace === 'lazy' ? { path, external: true } : { path: path.replace(/^(node:)?/, 'node:'), namespace: 'lazy' },
    );
    onResolve({ filter: /^[.]\/client-h2[.]js$/ }, ({ path, resolveDir, namespace }) =>
      namespace === 'lazy' ? { path: join(resolveDir, path) } : { path, namespace: 'lazy', pluginData: resolveDir },
    );
    // Of these, commander and chalk import the whole: a copy of all that it has loads more.
    onResolve({ filter: /^node:(fs|path|process)$/ }, ({ path, importer }) =>
      /[\\/](commander|chalk)[\\/]/.test(importer) ? { path, namespace: 'whole' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'whole' }, ({ path }) => ({ contents: `export default require('${path}');` }));
    onLoad({ filter: /./, namespace: 'lazy' }, ({ path, pluginData }) => {
      const load = `let loaded; const load = () => (loaded ??= require('${path}'));`;
      if (!path.startsWith('node:')) return { contents: `${load} module.exports = (...args) => load()(...args);`, resolveDir: pluginData };
      const names = JSON.stringify(Object.keys(process.getBuiltinModule(path)));
      // An assertion that holds needs no module.
      const call = path === 'node:assert' ? '(holds, ...more) => holds || load()(holds, ...more)' : '() => {}';
      return {
        contents: `${load}
          module.exports = new Proxy(${call}, {
            get: (_, key) => load()[key],
            ownKeys: () => ${names},
            getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true }),
          });`,
      };
    });
  },
};

const options = {
  bundle: true,
  platform: 'node',
  target: 'node22',
  // Node starts CommonJS faster; with imports that are calls, a module runs when a command asks for it.
  format: 'cjs',
  supported: { 'dynamic-import': false },
  minify: true,
  legalComments: 'none',
  metafile: true,
  // Where node_modules is a link, the order in the bundle would depend on where it leads.
  preserveSymlinks: true,
  // Whether undici's second parser and the native client of pg stay out.
  define: { esbuildDetection: 'true', 'process.env.NODE_PG_FORCE_NATIVE': 'undefined' },
};

/**
 * Node reads all of a file to start it: what Tab and lists do not use stands in a second one. Each takes the modules of the other from
 * there, so that there is one of each.
 */
const ofWork = /^src[/](features|runs|record|roster|sandbox|cli[/]prompt|host[/]terminal)[/]/;
const inMain = new Set();
const taken = { main: new Set(), work: new Set() };
const takingFrom = (other) => ({
  name: 'taking',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /./ }, async ({ path, pluginData, ...from }) => {
      if (from.kind === 'entry-point' || pluginData === 'asked') return undefined;
      if (from.namespace === 'taken') return { path, external: true };
      const { external, namespace, path: found } = await resolve(path, { ...from, pluginData: 'asked' });
      const file = relative('.', found).replaceAll('\\', '/');
      const isThere = other === 'main' ? inMain.has(file) : from.kind === 'dynamic-import' && ofWork.test(file);
      return isThere && !external && namespace === 'file' ? { path: file, namespace: 'taken' } : undefined;
    });
    onLoad({ filter: /./, namespace: 'taken' }, async ({ path }) => {
      taken[other].add(path);
      const { metafile } = await build({ entryPoints: [path], format: 'esm', metafile: true, write: false });
      const names = Object.values(metafile.outputs)[0].exports;
      return { contents: `export const { ${names} } = require('./${fileNames[other]}').modules['${path}']();` };
    });
  },
});
const fileNames = { main: 'proctor-cli.cjs', work: 'work.cjs' };

function buildFile(name, start = '') {
  const modules = [...taken[name]].sort().map((file) => `'${file}': () => require('./${file}')`);
  const contents = `exports.modules = {${modules}};${start}`;
  const plugins = [asData, beside, lazy, takingFrom(name === 'main' ? 'work' : 'main')];
  return build({ ...options, stdin: { contents, resolveDir: '.' }, outfile: `dist/${fileNames[name]}`, plugins });
}

function buildLibrary(name) {
  const contents = `const library = require('${name}'); module.exports = library.default ?? library;`;
  return build({ ...options, stdin: { contents, resolveDir: '.' }, outfile: `dist/libraries/${name}.cjs` });
}

/** With one letter beyond ASCII, in an expression or a template, Node keeps two bytes for each character of the bundle. */
function writeInAscii(file) {
  const escaped = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/[\u0080-\uffff]/g, escaped));
}

/** For each file of the program, a command that runs what most of its commands run; a completion runs a small part. */
const commandsToCompile = {
  'proctor-cli.cjs': 'exams list -o table',
  'work.cjs': 'exams update 1 --name Statics --dry-run',
  'completion/proctor-cli.cjs': '__complete exams list :--out',
};
const script = (name) => fileURLToPath(new URL(name, import.meta.url));

function compile(output, line) {
  const home = mkdtempSync(join(tmpdir(), 'proctor-cli-build-'));
  // No setting of whoever builds it; Windows makes no connection without its folder.
  const env = { HOME: home, USERPROFILE: home, LOCALAPPDATA: home, SystemRoot: process.env.SystemRoot ?? '' };
  execFileSync(process.execPath, [script('compile.cjs'), output, ...line.split(' ')], { stdio: ['ignore', 'ignore', 'inherit'], env });
  rmSync(home, { recursive: true });
}

rmSync('dist', { recursive: true, force: true });
const built = await Promise.all([...rarelyUsed, oldParser].map(buildLibrary));
const startsProgram = "require('./src/start.ts');";
// What a file has to offer is known once the other one is built.
const { metafile } = await buildFile('main', startsProgram);
for (const file of Object.keys(metafile.inputs)) inMain.add(file);
built.push(await buildFile('work'), await buildFile('main', startsProgram));
for (const name of Object.values(fileNames)) writeInAscii(`dist/${name}`);
for (const [output, line] of Object.entries(commandsToCompile)) compile(output, line);
writeFileSync('dist/help.txt', execFileSync(process.execPath, ['dist/proctor-cli.cjs', '--help']));

/** Terms that some packages name and do not bring. */
const terms = {
  MIT: readFileSync('LICENSE', 'utf8').split('\n\n').slice(2).join('\n\n'),
  ISC: `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that
the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES
OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR
ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS
ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`,
};

function noticeOf(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (files.length === 0 && !terms[license]) throw new Error(`${name} brings no licence: its notice cannot be written.`);
  return notice(`${name} ${version} (${license})`, texts.join('\n\n') || `Copyright (c) ${author.name ?? author}\n\n${terms[license]}`);
}

function notice(title, text) {
  const line = '-'.repeat(80);
  return `${line}\n${title}\n${line}\n\n${text.replaceAll('\r\n', '\n')}\n`;
}

const inputs = built.flatMap(({ metafile }) => Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs)));
const bundled = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file);
const twice = bundled.find((file, at) => file.startsWith('src/') && bundled.indexOf(file) < at);
if (twice) throw new Error(`${twice} is in both files of the program: what it knows would be known twice.`);
const folders = bundled.flatMap((file) => /^.*node_modules\/(@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []);
const notices = [...new Set(folders)].map(noticeOf).sort();
writeFileSync('dist/THIRD-PARTY-NOTICES.txt', notices.join('\n'));

if (process.argv.includes('standalone')) {
  const output = join('standalone', process.platform === 'win32' ? 'proctor-cli.exe' : 'proctor-cli');
  rmSync('standalone', { recursive: true, force: true });
  const made = 'standalone/build';
  mkdirSync(made, { recursive: true });
  const files = globSync('**/*.cjs', { cwd: 'dist' }).map((file) => file.replaceAll('\\', '/'));
  const assets = Object.fromEntries(files.map((file) => [file, `dist/${file}`]));
  const main = `${made}/executable.cjs`;
  await build({ ...options, entryPoints: [script('executable.cjs')], outfile: main });
  const settings = { disableExperimentalSEAWarning: true, useCodeCache: true, execArgvExtension: 'none' };
  writeFileSync(`${made}/sea.json`, JSON.stringify({ main, output, assets, ...settings }));
  execFileSync(process.execPath, ['--build-sea', `${made}/sea.json`], { stdio: ['ignore', 'ignore', 'inherit'] });
  // For a test, the Node of another system takes it.
  if (!process.argv.includes('--keep')) rmSync(made, { recursive: true });
  // macOS runs no executable whose signature is broken, as that of Node is now.
  if (process.platform === 'darwin') execFileSync('codesign', ['--force', '--sign', '-', output], { stdio: 'inherit' });
  // Node brings its terms in an archive, and in the packages of npm but those for Windows.
  const [ofNode] = globSync(['../LICENSE', 'LICENSE', '../node_modules/node-*/LICENSE'], { cwd: dirname(process.execPath) });
  const elsewhere = `Its terms: https://github.com/nodejs/node/blob/${process.version}/LICENSE`;
  const textOfNode = ofNode ? readFileSync(join(dirname(process.execPath), ofNode), 'utf8') : elsewhere;
  writeFileSync(
    'standalone/THIRD-PARTY-NOTICES.txt',
    [...notices, notice(`Node.js ${process.version.slice(1)} (MIT)`, textOfNode)].join('\n'),
  );
  copyFileSync('LICENSE', 'standalone/LICENSE');
}
