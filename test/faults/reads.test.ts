/** Reads are repeated as far as that helps, wait as the service asks, and never print half an answer as if it were whole. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { serviceWithExam } from '../support/algebra.ts';
import { type Answer, lostBefore, type Reply, refused, reply, type Service, silent } from '../support/service.ts';
import { attempt, attemptWith, failureOf } from './outcome.ts';
import { answer, closedPort, faultServer, hangUp } from './server.ts';

const exams = [{ id: 1 }, { id: 2 }];
const get = 'exams get 1 -o json';
const list = 'exams list -o json';
const html = reply(200, '<!doctype html><html><head><title>Maintenance</title></head><body>secret</body></html>');
const cut: Reply = { answer: 'cut' };
const deep = (levels: number, inside = '1') => '{"a":'.repeat(levels) + inside + '}'.repeat(levels);
const tooDeep = 'nested more than 100 levels deep';

/** A service of two exams, whose next reads become this. */
function reading(...replies: (Reply | Answer)[]): Service {
  const service = serviceWithExam({ exams });
  service.next('GET', ...replies.map((reply) => ('status' in reply ? { answer: reply } : reply)));
  return service;
}

const passing: [string, Reply][] = [
  ['a lost answer', lostBefore],
  ['an answer that is cut short', cut],
  ['a 500', refused(500, { message: 'oops' })],
  ['a 502 with a page', refused(502, html.body)],
  ['a 503', refused(503)],
  ['a 504', refused(504)],
  ['a 408', refused(408)],
  ['a 500 that is cut short', { answer: { ...reply(500, { message: 'oops' }), isCut: true } }],
];

describe('a read is sent again', () => {
  test.each(passing)('after %s, but never more than twice', async (_what, reply) => {
    const passed = reading(reply, reply);
    const { code, stdout, waits } = await passed.run(list);
    expect([code, JSON.parse(stdout), waits.length]).toEqual([0, exams, 2]);
    expect(passed.requests()).toEqual(['GET /exams', 'GET /exams', 'GET /exams']);
    const lasting = reading(reply, reply, reply);
    const outcome = await lasting.run(list);
    expect([outcome.code, outcome.stdout, outcome.waits.length, lasting.requests().length]).toEqual([8, '', 2, 3]);
    failureOf(outcome);
  });

  test('after a connection that was closed in good order', async () => {
    const server = await faultServer([hangUp, answer(200, exams)]);
    expect(await attempt(list, server.origin)).toMatchObject({ code: 0 });
    expect(server.received).toHaveLength(2);
  });

  test('after a 429, ten times in a row, with longer and longer waits', async () => {
    const limited = Array(11).fill(refused(429));
    expect(await reading(...limited.slice(1)).run(list)).toMatchObject({ code: 0 });
    const outcome = await reading(...limited).run(list);
    expect(failureOf(outcome)).toMatchObject({ code: 'rate_limited', status: 429 });
    expect(outcome.waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 120_000]);
  });

  test('after a refused connection, until the port has a listener', async () => {
    const port = await closedPort();
    const started: Awaited<ReturnType<typeof faultServer>>[] = [];
    const { code } = await attempt(list, `http://127.0.0.1:${port}`, {
      async onSleep() {
        if (started.length === 0) started.push(await faultServer([answer(200, exams)], { port }));
      },
    });
    expect([code, started[0]?.requests()]).toEqual([0, ['GET /exams']]);
  });

  test('with a word about it for a person, and none with --quiet', async () => {
    expect((await reading(refused(503)).run('exams list')).stderr).toContain('Retrying in 0.');
    expect((await reading(refused(503)).run('exams list --quiet')).stderr).toBe('');
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
    const service = reading(refused(status, { message: 'No.' }));
    const outcome = await service.run(get);
    expect([outcome.code, outcome.stdout, service.requests().length]).toEqual([exit, '', 1]);
    expect(failureOf(outcome)).toMatchObject({ status, message: expect.stringContaining('No.') });
  });

  test.each<[what: string, given: Answer, words?: string]>([
    ['a page', html, 'HTML instead of JSON'],
    ['a page under a false type', { ...html, headers: { 'content-type': 'application/json' } }],
    ['JSON that is cut short', reply(200, '[{"id":1},{"id"')],
    ['JSON with something behind it', reply(200, '[{"id":1}] oops')],
    ['an empty body', reply(200)],
    ['another shape', reply(200, { message: 'hello' })],
    ['a single value', reply(200, '"hello"')],
    ['items of another shape', reply(200, ['x', 1])],
    ['an item whose ID is of another type', reply(200, [{ id: 1 }, { id: { of: 2 } }])],
    ['text that is not UTF-8', reply(200, Buffer.from('["\xff"]', 'latin1'))],
    ['an item that is too deep', reply(200, `[{"id":1,"a":${deep(5000)}}]`), tooDeep],
    ['lists that are too deep', reply(200, `[{"id":1,"a":${'['.repeat(5000)}${']'.repeat(5000)}}]`), tooDeep],
    ['such a list in its field', reply(200, `{"exams":[{"id":1,"a":${deep(5000)}}]}`), tooDeep],
    ['one beside it', reply(200, `{"meta":${deep(5000)},"exams":[]}`), tooDeep],
    ['more values than any list has', reply(200, `[${'[],'.repeat(5_000_000)}0]`), 'more than 5 million values'],
    // A long number takes another way.
    ['one with a long number', reply(200, `[{"id":12345678901234567890,"a":${deep(100_000)}}]`), tooDeep],
  ])('if its answer is damaged, too deep or of another shape, and nothing is printed: %s', async (_what, given, words = '') => {
    const service = reading(given);
    const outcome = await service.run(list);
    expect([outcome.code, outcome.stdout, service.requests().length]).toEqual([8, '', 1]);
    expect(failureOf(outcome)).toMatchObject({ code: 'bad_answer', status: 200, message: expect.stringContaining(words) });
    expect(outcome.stderr).not.toMatch(/Maintenance|secret/);
  });

  test('after bytes, and the message says so; a refusal keeps its status', async () => {
    for (const [status, exit] of [
      [200, 8],
      [422, 7],
    ] as const) {
      for (const line of [list, get]) {
        const service = reading(reply(status, gzipSync('{"message":"taken"}')));
        const outcome = await service.run(line);
        expect([outcome.code, service.requests().length]).toEqual([exit, 1]);
        expect(failureOf(outcome).message).toContain('text that is not UTF-8');
        expect(failureOf(outcome).message).not.toMatch(/cut short|taken|\p{Cc}|\ufffd/u);
      }
    }
  });

  test.each<[string, Answer]>([
    ['a list', reply(200, [1])],
    ['nothing', reply(200)],
    ['no content', reply(204)],
    ['null', reply(200, 'null')],
    ['too deep', reply(200, deep(101, '{"id":1}').replace('{"a"', '{"id":1,"a"'))],
    ['one whose ID is of another type', reply(200, { id: [1], start_time: null })],
  ])('nor one resource that turns out to be %s', async (_what, given) => {
    const service = reading(given);
    const outcome = await service.run(get);
    expect([outcome.code, failureOf(outcome).code, service.requests().length]).toEqual([8, 'bad_answer', 1]);
  });
});

test.each([
  [0, [125, 250]],
  [0.5, [250, 500]],
  [1, [375, 750]],
])('the wait between tries is drawn from around a quarter of a second, which doubles: %d', async (random, waits) => {
  expect((await reading(lostBefore, lostBefore).run(list, { random })).waits).toEqual(waits);
});

test.each(['exams list -o json', 'exams list -o ndjson', get])('Ctrl-C ends a read and the wait for the next try: %s', async (line) => {
  for (const [reply, when] of [
    [silent, 'onArrival'],
    [refused(503), 'onSleep'],
  ] as const) {
    const stop = new AbortController();
    const end = () => stop.abort(new CliError('interrupted', 'Stopped by Ctrl-C.'));
    const service = serviceWithExam();
    service.always('GET', reply);
    if (when === 'onArrival') service.onArrival = end;
    const outcome = await service.run(line, { interrupt: stop.signal, ...(when === 'onSleep' ? { onSleep: end } : {}) });
    expect([outcome.code, outcome.stdout, service.requests().length]).toEqual([130, '', 1]);
    expect(failureOf(outcome).message).not.toContain('happened');
  }
});

describe('a list that fails on its second page', () => {
  const first = reply(200, exams, { link: '</api/v1/exams?page=2>; rel="next"' });
  const thrice = (reply: Reply) => [reply, reply, reply];

  test.each<[string, Reply[], number]>([
    ['a 500', thrice(refused(500)), 8],
    ['a lost answer', thrice(lostBefore), 8],
    ['a 404', [refused(404)], 6],
    ['a page', [{ answer: html }], 8],
    ['JSON that is cut short', [refused(200, '[{"id":3},')], 8],
    ['an answer that is cut short', thrice(cut), 8],
  ])('with %s fails: as JSON and IDs nothing is printed, in lines those of the first', async (_what, replies, exit) => {
    for (const [format, printed] of [
      ['json', ''],
      ['ndjson', '{"id":1}\n{"id":2}\n'],
      ['csv', 'id\r\n1\r\n2\r\n'],
      ['id', ''],
    ]) {
      const service = reading(first, ...replies);
      const outcome = await service.run(`exams list -o ${format} --columns id`);
      expect([outcome.code, outcome.stdout, service.requests().length]).toEqual([exit, printed, 1 + replies.length]);
      if (format?.endsWith('json')) failureOf(outcome);
    }
  });
});

test('a list that is printed through head ends quietly', async () => {
  const many = reply(
    200,
    Array.from({ length: 5000 }, (_, id) => ({ id })),
  );
  expect(await reading(many).run('exams list -o ndjson', { closeStdoutAfter: 100 })).toMatchObject({ code: 0, stderr: '' });
});

test.each(['json', 'csv', 'table'])('an answer of 100 levels is shown, as %s', async (format) => {
  expect((await reading(reply(200, `{"id":1,"a":${deep(99)}}`)).run(`exams get 1 -o ${format}`)).code).toBe(0);
});

test('an answer of more than 64 MB is refused, without a second try', async () => {
  for (const line of [list, get]) {
    const outcome = await attemptWith(answer(200, 'x'.repeat(64_000_001)), line);
    expect(outcome).toMatchObject({ code: 8, stdout: '', waits: [] });
    expect(failureOf(outcome)).toMatchObject({
      message: expect.stringContaining('the answer is larger than 64 MB'),
      hint: expect.stringContaining('config set dialect.listQuery per_page=1000'),
    });
  }
});

test.each(['json', 'ndjson', 'csv'])('numbers keep every digit as %s', async (format) => {
  const numbers = ['1e400', '-1e400', '1e-400', '12345678901234567.25', '0.1234567890123456789', '12345678901234567890', '1.5', '0.1'];
  const body = `[${numbers.map((number, id) => `{"id":${id},"extra":${number}}`).join(',')}]`;
  const { code, stdout } = await reading(reply(200, body)).run(`exams list -o ${format} --columns extra`);
  expect(code).toBe(0);
  for (const number of numbers) expect(stdout.split(/[\s,"{}[\]]+|extra|:/)).toContain(number);
});
