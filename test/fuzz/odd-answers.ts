/** Answers as no service should give them, each as bytes. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Draw } from './draw.ts';
import { afters, bodies, ids, statuses, values } from './odd-values.ts';

export type Whole = { status: number; body: string; isList: boolean; token: string; elsewhere: string; origin: string; isPlain: boolean };
/** `lies`: it may be taken for a right answer that says something else. `ends`: the connection. */
export type Odd = { bytes: Buffer; ends: boolean; lies: boolean; shown: string; body: string };

const bytesOf = (text: string) => Buffer.from(text, 'latin1');
const utf8 = (text: string) => Buffer.from(text).toString('latin1');

type Parts = {
  line: string;
  before: string;
  headers: string[];
  body: Buffer;
  lies: boolean;
  length: 'exact' | 'none' | 'chunked' | string;
  trailers: string;
  ends: boolean;
  pack(body: Buffer): Buffer;
};

/** One to three oddities. */
export function spelledOddly(draw: Draw, whole: Whole): Odd {
  const { status, isPlain } = whole;
  const parts: Parts = {
    line: `HTTP/1.1 ${status} Whatever`,
    before: '',
    headers: ['content-type: application/json'],
    body: bytesOf(utf8(whole.body)),
    lies: false,
    length: 'exact',
    trailers: '',
    ends: false,
    pack: (body) => body,
  };
  // What is changed at random comes first: a token that was cut in two is none any more.
  const chosen = draw.several(1, 2, () => draw.below(oddities.length)).toSorted((one, other) => one - other);
  if (!isPlain) for (const at of chosen) oddities[at]?.(parts, draw, whole);
  const { line, before, headers, length, trailers } = parts;
  const body = parts.pack(parts.body);
  const ends = parts.ends || length === 'none';
  const sized =
    length === 'exact'
      ? `content-length: ${body.length}`
      : length === 'chunked'
        ? 'transfer-encoding: chunked'
        : length === 'none'
          ? ''
          : length;
  const pieces = length === 'chunked' ? chunked(body, trailers) : body;
  const head = [line, ...headers, sized].filter((each) => each !== '').join('\r\n');
  const isBare = /^HTTP\/1.1 (204|304)/.test(line);
  const bytes = Buffer.concat([
    bytesOf(`${before}${head}\r\n\r\n`),
    isBare && length === 'exact' && draw.chance(0.5) ? Buffer.alloc(0) : pieces,
  ]);
  return {
    bytes,
    ends: ends || isBare || !isPlain,
    lies: parts.lies,
    shown: isPlain ? whole.body.slice(0, 2000) : bytes.toString('latin1').slice(0, 2000),
    body: parts.body.toString(),
  };
}

function chunked(body: Buffer, trailers: string): Buffer {
  const middle = body.length >> 1;
  const piece = (part: Buffer) =>
    part.length === 0 ? Buffer.alloc(0) : Buffer.concat([bytesOf(`${part.length.toString(16)}\r\n`), part, bytesOf('\r\n')]);
  return Buffer.concat([piece(body.subarray(0, middle)), piece(body.subarray(middle)), bytesOf(`0\r\n${trailers}\r\n`)]);
}

const oddities: ((parts: Parts, draw: Draw, whole: Whole) => void)[] = [
  (parts, draw) => {
    parts.body = bytesOf(draw.mutated(parts.body.toString('latin1')));
    parts.lies = true;
  },
  (parts, draw, { status }) => {
    parts.line = draw.pick([
      ...[`HTTP/1.1 ${status}`, `HTTP/1.1 ${status} `, `HTTP/1.0 ${status} OK`, `HTTP/1.1 ${status} \u00ff\u00fe`],
      ...[`http/1.1 ${status} ok`, `HTTP/2 ${status}`, 'HTTP/1.1 20 OK', `HTTP/1.1 0${status} OK`, 'ICY 200 OK', 'HTTP/1.1  200 OK'],
      ...['HTTP/1.1 2000 OK', 'HTTP/9.9 200 OK', '', '\r\n\r\nHTTP/1.1 200 OK', 'HTTP/1.1 -200 OK', 'HTTP/1.1 200 OK\r\n folded'],
      `HTTP/1.1 ${status} ${'x'.repeat(20_000)}`,
    ]);
  },
  (parts, draw, { body, isList }) => {
    const status = draw.pick(statuses);
    parts.line = `HTTP/1.1 ${status} X`;
    // A status that means an empty list, or that a record is gone.
    parts.lies ||= [204, 404, 410].includes(status) || (isList && status === 205) || body === '';
    if (status === 401 || status === 403 || status === 429 || status === 503) parts.headers.push(`retry-after: ${draw.pick(afters)}`);
  },
  (parts, draw) => {
    const one = draw.pick([
      ...['100 Continue', '102 Processing', '103 Early Hints\r\nlink: </x>; rel=next', '199 X'],
      ...['101 Switching\r\nupgrade: x\r\nconnection: upgrade', '100 Continue\r\ncontent-length: 0', '150'],
    ]);
    parts.before = `HTTP/1.1 ${one}\r\n\r\n`.repeat(draw.pick([1, 1, 3, 50]));
  },
  (parts, draw) => {
    const { length } = parts.body;
    parts.length = draw.pick([
      'none',
      'chunked',
      'chunked',
      ...['+', ' ', '0x', '-', '00'].map((sign) => `content-length: ${sign}${length}`),
      `content-length: ${length}, ${length}`,
      `content-length: ${length}\r\ncontent-length: ${length}`,
      `content-length: ${length + 5}`,
      `content-length: ${Math.max(0, length - 1)}`,
      `content-length: ${length >> 1}`,
      'content-length: 99999999999999999999',
      `content-length: ${length}\r\ntransfer-encoding: chunked`,
      'transfer-encoding: gzip, chunked',
      'transfer-encoding: xchunked',
      'content-length:',
      'content-length: 0',
    ]);
    parts.trailers = draw.pick(['', 'x-checksum: 1\r\n', 'content-length: 5\r\nlocation: /x\r\n', 'bad trailer\r\n', 'date: x\r\n']);
    // What is cut to nothing says nothing; what is cut short is no JSON.
    parts.ends = true;
  },
  (parts, draw) => {
    const [name, pack] = draw.pick<readonly [string, (body: Buffer) => Buffer]>([
      ['gzip', (body) => gzipSync(body)],
      ['gzip, gzip', (body) => gzipSync(gzipSync(body))],
      ['gzip', (body) => gzipSync(gzipSync(body))],
      ['deflate', (body) => deflateRawSync(body)],
      ['deflate', (body) => deflateSync(body)],
      ['br', (body) => brotliCompressSync(body).subarray(0, -2)],
      ['br', (body) => brotliCompressSync(body)],
      ['gzip', (body) => gzipSync(body).subarray(0, -9)],
      ['gzip', (body) => Buffer.concat([gzipSync(body), gzipSync(body)])],
      ['gzip', (body) => Buffer.concat([gzipSync(body), bytesOf('garbage')])],
      ['gzip', (body) => body],
      ['zstd', (body) => body],
      ['GZIP,identity', (body) => gzipSync(body)],
      ['', (body) => gzipSync(body)],
      ['gzip;q=1', (body) => gzipSync(body)],
      ['__proto__', (body) => body],
      ['toString', (body) => body],
      [Array(200).fill('gzip').join(','), (body) => body],
      ['gzip', () => Buffer.alloc(0)],
    ]);
    parts.headers.push(`content-encoding: ${name}`);
    parts.pack = pack;
  },
  (parts, draw, { isList }) => {
    const body = draw.pick(bodies);
    parts.body = bytesOf(body);
    parts.lies ||= !isList || /^\s*$/.test(body);
  },
  (parts, draw) => {
    const text = parts.body.toString('latin1');
    const mark = '\u00ef\u00bb\u00bf';
    parts.body = bytesOf(
      draw.pick([
        ...[mark + text, mark + mark + text, `\n\t ${text}\n`, `{"data":${text}}`, `{"data":${text},"meta":{"total":"x"}}`, `[${text}]`],
        ...[JSON.stringify(text), text + text, `${text}\n${text}`, `)]}',\n${text}`, `{"result":${text}}`],
        ...[`{"jsonrpc":"2.0","result":${text}}`, text.replaceAll('"', "'"), text.replace(/[\]}]$/, ',$&')],
        ...[Buffer.from(text, 'utf16le').toString('latin1'), text.replace('{', '{"\\u0069d":7,'), text.replaceAll('"id"', '"ID"')],
      ]),
    );
    parts.lies = true;
  },
  (parts, draw) => {
    const id = draw.pick(ids);
    const isAll = draw.chance(0.5);
    parts.body = bytesOf(parts.body.toString('latin1').replace(isAll ? /"id":\d+/g : /"id":\d+/, () => `"id":${id}`));
    parts.lies = true;
  },
  (parts, draw) => {
    const value = draw.pick(values);
    const field = draw.pick([
      ...['email', 'name', 'status', 'open_time', 'close_time', 'exam_id', 'start_time', 'end_time', 'allow_headphones'],
      'level_of_suspicion',
    ]);
    parts.body = bytesOf(
      parts.body.toString('latin1').replace(new RegExp(`"${field}":("[^"]*"|[^,}]*)`, draw.pick(['', 'g'])), () => `"${field}":${value}`),
    );
    parts.lies = true;
  },
  (parts, draw, { elsewhere, origin, token }) => {
    const away = draw.pick([
      `${elsewhere}/api/v1/exams`,
      `//${elsewhere.slice(7)}/x`,
      `${origin}/other`,
      `${origin}/api/v1/../x`,
      `${origin}/api/v1/exams?page=2`,
      `http://u:${token}@${elsewhere.slice(7)}/x`,
      `${elsewhere}/?token=${token}`,
      '/api/v1/%2e%2e/admin',
      'javascript:alert(1)',
      '',
      'http://[x',
      `${origin}/api/v1/exams#${token}`,
      '\\\\evil\\x',
    ]);
    const [status, name] = draw.pick([
      ['', 'location'],
      ['302', 'location'],
      ['307', 'location'],
      ['303', 'location'],
      ['', 'content-location'],
      ['', 'refresh'],
      ['', 'alt-svc'],
    ] as const);
    if (status) parts.line = `HTTP/1.1 ${status} X`;
    if (draw.chance(0.5)) parts.headers.push(`${name}: ${away}`);
    else {
      parts.headers.push(`link: <${away}>; rel="next"`);
      parts.lies = true;
    }
  },
  (parts, draw, { token }) => {
    parts.headers.push(
      draw.pick([
        ...afters.map((each) => `retry-after: ${each}`),
        'age: 100',
        'age: -1',
        'age: 1e9',
        'date: yesterday',
        'date: Wed, 21 Oct 2099 07:28:00 GMT',
        'date: 0',
        'content-range: items 0-1/25',
        'content-range: items */0',
        'x-total-count: -1',
        'x-total-count: 1e3',
        'x-total-count: 2, 2',
        'x-total-count: 99999999999999999',
        'x-total-pages: 3',
        'set-cookie: a=b',
        `x-token: ${token}`,
        `x-note: see ${token}`,
        'content-type: text/html',
        'content-type: application/xml',
        'content-type: application/json; charset=utf-16',
        'x-page: 0',
        'connection: close',
        'keep-alive: timeout=0',
        'x-next-page: 2',
        'constructor: x',
        '__proto__: x',
        'x-note : a',
        'x-note: a\u0001',
        'x-note',
      ]),
    );
    parts.lies = true;
  },
  (parts, draw, { token }) => {
    const spelled = draw.pick([
      ...[token, encodeURIComponent(token), Buffer.from(token).toString('base64'), Buffer.from(token).toString('hex')],
      [...token].map((letter) => `&#${letter.charCodeAt(0)};`).join(''),
      [...token].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join(''),
      `Basic ${Buffer.from(`api:${token}`).toString('base64')}`,
    ]);
    parts.line = `HTTP/1.1 ${draw.pick([400, 401, 403, 409, 422, 429, 500, 502])} X`;
    parts.body = bytesOf(
      draw.pick([
        ...[`{"message":"bad token ${spelled}"}`, `bad token ${spelled}`, `<p>${spelled}</p>`, `{"errors":{"${spelled}":["no"]}}`],
        `{"headers":{"authorization":"apiServiceToken ${spelled}"}}`,
      ]),
    );
  },
];
