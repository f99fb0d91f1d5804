#!/usr/bin/env node
// Answers for the version and the first page of the help, which the build has written; the rest is in
// the bundle. On a Node that is too old, hands over to the one that the checkout brings.
const { existsSync, lstatSync, mkdirSync, readFileSync, statSync, writeSync } = require('node:fs');
const { isAbsolute, join } = require('node:path');

const [major, minor, patch] = process.versions.node.split('.').map(Number);
const isLate22 = minor > 22 || (minor === 22 && patch >= 2);
const newEnough = major >= 26 || (major === 24 && minor >= 15) || (major === 22 && isLate22);
const ownNode = join(__dirname, '../node_modules/node/bin/node');
// Its name says that it was handed over to: a variable would be inherited.
const handedOver = process.argv0 === 'proctor-cli';

if (newEnough) {
  // When the process that handed over is killed, this one stops as at Ctrl-C.
  const stop = () => process.emit('SIGINT') || process.exit(130);
  if (handedOver) process.on('disconnect', stop).channel?.unref();
  if (!answered(process.argv.slice(2).join(' '))) start();
} else if (!handedOver && existsSync(ownNode)) handOver();
else fail(`proctor-cli needs Node 22.22.2, 24.15 or 26 and later; this is ${process.version}. The executable of a release brings its own.`);

/** False where the program has to answer, or to say that nothing could be written. */
function answered(line) {
  try {
    const { version } = require('../package.json');
    if (['--version', '-V'].includes(line)) return writeSync(1, `proctor-cli ${version}\n`) > 0;
    if (!['', '--help', '-h', 'help'].includes(line)) return false;
    return writeSync(1, readFileSync(join(__dirname, '../dist/help.txt'))) > 0;
  } catch {
    return false;
  }
}

/** The build compiles for the Node that it runs on; with another one, what a start has compiled is kept. */
function start() {
  const { compiledCode, runBundle } = require('./run-bundle.js');
  const dist = join(__dirname, '../dist');
  const compiled = join(dist, compiledCode);
  const isIn = (folder) => (path) => (existsSync(join(folder, path)) ? readFileSync(join(folder, path)) : undefined);
  const isCompletion = process.argv[2] === '__complete';
  if (existsSync(compiled)) return void runBundle(isIn(dist), isIn(join(compiled, isCompletion ? 'completion' : '')));
  keepCompiledCode();
  require('../dist/proctor-cli.cjs');
}

/** Compiled code is trusted: its folder belongs to this user and is closed to others, who cannot exchange it either. */
function keepCompiledCode() {
  const isWindows = process.platform === 'win32';
  const isOwn = ({ uid, mode }, rights) => uid === (process.geteuid?.() ?? uid) && (isWindows || (mode & rights) === 0);
  const { XDG_CACHE_HOME: given, LOCALAPPDATA: local, HOME: home } = process.env;
  try {
    const place = [given, isWindows ? local : home].find((path) => path && isAbsolute(path));
    // In the home of another user, as with sudo, a folder would stand in the way of its owner.
    if (!isOwn(statSync(place), 0o022)) return;
    const cache = place === home ? join(home, '.cache') : place;
    // On Windows the folder of that name has the record of runs.
    const folder = join(cache, isWindows ? 'proctor-cli-cache' : 'proctor-cli');
    for (const path of [cache, folder]) if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
    const stats = lstatSync(folder);
    const isSafe = stats.isDirectory() && isOwn(stats, 0o077) && isOwn(statSync(cache), 0o022);
    if (isSafe) require('node:module').enableCompileCache(folder);
  } catch {
    // Without such a folder, each start compiles anew.
  }
}

/** Passes signals on, and ends with the other's status. */
function handOver() {
  const { constants } = require('node:os');
  const { isatty } = require('node:tty');
  // By the channel, the child notices when this process is killed.
  const options = { argv0: 'proctor-cli', stdio: ['inherit', 'inherit', 'inherit', 'ipc'] };
  const child = require('node:child_process').spawn(ownNode, [__filename, ...process.argv.slice(2)], options);
  // A terminal signals the child as well: a second Ctrl-C would cut off the requests in flight.
  const onTerminal = [0, 1, 2].some((each) => isatty(each));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
    process.on(signal, () => (onTerminal && signal !== 'SIGTERM') || child.kill(signal));
  child.on('error', ({ message }) => fail(`proctor-cli could not be handed over to ${ownNode}: ${message}`));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}

function fail(message) {
  console.error(`error: ${message}`);
  process.exitCode = 1;
}
