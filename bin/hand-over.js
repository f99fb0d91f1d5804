// Runs the program on the Node that the checkout brings, as this one is too old: passes signals on, and ends with the other's status.
const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { constants } = require('node:os');
const { join } = require('node:path');
const { isatty } = require('node:tty');

const own = join(__dirname, '../node_modules/node/bin/node');
if (process.argv0 !== 'proctor-cli' && existsSync(own)) handOver();
else {
  console.error(`error: proctor-cli needs Node 22.22.2, 24.15 or 26 and later; this is ${process.version}.`);
  process.exitCode = 1;
}

function handOver() {
  // Its name says that it was handed over to: a variable would be inherited. By the channel, it notices when this process is killed.
  const options = { argv0: 'proctor-cli', stdio: ['inherit', 'inherit', 'inherit', 'ipc'] };
  const child = spawn(own, [join(__dirname, 'proctor-cli.js'), ...process.argv.slice(2)], options);
  // A terminal signals the child as well: a second Ctrl-C would stop it without finishing the requests in flight.
  const onTerminal = [0, 1, 2].some((each) => isatty(each));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => onTerminal || child.kill(signal));
  child.on('error', ({ message }) => {
    console.error(`error: proctor-cli could not be handed over to ${own}: ${message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}
