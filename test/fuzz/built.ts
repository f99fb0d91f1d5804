/** Inputs given to the built program, each in a process of its own: its end, what it printed, how long it took and how much memory. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Drawn } from './campaign.ts';
import { broken } from './world.ts';

const program = resolve('bin/proctor-cli.js');
/** Milliseconds: generous, because these run while the machine is at other work. */
const patience = 120_000;
const mostMemory = 1 << 20;

/** The failure of the built program for an input; undefined if there is none. */
export async function judgedBuilt({ target, input }: Drawn): Promise<string | undefined> {
  const { line, stdin = '', files = {}, env = {}, answers = [] } = target.command(input);
  if (line.some((word) => word.includes('\0'))) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-fuzz-'));
  let next = 0;
  const server = createServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', () => {
        const bytes = answers[Math.min(next++, answers.length - 1)];
        if (bytes === undefined || next > 60) socket.destroy();
        else socket.end(Buffer.from(bytes, 'latin1'));
      });
  });
  try {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    for (const [path, bytes] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, path), bytes, { encoding: 'latin1', mode: 0o600 });
    }
    const { port } = server.address() as { port: number };
    const child = spawn(process.execPath, [program, ...line], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        XDG_CACHE_HOME: join(tmpdir(), 'proctor-cli-fuzz-cache'),
        PROCTOR_CONFIG_DIR: join(folder, 'config'),
        PROCTOR_STATE_DIR: join(folder, 'state'),
        PROCTOR_BASE_URL: `http://127.0.0.1:${port}/api/v1`,
        PROCTOR_TOKEN: 'a-token-of-the-fuzz',
        PROCTOR_INSTITUTE: '7',
        PROCTOR_TIMEOUT: '5s',
        ...env,
      },
    });
    let memory = 0;
    const looking = setInterval(() => {
      memory = Math.max(memory, peakOf(child.pid));
      if (memory > mostMemory) child.kill('SIGKILL');
    }, 100);
    const over = setTimeout(() => child.kill('SIGKILL'), patience);
    const printed = { code: -1, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      printed.stderr += text;
    });
    child.stdin.on('error', () => {}).end(Buffer.from(stdin, 'latin1'));
    const [code, signal] = await new Promise<[number | null, string | null]>((done, fail) => {
      child.on('error', fail).on('close', (...end) => done(end));
    });
    clearInterval(looking);
    clearTimeout(over);
    if (memory > mostMemory) return `it took ${memory >> 10} MB of memory`;
    if (code === null) return `it was still at work after ${patience / 1000} s (${signal})`;
    return broken({ ...printed, code }, line, [...line, ...answers, ...Object.values(files)].join('\n'));
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The most memory that a process has had so far, in kilobytes; 0 where that cannot be told. */
function peakOf(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
