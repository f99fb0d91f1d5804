/**
 * Services of many kinds, each met as an office meets it: a login on a terminal, with Enter at each question that does not ask for what the
 * operator has given (the address, the token, the word before it); then a list, an import whose answer is lost once, the same again, a
 * check, mails. Where a command prints the setting that it needs, that is set as it is printed, and the command typed again.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { stringifyJson } from '../../src/model/json.ts';
import { algebra } from '../support/algebra.ts';
import { type Run, temporaryFolder, type World } from '../support/run.ts';
import { type Answer, type Arrived, lostAfter, type Reply, refused, Service } from '../support/service.ts';

type Fields = Record<string, unknown>;
const roster = Array.from({ length: 60 }, (_, index) => `student${index + 1}@example.org`);

/** How a service shows a list: what of it is in an answer, and what stands beside it. */
type Pages = (all: readonly unknown[], request: Arrived) => Answer;

const pageSize = 25;
const numberIn = ({ query }: Arrived, name: string, first = 0) => Number(query.get(name) ?? first);
const partOf = (all: readonly unknown[], begin: number) => all.slice(begin, begin + pageSize);
const told = (body: unknown, headers: Record<string, string> = {}): Answer => ({ status: 200, body, headers });
const nextIn = (all: readonly unknown[], end: number, value: unknown) => (end < all.length ? value : null);
const pageOf = (all: readonly unknown[], request: Arrived, parameter = 'page', first = 1) =>
  partOf(all, (numberIn(request, parameter, first) - first) * pageSize);

const ways: Readonly<Record<string, Pages>> = {
  'each list on one page': (all) => told(all),
  'each list on one page, in data': (all) => told({ data: all }),
  'each list on one page, in a field of its own': (all) => told({ payload: { rows: all } }),
  'pages that say nothing': (all, request) => told(pageOf(all, request)),
  'pages with their number and how many there are': (all, request) =>
    told({ items: pageOf(all, request), page: numberIn(request, 'page', 1), total_pages: Math.max(1, Math.ceil(all.length / pageSize)) }),
  'pages with page_count and item_count': (all, request) =>
    told({ items: pageOf(all, request), page_count: Math.max(1, Math.ceil(all.length / pageSize)), item_count: all.length }),
  'pages with headers': (all, request) =>
    told(pageOf(all, request), {
      'x-pagination-page': request.query.get('page') ?? '1',
      'x-pagination-total-pages': String(Math.max(1, Math.ceil(all.length / pageSize))),
    }),
  'pages with a total alone': (all, request) => told({ results: pageOf(all, request), total: all.length }),
  'pages from 0': (all, request) => told(pageOf(all, request, 'page', 0)),
  'an offset that says nothing': (all, request) => told(partOf(all, numberIn(request, 'offset'))),
  'an offset with Content-Range': (all, request) => {
    const begin = numberIn(request, 'offset');
    const part = partOf(all, begin);
    return told(part, { 'content-range': `items ${begin}-${begin + part.length - 1}/${all.length}` });
  },
  'a Link header': (all, request) => {
    const next = numberIn(request, 'page', 1) + 1;
    const link = `</api/v1${request.path}?page=${next}>; rel="next"`;
    return told(pageOf(all, request), (next - 1) * pageSize < all.length ? { link } : {});
  },
  'an address in a field': (all, request) => {
    const next = numberIn(request, 'page', 1) + 1;
    return told({ data: pageOf(all, request), links: { next: nextIn(all, (next - 1) * pageSize, `/api/v1${request.path}?page=${next}`) } });
  },
  'a cursor': (all, request) => {
    const begin = numberIn(request, 'cursor');
    return told({ data: partOf(all, begin), next_cursor: nextIn(all, begin + pageSize, String(begin + pageSize)) });
  },
};

/** How it shows a student. */
const looks: Readonly<Record<string, (record: Fields) => Fields>> = {
  shown: (record) => record,
  'without unset fields': (record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)),
  'in other letters': ({ email, ...record }) => ({ ...record, email: typeof email === 'string' ? email.toUpperCase() : email }),
  masked: ({ email, ...record }) => ({ ...record, email: typeof email === 'string' ? email.replace(/^(.).*@/, '$1***@') : email }),
  'without addresses': ({ email: _, ...record }) => record,
  'with null for each address': (record) => ({ ...record, email: null }),
};

/** How its answers come. */
type Manner = { word?: string; pack?: (bytes: Buffer) => Buffer; encoding?: string; every?: Reply };
const manners: Readonly<Record<string, Manner>> = {
  plainly: {},
  'with gzip': { pack: gzipSync, encoding: 'gzip' },
  'with deflate': { pack: deflateSync, encoding: 'deflate' },
  'with br': { pack: brotliCompressSync, encoding: 'br' },
  'to another word before the token': { word: 'Bearer' },
  'with a limit of 429': { every: refused(429, { error: 'slow down' }, { 'retry-after': '1' }) },
  'with a limit of 403': { every: refused(403, { error: 'slow down' }, { 'retry-after': '1' }) },
  'with 503 now and then': { every: refused(503, { error: 'later' }, { 'retry-after': '1' }) },
};

const nothing: Run = { code: 0, stdout: '', stderr: '', questions: [], refusals: [], offered: [] };

type Kind = { pages: keyof typeof ways; look: keyof typeof looks; manner: keyof typeof manners; exams: number };

/** Each value of each of the four at least three times. */
const kinds: readonly Kind[] = Array.from({ length: 42 }, (_, index) => ({
  pages: Object.keys(ways)[index % 14] ?? '',
  look: Object.keys(looks)[(index * 5 + Math.floor(index / 14)) % 6] ?? '',
  manner: Object.keys(manners)[(index * 3 + Math.floor(index / 14)) % 8] ?? '',
  exams: index % 3 === 0 ? 30 : 3,
}));

function serviceOf({ pages, look, manner, exams }: Kind) {
  const service = new Service({
    exams: Array.from({ length: exams }, (_, index) => ({ ...algebra, id: index + 1, name: `Exam ${index + 1}` })),
  });
  const show = looks[look] ?? ((record: Fields) => record);
  const { word = 'apiServiceToken', pack, encoding = '', every } = manners[manner] ?? {};
  const spell = (whole: Answer, request: Arrived): Answer => {
    const { status } = whole;
    let { body, headers = {} } = whole;
    const isOfStudents = /student_session|add_student/.test(request.path);
    if (Array.isArray(body)) {
      const all = isOfStudents ? body.map((record) => show(record as Fields)) : body;
      ({ body, headers = {} } = request.path.endsWith('proctor_pool') ? told(all) : (ways[pages] as Pages)(all, request));
    } else if (isOfStudents && body !== undefined) body = show(body as Fields);
    if (!pack || body === undefined) return { status, body, headers };
    const packed = pack(Buffer.from(stringifyJson(body as never)));
    return { status, body: packed, headers: { ...headers, 'content-type': 'application/json', 'content-encoding': encoding } };
  };
  service.fault = (request) => {
    if (!request.headers.authorization?.startsWith(`${word} `)) return refused(401, { error: 'unauthorized' });
    if (every && request.index % 7 === 3) return every;
    // The answer to one student is lost.
    if (request.method === 'POST' && request.body.email === roster[30] && request.countOfLine === 1) return lostAfter;
    return { answer: (whole) => spell(whole, request) };
  };
  return { service, word };
}

/** A line that was typed, and what came of it. */
type Typed = (line: readonly string[]) => Promise<Run>;

/** Where a command prints the setting that it needs, or says to run it again, that is done. */
function typing(service: Service, world: World, set: (line: string) => Promise<Run> | undefined, transcript: string[]): Typed {
  const type = async (line: readonly string[]) => {
    const ended = await service.run(line, world);
    transcript.push(`$ ${line.join(' ')} → ${ended.code}\n${ended.stderr}`);
    return ended;
  };
  return async (line) => {
    for (let tries = 1; ; tries += 1) {
      const ended = await type(line);
      const cured = await set(ended.stderr);
      const goesOn = cured !== undefined || (ended.code !== 0 && /[Rr]un the same command again/.test(ended.stderr));
      if (!goesOn || tries === 9) return ended;
    }
  };
}

const settingIn = (stderr: string) => /proctor-cli config set (dialect\.\S+) (\S+?)\.?(?:[;\s]|$)/.exec(stderr) ?? [];

/** An office logs in on its terminal. */
async function atTheDesk({ service, word }: ReturnType<typeof serviceOf>, home: string, transcript: string[]): Promise<Typed> {
  const world = { home, env: { PROCTOR_BASE_URL: '', PROCTOR_TOKEN: '' } };
  const given = [service.baseUrl, 'a-token-of-the-tests', ...(word === 'apiServiceToken' ? [] : ['', word])];
  const login = await service.run('auth login', { ...world, tty: true, answers: [...given, ...Array.from({ length: 9 }, () => '')] });
  transcript.push(`$ auth login → ${login.code}\n${login.stderr}`);
  expect(login.code, transcript.join('')).toBe(0);
  const set = (stderr: string) => {
    const [line, key, value] = settingIn(stderr);
    return line === undefined || key === undefined || value === undefined ? undefined : service.run(['config', 'set', key, value], world);
  };
  return typing(service, world, set, transcript);
}

/** A job has variables alone; whoever repairs it has its log. */
async function inAJob({ service, word }: ReturnType<typeof serviceOf>, home: string, transcript: string[]): Promise<Typed> {
  const env: Record<string, string> = {};
  const set = (stderr: string) => {
    const [, key = '', value] = settingIn(stderr);
    if (value !== undefined) env[`PROCTOR_${key.replace(/[A-Z]/g, '_$&').replace('.', '_').toUpperCase()}`] = value;
    const isWord = stderr.includes('PROCTOR_AUTH_PREFIX') && env.PROCTOR_AUTH_PREFIX === undefined;
    if (isWord) env.PROCTOR_AUTH_PREFIX = word;
    return value === undefined && !isWord ? undefined : Promise.resolve(nothing);
  };
  return typing(service, { home, env }, set, transcript);
}

/** What is typed, and what comes of it. */
async function period(kind: Kind, begin: typeof atTheDesk) {
  const built = serviceOf(kind);
  const { service } = built;
  const home = temporaryFolder();
  const file = join(home, 'roster.csv');
  writeFileSync(file, `email\n${roster.join('\n')}\n`);
  const transcript: string[] = [];
  const types = await begin(built, home, transcript);
  const list = await types(['exams', 'list', '-o', 'id']);
  const imported = ['sessions', 'import', file, '--exam', '1', '--yes'];
  const first = await types(imported);
  const afterwards = service.sessions.length;
  const again = await types(imported);
  const check = await types([...imported.slice(0, -1), '--check']);
  const mails = await types(['exams', 'send-emails', '1', '--yes']);
  return { service, list, first, afterwards, again, check, mails, transcript: transcript.join('') };
}

/** Whose students no list shows: that is said before one is sent. */
const hides = ({ look }: Kind) => ['masked', 'without addresses', 'with null for each address'].includes(look);

describe.each(kinds)('a service with $pages, students $look, answering $manner, with $exams exams', (kind) => {
  test.each([
    ['on a terminal', atTheDesk],
    ['in a job with variables alone', inAJob],
  ])('%s: registers each student once, or refuses and names what no setting can cure; what a status says is true', async (_, begin) => {
    const { service, list, first, afterwards, again, check, mails, transcript } = await period(kind, begin);
    const registered = service.sessions.map(({ email }) => email?.toLowerCase());
    expect(new Set(registered).size, transcript).toBe(registered.length);
    expect(list.code, transcript).toBe(0);
    expect(list.stdout.trim().split('\n'), transcript).toHaveLength(kind.exams);
    if (first.code === 0) expect(afterwards, transcript).toBe(roster.length);
    if (hides(kind)) {
      // What of a student whose answer was lost is registered cannot be told, nor who is there.
      expect(transcript).toMatch(/The service does not show email of student session|shows no address/);
      expect([3, 10, 11], transcript).toContain(again.code);
      expect(roster, transcript).toEqual(expect.arrayContaining(registered));
    } else {
      expect([again.code, check.code], transcript).toEqual([0, 0]);
      expect(registered.toSorted(), transcript).toEqual(roster.toSorted());
    }
    const posts = service.written().filter(({ path }) => path.endsWith('send_emails'));
    const sent = posts.filter(({ reply }) => reply?.answer === undefined || typeof reply.answer === 'function');
    expect(sent.length, transcript).toBe(mails.code === 0 ? 1 : 0);
  });
});
