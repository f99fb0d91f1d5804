#!/usr/bin/env node
// Hands over to the program; on a Node that is too old, to the one that the checkout brings, or says
// which Node is needed.
const { join } = require('node:path');

const [major, minor, patch] = process.versions.node.split('.').map(Number);
const newEnough = major >= 26 || (major === 24 && minor >= 15) || (major === 22 && (minor > 22 || (minor === 22 && patch >= 2)));

if (newEnough) {
  stopWithParent();
  onThisNode();
} else onOwnNode();

/** Handed over, this process is not the one that people see: when that is killed, this one stops as at Ctrl-C. */
function stopWithParent() {
  if (!process.env.PROCTOR_HANDED_OVER || !process.channel) return;
  process.on('disconnect', () => process.emit('SIGINT') || process.exit(130));
  process.channel.unref();
}

function onThisNode() {
  try {
    // With hooks of `--import`, Node 22 gives the main script a require that loads no ES modules.
    require('node:module').createRequire(__filename)('../dist/start.cjs');
  } catch ({ message }) {
    // `start` reports its own failures: this one is of its file, as while a package is updated.
    const [reason] = message.split('\n');
    const failure = `proctor-cli was updated or removed while it started: ${reason}`;
    const hint = 'Run the same command again. If it fails again, reinstall proctor-cli.';
    const json = JSON.stringify({ error: { code: 'program_replaced', message: failure, hint, exit: 1 } });
    const wantsJson = process.argv.some((word) => /^(--output=|-o=?)?(nd)?json$/.test(word));
    console.error(wantsJson ? json : `error: ${failure}\nhint: ${hint}`);
    process.exitCode = 1;
  }
}

function onOwnNode() {
  const own = join(__dirname, '../node_modules/node/bin/node');
  if (process.env.PROCTOR_HANDED_OVER || !require('node:fs').existsSync(own)) {
    console.error(`error: proctor-cli needs Node 22.22.2, 24.15 or 26 and later; this is ${process.version}.`);
    process.exitCode = 1;
    return;
  }
  const { spawn } = require('node:child_process');
  // By the channel, the child notices when this process is killed.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const child = spawn(own, [__filename, ...process.argv.slice(2)], { stdio, env: { ...process.env, PROCTOR_HANDED_OVER: '1' } });
  // A terminal signals the child as well: a second Ctrl-C would stop it without finishing the requests in flight.
  const onTerminal = [0, 1, 2].some((each) => require('node:tty').isatty(each));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => onTerminal || child.kill(signal));
  child.on('error', ({ message }) => {
    console.error(`error: proctor-cli could not be handed over to ${own}: ${message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + ({ SIGINT: 2, SIGTERM: 15, SIGHUP: 1 }[signal] ?? 9);
  });
}
