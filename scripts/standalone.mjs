// Builds standalone/proctor-cli: one executable for this platform, with Node in it. Its main script is
// `start`, small and compiled; what `start` loads lies beside it in the executable as assets, each with
// its compiled code, and is taken from there when it is needed.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Script } from 'node:vm';
import { build } from 'esbuild';
import { ascii, common, commonJs, escaping, knownNow } from './bundling.mjs';
import { bundledPackages, noticeOf, noticeOfNode, noticesText } from './notices.mjs';
import { componentOf, componentOfNode, sbomText } from './sbom.mjs';

/** The files that each asset has; what a shell waits for at each Tab is not held up by the rest. */
const assets = { completion: ['complete', 'cli/complete/answer'], program: ['main', 'host/process', 'cli/complete/live'] };
const assetOf = Object.fromEntries(Object.entries(assets).flatMap(([asset, files]) => files.map((file) => [basename(file), asset])));

const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-standalone-'));
const home = join(folder, 'home');
const output = join('standalone', process.platform === 'win32' ? 'proctor-cli.exe' : 'proctor-cli');

/** Runs in the executable: an asset out of it, evaluated once. */
const load = (asset) => `
const { getRawAsset } = require('node:sea');
const { Script } = require('node:vm');
const source = Buffer.from(getRawAsset('${asset}')).latin1Slice();
const script = new Script(source, { filename: 'proctor-cli', cachedData: Buffer.from(getRawAsset('${asset}.code')) });
const loaded = { exports: {} };
script.runInThisContext()(require, loaded, loaded.exports);
module.exports = loaded.exports;
`;

const fromAssets = {
  name: 'from-assets',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.ts$/ }, ({ kind, path }) => {
      const name = basename(path, '.ts');
      return kind === 'dynamic-import' && name in assetOf ? { path: name, namespace: 'part' } : undefined;
    });
    onResolve({ filter: /^asset:/ }, ({ path }) => ({ path: path.slice('asset:'.length), namespace: 'asset' }));
    onLoad({ filter: /.*/, namespace: 'part' }, ({ path }) => ({
      contents: `module.exports = require('asset:${assetOf[path]}').${path};`,
    }));
    onLoad({ filter: /.*/, namespace: 'asset' }, ({ path }) => ({ contents: load(path) }));
  },
};

const metafiles = [];

/** CommonJS that sees Node's own modules and nothing else, as assets are read. */
async function bundled(name, entry, plugins) {
  const outfile = join(folder, `${name}.cjs`);
  const { metafile } = await build({ ...common, ...commonJs, ...escaping, ...entry, outfile, plugins: [...plugins, ...knownNow] });
  writeFileSync(outfile, ascii(readFileSync(outfile, 'utf8')), 'latin1');
  metafiles.push(metafile);
  return outfile;
}

/** Puts an asset into the folder, with the code that is compiled once `use` has used it. */
async function asset(name, plugins, use) {
  const contents = assets[name].map((file) => `export * as ${basename(file)} from './src/${file}.ts';`).join('\n');
  const bundle = await bundled(name, { stdin: { contents, resolveDir: '.' } }, plugins);
  const source = `(function (require, module, exports) {${readFileSync(bundle, 'latin1')}\n})`;
  const script = new Script(source, { filename: 'proctor-cli' });
  const loaded = { exports: {} };
  script.runInThisContext()(createRequire(import.meta.url), loaded, loaded.exports);
  await use(loaded.exports);
  writeFileSync(join(folder, name), source, 'latin1');
  writeFileSync(join(folder, `${name}.code`), script.createCachedData());
}

async function answers({ answer: { answer } }) {
  const host = { env: {}, home, platform: process.platform, now: Date.now };
  for (const line of ['exams list :--output', 'exams get :']) await answer(line.split(' '), host, async () => []);
}

async function lists({ main, process: { realHost } }) {
  const silent = { isTTY: false, columns: undefined, write: async () => {} };
  for (const line of ['exams list', 'exams list -o json', 'sessions list --exam 1']) {
    const status = await main.main({
      ...realHost(),
      argv: ['--profile', 'sandbox', ...line.split(' ')],
      env: { PROCTOR_STATE_DIR: home, PROCTOR_CONFIG_DIR: home },
      home,
      stdout: silent,
      stderr: silent,
    });
    if (status !== 0) throw new Error(`${line} ended with status ${status}`);
  }
}

const main = await bundled('start', { entryPoints: ['src/start.ts'] }, [fromAssets]);
await asset('completion', [fromAssets], answers);
await asset('program', [], lists);

mkdirSync('standalone', { recursive: true });
// One that is running can be replaced, not written to.
rmSync(output, { force: true });
const names = Object.keys(assets).flatMap((name) => [name, `${name}.code`]);
const config = join(folder, 'config.json');
writeFileSync(
  config,
  JSON.stringify({
    main,
    output,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    execArgvExtension: 'none',
    assets: Object.fromEntries(names.map((name) => [name, join(folder, name)])),
  }),
);
execFileSync(process.execPath, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] });
// macOS runs no executable whose signature is missing or broken, as that of Node is now.
if (process.platform === 'darwin') execFileSync('codesign', ['--force', '--sign', '-', output], { stdio: ['ignore', 'ignore', 'inherit'] });
// The executable is handed on with the terms of what is in it.
const packages = bundledPackages(metafiles);
writeFileSync('standalone/THIRD-PARTY-NOTICES.txt', noticesText([...packages.map(noticeOf), noticeOfNode()]));
writeFileSync('standalone/sbom.cdx.json', sbomText([...packages.map(componentOf), componentOfNode()]));
copyFileSync(new URL('../LICENSE', import.meta.url), 'standalone/LICENSE');
rmSync(folder, { recursive: true });
console.log(output);
