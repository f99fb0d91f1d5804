/**
 * What the benchmarks share: the program as it ships, built from the sources as they are, in a folder
 * of its own that is its home too, and medians. Benchmarks print; they judge nothing.
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

/** Runs the program to its end, and resolves to its status. Throws if it ends with another one than `statuses`. */
export async function program(args: readonly string[], env: Record<string, string>, statuses: readonly number[]): Promise<number> {
  const [stdout, stderr] = ['stdout', 'stderr'].map((name) => join(folder, name)) as [string, string];
  const child = spawn(process.execPath, [bin, ...args], {
    env: { HOME: folder, ...env },
    stdio: ['ignore', openSync(stdout, 'w'), openSync(stderr, 'w')],
  });
  const [code] = await once(child, 'exit');
  if (!statuses.includes(code)) throw new Error(`${args.join(' ')}: ${readFileSync(stderr, 'utf8')}`);
  return code;
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
