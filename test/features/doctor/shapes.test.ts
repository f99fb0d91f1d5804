/**
 * Services of 62 shapes: what doctor proposes is set, until it proposes nothing more, and then lists, single
 * objects and a create have the right values. What no setting can express is named in a sentence.
 */
import { describe, expect, test } from 'vitest';
import { attempt, token } from '../../faults/outcome.ts';
import { answer, faultServer, type Reaction } from '../../faults/server.ts';
import { run, temporaryFolder } from '../../support/run.ts';

type Item = Record<string, unknown>;
type Listed = [body: unknown, headers?: Record<string, string>];
type Kind = 'exam' | 'student_session' | 'proctor' | 'user';

type Shape = {
  /** How a list is answered; `all` has each item in its shape. */
  list?: (all: Item[], query: URLSearchParams, kind: Kind) => Listed;
  /** Which lists are answered so; all where it is not given. */
  only?: Kind | 'ofExam';
  /** How a single object is answered. */
  one?: (item: Item, kind: Kind) => unknown;
  /** How an exam or a session is shown. */
  item?: (item: Item, kind: Kind) => Item;
  proctors?: unknown;
  /** The word before the token. */
  prefix?: string;
  challenge?: string;
  /** Why the body of a create is refused; undefined if it is not. */
  refuses?: (body: Item) => string | undefined;
  /** The student in the body of a create. */
  sent?: (body: Item) => Item;
};

const restrictions = { allow_headphones: true, allow_whiteboard: true, allow_leave_room: true, allow_pen_paper: true };
const people: Item[] = Array.from({ length: 30 }, (_, at) => ({ id: at + 1, name: `P${at + 1}`, email: `p${at + 1}@example.org` }));
const exams = [1, 2, 3, 4, 5].map((id) => ({
  id,
  name: `Exam ${id}`,
  start_time: '2027-02-01T08:00:00Z',
  end_time: '2027-02-01T10:00:00Z',
  ...restrictions,
}));
const sessions = people.map((person) => ({ ...person, exam_id: 1, status: 'registered', close_time: '2027-02-01T09:00:00Z' }));
const closes = '2027-02-01T09:30:00Z';
const everyone = people.map(({ id }) => `${id}\n`).join('');

function service(shape: Shape): Reaction {
  const { list = (all) => [all], one = (item) => item, item = (same) => same, prefix = 'apiServiceToken' } = shape;
  return (socket, { method, path, body, headers }) => {
    const say = (status: number, content: unknown, more: Record<string, string> = {}) => answer(status, content, more)(socket, {} as never);
    const url = new URL(path, 'http://x');
    const [, , , collection = '', id, inner] = url.pathname.split('/');
    const kind: Kind =
      inner === 'users' ? 'user' : inner === 'proctor_pool' ? 'proctor' : collection === 'exams' && !inner ? 'exam' : 'student_session';
    if (headers.authorization !== `${prefix} ${token}`)
      return say(401, { message: 'no' }, shape.challenge === undefined ? {} : { 'www-authenticate': shape.challenge });
    if (method === 'POST') {
      const sent = JSON.parse(body) as Item;
      const refused = shape.refuses?.(sent);
      if (refused !== undefined) return say(422, { message: refused });
      return say(201, one(item({ exam_id: 1, name: 'Z', status: 'registered', ...(shape.sent?.(sent) ?? sent), id: 99 }, kind), kind));
    }
    const all = kind === 'exam' ? exams : kind === 'student_session' ? sessions : people.slice(0, 12);
    if (id !== undefined && inner === undefined) {
      const found = (all as Item[]).find((each) => String(each.id) === id);
      return found ? say(200, one(item({ ...found }, kind), kind)) : say(404, { message: 'none' });
    }
    if (kind === 'proctor' && shape.proctors !== undefined) return say(200, shape.proctors);
    const shown = all.map((each) => item({ ...each }, kind));
    const isMeant =
      shape.only === undefined ||
      shape.only === kind ||
      (shape.only === 'ofExam' && collection === 'exams' && inner === 'student_sessions');
    const [content, more = {}] = isMeant ? list(shown, url.searchParams, kind) : [shown];
    say(200, content, more);
  };
}

const plural = (kind: Kind) => (kind === 'proctor' ? 'proctor_pool' : `${kind}s`);
const renamed = (item: Item, names: Record<string, string>): Item =>
  Object.fromEntries(Object.entries(item).map(([key, value]) => [names[key] ?? key, value]));
const times = (item: Item, written: (time: string) => unknown): Item =>
  Object.fromEntries(
    Object.entries(item).map(([key, value]) => [key, key.endsWith('_time') && typeof value === 'string' ? written(value) : value]),
  );
/** Times that are shown in one way, and taken in no other. */
const timed = (written: (time: string) => unknown): Shape => ({
  item: (item) => times(item, (time) => written(new Date(time).toISOString().replace('.000', ''))),
  refuses: ({ close_time: time }) =>
    time === undefined || JSON.stringify(time) === JSON.stringify(written(closes)) ? undefined : 'close_time is not a time',
  sent: (body) => ({ ...body, close_time: closes }),
});
const size = 4;
const numberOf = (query: URLSearchParams, name: string, first: number) => Number(query.get(name) ?? first);
/** Pages by their number. */
const paged =
  (
    say: (page: { items: Item[]; number: number; pages: number; total: number; query: URLSearchParams }) => Listed,
    name = 'page',
    first = 1,
  ): NonNullable<Shape['list']> =>
  (all, query) => {
    const number = numberOf(query, name, first);
    const from = (number - first) * size;
    return say({ items: all.slice(from, from + size), number, pages: Math.ceil(all.length / size), total: all.length, query });
  };
/** Pages by the number of items before them. */
const offset =
  (say: (page: { items: Item[]; from: number; total: number }) => Listed, name = 'offset'): NonNullable<Shape['list']> =>
  (all, query) => {
    const from = numberOf(query, name, 0);
    return say({ items: all.slice(from, from + size), from, total: all.length });
  };
/** Pages by what the page before has named. */
const cursors =
  (say: (items: Item[], next: string | null) => Listed, name = 'cursor'): NonNullable<Shape['list']> =>
  (all, query) => {
    const from = query.get(name)?.startsWith('c') ? Number(query.get(name)?.slice(1)) : 0;
    return say(all.slice(from, from + size), from + size < all.length ? `c${from + size}` : null);
  };
const jsonApi = ({ id, exam_id, ...attributes }: Item, kind: Kind): Item => ({
  id: String(id),
  type: plural(kind),
  attributes,
  ...(exam_id === undefined ? {} : { relationships: { exam: { data: { type: 'exams', id: String(exam_id) } } } }),
});
const byId = (items: Item[]) => Object.fromEntries(items.map(({ id, ...item }) => [String(id), item]));

const working: [string, Shape][] = [
  ['is bare', {}],
  [
    'is wrapped in the names of the resources',
    { list: (all, _, kind) => [{ [plural(kind)]: all }], one: (item, kind) => ({ [kind]: item }) },
  ],
  ['is wrapped in data', { list: (all) => [{ data: all }], one: (item) => ({ data: item }) }],
  [
    'is wrapped in data.exams',
    { list: (all, _, kind) => [{ data: { [plural(kind)]: all } }], one: (item, kind) => ({ data: { [kind]: item } }) },
  ],
  ['has meta beside its lists', { list: (all, _, kind) => [{ [plural(kind)]: all, meta: { total_count: all.length } }] }],
  ['is wrapped in a word of its own', { list: (all) => [{ entries: all }], one: (item) => ({ entry: item }) }],
  [
    'is wrapped in two words of its own',
    { list: (all) => [{ payload: { rows: all, took: 3 } }], one: (item) => ({ payload: { row: item } }) },
  ],
  [
    'is wrapped in three words',
    {
      list: (all, _, kind) => [{ data: { result: { [plural(kind)]: all } } }],
      one: (item, kind) => ({ data: { result: { [kind]: item } } }),
    },
  ],
  ['shows an object as a list of one', { one: (item) => [item] }],
  [
    'wraps each record in its name',
    { list: (all, _, kind) => [all.map((item) => ({ [kind]: item }))], one: (item, kind) => ({ [kind]: item }) },
  ],
  ['is a map by ID under a word of its own', { list: (all) => [{ entries: byId(all) }] }],
  ['is a map by ID beside its meta', { list: (all) => [{ ...byId(all), meta: { total: all.length } }] }],
  ['has key for id', { item: (item) => renamed(item, { id: 'key' }) }],
  ['has pk for id', { item: (item) => renamed(item, { id: 'pk' }) }],
  ['takes times with milliseconds alone', timed((time) => time.replace('Z', '.000Z'))],
  ['takes times with +00:00 alone', timed((time) => time.replace('Z', '+00:00'))],
  [
    'pages with X-WP-Total',
    { list: paged(({ items, pages, total }) => [items, { 'x-wp-total': `${total}`, 'x-wp-totalpages': `${pages}` }]) },
  ],
  ['pages with its page and size, and no total', { list: paged(({ items, number }) => [{ data: items, page: number, per_page: size }]) }],
  [
    'pages from 0 with the number of pages alone',
    { list: paged(({ items, pages }) => [items, { 'x-total-pages': `${pages}` }], 'page', 0) },
  ],
  [
    'has the people of its sessions in a list beside them',
    {
      list: (all, _, kind) => [
        kind === 'student_session'
          ? { students: all.map(({ name, email }) => ({ name, email })), student_sessions: all }
          : { [plural(kind)]: all },
      ],
    },
  ],
  ['is JSON:API', { list: (all) => [{ data: all, meta: { total: all.length } }], one: (item) => ({ data: item }), item: jsonApi }],
  ['is a map by ID', { list: (all) => [byId(all)] }],
  [
    'is a map by ID under the names of the resources',
    { list: (all, _, kind) => [{ [plural(kind)]: byId(all), total: all.length }], one: (item, kind) => ({ [kind]: item }) },
  ],
  [
    'has its people in sessions',
    {
      item: ({ name, email, ...item }, kind) =>
        kind === 'student_session' ? { ...item, student: { id: 7, name, email } } : { ...item, name, email },
    },
  ],
  [
    'names its exam in an object',
    { item: ({ exam_id, ...item }) => (exam_id === undefined ? item : { ...item, exam: { id: exam_id, room: 'A' } }) },
  ],
  ['has uuid for id', { item: (item) => renamed(item, { id: 'uuid' }) }],
  ['has _id for id', { item: (item) => renamed(item, { id: '_id' }) }],
  [
    'has an ID of its own name for each resource',
    { item: (item, kind) => renamed(item, kind === 'exam' ? { id: 'exam_id' } : kind === 'student_session' ? { id: 'session_id' } : {}) },
  ],
  ['has IDs as text', { item: (item) => ({ ...item, id: String(item.id) }) }],
  ['has title for the name of an exam', { item: (item, kind) => (kind === 'exam' ? renamed(item, { name: 'title' }) : item) }],
  ['has full_name for the name of a student', { item: (item, kind) => (kind === 'exam' ? item : renamed(item, { name: 'full_name' })) }],
  ['has exam for exam_id', { item: (item) => renamed(item, { exam_id: 'exam' }) }],
  ['has seconds', timed((time) => Date.parse(time) / 1000)],
  ['has milliseconds', timed((time) => Date.parse(time))],
  ['has times with +00:00', { item: (item) => times(item, (time) => time.replace('Z', '+00:00')) }],
  ['has times with a space for the T', timed((time) => time.replace('T', ' ').replace('Z', '+00:00'))],
  ['has its statuses in capitals', { item: (item) => ('status' in item ? { ...item, status: 'REGISTERED' } : item) }],
  ['takes Bearer and says so', { prefix: 'Bearer', challenge: 'Bearer realm="x"' }],
  ['takes Token and does not say so', { prefix: 'Token' }],
  ['takes a word that it names', { prefix: 'apiExamToken', challenge: 'apiExamToken' }],
  ['has its proctors as IDs', { proctors: [3, 4, 5] }],
  ['has its proctors as addresses', { proctors: { proctors: ['a@example.org', 'b@example.org'] } }],
  [
    'pages with X-Pagination-*',
    {
      list: paged(({ items, number, pages, total }) => [
        items,
        {
          'x-pagination-page': `${number}`,
          'x-pagination-page-count': `${pages}`,
          'x-pagination-item-count': `${total}`,
          'x-pagination-limit': `${size}`,
        },
      ]),
    },
  ],
  [
    'pages with X-Page and X-Total-Pages',
    { list: paged(({ items, number, pages }) => [items, { 'x-page': `${number}`, 'x-total-pages': `${pages}` }]) },
  ],
  [
    'pages with X-Next-Page',
    { list: paged(({ items, number, pages }) => [items, { 'x-next-page': number < pages ? `${number + 1}` : '' }]) },
  ],
  [
    'pages with JSON in X-Pagination',
    { list: paged(({ items, number, pages }) => [items, { 'x-pagination': JSON.stringify({ page: number, total_pages: pages }) }]) },
  ],
  [
    'pages with Content-Range',
    { list: offset(({ items, from, total }) => [items, { 'content-range': `items ${from}-${from + items.length - 1}/${total}` }]) },
  ],
  [
    'pages with Link',
    {
      list: paged(({ items, number, pages, query }) => [
        items,
        number < pages ? { link: `<?${new URLSearchParams({ ...Object.fromEntries(query), page: `${number + 1}` })}>; rel="next"` } : {},
      ]),
    },
  ],
  ['pages with meta', { list: paged(({ items, number, pages }) => [{ data: items, meta: { current_page: number, last_page: pages } }]) }],
  [
    'pages with the next address in the body',
    { list: paged(({ items, number, pages }) => [{ results: items, next: number < pages ? `?page=${number + 1}` : null }]) },
  ],
  ['pages with paging.cursors', { list: cursors((items, next) => [{ data: items, paging: { cursors: { after: next } } }], 'after') }],
  ['pages with a cursor under another parameter', { list: cursors((items, next) => [{ data: items, next_cursor: next }], 'page_token') }],
  ['pages with offset and total in the body', { list: offset(({ items, from, total }) => [{ items, offset: from, limit: size, total }]) }],
  ['pages with a total and no way shown', { list: paged(({ items, total }) => [items, { 'x-total-count': `${total}` }]) }],
  ['pages from 0 with a total', { list: paged(({ items, total }) => [items, { 'x-total-count': `${total}` }], 'page', 0) }],
  ['pages by page_number with a total', { list: paged(({ items, total }) => [{ data: items, counts: { total } }], 'page_number') }],
  [
    'pages only the students of an exam, by skip',
    { only: 'ofExam', list: offset(({ items, total }) => [items, { 'x-total-count': `${total}` }], 'skip') },
  ],
];

const needingHands: [string, Shape, sees: string][] = [
  ['has mail for email', { item: (item) => renamed(item, { email: 'mail' }) }, '"mail" instead of "email"'],
  ['has starts_at for start_time', { item: (item) => renamed(item, { start_time: 'starts_at' }) }, '"starts_at" instead of "start_time"'],
  [
    'has headphones for allow_headphones',
    { item: (item) => renamed(item, { allow_headphones: 'headphones' }) },
    '"headphones" instead of "allow_headphones"',
  ],
  [
    'has times without an offset',
    { item: (item) => times(item, (time) => time.replace('T', ' ').replace('Z', '')) },
    'has no offset from UTC, and no setting can interpret it',
  ],
  [
    'wants its bodies wrapped',
    {
      one: (item, kind) => ({ [kind]: item }),
      refuses: (body) => ('student_session' in body ? undefined : 'param is missing or the value is empty: student_session'),
      sent: (body) => body.student_session as Item,
    },
    '(sent bare; if the service refuses that, set dialect.sessionWrapper to student_session',
  ],
];

const world = (home: string) => ({ home, env: { PROCTOR_INSTITUTE: '1' } });

/** Sets what doctor proposes, line by line, until it proposes nothing more. */
async function setUp(origin: string, home: string): Promise<{ rounds: number; said: string; code: number }> {
  for (let rounds = 0; ; rounds += 1) {
    const { stdout, code } = await attempt('doctor -o json', origin, world(home));
    const rows = JSON.parse(stdout) as { remedy: string | null; detail: string }[];
    const lines = rows.flatMap(
      ({ remedy }) => /: proctor-cli (config set (?:dialect\.\S+|authPrefix) (?!NAME$)\S+)$/.exec(remedy ?? '')?.[1] ?? [],
    );
    if (lines.length === 0 || rounds === 4) return { rounds, said: rows.map(({ detail }) => detail).join('\n'), code };
    for (const line of lines) await run(line.replaceAll("'", '').split(' '), { home });
  }
}

test('there are 62 shapes, and 57 of them need no hand', () => {
  expect([working.length, needingHands.length]).toEqual([57, 5]);
});

describe('a service that', () => {
  test.each(working)('%s works with what doctor proposes', async (_what, shape) => {
    const server = await faultServer(Array.from({ length: 600 }, () => service(shape)));
    const home = temporaryFolder();
    const { rounds, said, code } = await setUp(server.origin, home);
    expect([code, rounds <= 3, said]).toEqual([0, true, said]);
    const works = async (line: string, stdout: string) =>
      expect(await attempt(line, server.origin, world(home))).toMatchObject({ code: 0, stdout });
    await works('exams list -o id', '1\n2\n3\n4\n5\n');
    await works('sessions list --exam 1 -o id', everyone);
    await works('sessions list --exam 1 --status registered -o id', everyone);
    await works(
      'proctors list --exam 1 -o id',
      shape.proctors === undefined ? everyone.slice(0, 27) : Array.isArray(shape.proctors) ? '3\n4\n5\n' : 'a@example.org\nb@example.org\n',
    );
    await works('sessions get 3 -o csv --columns email', 'email\r\np3@example.org\r\n');
    await works('exams get 2 -o id', '2\n');
    const found = await attempt('sessions find p30@example.org -o csv --columns exam_name,closes', server.origin, world(home));
    expect([found.code, found.stdout.split('\r\n')[1]?.split(',')[0]]).toEqual([0, 'Exam 1']);
    await works(`sessions create --exam 1 --email z@example.org --close-time ${closes} -o id`, '99\n');
  });

  test.each(needingHands)('%s is named by doctor, and nothing is proposed that would not help', async (_what, shape, sees) => {
    const server = await faultServer(Array.from({ length: 600 }, () => service(shape)));
    const home = temporaryFolder();
    const { rounds, said } = await setUp(server.origin, home);
    expect(said).toContain(sees);
    expect(rounds).toBe(0);
    expect(await attempt('exams list -o id', server.origin, { home })).toMatchObject({ code: 0, stdout: '1\n2\n3\n4\n5\n' });
  });

  test('wants its bodies wrapped works with what its refusal proposes', async () => {
    const [, shape] = needingHands.find(([what]) => what === 'wants its bodies wrapped') ?? [];
    const server = await faultServer(Array.from({ length: 4 }, () => service(shape ?? {})));
    const home = temporaryFolder();
    const create = 'sessions create --exam 1 --email z@example.org -o id';
    const { code, stderr } = await attempt(create, server.origin, { home });
    const [, line = ''] = /: proctor-cli (config set \S+ \S+)\s/.exec(stderr.replace(/\s+/g, ' ')) ?? [];
    expect([code, line]).toEqual([7, 'config set dialect.sessionWrapper student_session']);
    await run(line.split(' '), { home });
    expect(await attempt(create, server.origin, { home })).toMatchObject({ code: 0, stdout: '99\n' });
  });
});
