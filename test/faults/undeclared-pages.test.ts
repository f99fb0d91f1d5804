/** Services that show their lists in pages without a word that counts: nothing takes the first page for the whole list. */
import { describe, expect, test } from 'vitest';
import { attempt, failureOf } from './outcome.ts';
import { answer, type Reaction, serverBy } from './server.ts';

const sizes = [10, 11, 12, 15, 25, 40, 75];
type Shown = (items: unknown[], page: number, size: number) => unknown;
const shapes: [string, Shown][] = [
  ['a bare array', (items) => items],
  ['an object', (items) => ({ data: items })],
  ['an object with page', (items, page) => ({ data: items, page })],
  ['an object with per_page', (items, _page, size) => ({ data: items, per_page: size * 2 })],
];
const cases = shapes.flatMap(([what, shown]) => sizes.map((size) => [size, what, shown] as const));

const session = (id: number) => ({ id, exam_id: 1, email: `s${id}@example.org`, name: `S ${id}`, status: 'registered' });
const exam = (id: number) => ({ id, name: `Exam ${id}`, start_time: '2127-02-01T08:00:00Z', end_time: '2127-02-01T10:00:00Z' });

/** A service with two and a half pages of exams and of sessions. */
function paged(size: number, shown: Shown): Reaction {
  const all = (make: (id: number) => unknown) => Array.from({ length: Math.ceil(size * 2.5) }, (_, at) => make(at + 1));
  return (socket, request) => {
    const { pathname, searchParams } = new URL(request.path, 'http://x');
    const page = Number(searchParams.get('page') ?? 1);
    const list = pathname.endsWith('/student_sessions') ? all(session) : all(exam);
    const items = list.slice((page - 1) * size, page * size);
    answer(200, pathname.endsWith('/exams/1') ? exam(1) : shown(items, page, size))(socket, request);
  };
}

const setting = 'config set dialect.paging page';

describe.each(cases)('pages of %i in %s', (size, _what, shown) => {
  test('stop an import of a student of page 2 before anything is sent', async () => {
    const server = await serverBy(() => paged(size, shown));
    const stdin = `email\ns${size + 2}@example.org\n`;
    const outcome = await attempt('sessions import - --exam 1 --yes -o json', server.origin, { stdin });
    expect([outcome.code, JSON.parse(outcome.stdout).counts.not_sent]).toEqual([8, 1]);
    expect(failureOf(outcome).hint).toContain(setting);
    expect(server.received.every(({ method }) => method === 'GET')).toBe(true);
  });
});

const wholes: [string, Shown][] = [
  ...shapes,
  ['an object with a full page', (items) => ({ data: items, page: 1, per_page: items.length })],
];

test.each(wholes)('a whole list of 12 in %s is imported into where the service knows no pages', async (_what, shown) => {
  const all: unknown[] = Array.from({ length: 12 }, (_, at) => session(at + 1));
  const react: Reaction = (socket, request) => {
    const { pathname } = new URL(request.path, 'http://x');
    if (request.method === 'POST') all.push({ ...session(99), ...JSON.parse(request.body) });
    if (request.method === 'POST') return answer(201, all.at(-1))(socket, request);
    answer(200, pathname.endsWith('/exams/1') ? exam(1) : shown(all, 1, 12))(socket, request);
  };
  const server = await serverBy(() => react);
  const stdin = 'email\ns2@example.org\nnew@example.org\n';
  const outcome = await attempt('sessions import - --exam 1 --yes -o json', server.origin, { stdin });
  expect([outcome.code, outcome.stderr]).toEqual([0, expect.not.stringContaining('whole list')]);
  expect(server.received.filter(({ method }) => method === 'POST')).toHaveLength(1);
});

test('Lists of several exams cost one question at a service without pages, and a longer one costs another.', async () => {
  const lengths = [30, 10, 20, 40];
  const react: Reaction = (socket, request) => {
    const { pathname } = new URL(request.path, 'http://x');
    const id = Number(/\/exams\/(\d)/.exec(pathname)?.[1] ?? 0);
    const all = Array.from({ length: lengths[id - 1] ?? 0 }, (_, at) => session(100 * id + at));
    const list = pathname.endsWith('/student_sessions') ? all : lengths.map((_, at) => exam(at + 1));
    answer(200, /exams\/\d$/.test(pathname) ? exam(id) : list)(socket, request);
  };
  const server = await serverBy(() => react);
  expect((await attempt('exams report 1 2 3 4 -o json', server.origin)).code).toBe(0);
  const asked = server.received.filter(({ path }) => path.includes('page=2'));
  expect(asked.length).toBeLessThanOrEqual(2);
});

test('A service that shows its last page again behind it is asked for each page that may be full, and a person is warned once.', async () => {
  const lengths = [12, 20, 20];
  const react: Reaction = (socket, request) => {
    const { pathname, searchParams } = new URL(request.path, 'http://x');
    const id = Number(/\/exams\/(\d)/.exec(pathname)?.[1] ?? 0);
    const all = Array.from({ length: lengths[id - 1] ?? 0 }, (_, at) => session(100 * id + at));
    const page = Math.min(Number(searchParams.get('page') ?? 1), Math.ceil(all.length / 15));
    const list = pathname.endsWith('/student_sessions') ? all.slice((page - 1) * 15, page * 15) : lengths.map((_, at) => exam(at + 1));
    answer(200, /exams\/\d$/.test(pathname) ? exam(id) : list)(socket, request);
  };
  const server = await serverBy(() => react);
  const { code, stderr } = await attempt('exams report 1 2 3 -o json', server.origin);
  expect([code, stderr.match(/may not be the whole list/g)?.length]).toEqual([0, 1]);
});
