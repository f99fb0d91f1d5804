// Builds standalone/proctor-cli: one executable for this platform, Node in it, which needs nothing
// installed. Its main script is `start`, small and compiled; the program lies beside it in the
// executable, with the code that a first run had compiled, and is taken from there when it is needed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Script } from 'node:vm';
import { build } from 'esbuild';
import { common, commonJs, knownNow } from './bundling.mjs';

const parts = ['main', 'host', 'complete', 'cli/completion/live'];
const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-standalone-'));
const output = join('standalone', process.platform === 'win32' ? 'proctor-cli.exe' : 'proctor-cli');

/** Runs in the executable: the program out of it, evaluated once. */
const fromExecutable = `
const { getRawAsset } = require('node:sea');
const { Script } = require('node:vm');
const source = Buffer.from(getRawAsset('program')).latin1Slice();
const script = new Script(source, { filename: 'proctor-cli', cachedData: Buffer.from(getRawAsset('code')) });
const program = { exports: {} };
script.runInThisContext()(require, program, program.exports);
module.exports = program.exports;
`;

/** Both `start` and what it loads are CommonJS that sees Node's own modules and nothing else. */
async function bundled(entry, name, plugins) {
  const outfile = join(folder, name);
  await build({ ...common, ...commonJs, ...entry, outfile, charset: 'ascii', plugins: [...plugins, ...knownNow] });
  return outfile;
}

const main = await bundled({ entryPoints: ['src/start.ts'] }, 'start.cjs', [
  {
    name: 'program-from-executable',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.ts$/ }, ({ kind, path }) =>
        kind === 'dynamic-import' ? { path: basename(path, '.ts'), namespace: 'part' } : undefined,
      );
      onResolve({ filter: /^program$/ }, () => ({ path: 'program', namespace: 'executable' }));
      onLoad({ filter: /.*/, namespace: 'part' }, ({ path }) => ({ contents: `module.exports = require('program').${path};` }));
      onLoad({ filter: /.*/, namespace: 'executable' }, () => ({ contents: fromExecutable }));
    },
  },
]);

const contents = parts.map((path) => `export * as ${basename(path)} from './src/${path}.ts';`).join('\n');
const program = await bundled({ stdin: { contents, resolveDir: '.' } }, 'program.cjs', []);
const source = `(function (require, module, exports) {${readFileSync(program, 'latin1')}\n})`;
const script = new Script(source, { filename: 'proctor-cli' });
const warm = { exports: {} };
script.runInThisContext()(createRequire(import.meta.url), warm, warm.exports);
const { main: started, host } = warm.exports;
const silent = { isTTY: false, columns: undefined, write: async () => {} };
const home = join(folder, 'home');
// What these compile is kept.
for (const line of ['--profile sandbox exams list', '--profile sandbox exams list -o json', '--profile sandbox sessions list --exam 1']) {
  await started.main({
    ...host.realHost(),
    argv: line.split(' '),
    env: { PROCTOR_STATE_DIR: home, PROCTOR_CONFIG_DIR: home },
    home,
    stdout: silent,
    stderr: silent,
  });
}
writeFileSync(join(folder, 'program'), source, 'latin1');
writeFileSync(join(folder, 'code'), script.createCachedData());

mkdirSync('standalone', { recursive: true });
const config = join(folder, 'config.json');
writeFileSync(
  config,
  JSON.stringify({
    main,
    output,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    execArgvExtension: 'none',
    assets: { program: join(folder, 'program'), code: join(folder, 'code') },
  }),
);
execFileSync(process.execPath, ['--build-sea', config], { stdio: 'inherit' });
rmSync(folder, { recursive: true });
process.exit(0);
