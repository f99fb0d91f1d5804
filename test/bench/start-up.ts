/**
 * How long the program takes to start, built from the sources as they are, beside a bare Node: the commands take turns, so that a machine that
 * slows down slows all of them. Prints medians and, for a machine with other work, minima; judges nothing.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../e2e/build.ts';

/** The home, too. */
const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
build(folder);

const rounds = 25;
const bin = join(folder, 'bin/proctor-cli.js');
/** Of the last ones, the service runs in the same process. */
const lines = [
  '--version',
  '--help',
  '__complete exams list :--out',
  ...['-o json', '-o table'].map((how) => `--profile sandbox exams list ${how}`),
];
const commands = [['-e', '0'], ...lines.map((line) => [bin, ...line.split(' ')])];

function milliseconds(args: readonly string[]): number {
  const before = performance.now();
  const { status, signal, stderr } = spawnSync(process.execPath, args, { env: { HOME: folder }, encoding: 'utf8' });
  const after = performance.now();
  // A completion ends itself.
  if (status !== 0 && signal !== 'SIGKILL') throw new Error(`${args.join(' ')}: ${stderr}`);
  return after - before;
}

const times = commands.map((): number[] => []);
for (let round = -2; round < rounds; round += 1)
  for (const [at, args] of commands.entries()) {
    const time = milliseconds(args);
    if (round >= 0) times[at]?.push(time);
  }

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const bare = times[0] ?? [];
console.log(`start-up on Node ${process.version}: median and minimum of ${rounds}, and how many times a bare Node`);
for (const [at, own] of times.entries()) {
  const ratio = median(own.map((time, round) => time / (bare[round] ?? Number.NaN)));
  const figure = `${median(own).toFixed(1)} (${Math.min(...own).toFixed(1)}) ms`;
  console.log(`${(lines[at - 1] ?? 'node -e 0').padEnd(40)}${figure.padStart(18)}   ${ratio.toFixed(2)}`);
}
