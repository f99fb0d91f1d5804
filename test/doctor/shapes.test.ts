/** Services of many shapes: what doctor proposes is set, until it proposes nothing more, and then lists, get and create work. */
import { describe, expect, test } from 'vitest';
import { attempt } from '../faults/outcome.ts';
import { answer, faultServer, type Reaction } from '../faults/server.ts';
import { run, temporaryFolder } from '../support/run.ts';

const restrictions = { allow_headphones: true, allow_whiteboard: true, allow_leave_room: true, allow_pen_paper: true };
const exams = [1, 2, 3].map((id) => ({ id, name: `Exam ${id}`, start_time: '2027-02-01T08:00:00Z', ...restrictions }));
const sessions = [1, 2, 3].map((id) => ({ id, exam_id: 1, name: 'Ada', email: `a${id}@example.org`, status: 'registered' }));
type Item = Record<string, unknown>;

type Shape = {
  list?: (items: Item[], query: URLSearchParams, name: string) => [unknown, Record<string, string>?];
  one?: (item: Item, name: string) => unknown;
  item?: (item: Item) => Item;
};

function service({ list = (items) => [items], one = (item) => item, item = (same) => same }: Shape): Reaction {
  return (socket, { method, path, body }) => {
    const url = new URL(path, 'http://x');
    const many = url.pathname.endsWith('/exams') ? exams : sessions;
    const name = many === exams || /exams\/\d+$/.test(url.pathname) ? 'exam' : 'student_session';
    if (method === 'POST') return answer(201, one(item({ ...JSON.parse(body), id: 9 } as Item), name))(socket, {} as never);
    if (/\/\d+$/.test(url.pathname))
      return answer(200, one(item((name === 'exam' ? exams : sessions)[0] as Item), name))(socket, {} as never);
    const [shown, headers = {}] = list(many.map(item), url.searchParams, name);
    answer(200, shown, headers)(socket, {} as never);
  };
}

const without = ({ id, ...rest }: Item, key: string): Item => ({ [key]: id, ...rest });
const page = (items: Item[], query: URLSearchParams, name = 'page') =>
  items.slice(Number(query.get(name) ?? 1) - 1, Number(query.get(name) ?? 1));

const shapes: [string, Shape][] = [
  ['bare', {}],
  ['under the names of the resources', { list: (items, _, name) => [{ [`${name}s`]: items }], one: (item, name) => ({ [name]: item }) }],
  ['under data', { list: (items) => [{ data: items }], one: (item) => ({ data: item }) }],
  [
    'under data and the name',
    { list: (items, _, name) => [{ data: { [`${name}s`]: items } }], one: (item, name) => ({ data: { [name]: item } }) },
  ],
  ['under entries', { list: (items) => [{ entries: items }] }],
  ['under payload and rows', { list: (items) => [{ payload: { rows: items, took: 3 } }] }],
  ['with uuid', { item: (item) => without(item, 'uuid') }],
  ['with _id', { item: (item) => without(item, '_id') }],
  ['with names of its own', { item: ({ name, ...rest }) => ({ ...rest, full_name: name }) }],
  ['with seconds', { item: (item) => ('start_time' in item ? { ...item, start_time: 1801468800 } : item) }],
  ['with milliseconds', { item: (item) => ('start_time' in item ? { ...item, start_time: 1801468800000 } : item) }],
  ['with +00:00', { item: (item) => ('start_time' in item ? { ...item, start_time: '2027-02-01T08:00:00+00:00' } : item) }],
  ['with a space for the T', { item: (item) => ('start_time' in item ? { ...item, start_time: '2027-02-01 08:00:00+00:00' } : item) }],
  ['with states in capitals', { item: (item) => ('status' in item ? { ...item, status: 'REGISTERED' } : item) }],
  ['in pages with a total and no way shown', { list: (items, query) => [page(items, query), { 'x-total-count': '3' }] }],
  ['in pages by another parameter', { list: (items, query) => [page(items, query, 'page_number'), { 'x-total-count': '3' }] }],
  [
    'by an offset and no way shown',
    {
      list: (items, query) => [
        items.slice(Number(query.get('offset') ?? 0), Number(query.get('offset') ?? 0) + 1),
        { 'x-total-count': '3' },
      ],
    },
  ],
  ['with a field that sounds like paging', { list: (items) => [{ data: items, batch_range: 'all of it' }] }],
];

/** Sets what doctor proposes, line by line, until it proposes nothing more. */
async function setUp(origin: string, home: string): Promise<number> {
  for (let round = 0; ; round += 1) {
    const { stdout } = await attempt('doctor -o json', origin, { home });
    const rows = JSON.parse(stdout) as { remedy: string | null }[];
    const lines = rows.flatMap(({ remedy }) => /: proctor-cli (config set dialect\.\S+ \S+)$/.exec(remedy ?? '')?.[1] ?? []);
    if (lines.length === 0 || round === 8) return round;
    for (const line of lines) await run(line.replaceAll("'", '').split(' '), { home });
  }
}

describe('a service that answers', () => {
  test.each(shapes)('%s works with what doctor proposes', async (_what, shape) => {
    const server = await faultServer(Array.from({ length: 400 }, () => service(shape)));
    const home = temporaryFolder();
    expect(await setUp(server.origin, home)).toBeLessThan(8);
    const ids = '1\n2\n3\n';
    expect(await attempt('exams list -o id', server.origin, { home })).toMatchObject({ code: 0, stdout: ids });
    expect(await attempt('sessions list --exam 1 -o id', server.origin, { home })).toMatchObject({ code: 0, stdout: ids });
    expect(await attempt('exams get 1 -o id', server.origin, { home })).toMatchObject({ code: 0, stdout: '1\n' });
    const created = await attempt('sessions create --exam 1 --email z@example.org -o id', server.origin, { home });
    expect(created).toMatchObject({ code: 0, stdout: '9\n' });
  });
});
