#!/usr/bin/env node
// Answers for the version and for the help of the program, which the build has written; the rest is in the bundle.
const { existsSync, lstatSync, mkdirSync, readFileSync, statSync, writeSync } = require('node:fs');
const { isAbsolute, join } = require('node:path');
const { isatty } = require('node:tty');

const [major, minor, patch] = process.versions.node.split('.').map(Number);
const newEnough = major >= 26 || (major === 24 && minor >= 15) || (major === 22 && (minor > 22 || (minor === 22 && patch >= 2)));

if (!newEnough) require('./hand-over.js');
else {
  // Handed over to, this is not the process that people see: when that one is killed, this one stops as at Ctrl-C.
  if (process.argv0 === 'proctor-cli') process.on('disconnect', () => process.emit('SIGINT') || process.exit(130)).channel?.unref();
  if (!answered(process.argv.slice(2).join(' '))) {
    keepCompiledCode();
    require('../dist/proctor-cli.cjs');
  }
}

/** False where the program has to answer, or to say that nothing could be written. */
function answered(line) {
  const asksVersion = ['--version', '-V'].includes(line);
  if (!asksVersion && !['', '--help', '-h', 'help'].includes(line)) return false;
  try {
    if (mayBeClosed()) return false;
    const text = asksVersion ? `proctor-cli ${require('../package.json').version}\n` : readFileSync(join(__dirname, '../dist/help.txt'));
    return writeSync(1, text) > 0;
  } catch {
    return false;
  }
}

/** Where a shell has closed stdout, Node has opened something else in its place, for reading too. */
function mayBeClosed() {
  if (process.platform !== 'linux' || isatty(1)) return false;
  const file = (path) => readFileSync(join('/proc', path), 'utf8');
  return /^flags:\s*\d*2$/m.test(file('self/fdinfo/1')) && /(sh|busybox)$/m.test(file(`${process.ppid}/comm`));
}

/** Compiled code is trusted: it is kept in a folder that belongs to this user and is closed to others, or not at all. */
function keepCompiledCode() {
  const isOwn = ({ uid }) => uid === (process.geteuid?.() ?? uid);
  try {
    const { XDG_CACHE_HOME: given, LOCALAPPDATA: local, HOME: home } = process.env;
    const isWindows = process.platform === 'win32';
    const place = [given, isWindows ? local : home].find((path) => path && isAbsolute(path));
    // In the home of another user, as with sudo, a folder would stand in the way of its owner.
    if (!isOwn(statSync(place))) return;
    const cache = place === home ? join(home, '.cache') : place;
    const folder = join(cache, 'proctor-cli');
    for (const path of [cache, folder]) if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
    const stats = lstatSync(folder);
    const isClosed = isWindows || (stats.mode & 0o022) === 0;
    if (stats.isDirectory() && isOwn(stats) && isClosed) require('node:module').enableCompileCache(folder);
  } catch {
    // Without such a folder, each start compiles anew.
  }
}
