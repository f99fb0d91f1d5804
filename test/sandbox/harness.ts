/** The service as its tests see it: a temporary folder, a real port, plain HTTP. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { temporaryFolder } from '../support/run.ts';

export type Item = Record<string, unknown> & { id: number };
export type Reply<T> = { status: number; headers: Record<string, string>; text: string; body: T };
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
  return async (method, path, content, given = {}) => {
    const url = path.startsWith('//') ? new URL(path.slice(1), baseUrl) : baseUrl + path;
    const body = content === undefined || typeof content === 'string' ? content : JSON.stringify(content);
    const all = { authorization: `apiServiceToken ${token}`, 'content-type': 'application/json', ...given };
    const headers = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) }).catch(({ cause }) =>
      Promise.reject(cause),
    );
    const text = await answer.text();
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text, body: text === '' ? undefined : JSON.parse(text) };
  };
}

/** A service in this process, closed when the test ends. */
export async function serve(options: Partial<SandboxOptions> = {}) {
  const folder = options.folder ?? newFolder();
  const sandbox = await startSandbox({ now: () => now, ...options, folder });
  onTestFinished(() => sandbox.close());
  return { ...sandbox, folder, send: sender(sandbox) };
}

/** A new exam and the path below which it lives. */
export async function newExam(send: Send, fields: Record<string, unknown> = {}): Promise<{ id: number; path: string }> {
  const { body } = await send('POST', '/exams', fields);
  return { id: body.id, path: `/exams/${body.id}` };
}
