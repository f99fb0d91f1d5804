/** The service over HTTP: each operation under its method and path, in a transaction of its own. */
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

export type Behaviour = {
  dialect?: Dialect;
  /** The clock, in milliseconds since 1970. */
  now?: (() => number) | undefined;
};

export type Service = (request: Request, env: HttpBindings) => Response | Promise<Response>;

export function createService(store: Store, { dialect = defaultDialect, now = Date.now }: Behaviour): Service {
  const service = new Hono();
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(`${prefix} ${store.token()}`);

  service.use(`${basePath}/*`, async (context, next) => {
    context.header('date', new Date(now()).toUTCString());
    const given = context.req.header('authorization') ?? '';
    if (timingSafeEqual(digest(given), expected)) return next();
    const shape = `The Authorization header must be: ${prefix} <token>.`;
    throw new Problem(401, 'unauthorized', given.startsWith(`${prefix} `) ? 'The token is not valid.' : shape);
  });
  for (const { id, method, path } of Object.values(operations)) {
    service.on(method, basePath + path, async (context) => {
      const { req } = context;
      const kind = method === 'GET' ? 'read' : 'write';
      const call = {
        store,
        dialect,
        now: now(),
        param: (name: string) => req.param(name) ?? '',
        query: (name: string) => req.query(name),
        body: method === 'GET' ? '' : await req.text(),
      };
      const answer = store.transaction(kind, () => handlers[id](call));
      return answer.status === 204 ? context.body(null, 204) : jsonReply(context, answer.status, answer.value);
    });
  }
  service.notFound(({ req: { method, path } }) => {
    throw notFound(`There is no ${method} ${path}. The paths of the service begin with ${basePath}.`);
  });
  service.onError((error, context) => {
    if (error instanceof Problem) return jsonReply(context, error.status, error.body);
    return jsonReply(context, 500, { error: 'internal', message: error.message });
  });
  return service.fetch;
}

function jsonReply(context: Context, status: 200 | 201 | 500 | Problem['status'], value: unknown): Response {
  return context.body(stringifyJson(value), status, { 'content-type': 'application/json; charset=utf-8' });
}
