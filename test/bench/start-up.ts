/**
 * How long the program takes to start, as ratios within one run: the commands take turns, so that a
 * machine that slows down slows all of them. Prints medians; judges nothing.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const rounds = Number(process.argv[2] ?? 25);
const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(root, 'bin/proctor-cli.js');
const home = mkdtempSync(join(tmpdir(), 'proctor-cli-bench-'));

type Service = { base_url: string; token: string; stop(): void };

async function serve(): Promise<Service> {
  const child = spawn(process.execPath, [bin, 'sandbox', 'serve', '-o', 'json'], {
    env: { HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve) => child.stdout.setEncoding('utf8').once('data', resolve));
  return { ...(JSON.parse(line) as { base_url: string; token: string }), stop: () => child.kill() };
}

function milliseconds(args: readonly string[], env: Record<string, string>): number {
  const before = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args, { env: { HOME: home, ...env }, cwd: root, encoding: 'utf8' });
  const after = process.hrtime.bigint();
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return Number(after - before) / 1e6;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const service = await serve();
const env = { PROCTOR_BASE_URL: service.base_url, PROCTOR_TOKEN: service.token };
const minimal = join(root, 'test/bench/minimal-undici.mjs');
const commands: Record<string, { args: string[]; beside: string }> = {
  'node -e 0': { args: ['-e', '0'], beside: 'node -e 0' },
  '--version': { args: [bin, '--version'], beside: 'node -e 0' },
  '--help': { args: [bin, '--help'], beside: 'node -e 0' },
  'minimal undici script': { args: [minimal], beside: 'minimal undici script' },
  'exams list': { args: [bin, 'exams', 'list'], beside: 'minimal undici script' },
  'exams list -o json': { args: [bin, 'exams', 'list', '-o', 'json'], beside: 'minimal undici script' },
};
const times = Object.fromEntries(Object.keys(commands).map((name) => [name, [] as number[]]));
for (let round = -2; round < rounds; round += 1) {
  for (const [name, { args }] of Object.entries(commands)) {
    const time = milliseconds(args, env);
    if (round >= 0) times[name]?.push(time);
  }
}
service.stop();
rmSync(home, { recursive: true, force: true });

console.log(`median of ${rounds} runs on Node ${process.version}`);
for (const [name, { beside }] of Object.entries(commands)) {
  const own = median(times[name] ?? []);
  const ratio = median((times[name] ?? []).map((time, index) => time / (times[beside]?.[index] ?? Number.NaN)));
  console.log(`${name.padEnd(24)}${own.toFixed(1).padStart(7)} ms   ${ratio.toFixed(2)} times ${beside}`);
}
