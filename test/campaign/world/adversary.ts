/**
 * The service over HTTP, as an adversary: it loses, delays, doubles and refuses as its faults say, lets a colleague act between
 * any two requests, and keeps a record of every request, of who made it, and of what it was shown.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Clock } from './clock.ts';
import { type Known, perform, type Request, read, type Said } from './operations.ts';
import { type Showing, Window } from './shown.ts';
import { type Fields, type Habits, Truth } from './truth.ts';

/** What becomes of one request; what is left out goes as it should. */
export type Fault = {
  /** Whether a write is done: now, never, twice, or so many milliseconds later. */
  done?: 'now' | 'never' | 'twice' | number;
  /** The answer: as it should be, lost, cut, without a body, without an ID, with a Location only, never; or another one. */
  answer?: 'whole' | 'lost' | 'cut' | 'empty' | 'without id' | 'located' | 'none' | Said;
  /** How many milliseconds the answer takes. */
  takes?: number;
};

export type Arrived = Request & {
  /** The how manieth request of the story, and the how manieth of this very method, path and address, from 1. */
  n: number;
  again: number;
  at: number;
  fault?: Fault | undefined;
};
/** What was shown to an invocation: the person in a session, at that time. */
export type Seen = { by: number; at: number; id: number; email: string | null; exam: number };

export type Adversary = {
  readonly baseUrl: string;
  readonly truth: Truth;
  readonly window: Window;
  readonly clock: Clock;
  readonly requests: Arrived[];
  readonly seen: Seen[];
  /** What becomes of a request; asked when it has arrived. */
  fault: (request: Arrived) => Fault | undefined;
  /** Called when a request has arrived, before anything is done; and before its answer is sent. */
  onArrival: (request: Arrived) => void | Promise<void>;
  onAnswer: (request: Arrived) => void | Promise<void>;
  known: Known;
  /** The writes of an invocation, or of all. */
  writes(by?: number): Arrived[];
  close(): void;
};

export type AdversaryOptions = { clock: Clock; habits?: Habits; showing?: Showing; known?: Known };

/** Before the number of the invocation, in its token. */
export const tokenStem = 'a-token-of-the-campaign-';

export async function adversary({ clock, habits = {}, showing = {}, known }: AdversaryOptions): Promise<Adversary> {
  const truth = new Truth(() => clock.now(), habits);
  const window = new Window(truth, clock, showing);
  const tries = new Map<string, number>();

  async function serve(incoming: IncomingMessage, response: ServerResponse) {
    const free = clock.busy();
    const request = await arrived(incoming);
    service.requests.push(request);
    await service.onArrival(request);
    request.fault = service.fault(request);
    const { done = 'now', answer = 'whole', takes = 0 } = request.fault ?? {};
    const isRead = request.method === 'GET';
    // An answer in so many words has done nothing, unless the fault says so.
    const effect = typeof answer === 'object' && done === 'now' ? 'never' : done;
    let said: Said | undefined;
    const act = () => {
      truth.cause = request.n;
      said = perform(truth, window, request, service.known);
      if (effect === 'twice') perform(truth, window, request, undefined);
      truth.cause = undefined;
    };
    if (!isRead && typeof effect === 'number') clock.later(effect, act);
    else if (!isRead && effect !== 'never') act();
    free();
    if (takes > 0) await clock.wait(takes);
    const working = clock.busy();
    await service.onAnswer(request);
    working();
    if (answer === 'none') return;
    if (answer === 'lost' || response.destroyed) return void response.socket?.resetAndDestroy();
    const whole = typeof answer === 'object' ? answer : isRead ? read(truth, window, request) : (said ?? { status: 502, body: 'gone' });
    if (answer !== 'cut') remember(request, whole);
    send(response, reshaped(whole, answer), answer === 'cut');
  }

  async function arrived(incoming: IncomingMessage): Promise<Arrived> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const url = new URL(incoming.url ?? '/', 'http://service');
    const method = incoming.method ?? 'GET';
    const path = url.pathname.replace(/^\/api\/v1/, '');
    const body = (text === '' ? {} : JSON.parse(text)) as Fields;
    const key = `${method} ${path} ${String(body.email ?? '')}`;
    const again = (tries.get(key) ?? 0) + 1;
    tries.set(key, again);
    const by = Number(/(\d+)$/.exec(incoming.headers.authorization ?? '')?.[1] ?? 0);
    return { method, path, query: url.searchParams, body, by, again, n: service.requests.length + 1, at: clock.now() };
  }

  function remember({ by }: Arrived, { sessions = [] }: Said) {
    if (by === 'colleague') return;
    for (const { id, email, exam_id } of sessions) service.seen.push({ by, at: clock.now(), id, email, exam: exam_id });
  }

  function reshaped(said: Said, answer: Fault['answer']): Said {
    if (said.status >= 300) return said;
    if (answer === 'empty') return { status: said.status };
    const { id, ...rest } = (said.body ?? {}) as Fields;
    if (answer === 'without id') return { status: said.status, body: rest };
    if (answer === 'located') return { status: said.status, headers: { location: `${service.baseUrl}/student_sessions/${String(id)}` } };
    return said;
  }

  function send(response: ServerResponse, { status, body, headers = {} }: Said, cut: boolean) {
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const type = text.startsWith('<') ? 'text/html' : 'application/json';
    response.sendDate = false;
    const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(text) };
    response.writeHead(status, { date: new Date(clock.now()).toUTCString(), 'content-type': type, ...length, ...headers });
    if (!cut) return void response.end(text);
    response.write(text.slice(0, Math.max(1, text.length >> 1)), () => response.socket?.resetAndDestroy());
  }

  const server = createServer((incoming, response) => {
    // The program has gone, in the middle of a request.
    serve(incoming, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };

  const service: Adversary = {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    truth,
    window,
    clock,
    requests: [],
    seen: [],
    fault: () => undefined,
    onArrival() {},
    onAnswer() {},
    known,
    writes: (by) => service.requests.filter((request) => request.method !== 'GET' && (by === undefined || request.by === by)),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return service;
}
