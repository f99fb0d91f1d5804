/** Services that show their lists in pages without a word that counts: nothing takes the first page for the whole list. */
import { expect, test } from 'vitest';
import { attemptWith, failureOf } from './outcome.ts';
import { showing } from './server.ts';

type Shown = (items: unknown[], page: number, size: number) => unknown;
const shapes: [string, Shown][] = [
  ['a bare array', (items) => items],
  ['an object', (items) => ({ data: items })],
  ['an object with page', (items, page) => ({ data: items, page })],
  ['an object with per_page', (items, _page, size) => ({ data: items, per_page: size * 2 })],
];
const cases = shapes.flatMap(([what, shown]) => [10, 11, 12, 15, 25, 40, 75].map((size) => [size, what, shown] as const));

const session = (id: number) => ({ id, exam_id: 1, email: `s${id}@example.org`, name: `S ${id}`, status: 'registered' });
const exam = (id: number) => ({ id, name: `Exam ${id}`, start_time: '2127-02-01T08:00:00Z', end_time: '2127-02-01T10:00:00Z' });
const many = <T>(count: number, make: (id: number) => T) => Array.from({ length: count }, (_, at) => make(at + 1));
const importing = 'sessions import - --exam 1 --yes -o json';

test.each(cases)('Pages of %i in %s stop an import of a student of page 2 before anything is sent.', async (size, _what, shown) => {
  const paged = showing((path, query) => {
    if (path === '/exams/1') return exam(1);
    const page = Number(query.get('page') ?? 1);
    const all = many<unknown>(Math.ceil(size * 2.5), path.endsWith('/student_sessions') ? session : exam);
    return shown(all.slice((page - 1) * size, page * size), page, size);
  });
  const outcome = await attemptWith(paged, importing, { stdin: `email\ns${size + 2}@example.org\n` });
  expect([outcome.code, JSON.parse(outcome.stdout).counts.not_sent]).toEqual([8, 1]);
  expect(failureOf(outcome).hint).toContain('config set dialect.paging page');
  expect(outcome.server.writes()).toEqual([]);
});

const wholes: [string, Shown][] = [
  ...shapes,
  ['an object with a full page', (items) => ({ data: items, page: 1, per_page: items.length })],
];

test.each(wholes)('A whole list of 12 in %s is imported into where the service knows no pages.', async (_what, shown) => {
  const all: unknown[] = many(12, session);
  const whole = showing((path, _query, { method, body }) => {
    if (method !== 'POST') return path === '/exams/1' ? exam(1) : shown(all, 1, 12);
    const made = { ...session(99), ...JSON.parse(body) };
    all.push(made);
    return made;
  });
  const outcome = await attemptWith(whole, importing, { stdin: 'email\ns2@example.org\nnew@example.org\n' });
  expect([outcome.code, outcome.stderr]).toEqual([0, expect.not.stringContaining('whole list')]);
  expect(outcome.server.writes()).toHaveLength(1);
});

/** Exams whose students are so many: each list as the function shows it. */
const examsOf = (lengths: readonly number[], shown: (all: unknown[], page: number) => unknown = (all) => all) =>
  showing((path, query) => {
    const id = Number(/\/exams\/(\d)/.exec(path)?.[1] ?? 0);
    if (/exams\/\d$/.test(path)) return exam(id);
    if (path === '/exams') return many(lengths.length, exam);
    return shown(
      many(lengths[id - 1] ?? 0, (at) => session(100 * id + at)),
      Number(query.get('page') ?? 1),
    );
  });

test('Lists of several exams cost one question at a service without pages, and a longer one costs another.', async () => {
  const { code, server } = await attemptWith(examsOf([30, 10, 20, 40]), 'exams report 1 2 3 4 -o json');
  expect([code, server.requests().filter((line) => line.includes('page=2')).length <= 2]).toEqual([0, true]);
});

test('A service that shows its last page again behind it is asked for each page that may be full, and a person is warned once.', async () => {
  const clamped = examsOf([12, 20, 20], (all, page) => {
    const shown = Math.min(page, Math.ceil(all.length / 15));
    return all.slice((shown - 1) * 15, shown * 15);
  });
  const { code, stderr } = await attemptWith(clamped, 'exams report 1 2 3 -o json');
  expect([code, stderr.match(/may not be the whole list/g)?.length]).toEqual([0, 1]);
});
