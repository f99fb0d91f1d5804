/** Answers of the service: statuses, headers and bodies as they are and as they should not be, for reads and for writes. */
import { createServer, type Socket } from 'node:net';
import { type Dispatcher, Pool } from 'undici';
import { type Arrived, type Said, Service } from '../support/service.ts';
import { mutated } from './mutate.ts';
import type { Random } from './random.ts';
import { listIn, type Target, textIn } from './target.ts';
import { broken, brokenFiles, removeWritten, run, written } from './world.ts';

const lines = [
  ['exams', 'list'],
  ['exams', 'get', '1'],
  ['sessions', 'list', '--exam', '1'],
  ['sessions', 'get', '1'],
  ['proctors', 'list', '--exam', '1'],
  ['users', 'list'],
  ['students', 'show', '--exam', '1', '--session', '5'],
  ['sessions', 'create', '--exam', '1', '--email', 'a@example.org'],
  ['sessions', 'update', '1', '--name', 'A'],
  ['sessions', 'delete', '1', '--yes'],
  ['exams', 'update', '1', '--allow-headphones'],
  ['exams', 'send-emails', '1', '--yes'],
  ['exams', 'create', '--start', 'now', '--end', '+2h'],
  ['exams', 'status', '1'],
  ['sessions', 'extend', '1', '--by', '10m', '--yes'],
  ['exams', 'report', '1'],
  ['sessions', 'find', 'ada'],
  ['api', 'GET', '/exams'],
  ['exams', 'clone', '1', '--start', '+24h', '--yes'],
  ['exams', 'clone', '1', '--start', '+24h', '--with-students', '--yes'],
  ['preflight', '--exam', '1'],
  ['preflight', '--exam', '1', '--exam', '2', '--strict'],
  ['exams', 'shift', '1', '--by', '7d', '--timezone', 'Europe/Vienna', '--yes'],
  ['exams', 'delay', '1', '--by', '15m', '--yes'],
  ['exams', 'delete', '1', '--during-exam', 'It has to be', '--yes'],
  ['exams', 'status', '--from', 'now-24h', '--until', '+24h'],
  ['exams', 'report', '1', '--html', written.page, '--force'],
  ['sessions', 'move', '5', '--exam', '2', '--yes'],
  ['sessions', 'delete', '--exam', '1', '--status', 'registered', '--yes'],
  ['accommodations', 'check', written.accommodations, '--exam', '1'],
  ['accommodations', 'apply', written.accommodations, '--exam', '1', '--yes'],
  ['sessions', 'import', written.roster, '--exam', '1', '--yes', '--settle', '0s', '--result', written.report, '--force'],
];
const deep = (open: string, close: string, levels: number) => `${open.repeat(levels)}${close.repeat(levels)}`.replace('{"a":}', '{}');
const formats = ['table', 'json', 'ndjson', 'csv', 'id'];
const session = {
  id: 5,
  email: 'a@example.org',
  name: 'Ada',
  status: 'registered',
  open_time: '2026-11-21T08:00:00Z',
  close_time: '2026-11-21T11:00:00Z',
  exam_id: 1,
  level_of_suspicion: 0,
};
const exam = {
  id: 1,
  name: 'Algebra',
  start_time: '2026-11-21T09:00:00Z',
  end_time: '2026-11-21T11:00:00Z',
  restrictions: { allow_headphones: true },
  proctors: [{ id: 3 }],
};
const bodies = [
  exam,
  session,
  [exam, session],
  [],
  {},
  null,
  true,
  7,
  'text',
  { exams: [exam] },
  { data: [session], meta: { page: 1, total_pages: 3, per_page: 1 } },
  { data: [session], next_cursor: 'x', has_more: true },
  { items: [exam], links: { next: '/api/v1/exams?page=2' }, total: 2 },
  Array.from({ length: 20 }, (_, id) => ({ ...session, id })),
  { student: session },
  [[session]],
  { message: 'no', errors: { email: ['is taken'] } },
  { error: { detail: 'x' } },
  [1, 2, 3],
  { id: 1e300 },
  [{ id: '\u202e' }],
  { id: 1, name: 12345 },
  [{ ...session, email: null }],
].map((body) => Buffer.from(JSON.stringify(body)).toString('latin1'));
const more = [
  '',
  '<html><title>x</title>',
  '{',
  '[{"id":1}',
  '\u00ef\u00bb\u00bf[]',
  '[1e400,12345678901234567.25]',
  deep('[', ']', 6000),
  deep('{"a":', '}', 3000),
  `{"id":1,"name":${deep('[', ']', 20_000)}}`,
  `[{"id":1,"email":"a@example.org","x":${deep('{"a":', '}', 20_000)}}]`,
  `{"message":${deep('[', ']', 20_000)}}`,
  `{"id":1,"n":12345678901234567890,"x":${deep('[', ']', 5000)}}`,
];
const headers = [
  'content-type: application/json',
  'content-type: text/html',
  'content-type: application/json; charset=x',
  'retry-after: 1',
  'retry-after: -5',
  'retry-after: Wed, 21 Oct 2099 07:28:00 GMT',
  'retry-after: 1e99',
  'location: /x',
  'location: //evil.example/?token=1',
  'link: </exams?page=2>; rel="next"',
  'link: <',
  'x-total-count: 7',
  'x-total-pages: 3',
  'x-pagination-page-count: 2',
  'x-next-page: 2',
  'date: x',
  'set-cookie: a=b',
  'content-encoding: gzip',
  'x-pagination-page: -1',
  'x-pagination-total-count: 1e99',
];

const statuses = [
  '200',
  '200',
  '200',
  '200',
  '201',
  '202',
  '204',
  '206',
  '301',
  '304',
  '400',
  '401',
  '403',
  '404',
  '409',
  '415',
  '422',
  '429',
  '500',
  '503',
  '599',
  '299',
];

/** "201\nname: value\n\nbody". */
function answer(random: Random): string {
  const kind = random.next();
  const body = kind < 0.7 ? mutated(random.pick(bodies), random, bodies) : random.pick(kind < 0.85 ? bodies : more);
  const head = random.several(0, 3, () =>
    random.chance(0.15) ? mutated(random.pick(headers), random).replace(/[\r\n\0]/g, '') : random.pick(headers),
  );
  return [random.pick(statuses), 'content-type: application/json', ...head, '', body].join('\n');
}

function partsOf(text: string): Said {
  const end = text.indexOf('\n\n');
  const [status = '200', ...head] = (end < 0 ? text : text.slice(0, end)).split('\n');
  const pairs = head
    .filter((line) => line.includes(':'))
    .map((line) => [line.slice(0, line.indexOf(':')).trim().toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]);
  return {
    status: Number(status) || 200,
    headers: Object.fromEntries(pairs),
    body: Buffer.from(end < 0 ? '' : text.slice(end + 2), 'latin1'),
  };
}

const anEmptyList = '200\ncontent-type: application/json\n\n[]';

/** Answers in turn without a network; the last one again for each request after it, and an empty list where there is none. */
export function answering(answers: readonly string[]): Dispatcher {
  return enduring(({ n }) => answers[Math.min(n, answers.length) - 1]);
}

/** After sixty requests, the other side has had enough. */
function enduring(answerTo: (request: Arrived) => string | undefined): Dispatcher {
  const service = new Service();
  service.fault = (request) => {
    service.isAway = request.n >= 60;
    return { answer: partsOf(answerTo(request) ?? anEmptyList) };
  };
  return service.dispatcher;
}

/** No service at all. */
export const refusing: Dispatcher = Object.assign(new Service(), { isAway: true }).dispatcher;

/** The shapes of answers by which commands that ask several times come to their end: what each path has, sometimes with changes. */
const expected: readonly [RegExp, unknown][] = [
  [/\/exams$/, [exam, { ...exam, id: 2, name: 'Botany' }]],
  [/\/exams\/\d+$/, exam],
  [/\/student_sessions$/, [session, { ...session, id: 6, email: 'b@example.org' }]],
  [/\/student_sessions\/\d+$/, session],
  [/./, []],
];

/** One answer for each of these paths. */
const answersByPath = (random: Random): string[] =>
  expected.map(([, body]) => {
    const bytes = Buffer.from(JSON.stringify(body)).toString('latin1');
    const changed = random.chance(0.4) ? mutated(bytes, random, bodies) : bytes;
    return [random.chance(0.9) ? '200' : random.pick(statuses), 'content-type: application/json', '', changed].join('\n');
  });

/** Answers by the path that is asked for, without a network. */
const answeringByPath = (answers: readonly string[]) =>
  enduring(({ path }) => answers[expected.findIndex(([pattern]) => pattern.test(path))]);

const lineOf = (random: Random) => [...random.pick(lines), ...(random.chance(0.1) ? ['--debug'] : []), '-o', random.pick(formats)];

export const answers: Target = {
  name: 'answers',
  weight: 20,
  draw: (random) =>
    random.chance(0.5)
      ? { line: lineOf(random), by: 'path', answers: answersByPath(random) }
      : { line: lineOf(random), answers: random.several(1, 4, () => answer(random)) },
  async judge(input) {
    const line = listIn(input, 'line');
    const given = listIn(input, 'answers');
    removeWritten();
    const service = textIn(input, 'by') === 'path' ? answeringByPath(given) : answering(given);
    return broken(await run(line, service), line, given.join('\n')) ?? brokenFiles();
  },
};

const frames = bodies.flatMap((body) => [
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n${body}`,
  `HTTP/1.0 200 OK\r\n\r\n${body}`,
]);

/** One service for all inputs of a process: it answers each connection with the next bytes, and hangs up. */
let serving: Promise<{ port: number; script: { answers: readonly string[]; next: number } }> | undefined;

function service() {
  serving ??= new Promise((resolve) => {
    const script = { answers: [] as readonly string[], next: 0 };
    const server = createServer((socket: Socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        const bytes = script.answers[Math.min(script.next++, script.answers.length - 1)] ?? '';
        if (script.next > 60) socket.destroy();
        else socket.end(Buffer.from(bytes, 'latin1'));
      });
    }).listen(0, '127.0.0.1', () => resolve({ port: (server.address() as { port: number }).port, script }));
    server.unref();
  });
  return serving;
}

export const framing: Target = {
  name: 'framing',
  weight: 5,
  draw: (random) => ({ line: lineOf(random), answers: random.several(1, 3, () => mutated(random.pick(frames), random, frames)) }),
  async judge(input) {
    const line = listIn(input, 'line');
    const { port, script } = await service();
    Object.assign(script, { answers: listIn(input, 'answers'), next: 0 });
    const origin = `http://127.0.0.1:${port}`;
    const pool = new Pool(origin, { allowH2: false, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 });
    removeWritten();
    const printed = await run(line, pool, '', { PROCTOR_BASE_URL: `${origin}/api/v1` });
    return broken(printed, line, listIn(input, 'answers').join('\n')) ?? brokenFiles();
  },
};
