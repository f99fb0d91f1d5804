// Builds standalone/proctor-cli: one executable for this platform, with Node in it. Its main script is `start`, with Node's
// own code cache; the program and its parts lie beside it as assets, with the code that the package's own program has kept of lists.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rootCertificates } from 'node:tls';
import { bundledEntry, bundledProgram } from './bundling.mjs';
import { bundledPackages, noticeOf, noticeOfNode, noticesText } from './notices.mjs';
import { componentOf, componentOfNode, sbomText } from './sbom.mjs';

// A list needs less memory than this before the first collection of garbage, which takes as long as reading the answer. Two threads
// beside the main one are enough for it, and for the largest roster; four take longer to start and to end.
const execArgv = ['--min-semi-space-size=16', '--v8-pool-size=2'];

const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-standalone-'));
const output = join('standalone', process.platform === 'win32' ? 'proctor-cli.exe' : 'proctor-cli');
const write = (name, text) => writeFileSync(join(folder, name), text);

/** The file of compiled code that lists of the embedded service leave, run as the package: with an address, a token and an authority. */
async function codeOfLists() {
  const env = { ...process.env, XDG_CACHE_HOME: folder, PROCTOR_STATE_DIR: folder, PROCTOR_CONFIG_DIR: folder, NODE_OPTIONS: '' };
  const command = (line) => [...execArgv, join(folder, 'start.cjs'), ...line.split(' ')];
  const run = (line, given) =>
    execFileSync(process.execPath, command(line), { env: { ...env, ...given }, stdio: ['ignore', 'ignore', 'inherit'] });
  const service = spawn(process.execPath, command('sandbox serve -o json --quiet'), { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(service.stdout, 'data');
    const { base_url, token } = JSON.parse(line);
    write('ca.pem', rootCertificates[0]);
    write('config.json', JSON.stringify({ profiles: { default: { caFile: join(folder, 'ca.pem') } } }));
    for (const list of ['exams list', 'exams list -o json', 'sessions list --exam 1'])
      run(list, { PROCTOR_BASE_URL: base_url, PROCTOR_TOKEN: token });
  } finally {
    service.kill();
    await once(service, 'exit');
  }
  const [kept] = readdirSync(join(folder, 'proctor-cli')).filter((name) => name.endsWith('.code'));
  return join(folder, 'proctor-cli', kept);
}

const program = await bundledProgram();
const start = await bundledEntry('src/start.ts', program.mark);
write('program.cjs', program.text);
for (const [name, { text }] of Object.entries(program.parts)) write(`${name}.cjs`, text);
write('start.cjs', start.text);
const code = await codeOfLists();

mkdirSync('standalone', { recursive: true });
// One that is running can be replaced, not written to.
rmSync(output, { force: true });
write(
  'sea.json',
  JSON.stringify({
    // The executable states this path: the folder would name the user who builds it.
    main: 'start.cjs',
    output: resolve(output),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    execArgv,
    execArgvExtension: 'none',
    assets: Object.fromEntries([
      ...['program', ...Object.keys(program.parts)].map((name) => [`${name}.cjs`, join(folder, `${name}.cjs`)]),
      ['program.code', code],
    ]),
  }),
);
execFileSync(process.execPath, ['--build-sea', 'sea.json'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
// macOS runs no executable whose signature is missing or broken, as that of Node is now.
if (process.platform === 'darwin') execFileSync('codesign', ['--force', '--sign', '-', output], { stdio: ['ignore', 'ignore', 'inherit'] });
// The executable is handed on with the terms of what is in it.
const packages = bundledPackages([program, ...Object.values(program.parts), start].map(({ metafile }) => metafile));
writeFileSync('standalone/THIRD-PARTY-NOTICES.txt', noticesText([...packages.map(noticeOf), noticeOfNode()]));
writeFileSync('standalone/sbom.cdx.json', sbomText([...packages.map(componentOf), componentOfNode()]));
copyFileSync(new URL('../LICENSE', import.meta.url), 'standalone/LICENSE');
rmSync(folder, { recursive: true });
console.log(output);
