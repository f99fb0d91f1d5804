/**
 * The service as its tests see it: a temporary folder, a real port, plain HTTP. Paths go out as they
 * are written, so that a test can send what no well-behaved client would.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { temporaryFolder } from '../support/run.ts';

export type Item = Record<string, unknown> & { id: number };
export type Reply<T> = { status: number; headers: IncomingHttpHeaders; text: string; body: T };
export type Send = <T = Item>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string | undefined>,
) => Promise<Reply<T>>;

/** 09:07, so that rounding to the quarter hour shows. */
export const now = Date.parse('2026-11-21T09:07:00Z');

/** It is not there yet. */
export const newFolder = () => join(temporaryFolder(), 'data');

/**
 * A sender of requests with the right token. A path is relative to the base URL, or absolute if it begins with two slashes.
 * A body that is text goes out as it is, any other as JSON.
 */
export function sender({ baseUrl, token }: { baseUrl: string; token: string }): Send {
  return async (method, path, body, headers = {}) => {
    const { hostname, port, pathname } = new URL(baseUrl);
    const content = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const length = content === undefined ? undefined : String(Buffer.byteLength(content));
    const given = { authorization: `apiServiceToken ${token}`, 'content-type': 'application/json', 'content-length': length, ...headers };
    const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Record<string, string>;
    const asked = request({ hostname, port, method, path: path.startsWith('//') ? path.slice(1) : pathname + path, headers: sent });
    asked.end(content);
    const [answer] = await once(asked, 'response');
    const received = await text(answer);
    return { status: answer.statusCode, headers: answer.headers, text: received, body: received === '' ? undefined : JSON.parse(received) };
  };
}

/** A service in this process, closed when the test ends. */
export async function serve(options: Partial<SandboxOptions> = {}) {
  const folder = options.folder ?? newFolder();
  const sandbox = await startSandbox({ now: () => now, ...options, folder });
  onTestFinished(() => sandbox.close());
  return { ...sandbox, folder, send: sender(sandbox) };
}

/** A service in a process of its own, killed when the test ends. */
export async function serveElsewhere(folder: string) {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./serve.ts', import.meta.url)), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  const [line] = await once(child.stdout, 'data');
  return { send: sender(JSON.parse(String(line))), kill };
}

/** A new exam and the path below which it lives. */
export async function newExam(send: Send, fields: Record<string, unknown> = {}): Promise<{ id: number; path: string }> {
  const { body } = await send('POST', '/exams', fields);
  return { id: body.id, path: `/exams/${body.id}` };
}
