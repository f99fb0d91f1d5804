/** Random stories, for fast-check: all of their content is drawn from a seed, the faults included. */
import fc from 'fast-check';
import { type Injury, journalPoints, type Point, wirePoints } from './injury.ts';
import { type Action, longestDelay, type ServiceKind, type Story } from './scenario.ts';
import type { Arrived, Fault } from './service.ts';

const json = { message: 'the words of the service' };

/** What can become of a POST; each is true to what the service then does. */
export const postFaults: readonly Fault[] = [
  { answer: 'reset', done: 'now' },
  { answer: 'reset', done: 'never' },
  { answer: 'reset', done: longestDelay },
  { answer: 'end', done: 'now' },
  { answer: 'end', done: 'never' },
  { answer: 'silence', done: 'now' },
  { answer: 'silence', done: 'never' },
  { answer: 'cut', done: 'now' },
  { answer: 'cut-chunks', done: 'now' },
  { answer: 'empty' },
  { answer: 'located' },
  { answer: 'cut', done: 'now', hidden: longestDelay },
  { takes: 60 },
  { answer: { status: 500, body: json }, done: 'now' },
  { answer: { status: 500, body: json } },
  { answer: { status: 503, headers: { 'retry-after': '0' } }, done: longestDelay },
  { answer: { status: 504 }, done: 'now', hidden: longestDelay },
  { answer: { status: 408 } },
  { answer: { status: 302, headers: { location: '/login' } } },
  { answer: { status: 200, body: '<html>Log in</html>', headers: { 'content-type': 'text/html' } } },
  { answer: { status: 201, body: { id: 7, email: 'somebody@example.org' } } },
  { answer: { status: 201, body: { id: 7, email: 'somebody@example.org' } }, done: 'now' },
  { answer: { status: 429, headers: { 'retry-after': '0' } } },
  { answer: { status: 429, headers: { 'retry-after': new Date(0).toUTCString() } } },
  { answer: { status: 422, body: json } },
  { answer: { status: 409, body: json }, done: 'now' },
  { answer: { status: 401, body: json } },
];
const patchFaults: readonly Fault[] = [
  { answer: 'reset', done: 'never' },
  { answer: 'reset', done: 'now' },
  { answer: 'cut', done: 'never' },
  { answer: { status: 500 } },
  { answer: { status: 429, headers: { 'retry-after': '0' } } },
  { answer: { status: 422, body: json } },
];
const listFaults: readonly Fault[] = [{ answer: { status: 500 } }, { answer: 'reset' }, { takes: 50 }];

/** How many points of a kind a whole import of 40 rows has; one that resumes a run has few. */
const pointsOf: Record<Point, number> = {
  makeFolder: 1,
  create: 1,
  syncFolder: 7,
  truncate: 1,
  write: 33,
  sync: 32,
  headers: 56,
  sent: 56,
  answer: 56,
  answered: 56,
};
const atOf = (point: Point) =>
  fc.oneof(fc.integer({ min: 1, max: Math.min(6, pointsOf[point]) }), fc.integer({ min: 1, max: pointsOf[point] }));
const often: readonly Point[] = ['write', 'sync', ...wirePoints];

const kills: fc.Arbitrary<Injury> = fc.constantFrom(...journalPoints, ...often, ...often, ...often).chain((point) =>
  fc.record({
    point: fc.constant(point),
    at: atOf(point),
    how: fc.constantFrom<Injury['how'][]>('killed', 'killed', 'power-cut'),
    when: fc.constantFrom<NonNullable<Injury['when']>[]>('before', 'within', 'after'),
    tail: fc.integer({ min: 0, max: 400 }),
  }),
);

const badDisks: fc.Arbitrary<Injury> = fc.oneof(
  fc.record({
    point: fc.constantFrom<Point[]>('create', 'write', 'sync', 'syncFolder'),
    at: fc.integer({ min: 1, max: 30 }),
    on: fc.boolean(),
    how: fc.constant<Injury['how']>('fails'),
    code: fc.constantFrom<NonNullable<Injury['code']>[]>('ENOSPC', 'EIO', 'EDQUOT'),
  }),
  fc.record({
    point: fc.constant<Point>('write'),
    at: fc.integer({ min: 1, max: 30 }),
    on: fc.boolean(),
    how: fc.constantFrom<Injury['how'][]>('short', 'full'),
  }),
);

const actions: fc.Arbitrary<Action> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constant('import' as const), injury: kills }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('import' as const), injury: badDisks }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('import' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('import' as const),
      signal: fc.record({
        name: fc.constantFrom<('SIGINT' | 'SIGTERM' | 'SIGHUP')[]>('SIGINT', 'SIGTERM', 'SIGHUP'),
        after: fc.integer({ min: 120, max: 300 }),
        times: fc.constantFrom<(1 | 2)[]>(1, 2),
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('import twice' as const), staggered: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('add by hand' as const), row: fc.integer({ min: 1, max: 40 }) }) },
);

/** Faults by the how manieth request of its method; the rest goes well. */
const faults = fc
  .record({
    posts: fc.dictionary(fc.integer({ min: 1, max: 90 }).map(String), fc.nat({ max: postFaults.length - 1 }), { maxKeys: 8 }),
    patches: fc.dictionary(fc.integer({ min: 1, max: 40 }).map(String), fc.nat({ max: patchFaults.length - 1 }), { maxKeys: 4 }),
    lists: fc.dictionary(fc.integer({ min: 1, max: 20 }).map(String), fc.nat({ max: listFaults.length - 1 }), { maxKeys: 2 }),
  })
  .map(({ posts, patches, lists }) => ({ method, count }: Arrived): Fault | undefined => {
    if (method === 'POST') return postFaults[posts[count] ?? -1];
    if (method === 'PATCH') return patchFaults[patches[count] ?? -1];
    return listFaults[lists[count] ?? -1];
  });

export type Shape = { actions: [least: number, most: number]; rows: number; faulty: boolean };

/** So many that an import finds a level above the first one. */
const rowsOfDefault = 160;

export function stories({ actions: [least, most], rows, faulty }: Shape): fc.Arbitrary<Story> {
  return fc
    .record({
      rows: fc.constant(rows),
      concurrency: fc.constantFrom(1, 3, 8, 'default' as const),
      actions: fc.array(actions, { minLength: least, maxLength: most }),
      service: fc.constantFrom<ServiceKind[]>('plain', 'paged', 'lags', 'capitals', 'limited', 'cuts'),
      fault: faulty ? faults : fc.constant(() => undefined),
    })
    .map((story) => (story.concurrency === 'default' ? { ...story, rows: rowsOfDefault } : story));
}
