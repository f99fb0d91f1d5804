/**
 * The service over HTTP: every operation of the table under its method and path, one transaction per
 * request, every answer JSON. Paths are matched as sent, so that no encoded slash or dot in an ID can
 * lead to another operation.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { type Dialect, defaultDialect } from '../api/dialect.ts';
import { endExam, type OperationId, operations } from '../api/operations.ts';
import { stringifyJson } from '../model/json.ts';
import type { Database } from './database.ts';
import { type Answer, type Call, type Change, handlers } from './handlers.ts';
import { notFound, ServiceProblem } from './problem.ts';
import { readBody } from './request-body.ts';
import type { Listing } from './stored-records.ts';

export const basePath = '/api/v1';

export type Behaviour = {
  dialect?: Dialect | undefined;
  now?: (() => number) | undefined;
  pageSize?: number | undefined;
  resetRestrictions?: boolean | undefined;
};

/** What a layer in front of the service may pass with a request. */
export type Bindings = HttpBindings & {
  /** The body, if it has already been read. */
  body?: () => Promise<string>;
  /** How far the clock of this request is ahead. Milliseconds. */
  clockOffset?: number;
  /** Changes a list before it is divided into pages. */
  changedList?: (items: readonly unknown[]) => unknown[];
  /** Takes what a request has changed, in this order. */
  changed?: (changes: readonly Change[]) => void;
};
type Env = { Bindings: Bindings };

export function createService(database: Database, behaviour: Behaviour): Hono<Env> {
  const { dialect = defaultDialect, now = Date.now, pageSize = 0, resetRestrictions = true } = behaviour;
  const service = new Hono<Env>({ getPath: (_request, options) => pathSent(options?.env as HttpBindings) });
  const authenticate = authenticator(database.token());
  const clockOf = ({ env: { clockOffset = 0 } }: Context<Env>) => now() + clockOffset;

  service.use(`${basePath}/*`, async (context, next) => {
    // All code here uses this clock.
    context.header('date', new Date(clockOf(context)).toUTCString());
    authenticate(context.req.header('authorization'));
    await next();
  });

  for (const [path, methods] of operationsByPath()) {
    service.all(basePath + path, async (context) => {
      // HEAD is GET without the body, which Hono leaves out.
      const method = context.req.method === 'HEAD' ? 'GET' : context.req.method;
      const operation = methods.get(method);
      if (!operation) {
        const allowed = [...methods.keys()].join(', ');
        throw new ServiceProblem(405, 'method_not_allowed', `${path} has no ${method}; it has: ${allowed}.`, {
          headers: { allow: allowed },
        });
      }
      const changes: Change[] = [];
      const call: Call = {
        database,
        dialect,
        resetRestrictions,
        now: clockOf(context),
        param: (name) => context.req.param(name) ?? '',
        query: (name) => context.req.query(name),
        body: method === 'GET' ? '' : await bodyOf(context.env),
        changed: (change) => void changes.push(change),
      };
      const response = database.transaction(method === 'GET' ? 'read' : 'write', () => {
        const answer: Answer = handlers[operation](call);
        if ('list' in answer) {
          const { items, headers } = pageOf(shownOf(answer.list, context.env), context.req.url, pageSize);
          return json(context, 200, items, headers);
        }
        return answer.status === 204 ? context.body(null, 204) : json(context, answer.status, answer.value);
      });
      tell(changes, context.env);
      return response;
    });
  }

  service.all(basePath + endExam.path, () => {
    throw new ServiceProblem(404, 'removed', `${endExam.method} ${endExam.path} is not served: ${endExam.why}.`);
  });
  service.notFound((context) => {
    throw notFound(`There is nothing at ${context.req.path}. The paths of the service begin with ${basePath}.`);
  });
  service.onError((error, context) => {
    if (!(error instanceof ServiceProblem)) return json(context, 500, { error: 'internal', message: error.message });
    const { status, code, message, errors, headers } = error;
    return json(context, status, { error: code, message, errors }, headers);
  });
  return service;
}

/** The table's operations, by path and method. */
function operationsByPath(): Map<string, Map<string, OperationId>> {
  const paths = new Map<string, Map<string, OperationId>>();
  for (const { id, method, path } of Object.values(operations)) {
    const methods = paths.get(path) ?? new Map<string, OperationId>();
    paths.set(path, methods.set(method, id));
  }
  return paths;
}

/** Handles a target in absolute form too, as sent to proxies. */
export function pathSent({ incoming }: HttpBindings): string {
  return (incoming.url ?? '').replace(/^https?:\/\/[^/?#]*/i, '').replace(/\?.*$/s, '');
}

function bodyOf({ body, incoming }: Bindings): Promise<string> {
  return body?.() ?? readBody(incoming);
}

function tell(changes: readonly Change[], { changed }: Bindings): void {
  changed?.(changes);
}

function shownOf(list: Listing<unknown>, { changedList }: Bindings): Listing<unknown> {
  if (!changedList) return list;
  const items = changedList(list.items(-1, 0));
  return { total: () => items.length, items: (limit, offset) => items.slice(offset, limit < 0 ? undefined : offset + limit) };
}

type Status = 200 | 201 | 500 | ServiceProblem['status'];

function json(context: Context<Env>, status: Status, value: unknown, headers: Record<string, string> = {}): Response {
  return context.body(stringifyJson(value), status, { 'content-type': 'application/json; charset=utf-8', ...headers });
}

const prefix = 'apiServiceToken';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Checks the `Authorization` header in constant time. */
function authenticator(token: string): (header: string | undefined) => void {
  const expected = digest(`${prefix} ${token}`);
  return (header) => {
    if (header !== undefined && timingSafeEqual(digest(header), expected)) return;
    throw new ServiceProblem(401, 'unauthorized', complaint(header), { headers: { 'www-authenticate': prefix } });
  };
}

function complaint(header: string | undefined): string {
  if (header === undefined) return 'The Authorization header is missing.';
  if (!header.startsWith(`${prefix} `)) return `The Authorization header must be: ${prefix} <token>.`;
  return 'The token is not valid.';
}

type ServedPage = { items: unknown[]; headers: Record<string, string> };

/** The page that a URL requests; a page size of 0 puts everything on one page, without headers. */
function pageOf(list: Listing<unknown>, url: string, pageSize: number): ServedPage {
  if (pageSize === 0) return { items: list.items(-1, 0), headers: {} };
  const here = new URL(url);
  const asked = here.searchParams.get('page') ?? '1';
  if (!/^[1-9]\d{0,8}$/.test(asked)) throw new ServiceProblem(400, 'bad_page', `There is no page "${asked}": pages are counted from 1.`);
  const page = Number(asked);
  const total = list.total();
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const headers = {
    'x-pagination-current-page': String(page),
    'x-pagination-page-count': String(pages),
    'x-pagination-total-count': String(total),
  };
  const items = list.items(pageSize, (page - 1) * pageSize);
  if (page >= pages) return { items, headers };
  here.searchParams.set('page', String(page + 1));
  return { items, headers: { ...headers, link: `<${here.href}>; rel="next"` } };
}
