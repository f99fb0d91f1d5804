/** The faults that decide how a request ends: at most one per request, the first one drawn. */
import { STATUS_CODES } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { stringifyJson } from '../../model/json.ts';
import type { Drawn } from './draw.ts';
import type { FaultName, FaultOptions } from './fault-kinds.ts';

/** One request, as endings handle it. */
export type Exchange = {
  env: HttpBindings;
  /** Has the service process the request. */
  serve(): Promise<Response>;
  /** Waits this many milliseconds; rejects when the service stops. */
  pause(milliseconds: number): Promise<void>;
  /** Runs `act` this many milliseconds later, unless the service has stopped. */
  later(milliseconds: number, act: () => Promise<Response>): void;
  /** The Date header. */
  date(): string;
};

/** Sends a replacement for the answer, or returns the answer; undefined if nothing more is to be sent. */
export type Deliver = () => Response | undefined;
type Ending<N extends FaultName> = (exchange: Exchange, options: FaultOptions<N>) => Promise<Deliver>;

/** How long after its answer a request with `work=late` is processed. Milliseconds. */
export const lateBy = 3000;
const pieces = 10;

const endings: { [N in FaultName]?: Ending<N> } = {
  'lost-before': async (exchange, { how }) => broken(exchange, how),
  async 'lost-after'(exchange, { how }) {
    await exchange.serve();
    return broken(exchange, how);
  },
  async 'cut-body'({ env: { incoming, outgoing }, serve }) {
    const { status, headers, body } = await wholeOf(await serve());
    return () => {
      const half = body.subarray(0, Math.ceil(body.length / 2));
      if (body.length === 0) {
        // Without a body, the head is all that can be cut.
        incoming.socket.write(`HTTP/1.1 ${status} `);
        incoming.socket.destroySoon();
      } else {
        outgoing.writeHead(status, { ...headers, 'content-length': body.length });
        outgoing.write(half, () => incoming.socket.destroySoon());
      }
      return undefined;
    };
  },
  async 'slow-body'({ serve, pause }, { over }) {
    const { status, headers, body } = await wholeOf(await serve());
    async function* parts() {
      const size = Math.ceil(body.length / pieces);
      try {
        for (let at = 0; at < body.length; at += size) {
          if (at > 0) await pause(over / (pieces - 1));
          yield body.subarray(at, at + size);
        }
      } catch {
        // The service stops; its connections are cut off.
      }
    }
    return () => new Response(body.length === 0 ? null : ReadableStream.from(parts()), { status, headers });
  },
  401: said(401, { error: 'unauthorized', message: 'The token is not valid.' }, () => ({ 'www-authenticate': 'apiServiceToken' })),
  409: said(409, { error: 'conflict', message: 'It is taken already.' }),
  429: said<FaultOptions<'429'>>(429, { error: 'too_many_requests', message: 'Too many requests.' }, retryAfter),
  500: said(500, { error: 'internal', message: 'The service failed.' }),
  502: said(502, undefined),
  503: said<FaultOptions<'503'>>(503, undefined, retryAfter),
  504: said(504, undefined),
};

/** How a request with this fault ends; undefined if the fault does not decide it. */
export function endingOf({ name, options }: Drawn): ((exchange: Exchange) => Promise<Deliver>) | undefined {
  // The options were parsed by the table of kinds for this name.
  const ending = endings[name] as ((exchange: Exchange, given: typeof options) => Promise<Deliver>) | undefined;
  return ending && ((exchange) => ending(exchange, options));
}

type Said = FaultOptions<'500'>;

/** Without words of the service, the page of a proxy. */
function said<O extends Said>(
  status: number,
  words: { error: string; message: string } | undefined,
  headersOf: (options: O) => Record<string, string> = () => ({}),
) {
  const title = `${status} ${STATUS_CODES[status]}`;
  const page = `<html><head><title>${title}</title></head><body><h1>${title}</h1><hr>proxy</body></html>\n`;
  const type = words === undefined ? 'text/html' : 'application/json; charset=utf-8';
  const text = words === undefined ? page : stringifyJson(words);
  return async (exchange: Exchange, options: O): Promise<Deliver> => {
    await carryOut(exchange, options.work);
    return () => new Response(text, { status, headers: { 'content-type': type, date: exchange.date(), ...headersOf(options) } });
  };
}

function retryAfter({ 'retry-after': value }: { 'retry-after': string }): Record<string, string> {
  return value === 'none' ? {} : { 'retry-after': value };
}

async function carryOut({ serve, later }: Exchange, work: Said['work']): Promise<void> {
  if (work === 'done') await serve();
  if (work === 'late') later(lateBy, serve);
}

function broken({ env: { incoming } }: Exchange, how: FaultOptions<'lost-after'>['how']): Deliver {
  return () => {
    if (how === 'reset') incoming.socket.resetAndDestroy();
    return undefined;
  };
}

async function wholeOf(response: Response) {
  return { status: response.status, headers: Object.fromEntries(response.headers), body: Buffer.from(await response.arrayBuffer()) };
}
