/** The host of this process. */
import { setMaxListeners } from 'node:events';
import { writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { addAbortSignal } from 'node:stream';
import { setTimeout, setImmediate as turn } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { CliError, systemReason } from '../errors.ts';
import { sentence } from '../text/sentence.ts';
import { ClosedPipe, type OutputStream, type World } from './host.ts';

export function realHost(): World {
  const interruption = new AbortController();
  // Each request in flight listens for it.
  setMaxListeners(0, interruption.signal);
  const stop = (name: string) => () => {
    const code = name.startsWith('Ctrl') ? 'interrupted' : 'terminated';
    if (interruption.signal.aborted) process.exit(code === 'interrupted' ? 130 : 143);
    interruption.abort(new CliError(code, sentence`Stopped by ${name}.`));
  };
  const interrupt = stop('Ctrl-C');
  const listeners = { SIGINT: interrupt, SIGBREAK: stop('Ctrl-Break'), SIGTERM: stop('SIGTERM'), SIGHUP: stop('SIGHUP') };
  const signals = Object.entries(listeners);
  for (const [signal, listener] of signals) process.on(signal, listener);
  const stdout = outputStream(1, () => process.stdout);
  // A diagnostic report of Node, which others may be sent, would hold the token.
  if (process.report) process.report.excludeEnv = true;
  return {
    argv: process.argv.slice(2),
    env: process.env,
    home: process.env.HOME ?? process.env.USERPROFILE ?? '',
    platform: process.platform,
    node: process.versions.node,
    pid: process.pid,
    machine: hostname(),
    // It may never end.
    stdin: { isTTY: isatty(0), bytes: () => addAbortSignal(interruption.signal, process.stdin) },
    stdout,
    stderr: outputStream(2, () => process.stderr),
    now: Date.now,
    // The global `performance` loads ten modules of Node.
    elapsed: () => Number(process.hrtime.bigint()) / 1e6,
    zone: () => globalThis.Temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    async sleep(milliseconds, given) {
      const signal = given ? AbortSignal.any([interruption.signal, given]) : interruption.signal;
      await setTimeout(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
    },
    random: Math.random,
    interrupted: interruption.signal,
    async atOnce(work) {
      // A signal that has arrived is heard first. The first process of a container has no other way to end.
      await turn();
      interruption.signal.throwIfAborted();
      if (process.pid === 1) return work();
      for (const [signal, listener] of signals) process.off(signal, listener);
      try {
        return work();
      } finally {
        for (const [signal, listener] of signals) process.on(signal, listener);
      }
    },
    async questions(plain) {
      const { drawnPrompts, lineByLine, plainPrompts } = await import('./terminal/prompts.ts');
      return plain ? plainPrompts(lineByLine(interruption.signal)) : drawnPrompts(interruption.signal);
    },
    async screen(events) {
      const { takeScreen } = await import('./terminal/full-screen.ts');
      return takeScreen(events, { interrupt, write: stdout.write });
    },
    async execute(file, args, limits) {
      return (await import('./inputs.ts')).printedBy(file, args, limits, interruption.signal);
    },
    onCrash(report) {
      process.once('uncaughtException', (error) => {
        // A second error while the first one is reported is ignored.
        process.on('uncaughtException', () => {});
        void report(error).then(process.exit, () => {
          writeSync(2, 'error: Internal error in proctor-cli, which could not be reported.\n');
          process.exit(1);
        });
      });
    },
  };
}

/** Opened at the first write: opening all streams would cost as much as the program itself. */
function outputStream(descriptor: number, open: () => NodeJS.WriteStream): OutputStream {
  let stream: NodeJS.WriteStream | undefined;
  const opened = () => {
    stream ??= open().on('error', () => {});
    return stream;
  };
  const isTTY = isatty(descriptor);
  return {
    isTTY,
    get columns() {
      return isTTY ? opened().columns : undefined;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        opened().write(text, (cause?: NodeJS.ErrnoException | null) => {
          if (!cause) return resolve();
          if (['EPIPE', 'ERR_STREAM_DESTROYED', 'EOF'].includes(cause.code ?? '')) return reject(new ClosedPipe());
          reject(new CliError('output_failed', sentence`Could not write the output: ${systemReason(cause)}.`, { cause }));
        });
      }),
  };
}
