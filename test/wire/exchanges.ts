/**
 * One command against a list of literal exchanges. Every request is compared whole: method, address,
 * all headers, body; one that is missing, in another order or too many fails the test.
 */
import { isDeepStrictEqual } from 'node:util';
import nock from 'nock';
import { expect } from 'vitest';
import { type JsonObject, parseJson, stringifyJson } from '../../src/model/json.ts';
import { type Run, run, ungatedFolder, type World } from '../support/run.ts';

export const origin = 'https://proctor.example';
export const token = 'wire-token-0123456789';
export const env = { PROCTOR_BASE_URL: origin, PROCTOR_TOKEN: token };

export type Exchange = {
  method: string;
  /** Path and query from the root of the origin, as they stand on the wire. */
  path: string;
  /** The body as a value; as text where its spelling matters. Absent: the request must have none. */
  body?: unknown;
  text?: string;
  authorization?: string;
  /**
   * Status, body and headers of the answer; an empty 204 where it is absent. The object that answers an
   * update also shows what was sent, unless it says otherwise or is `bare`.
   */
  bare?: true;
  /** A read that contradicts the answer before it is made again until the settle time has passed: so often, as one. */
  often?: true;
  reply?: [status: number, body?: unknown, headers?: Record<string, string>];
};

/** A path below /api/v1, or from the root of the origin. */
const whole = (path: string) => (path.includes('/api/v1') ? path : `/api/v1${path}`);
const sends =
  (method: string, usual: number) =>
  (path: string, body?: unknown, reply?: unknown, status = usual): Exchange => ({
    method,
    path: whole(path),
    ...(body === undefined ? {} : { body }),
    ...(reply === undefined ? {} : { reply: [status, reply] }),
  });

/** A request with its body, and what answers it. */
export const [post, put, patch, del] = [sends('POST', 201), sends('PUT', 200), sends('PATCH', 200), sends('DELETE', 200)];
export const get = (path: string, reply: unknown, status = 200): Exchange => ({ method: 'GET', path: whole(path), reply: [status, reply] });

/*
 * The reads around a write, which the rules of every write demand: whoever creates looks first, an update or a deletion leaves right
 * after a read of what it is about, and what was done is read again.
 */

/**
 * Read, updated, and read again; whoever sets times of a student reads first of which exam. `before`: as it is shown first; `after`: as it
 * is shown then, by default with what was sent.
 */
export function around(
  update: Exchange,
  { before = {}, after, often }: { before?: object; after?: object; often?: true } = {},
): Exchange[] {
  const sent = { ...before, ...(update.body as object), ...unwrapped(update.reply?.[1]) };
  const first = get(update.path, { ...before, id: idIn(update.path) });
  const isTime = ['open_time', 'close_time'].some((field) => field in ((update.body ?? JSON.parse(update.text ?? '{}')) as object));
  return [
    ...(isTime ? [first, first] : [first]),
    update,
    { ...get(update.path, after ?? { ...sent, id: idIn(update.path) }), ...(often ? { often } : {}) },
  ];
}

/** Read, read once more right before it is deleted, and read again: not there any more. */
export function gone(path: string, before: object = {}): Exchange[] {
  const shown = get(path, { id: idIn(path), ...before });
  return [shown, shown, { method: 'DELETE', path }, { method: 'GET', path, reply: [404, {}] }];
}

/** An exam or a student: the list is read, it is created, and the list is read again; where that leaves out a field, the record itself, too. */
export function created(create: Exchange, after?: object): Exchange[] {
  const { path, body, text, reply } = create;
  const made = { ...(body as object), ...(unwrapped(reply?.[1]) as { id: number }) };
  const isExam = path === '/api/v1/exams';
  const list = isExam ? path : path.replace(/\/[^/]+$/, '/student_sessions');
  const fields = Object.keys((body ?? JSON.parse(text ?? '{}')) as object);
  const isWhole = isExam || fields.every((field) => field in JSON.parse(stringifyJson(after ?? made)));
  const byId = isWhole ? [] : [get(`/api/v1/student_sessions/${made.id}`, after ?? made)];
  // The exam says whether a time to start is before its own.
  const exam = !isExam && fields.includes('close_time') ? [get(path.replace(/\/[^/]+$/, ''), {})] : [];
  return [get(list, []), ...exam, create, get(list, [after ?? made]), ...byId];
}

/** Proctors added or removed: the pool before, and as it is then. */
export function pooled(change: Exchange, pool: unknown[], before: unknown[] = []): Exchange[] {
  return [get(change.path, before), change, get(change.path, pool)];
}

/** The exam and its students, none of them mailed yet, and then the mails. */
export function mailed(send: Exchange): Exchange[] {
  const exam = send.path.replace(/\/[^/]+$/, '');
  const students = get(`${exam}/student_sessions`, [{ id: 1, status: 'registered' }]);
  return [get(exam, { id: idIn(exam) }), students, send];
}

function idIn(path: string): number {
  return Number(path.split('/').at(-1));
}

/** The fields of an answer, out of their wrapper. */
function unwrapped(body: unknown): object {
  if (typeof body !== 'object' || body === null) return {};
  const [only, ...others] = Object.values(body);
  return others.length === 0 && typeof only === 'object' && only !== null && !Array.isArray(only) ? only : body;
}

// It intercepts from its import on; other files of the process have requests of their own.
nock.restore();

type Sent = { method: string; url: string; headers: Record<string, string>; body: unknown };

/** Runs a command, a line or its words, and fails unless exactly these requests were sent, in this order. */
export function exchange(line: string | readonly string[], exchanges: readonly Exchange[], world: World = {}): Promise<Run> {
  const argv = typeof line === 'string' ? line.split(' ') : line;
  return intercepted(async (stray) => {
    const sent: Sent[] = [];
    for (const { method, path, bare, often = false, reply: [status, body, headers] = [204] } of exchanges) {
      nock(origin)
        .persist(often)
        .intercept(path, method)
        .reply(async (request: Request) => {
          const now = await sentBy(request);
          sent.push(now);
          const echoed = !bare && status === 200 && (method === 'PATCH' || method === 'PUT');
          return [
            status,
            body === undefined || typeof body === 'string' ? body : echoed ? withFields(body, now) : JSON.stringify(body),
            { 'content-type': 'application/json', ...headers },
          ];
        });
    }
    const printed = await run(argv, { ...world, home: ungatedFolder(world.home), env: { ...env, ...world.env } });
    expect(stray, `requests that were not expected, of: ${argv.join(' ')}\n${printed.stderr}`).toEqual([]);
    const first = exchanges.findIndex(({ often }) => often);
    const once = sent.filter((each, at) => first === -1 || at <= first || !isDeepStrictEqual(each, sent[at - 1]));
    expect(once).toEqual(exchanges.map((each, index) => expectedOf(each, once[index])));
    expect(nock.pendingMocks()).toEqual([]);
    return printed;
  });
}

/** The same of a line that succeeds. */
export async function succeeds(...given: Parameters<typeof exchange>): Promise<void> {
  const { code, stderr } = await exchange(...given);
  expect(code, stderr).toBe(0);
}

/** Has all requests intercepted meanwhile; those that no exchange stands for come to the list. */
async function intercepted<T>(meanwhile: (stray: readonly string[]) => Promise<T>): Promise<T> {
  const stray: string[] = [];
  const note = (request: Request) => stray.push(`${request.method} ${request.url}`);
  nock.activate();
  nock.disableNetConnect();
  nock.emitter.on('no match', note);
  try {
    return await meanwhile(stray);
  } finally {
    nock.emitter.off('no match', note);
    nock.cleanAll();
    nock.enableNetConnect();
    nock.restore();
  }
}

/** What was sent, and over it what the answer shows; as text, so that numbers keep their digits. */
function withFields(shown: unknown, { body }: Sent): string {
  return stringifyJson({ ...(parseJson(String(body)) as JsonObject), ...(shown as JsonObject) });
}

async function sentBy(request: Request): Promise<Sent> {
  return { method: request.method, url: request.url, headers: Object.fromEntries(request.headers), body: await request.text() };
}

/** The whole request that an exchange stands for. What varies is not the headers' names, but their few values. */
function expectedOf({ method, path, body, text, authorization }: Exchange, actual: Sent | undefined): Sent {
  const payload = text ?? (body === undefined ? '' : spelledAs(body, actual?.body));
  const counted = payload !== '' || ['POST', 'PUT', 'PATCH'].includes(method);
  return {
    method,
    url: origin + path,
    headers: {
      accept: 'application/json',
      ...(method === 'GET' ? { 'cache-control': 'no-cache' } : {}),
      authorization: authorization ?? `apiServiceToken ${token}`,
      // Whether a write keeps its connection open depends on the writes before it: test/api/write-
      // connections.test.ts. Reads share them once they have tried the service.
      connection: method === 'GET' ? 'keep-alive' : 'close',
      host: 'proctor.example',
      'user-agent': 'proctor-cli',
      ...(payload === '' ? {} : { 'content-type': 'application/json' }),
      ...(counted ? { 'content-length': String(Buffer.byteLength(payload)) } : {}),
    },
    body: payload,
  };
}

/** The text that was sent, if it means the value that was expected; otherwise a text that differs. */
function spelledAs(value: unknown, sent: unknown): string {
  const plain = JSON.stringify(value);
  if (typeof sent !== 'string' || sent === '') return plain;
  try {
    expect(JSON.parse(sent)).toEqual(value);
    return sent;
  } catch {
    return plain;
  }
}
