/**
 * What the benchmarks share: the program as it ships, built from the sources as they are, in a folder
 * of its own that is its home too, and medians. Benchmarks print; they judge nothing.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');

export const quick = process.argv.includes('--quick');
export const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-bench-'));
export const bin = join(folder, 'bin/proctor-cli.js');

process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
for (const name of ['bin', 'package.json', 'LICENSE']) cpSync(join(root, name), join(folder, name), { recursive: true });
for (const name of ['src', 'node_modules']) symlinkSync(join(root, name), join(folder, name));
execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { cwd: folder });

/** Runs the program to its end, and resolves to what it prints. Throws unless all is done. */
export async function program(args: readonly string[], env: Record<string, string>): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [bin, ...args], { env: { HOME: folder, ...env }, maxBuffer: 1 << 28 });
  return stdout;
}

/** The embedded service in a process of its own, with the address and the token that it prints when it listens. */
export async function sandbox() {
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
  return { port: Number(new URL(base_url).port), env: { PROCTOR_BASE_URL: base_url, PROCTOR_TOKEN: token }, stop };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** One line of a result: what, how much, and beside what. */
export function tell(what: string, figure: string, remark = ''): void {
  console.log(`${what.padEnd(36)}${figure.padStart(16)}   ${remark}`.trimEnd());
}
