/**
 * A command that writes sends what its dry run has printed: each line runs twice, with --dry-run and for
 * real, through a proxy that records every request to an embedded service of the line's own.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { allCommands } from '../cli/all-commands.ts';
import { run } from '../support/run.ts';
import { type Data, freshHome, withSamples, wordsOf } from './embedded.ts';

type Sent = { method: string; path: string; body?: Data };

/** They change this machine alone; `sessions end` is refused. */
const otherwise = ['runs forget', 'sessions end'];
/** Commands that write to the service. */
const writing = allCommands.filter(({ name, effect }) => effect !== 'local' && effect !== 'read' && !otherwise.includes(name));

const more = [
  'exams update 1 --no-allow-pen-paper --put',
  'exams update 1 --allow-headphones --no-allow-whiteboard --allow-leave-room --no-allow-pen-paper',
  'exams clone 6 --start now+7h',
  'exams delete 1 2 6',
  'sessions delete -',
  'sessions update 5 --name Ada --put',
  'sessions import - --exam 6',
  'sessions import - --exam 2 --remove-missing --remove-started --max-removals 40',
  'api POST /exams/6/student_sessions -F email=ada@example.org -F name=Ada',
  'api PATCH /student_sessions/5?x=1 -F name=Ada --during-exam reason',
  'api DELETE /exams/1',
  'exams send-emails 2 --resend',
  'api POST /exams/6/send_emails',
];

/** All but those that write nothing: the list of the operations, and checks. */
const examples = writing
  .flatMap(({ name, examples }) => examples.map(({ line }) => [lineOf(line), name] as const))
  .filter(([line]) => line !== 'api --list' && !line.endsWith(' --check'));
const lines = [
  ...examples,
  ...more.map((line) => [line, writing.find(({ name }) => `${line} `.startsWith(`${name} `))?.name ?? ''] as const),
];

/** Without what decides between the two runs; an import keeps the order of its rows. */
function lineOf(line: string): string {
  const ordered = line.replace('sessions import', 'sessions import --concurrency 1');
  return ordered.replace('proctor-cli ', '').replace(/ (--yes|--no-input|--dry-run|-o json|< \S+)(?= |$)/g, '');
}

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

describe('a real run sends what a dry run prints', () => {
  const seen = new Set<string>();

  test.each(lines)('%s', async (line, name) => {
    const service = await recorded();
    await before(name, service);
    const words = withSamples(wordsOf(line.replace(/\d{8}T\d{6}-[0-9a-f]{6}/, await record(name, service))));
    const stdin = name === 'sessions import' ? 'email,name\nada@example.org,Ada\nben@example.org,Ben\n' : '7\n8\n';

    const dry = await service.run([...words, '--dry-run', '-o', 'json'], stdin);
    expect(dry.code, dry.stderr).toBe(0);
    expect(service.writes()).toEqual([]);

    const real = await service.run([...words, '--yes', '-o', 'json'], stdin);
    expect(real.code, real.stderr).toBe(line.includes('--skip-invalid') ? 9 : 0);
    const sent = service.writes();
    const printed = (JSON.parse(dry.stdout) as Data[]).filter(({ method }) => method !== 'GET');
    const announced = printed.flatMap((row) => requestOf(row, service.origin)).reduce(joined, []);
    // Of several exams, requests go out in turn.
    if (name === 'exams delay') {
      sent.sort((a, b) => a.path.localeCompare(b.path));
      announced.sort((a, b) => a.request.path.localeCompare(b.request.path));
    }
    expect(sent.map((request, at) => asAnnounced(request, announced[at]))).toEqual(announced.map(({ request }) => request));
    const methods = new Set(sent.map(({ method }) => method));
    if (line.includes('--remove-missing') || name === 'sessions move') expect([...methods].sort()).toEqual(['DELETE', 'POST']);
    else if (line.includes('--with-students')) expect([...methods].sort()).toEqual(['PATCH', 'POST']);
    else expect(methods.size).toBe(line.startsWith('api GET') ? 0 : 1);
    if (sent.length > 0) seen.add(name);
  });

  test('and every command that writes is among them', () => {
    expect([...seen].sort()).toEqual(writing.map(({ name }) => name).sort());
  });
});

type Announced = { request: Sent; note?: string };

/** Times of one resource in a row are one request. */
function joined(all: readonly Announced[], one: Announced): Announced[] {
  const last = all.at(-1);
  const more = last?.request.method === 'PATCH' && last.request.path === one.request.path && one.request.method === 'PATCH';
  if (!more || !isMoved(last) || !isMoved(one)) return [...all, one];
  return [...all.slice(0, -1), { request: { ...last.request, body: { ...last.request.body, ...one.request.body } } }];
}

const isMoved = ({ request }: Announced) => Object.keys(request.body ?? {}).every((field) => field.endsWith('_time'));

/** The request that a row of a dry run announces: printed as such, or as a row of a plan. */
function requestOf(row: Data, origin: string): Announced[] {
  const { method, url, body, note, action } = row;
  if (typeof url === 'string') {
    const request = {
      method: String(method),
      path: url.replace(`${origin}/api/v1`, ''),
      ...(body === undefined ? {} : { body: body as Data }),
    };
    return [{ request, ...(note === undefined ? {} : { note: String(note) }) }];
  }
  if (action === 'create')
    return [{ request: { method: 'POST', path: '/exams/EXAM/student_sessions', body: { email: row.email, name: row.name } } }];
  if (action === 'delete')
    return [{ request: { method: 'DELETE', path: `/student_sessions/${/^session (\S+),/.exec(String(row.detail))?.[1]}` } }];
  expect(['unchanged', 'keep', 'left_out', 'invalid'], JSON.stringify(row)).toContain(action);
  return [];
}

/** A request that was sent, without what its announcement says is known only later; nothing else may differ. */
function asAnnounced(sent: Sent, announced: Announced | undefined): Sent {
  const { method, path, body } = sent;
  const { note = '', request } = announced ?? {};
  if (note.startsWith('ID: of the session ')) return { ...sent, path: path.replace(/\d+$/, 'ID') };
  if (note.startsWith('ID: ')) return { ...sent, path: path.replace(/^\/exams\/\d+\//, '/exams/ID/') };
  const shownPath = request?.path.startsWith('/exams/EXAM/') ? path.replace(/^\/exams\/\d+\//, '/exams/EXAM/') : path;
  return { method, path: shownPath, ...(body === undefined ? {} : { body }) };
}

/** Prepares the world for a command: a run to undo, or one that was stopped at its second request. */
async function before(name: string, service: Recorded) {
  if (name !== 'runs undo' && name !== 'runs resume') return;
  const stops = name === 'runs resume';
  if (stops) service.refuseAfter(1);
  const { code, stderr } = await service.run(wordsOf('sessions extend --exam 5 --by 30m --yes'), '');
  expect(code, stderr).toBe(stops ? 9 : 0);
  service.refuseAfter(undefined);
  service.writes();
}

/** The ID of the last run of this machine. */
async function record(name: string, service: Recorded): Promise<string> {
  if (!name.startsWith('runs ')) return '';
  const [last] = JSON.parse((await service.run(['runs', 'list', '-o', 'json'], '')).stdout) as { run: string }[];
  return last?.run ?? '';
}

type Recorded = {
  origin: string;
  run(words: readonly string[], stdin: string): ReturnType<typeof run>;
  /** The requests that may have changed something since it was asked last, in the order of their arrival. */
  writes(): Sent[];
  /** Refuses the token of all writes after so many. */
  refuseAfter(writes: number | undefined): void;
};

/** An embedded service behind a proxy that records. The clock of the program stands still. */
async function recorded(): Promise<Recorded> {
  const home = freshHome();
  const sandbox: Sandbox = await startSandbox({ folder: join(home, 'state', 'sandbox') });
  open.push(sandbox);
  const target = new URL(sandbox.baseUrl).origin;
  const sent: Sent[] = [];
  let allowed: number | undefined;
  const server: Server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const text = Buffer.concat(await request.toArray()).toString();
    if (method !== 'GET') sent.push({ method, path: url.replace('/api/v1', ''), ...(text === '' ? {} : { body: JSON.parse(text) }) });
    if (method !== 'GET' && allowed !== undefined && sent.length > allowed) {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"refused"}');
      return;
    }
    const { authorization = '', 'content-type': type = 'application/json' } = headers;
    const answer = await fetch(target + url, {
      method,
      headers: { authorization, 'content-type': type },
      ...(text === '' ? {} : { body: text }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(await answer.text());
  });
  open.push({ close: () => server.close().closeAllConnections() });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { PROCTOR_BASE_URL: origin, PROCTOR_TOKEN: sandbox.token };
  const now = new Date().toISOString();
  return {
    origin,
    run: (words, stdin) => run(words, { home, env, now, stdin }),
    writes: () => sent.splice(0),
    refuseAfter(writes) {
      allowed = writes;
    },
  };
}
