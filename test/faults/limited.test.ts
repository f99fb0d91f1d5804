/**
 * A service behind a limit without a burst, as nginx has it with `limit_req` alone: every request that comes too soon after the
 * last one that was taken is refused. Each command ends, and after a refusal that request alone comes again.
 */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ungated } from '../commands/embedded.ts';
import type { World } from '../support/run.ts';
import { attempt } from './outcome.ts';
import { answer, faultServer } from './server.ts';

type Seen = { what: string; refused: boolean };

/** The embedded service behind such a limit, by a clock that runs on while the command waits. `rate`: requests a second. */
async function limited(rate: number, retryAfter?: string) {
  const { env } = await ungated().under(undefined);
  const behind = new URL(env.PROCTOR_BASE_URL);
  const seen: Seen[] = [];
  // Another client was served right before.
  let [slept, last] = [0, Date.now()];
  const server = createServer((asked, response) => {
    const now = Date.now() + slept;
    const refused = now - last < 1000 / rate;
    seen.push({ what: `${asked.method} ${asked.url?.replace('/api/v1', '')}`, refused });
    if (refused) {
      asked.resume();
      response.writeHead(429, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end('{"message":"slow down"}');
      return;
    }
    last = now;
    const { method = 'GET', headers, url = '' } = asked;
    const forwarded = request({ host: behind.hostname, port: behind.port, method, path: url, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 500, answered.headers);
      answered.pipe(response);
    });
    asked.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const world: World = {
    env: { PROCTOR_TOKEN: env.PROCTOR_TOKEN },
    clockRuns: true,
    onSleep(milliseconds) {
      slept += milliseconds;
    },
  };
  return { seen, run: (line: string) => attempt(line, origin, world), waited: () => slept };
}

const commands = [
  'exams update 3 --allow-headphones',
  'sessions update 12 --name Ada',
  'sessions delete 12 13 --yes',
  'sessions extend 81 82 83 --by 30m --yes',
  'proctors add 4 --exam 3',
  'students add --exam 3 --email new@example.org --name New',
  'exams status --from 2000-01-01T00:00Z',
  'exams list',
];

describe.each([
  [5, undefined],
  [5, '1'],
  [1, undefined],
])('%i requests a second without a burst, and Retry-After %s', (rate, retryAfter) => {
  test.each(commands)('do not keep "%s" from its end, and no request is made again but the refused one', async (line) => {
    const { seen, run } = await limited(rate, retryAfter);
    const { code, stderr } = await run(line);
    expect(code, stderr).toBe(0);
    const taken = seen.filter(({ refused }) => !refused).map(({ what }) => what);
    expect(seen.length).toBeGreaterThan(taken.length);
    // Without the limit, the same requests are sent.
    const free = await limited(Number.POSITIVE_INFINITY);
    await free.run(line);
    expect(taken.toSorted()).toEqual(free.seen.map(({ what }) => what).toSorted());
  });
});

test('A refused write whose read is more than ten seconds old by then comes after another read.', async () => {
  const shown = { id: 1, allow_headphones: false, allow_whiteboard: true, allow_leave_room: true, allow_pen_paper: true };
  const after = { ...shown, allow_headphones: true };
  const wait = (seconds: string) => answer(429, {}, { 'retry-after': seconds });
  const world = { now: '2026-11-21T09:00:00Z', clockRuns: true } as const;
  const soon = await faultServer([answer(200, shown), wait('9'), answer(200, after), answer(200, after)]);
  expect((await attempt('exams update 1 --allow-headphones', soon.origin, world)).code).toBe(0);
  expect(soon.requests()).toEqual(['GET /exams/1', 'PATCH /exams/1', 'PATCH /exams/1', 'GET /exams/1']);
  // Meanwhile, another client has changed the exam.
  const changed = { ...shown, allow_whiteboard: false };
  const since = { ...changed, allow_headphones: true };
  const late = await faultServer([answer(200, shown), wait('11'), answer(200, changed), answer(200, since), answer(200, since)]);
  expect((await attempt('exams update 1 --allow-headphones', late.origin, world)).code).toBe(0);
  expect(late.requests()).toEqual(['GET /exams/1', 'PATCH /exams/1', 'GET /exams/1', 'PATCH /exams/1', 'GET /exams/1']);
  expect(JSON.parse(late.received[3]?.body ?? '')).toMatchObject({ allow_headphones: true, allow_whiteboard: false });
  // Not again and again.
  const never = await faultServer([answer(200, shown), wait('11'), answer(200, shown), wait('11')]);
  const given = await attempt('exams update 1 --allow-headphones', never.origin, world);
  expect(given.code).toBe(8);
  expect(given.waits.at(-1)).toBeGreaterThan(10_900);
  expect(given.stderr).toContain('was not sent: the service limits requests, and the wait made the read before it more than 10 s old.');
});
