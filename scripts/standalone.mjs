// Builds standalone/proctor-cli: one executable for this platform, with Node in it. Its main script is
// `start`, small and compiled; what `start` loads lies beside it in the executable as assets, each with
// its compiled code, and is taken from there when it is needed.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { rootCertificates } from 'node:tls';
import { Script } from 'node:vm';
import { build } from 'esbuild';
import { partsOf } from '../src/host/compiled-code.ts';
import { ascii, common, commonJs, escaping, knownNow } from './bundling.mjs';
import { bundledPackages, noticeOf, noticeOfNode, noticesText } from './notices.mjs';
import { fromParts, packedProgram } from './packing.mjs';
import { componentOf, componentOfNode, sbomText } from './sbom.mjs';

const require = createRequire(import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-standalone-'));
const home = join(folder, 'home');
mkdirSync(home);
const output = join('standalone', process.platform === 'win32' ? 'proctor-cli.exe' : 'proctor-cli');

/** Runs in the executable: the files of the bundle, and the asset for completion, out of it. */
const assets = `
const { getRawAsset } = require('node:sea');
const open = (name) => ({
  filename: 'proctor-cli',
  text: Buffer.from(getRawAsset(name)).latin1Slice(),
  code: Buffer.from(getRawAsset(name + '.code')),
});
`;
const files = `${assets}export const files = { open, compiled() {} };`;
const completion = `${assets}
const { Script } = require('node:vm');
const { filename, text, code } = open('completion');
const loaded = { exports: {} };
new Script(text, { filename, cachedData: code }).runInThisContext()(require, loaded, loaded.exports);
module.exports = loaded.exports.complete;
`;

const metafiles = [];

/** CommonJS that sees Node's own modules and nothing else, as assets are read. */
async function bundled(name, entry, plugins) {
  const outfile = join(folder, `${name}.cjs`);
  const { metafile } = await build({ ...common, ...commonJs, ...escaping, ...entry, outfile, plugins: [...plugins, ...knownNow] });
  writeFileSync(outfile, ascii(readFileSync(outfile, 'utf8')), 'latin1');
  metafiles.push(metafile);
  return outfile;
}

const names = [];

/** Puts an asset into the folder, with the code that is compiled by now. */
function keep(name, text, script) {
  writeFileSync(join(folder, name), text, 'latin1');
  writeFileSync(join(folder, `${name}.code`), script.createCachedData());
  names.push(name, `${name}.code`);
}

/** What a shell waits for at each Tab is not held up by the rest: it is an asset of its own. */
async function keepCompletion(plugins) {
  const contents = "export * as complete from './src/complete.ts'; export * as answer from './src/cli/complete/answer.ts';";
  const bundle = await bundled('completion', { stdin: { contents, resolveDir: '.' } }, plugins);
  const text = `(function (require, module, exports) {${readFileSync(bundle, 'latin1')}\n})`;
  const script = new Script(text, { filename: 'proctor-cli' });
  const loaded = { exports: {} };
  script.runInThisContext()(require, loaded, loaded.exports);
  await answers(loaded.exports);
  keep('completion', text, script);
}

/** Each file of the bundle, with the code of the functions that lists need, and of nothing else. */
async function keepFiles({ files, first, elsewhere, alone }) {
  const scripts = new Map();
  const textOf = new Map(files.map(({ file, text }) => [file, text]));
  const open = (name) => ({ filename: 'proctor-cli', text: textOf.get(name) });
  const load = partsOf({ open, compiled: (name, script) => scripts.set(name, script), first, elsewhere, alone, require });
  await lists({ main: load('main'), process: load('process') });
  for (const [name, text] of textOf) keep(name, text, scripts.get(name) ?? new Script(text, { filename: 'proctor-cli' }));
}

async function answers({ answer: { answer } }) {
  const host = { env: {}, home, platform: process.platform, now: Date.now };
  for (const line of ['exams list :--output', 'exams get :']) await answer(line.split(' '), host, async () => []);
}

/** Lists of the embedded service, first as one whose address, token and authority are configured, then as its own profile. */
async function lists({ main: { main }, process: { realHost } }) {
  const said = [];
  const silent = { isTTY: false, columns: undefined, write: async () => {} };
  const folders = { PROCTOR_STATE_DIR: home, PROCTOR_CONFIG_DIR: home };
  const run = async (line, { env = {}, ...host } = {}) => {
    const stderr = { ...silent, write: async (text) => void said.push(text) };
    // A failure of this build is told by Node, not by the program.
    const world = {
      ...realHost(),
      argv: line.split(' '),
      env: { ...folders, ...env },
      home,
      stdout: silent,
      stderr,
      onCrash() {},
      ...host,
    };
    const status = await main(world);
    if (status !== 0) throw new Error(`${line}, which runs over the loopback interface, ended with status ${status}: ${said.join('')}`);
  };
  const stop = new AbortController();
  const { promise: listening, resolve: listens } = Promise.withResolvers();
  const write = async (text) => listens(JSON.parse(text));
  const ended = run('sandbox serve -o json', { interrupted: stop.signal, stdout: { ...silent, write } });
  const service = await Promise.race([listening, ended]);
  const caFile = join(home, 'ca.pem');
  writeFileSync(caFile, rootCertificates[0]);
  writeFileSync(join(home, 'config.json'), JSON.stringify({ profiles: { default: { caFile } } }));
  const env = { PROCTOR_BASE_URL: service.base_url, PROCTOR_TOKEN: service.token };
  for (const line of ['exams list', 'exams list -o json', 'sessions list --exam 1']) await run(line, { env });
  stop.abort();
  await ended;
  await run('--profile sandbox exams list');
}

const parts = await packedProgram();
metafiles.push(parts.metafile);
const plugins = [
  fromParts(parts, files, () => ({ path: 'completion', namespace: 'completion' })),
  { name: 'completion', setup: ({ onLoad }) => onLoad({ filter: /.*/, namespace: 'completion' }, () => ({ contents: completion })) },
];
const main = await bundled('start', { entryPoints: ['src/start.ts'] }, plugins);
await keepCompletion(plugins);
await keepFiles(parts);

mkdirSync('standalone', { recursive: true });
// One that is running can be replaced, not written to.
rmSync(output, { force: true });
writeFileSync(
  join(folder, 'config.json'),
  JSON.stringify({
    // The executable states this path: the folder would name the user who builds it.
    main: basename(main),
    output: resolve(output),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    // A list needs less memory than this before the first collection of garbage, which takes as long as reading the answer. Two threads
    // beside the main one are enough for it, and for the largest roster; four take longer to start and to end.
    execArgv: ['--min-semi-space-size=16', '--v8-pool-size=2'],
    execArgvExtension: 'none',
    assets: Object.fromEntries(names.map((name) => [name, join(folder, name)])),
  }),
);
execFileSync(process.execPath, ['--build-sea', 'config.json'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
// macOS runs no executable whose signature is missing or broken, as that of Node is now.
if (process.platform === 'darwin') execFileSync('codesign', ['--force', '--sign', '-', output], { stdio: ['ignore', 'ignore', 'inherit'] });
// The executable is handed on with the terms of what is in it.
const packages = bundledPackages(metafiles);
writeFileSync('standalone/THIRD-PARTY-NOTICES.txt', noticesText([...packages.map(noticeOf), noticeOfNode()]));
writeFileSync('standalone/sbom.cdx.json', sbomText([...packages.map(componentOf), componentOfNode()]));
copyFileSync(new URL('../LICENSE', import.meta.url), 'standalone/LICENSE');
rmSync(folder, { recursive: true });
console.log(output);
