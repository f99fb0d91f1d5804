/**
 * What the benchmarks share: the program as it ships, built from the sources as they are, in a folder
 * of its own that is its home too; measured runs of it, and medians. Benchmarks print; they judge nothing.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export const quick = process.argv.includes('--quick');
export const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-bench-'));
export const bin = join(folder, 'bin/proctor-cli.js');

process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
for (const name of ['bin', 'package.json', 'LICENSE']) cpSync(join(root, name), join(folder, name), { recursive: true });
for (const name of ['src', 'node_modules']) symlinkSync(join(root, name), join(folder, name));
execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { cwd: folder });

/**
 * `cpu`: of the user and the system, in all threads. `peak`: the most memory, in bytes. `writing`:
 * seconds from the first POST to the last answer to one.
 */
export type Usage = { seconds: number; cpu: number; peak: number; writing: number };

/** Runs the program to its end; its output goes to a file. Throws if it ends with another status. */
export async function program(
  args: readonly string[],
  env: Record<string, string> = {},
  statuses: readonly number[] = [0],
): Promise<Usage & { stdout: string; code: number }> {
  const [usage, stdout, stderr] = ['usage', 'stdout', 'stderr'].map((name) => join(folder, name)) as [string, string, string];
  const before = process.hrtime.bigint();
  const child = spawn(process.execPath, ['--require', join(import.meta.dirname, 'usage.cjs'), bin, ...args], {
    env: { HOME: folder, BENCH_USAGE: usage, ...env },
    stdio: ['ignore', openSync(stdout, 'w'), openSync(stderr, 'w')],
  });
  const [code] = await once(child, 'exit');
  const seconds = Number(process.hrtime.bigint() - before) / 1e9;
  if (!statuses.includes(code)) throw new Error(`${args.join(' ')}: ${readFileSync(stderr, 'utf8')}`);
  return { seconds, ...(JSON.parse(readFileSync(usage, 'utf8')) as Omit<Usage, 'seconds'>), stdout, code };
}

/** Starts a server; resolves to the line of JSON that it prints when it listens. */
export async function server<T>(args: readonly string[]): Promise<T & { stop(): Promise<void> }> {
  const child = spawn(process.execPath, args, { env: { HOME: folder }, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  // Before the folder is removed, into which it would write once more.
  process.setMaxListeners(0);
  process.prependListener('exit', () => child.kill('SIGKILL'));
  const stop = async () => {
    child.kill();
    await ended;
  };
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { ...(JSON.parse(line as string) as T), stop };
}

export type Service = { base_url: string; token: string };

/** The embedded service in a process of its own. */
export const sandbox = () => server<Service>([bin, 'sandbox', 'serve', '-o', 'json']);

export const accessTo = ({ base_url, token }: Service) => ({ PROCTOR_BASE_URL: base_url, PROCTOR_TOKEN: token });

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** One line of a result: what, how much, and beside what. */
export function tell(what: string, figure: string, remark = ''): void {
  console.log(`${what.padEnd(36)}${figure.padStart(16)}   ${remark}`.trimEnd());
}

export const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
