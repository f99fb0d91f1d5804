/** Reads are repeated as far as that helps, wait as the service asks, and never print half an answer as if it were whole. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { timeLimit } from '../support/time-limit.ts';
import { attempt, failureOf } from './outcome.ts';
import {
  also,
  answer,
  bytes,
  closedPort,
  cutByLength,
  cutChunked,
  drip,
  faultServer,
  hangUp,
  late,
  type Reaction,
  raw,
  reset,
  silence,
  thenClose,
} from './server.ts';

const exams = [{ id: 1 }, { id: 2 }];
const whole = answer(200, exams);
const get = 'exams get 1 -o json';
const list = 'exams list -o json';
const page = '<!doctype html><html><head><title>Maintenance</title></head><body>secret</body></html>';

const passing: [string, Reaction, string?][] = [
  ['a reset before the answer', reset],
  ['a closed connection', hangUp],
  ['an answer that is cut short', cutByLength(200, exams, 5)],
  ['an answer that is cut short in the middle of the second item', cutByLength(200, exams, 15)],
  ['a chunked answer that is cut short', cutChunked(200, ['[{"id":1},', '{"id"'])],
  ['no HTTP at all', raw('SSH-2.0-OpenSSH_9.9\r\n')],
  ['a 500', answer(500, { message: 'oops' })],
  ['a 502 with a page', answer(502, page, { 'content-type': 'text/html' })],
  ['a 503', answer(503)],
  ['a 504', answer(504)],
  ['a 408', answer(408)],
  ['a 500 that is cut short', cutByLength(500, { message: 'oops' }, 4)],
];

describe('a read is sent again', () => {
  test.each(passing)('after %s', async (_what, reaction) => {
    const server = await faultServer([reaction, reaction, whole]);
    const { code, stdout, waits } = await attempt(list, server.origin);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(exams);
    expect(server.requests()).toEqual(['GET /exams', 'GET /exams', 'GET /exams']);
    expect(waits).toHaveLength(2);
  });

  test.each(passing)('but never more than twice: %s', async (_what, reaction) => {
    const server = await faultServer([reaction, reaction, reaction, whole]);
    const outcome = await attempt(list, server.origin);
    expect(outcome.code).toBe(8);
    expect(outcome.stdout).toBe('');
    expect(server.received).toHaveLength(3);
    expect(outcome.waits).toHaveLength(2);
    failureOf(outcome);
  });

  test('after a 429, ten times in a row, with longer and longer waits', async () => {
    const limited = Array(11).fill(answer(429));
    expect(await attempt(list, (await faultServer([...limited.slice(1), whole])).origin, { now: '2026-11-21T09:00:00Z' })).toMatchObject({
      code: 0,
    });
    const outcome = await attempt(list, (await faultServer([...limited, whole])).origin, { now: '2026-11-21T09:00:00Z' });
    expect(failureOf(outcome)).toMatchObject({ code: 'rate_limited', status: 429 });
    expect(outcome.waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 120_000]);
  });

  test('after silence, within the time given', async () => {
    const { option, end } = timeLimit();
    const server = await faultServer([also(end, silence), also(end, silence), whole]);
    const { code, stdout } = await attempt(`${list} ${option}`, server.origin);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(exams);
    expect(server.received).toHaveLength(3);
  });

  test('and the failure names the time given', async () => {
    const { option, end } = timeLimit();
    const silent = also(end, silence);
    const server = await faultServer([silent, silent, silent]);
    const outcome = await attempt(`${get} ${option}`, server.origin);
    expect(outcome.code).toBe(8);
    expect(failureOf(outcome)).toMatchObject({ code: 'timeout', message: expect.stringContaining('no answer within 20 s') });
    expect(server.received).toHaveLength(3);
  });

  test('after a refused connection, until the port has a listener', async () => {
    const port = await closedPort();
    const started: Awaited<ReturnType<typeof faultServer>>[] = [];
    const { code } = await attempt(list, `http://127.0.0.1:${port}`, {
      async onSleep() {
        if (started.length === 0) started.push(await faultServer([whole], { port }));
      },
    });
    expect(code).toBe(0);
    expect(started[0]?.requests()).toEqual(['GET /exams']);
  });

  test('with a word about it for a person, and none with --quiet', async () => {
    const loud = await attempt('exams list', (await faultServer([answer(503), whole])).origin);
    expect(loud.stderr).toContain('Retrying in 0.');
    const quiet = await attempt('exams list --quiet', (await faultServer([answer(503), whole])).origin);
    expect(quiet.stderr).toBe('');
  });
});

describe('a read is not sent again', () => {
  test.each([
    [400, 7],
    [401, 4],
    [403, 4],
    [404, 6],
    [409, 7],
    [422, 7],
  ])('after %i, which ends with status %i', async (status, exit) => {
    const server = await faultServer([answer(status, { message: 'No.' })]);
    const outcome = await attempt(get, server.origin);
    expect(outcome.code).toBe(exit);
    expect(outcome.stdout).toBe('');
    expect(failureOf(outcome)).toMatchObject({ status, message: expect.stringContaining('No.') });
    expect(server.received).toHaveLength(1);
  });

  test.each<[string, Reaction]>([
    ['a page', answer(200, page, { 'content-type': 'text/html' })],
    ['a page under a false type', answer(200, page)],
    ['JSON that is cut short', answer(200, '[{"id":1},{"id"')],
    ['JSON with something behind it', answer(200, '[{"id":1}] oops')],
    ['an empty body', answer(200)],
    ['another shape', answer(200, { message: 'hello' })],
    ['a single value', answer(200, '"hello"')],
    ['items of another shape', answer(200, ['x', 1])],
    ['an item whose ID is of another type', answer(200, [{ id: 1 }, { id: { of: 2 } }])],
    ['text that is not UTF-8', bytes('["\xff"]')],
  ])('after a success that carries %s: it fails, and nothing is printed', async (_what, reaction) => {
    const server = await faultServer([reaction]);
    const outcome = await attempt(list, server.origin);
    expect(outcome.code).toBe(8);
    expect(outcome.stdout).toBe('');
    expect(failureOf(outcome)).toMatchObject({ code: 'bad_answer', status: 200 });
    expect(server.received).toHaveLength(1);
  });

  test.each([
    ['a compressed body', answer(200, '\x1f\x8b', { 'content-encoding': 'gzip' }), 'a compressed body (Content-Encoding: gzip)'],
    ['bytes', bytes('\x1f\x8b\x08\x00'), 'text that is not UTF-8'],
  ] as const)('after a success that carries %s, and the message says so', async (_what, reaction, said) => {
    for (const line of [list, get]) {
      const server = await faultServer([reaction]);
      const outcome = await attempt(line, server.origin);
      expect(outcome.code).toBe(8);
      expect(failureOf(outcome).message).toContain(said);
      expect(failureOf(outcome).message).not.toContain('cut short');
      expect(server.received).toHaveLength(1);
    }
  });

  test('a refusal in a compressed body, or in bytes, keeps its status, and no byte is shown', async () => {
    const packed = gzipSync('{"message":"taken"}').toString('latin1');
    const refused = (headers: Record<string, string>) => bytes(packed, 422, headers);
    for (const [headers, said] of [
      [{ 'content-encoding': 'gzip' }, 'its answer is a compressed body (Content-Encoding: gzip), although none was requested.'],
      [{}, 'its answer is text that is not UTF-8.'],
    ] as const) {
      const outcome = await attempt(get, (await faultServer([refused(headers)])).origin);
      expect(outcome.code).toBe(7);
      expect(failureOf(outcome).message).toMatch(new RegExp(`\\(422\\): ${said.replace(/[().]/g, '\\$&')}$`));
    }
  });

  test('an answer that says that it is not encoded is read', async () => {
    const server = await faultServer([answer(200, [{ id: 1 }], { 'content-encoding': 'identity' })]);
    expect((await attempt(list, server.origin)).code).toBe(0);
  });

  test('of a page the title is told, and no more', async () => {
    const { stderr } = await attempt('exams list', (await faultServer([answer(200, page, { 'content-type': 'text/html' })])).origin);
    expect(stderr).toContain('a page titled "Maintenance"');
    expect(stderr).not.toContain('secret');
  });

  test.each<[string, Reaction]>([
    ['a list', answer(200, [1])],
    ['nothing', answer(200)],
    ['no content', answer(204, undefined)],
    ['null', answer(200, 'null')],
    ['one whose ID is of another type', answer(200, { id: [1], start_time: null })],
  ])('nor one resource that turns out to be %s', async (_what, reaction) => {
    const server = await faultServer([reaction]);
    const outcome = await attempt(get, server.origin);
    expect(outcome.code).toBe(8);
    expect(failureOf(outcome).code).toBe('bad_answer');
    expect(server.received).toHaveLength(1);
  });
});

describe('the wait between tries', () => {
  const waitsOf = async (reaction: Reaction, world: Parameters<typeof attempt>[2] = {}) =>
    (await attempt(list, (await faultServer([reaction, reaction, whole])).origin, world)).waits;

  test('is drawn from around a quarter of a second, which doubles', async () => {
    expect(await waitsOf(reset, { random: 0 })).toEqual([125, 250]);
    expect(await waitsOf(reset, { random: 0.5 })).toEqual([250, 500]);
    expect(await waitsOf(reset, { random: 1 })).toEqual([375, 750]);
  });

  const now = '2026-11-21T09:00:00Z';
  test.each([
    ['7', 7000],
    [' 7 ', 7000],
    ['Sat, 21 Nov 2026 09:00:12 GMT', 12_000],
    ['1.5', 1500],
    ['120', 120_000],
    ['121', 120_000],
    ['86400', 120_000],
    ['9'.repeat(400), 120_000],
    ['Sun, 22 Nov 2026 09:00:00 GMT', 120_000],
  ])('is what Retry-After asks for, up to two minutes: %s', async (value, milliseconds) => {
    for (const status of [429, 503]) {
      expect(await waitsOf(answer(status, undefined, { 'retry-after': value }), { now })).toEqual([milliseconds, milliseconds]);
    }
  });

  test.each(['', '0', '-5', 'soon', '1e3', 'Sat, 21 Nov 2026 08:00:00 GMT'])('is its own where Retry-After is %j', async (value) => {
    expect(await waitsOf(answer(503, undefined, { 'retry-after': value }), { now, random: 0.5 })).toEqual([250, 500]);
  });

  test('is told to the person in the end', async () => {
    const limited = answer(429, undefined, { 'retry-after': '7' });
    const outcome = await attempt(list, (await faultServer(Array(11).fill(limited))).origin);
    expect(failureOf(outcome)).toMatchObject({ code: 'rate_limited', status: 429, hint: expect.stringContaining('Retry-After: 7') });
  });
});

describe('a list that fails on its second page', () => {
  const first = answer(200, [{ id: 1 }, { id: 2 }], { link: '</api/v1/exams?page=2>; rel="next"' });
  const again = (reaction: Reaction) => [first, reaction, reaction, reaction];

  test.each<[string, Reaction[], number]>([
    ['a 500', again(answer(500)), 8],
    ['a reset', again(reset), 8],
    ['a 404', [first, answer(404)], 6],
    ['a page', [first, answer(200, page, { 'content-type': 'text/html' })], 8],
    ['JSON that is cut short', [first, answer(200, '[{"id":3},')], 8],
    ['an answer that is cut short', again(cutByLength(200, [{ id: 3 }], 3)), 8],
  ])('with %s fails: with json nothing is printed', async (_what, reactions, exit) => {
    const server = await faultServer(reactions);
    const outcome = await attempt(list, server.origin);
    expect(outcome.code).toBe(exit);
    expect(outcome.stdout).toBe('');
    expect(server.received).toHaveLength(reactions.length);
    failureOf(outcome);
  });

  test.each<[string, Reaction[]]>([
    ['a 500', again(answer(500))],
    ['a reset', again(reset)],
    ['JSON that is cut short', [first, answer(200, '[')]],
  ])('with %s fails: with ndjson after the rows of the first', async (_what, reactions) => {
    const outcome = await attempt('exams list -o ndjson', (await faultServer(reactions)).origin);
    expect(outcome.code).toBe(8);
    expect(outcome.stdout).toBe('{"id":1}\n{"id":2}\n');
    failureOf(outcome);
  });

  test.each(['csv', 'id'])('with %s, too, it does not appear complete', async (format) => {
    const outcome = await attempt(`exams list -o ${format}`, (await faultServer(again(answer(500)))).origin);
    expect(outcome.code).toBe(8);
  });
});

describe('a list that is printed while it arrives', () => {
  test('and breaks off is read again, and printed once', async () => {
    const server = await faultServer([cutChunked(200, ['[{"id":1},', '{"id":2},{"i']), answer(200, [{ id: 1 }, { id: 2 }])]);
    expect(await attempt('exams list -o ndjson', server.origin)).toMatchObject({ code: 0, stdout: '{"id":1}\n{"id":2}\n' });
  });

  test('and breaks off before its first item fails in the same words as any other', async () => {
    const outcome = await attempt(
      'exams list -o ndjson',
      (await faultServer([cutChunked(200, ['[{"id":']), cutChunked(200, ['[']), cutChunked(200, ['['])])).origin,
    );
    expect(outcome.code).toBe(8);
    expect(outcome.stdout).toBe('');
    expect(failureOf(outcome).code).toBe('network');
  });

  test('slowly, but in time, is whole', async () => {
    const server = await faultServer([drip(200, ['[', '{"id":1}', ',{"na', 'me":"\\u00', 'fc","id":2', '}', ']'], 10)]);
    const { code, stdout } = await attempt('exams list -o ndjson', server.origin);
    expect(code).toBe(0);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([{ id: 1 }, { name: 'ü', id: 2 }]);
  });

  test('through head ends quietly', async () => {
    const server = await faultServer([
      answer(
        200,
        Array.from({ length: 5000 }, (_, id) => ({ id })),
      ),
    ]);
    const { code, stderr } = await attempt('exams list -o ndjson', server.origin, { closeStdoutAfter: 100 });
    expect([code, stderr]).toEqual([0, '']);
  });
});

describe('an unreachable service', () => {
  test('a refused connection is told with the address', async () => {
    const port = await closedPort();
    const outcome = await attempt(get, `http://127.0.0.1:${port}`);
    expect(outcome.code).toBe(8);
    expect(outcome.waits).toHaveLength(2);
    expect(failureOf(outcome)).toMatchObject({
      code: 'network',
      message: `Could not show exam 1 at http://127.0.0.1:${port}: the connection was refused.`,
    });
  });

  test('an answer that comes too late is no answer', async () => {
    const { option, end } = timeLimit();
    const slow = also(end, late(20, whole));
    const server = await faultServer([slow, slow, slow]);
    const outcome = await attempt(`${list} ${option}`, server.origin);
    expect(outcome.code).toBe(8);
    expect(outcome.stdout).toBe('');
    expect(server.received).toHaveLength(3);
  });
});

test('a connection that the server closes after each answer does no harm', async () => {
  const first = answer(200, [{ id: 1 }], { link: '</api/v1/exams?page=2>; rel="next"' });
  const server = await faultServer([thenClose(first), thenClose(answer(200, [{ id: 2 }]))]);
  const { code, stdout } = await attempt(list, server.origin);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual([{ id: 1 }, { id: 2 }]);
});
