/** The service over HTTP: every operation of the table under its method and path, one transaction per request, every answer JSON. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { type Dialect, defaultDialect } from '../api/dialect.ts';
import { operations } from '../api/operations.ts';
import { stringifyJson } from '../model/json.ts';
import { notFound, Problem } from './body.ts';
import { handlers } from './handlers.ts';
import type { Store } from './store.ts';

export const basePath = '/api/v1';

const prefix = 'apiServiceToken';
const megabytes = 10;

export type Behaviour = {
  dialect?: Dialect | undefined;
  /** The clock, in milliseconds since 1970. */
  now?: (() => number) | undefined;
};

/** Answers a request. `env`: its connection. */
export type Service = (request: Request, env: HttpBindings) => Response | Promise<Response>;

export function createService(store: Store, { dialect = defaultDialect, now = Date.now }: Behaviour): Service {
  const service = new Hono({ getPath: (_request, options) => pathSent(options?.env as HttpBindings) });
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(`${prefix} ${store.token()}`);
  const methods = new Map<string, string[]>();

  service.use(`${basePath}/*`, async (context, next) => {
    context.header('date', new Date(now()).toUTCString());
    const given = context.req.header('authorization') ?? '';
    if (timingSafeEqual(digest(given), expected)) return next();
    context.header('www-authenticate', prefix);
    const shape = `The Authorization header must be: ${prefix} <token>.`;
    throw new Problem(401, 'unauthorized', given.startsWith(`${prefix} `) ? 'The token is not valid.' : shape);
  });
  for (const { id, method, path } of Object.values(operations)) {
    methods.set(path, [...(methods.get(path) ?? []), method]);
    service.on(method, basePath + path, async (context) => {
      const { req } = context;
      const body = method === 'GET' ? '' : await req.text();
      // Read to its end: a connection that is closed before may lose the answer.
      if (Buffer.byteLength(body) > megabytes * 1024 * 1024)
        throw new Problem(413, 'too_large', `The body is larger than ${megabytes} MB.`);
      const asked = { param: (name: string) => req.param(name) ?? '', query: (name: string) => req.query(name), body };
      const answer = store.transaction(method === 'GET' ? 'read' : 'write', () => handlers[id]({ store, dialect, now: now(), ...asked }));
      return answer.status === 204 ? context.body(null, 204) : json(context, answer.status, answer.value);
    });
  }
  for (const [path, there] of methods) {
    service.all(basePath + path, (context) => {
      context.header('allow', there.join(', '));
      throw new Problem(405, 'method_not_allowed', `${path} has no ${context.req.method}; it has: ${there.join(', ')}.`);
    });
  }
  service.notFound(({ req: { path } }) => {
    throw notFound(`There is nothing at ${path}. The paths of the service begin with ${basePath}.`);
  });
  service.onError((error, context) =>
    error instanceof Problem ? json(context, error.status, error.body) : json(context, 500, { error: 'internal', message: error.message }),
  );
  return service.fetch;
}

/** No encoded slash or dot in an ID leads to another operation. A target in absolute form, as sent to proxies, has a path, too. */
function pathSent({ incoming }: HttpBindings): string {
  return (incoming.url ?? '').replace(/^https?:\/\/[^/?#]*/i, '').replace(/\?.*$/s, '');
}

function json(context: Context, status: 200 | 201 | 500 | Problem['status'], value: unknown): Response {
  return context.body(stringifyJson(value), status, { 'content-type': 'application/json; charset=utf-8' });
}
