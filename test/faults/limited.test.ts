/**
 * A service behind a limit without a burst, as nginx has it with `limit_req` alone: every request that comes too soon after the
 * last one that was taken is refused. Each command ends, and after a refusal that request alone comes again.
 */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ungated } from '../commands/embedded.ts';
import { held } from '../support/algebra.ts';
import type { World } from '../support/run.ts';
import { refused } from '../support/service.ts';
import { attempt } from './outcome.ts';

type Seen = { what: string; refused: boolean };

/** The embedded service behind such a limit, by a clock that runs on while the command waits. `rate`: requests a second. */
async function limited(rate: number, retryAfter?: string) {
  const { env } = await ungated().under([]);
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
    const accepted = seen.filter(({ refused }) => !refused);
    expect(seen.length).toBeGreaterThan(accepted.length);
    // Without the limit, the same requests are sent.
    const free = await limited(Number.POSITIVE_INFINITY);
    await free.run(line);
    // Which lists are asked for a second page depends on which came first.
    const firstPages = (requests: typeof seen) => requests.flatMap(({ what }) => (what.includes('page=2') ? [] : [what])).toSorted();
    expect(firstPages(accepted)).toEqual(firstPages(free.seen));
  });
});

describe('A refused write', () => {
  const world = { now: '2026-11-21T09:00:00Z' } as const;
  const wait = (seconds: string) => refused(429, {}, { 'retry-after': seconds });
  const line = 'exams update 1 --allow-headphones';
  const [get, patch] = ['GET /exams/1', 'PATCH /exams/1'];

  test('comes again alone while its read is younger than ten seconds.', async () => {
    const service = held();
    service.next('write', wait('9'));
    expect((await service.run(line, world)).code).toBe(0);
    expect(service.requests()).toEqual([get, patch, patch, get]);
  });

  test('whose read is older by then comes after another read, and not if somebody has changed what it relies on.', async () => {
    const service = held();
    service.next('write', wait('11'));
    expect((await service.run(line, world)).code).toBe(0);
    expect(service.requests()).toEqual([get, patch, get, patch, get]);
    const changed = held();
    changed.next('write', wait('11'));
    changed.onAnswer = ({ method }) => {
      if (method === 'PATCH') changed.change('exam', 1, { allow_whiteboard: false });
    };
    const outcome = await changed.run(line, world);
    expect([outcome.code, changed.requests()]).toEqual([11, [get, patch, get]]);
    expect(outcome.stderr).toContain('allow_whiteboard is now false');
  });

  test('is given up after ten tries.', async () => {
    const service = held();
    service.next('write', ...Array.from({ length: 20 }, () => wait('1')));
    expect((await service.run(line, world)).code).toBe(8);
    expect(service.writes().length).toBeLessThanOrEqual(11);
  });
});
