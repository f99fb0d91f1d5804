/**
 * How long the program takes to start, built from the sources as they are, as ratios within one run: the commands take turns, so that a
 * machine that slows down slows all of them. Prints medians and, for a machine with other work, minima; judges nothing.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../e2e/build.ts';

/** The home, too. */
const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-bench-'));
const bin = join(folder, 'bin/proctor-cli.js');

process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
build(folder);

const rounds = process.argv.includes('--quick') ? 5 : 25;

type Command = { args: string[]; beside?: string };

const service = await sandbox();
const env = { HOME: folder, ...service.env };

const bare = 'node -e 0';
const least = "undici's Pool alone";
const commands: Record<string, Command> = {
  [bare]: { args: ['-e', '0'] },
  '--version': { args: [bin, '--version'], beside: bare },
  '--help': { args: [bin, '--help'], beside: bare },
  'completion of a flag': { args: [bin, '__complete', 'exams', 'list', ':--out'], beside: bare },
  [least]: { args: [join(import.meta.dirname, 'minimal-undici.mjs')] },
  'exams list -o json': { args: [bin, 'exams', 'list', '-o', 'json'], beside: least },
  'exams list': { args: [bin, 'exams', 'list'], beside: least },
};

function milliseconds(args: readonly string[]): number {
  const before = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  const after = process.hrtime.bigint();
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return Number(after - before) / 1e6;
}

const times = Object.fromEntries(Object.keys(commands).map((name) => [name, [] as number[]]));
for (let round = -2; round < rounds; round += 1) {
  for (const [name, { args }] of Object.entries(commands)) {
    const time = milliseconds(args);
    if (round >= 0) times[name]?.push(time);
  }
}
await service.stop();

console.log(`start-up on Node ${process.version}: median and minimum of ${rounds}`);
for (const [name, { beside }] of Object.entries(commands)) {
  const own = times[name] ?? [];
  const other = times[beside ?? name] ?? [];
  const ratio = median(own.map((time, index) => time / (other[index] ?? Number.NaN)));
  const least = Math.min(...own) / Math.min(...other);
  const figure = `${median(own).toFixed(1)} (${Math.min(...own).toFixed(1)}) ms`;
  const remark = beside === undefined ? '' : `${ratio.toFixed(2)} (${least.toFixed(2)}) times ${beside}`;
  console.log(`${name.padEnd(36)}${figure.padStart(16)}   ${remark}`.trimEnd());
}

/** The embedded service in a process of its own, with the address and the token that it prints when it listens. */
async function sandbox() {
  const child = spawn(process.execPath, [bin, 'sandbox', 'serve', '-o', 'json'], {
    env: { HOME: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  // Before the folder is removed, into which it would write once more.
  process.prependListener('exit', () => child.kill('SIGKILL'));
  const stop = async () => {
    child.kill();
    await ended;
  };
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const { base_url, token } = JSON.parse(line as string) as { base_url: string; token: string };
  return { env: { PROCTOR_BASE_URL: base_url, PROCTOR_TOKEN: token }, stop };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
