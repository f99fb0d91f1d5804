/** Bodies that are compressed, though nothing asked for it, are read within the limit of all answers; what HTTP forbids is told as that, with its header. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { attempt, attemptWith, failureOf } from './outcome.ts';
import { bytes, faultServer, type Reaction, writesMeet } from './server.ts';

const packed = (encoding: string, body: Buffer, status = 200) => bytes(body.toString('latin1'), status, { 'content-encoding': encoding });
const exams = JSON.stringify([{ id: 1, name: 'Algèbre' }]);
const list = 'exams list -o json --timeout 2s';

test.each<[string, Buffer]>([
  ['gzip', gzipSync(exams)],
  ['X-GZIP', gzipSync(exams)],
  ['deflate', deflateSync(exams)],
  ['deflate', deflateRawSync(exams)],
  ['br', brotliCompressSync(exams)],
  ['deflate, gzip', gzipSync(deflateSync(exams))],
  ['identity', Buffer.from(exams)],
])('a body that is compressed as %s is read', async (encoding, body) => {
  expect(await attemptWith(packed(encoding, body), list)).toMatchObject({ code: 0, stdout: `${exams}\n`, stderr: '' });
});

const bomb = gzipSync(Buffer.alloc(65_000_000, ' '));

describe('a body that cannot be unpacked', () => {
  test.each<[string, string, Buffer]>([
    ['compressed as zstd, which nothing asked for', 'zstd', Buffer.from('x')],
    ['not compressed as it says, which is gzip', 'gzip', Buffer.from(exams)],
    ['not compressed as it says, which is br', 'br', gzipSync(exams)],
    ['not compressed as it says, which is gzip', 'gzip', gzipSync(exams).subarray(0, 20)],
    ['more than 64 MB of text, compressed as gzip', 'gzip', bomb],
  ])('is %s (%s)', async (words, encoding, body) => {
    const outcome = await attemptWith(packed(encoding, body), list);
    expect([outcome.code, outcome.stdout, outcome.server.requests().length]).toEqual([8, '', 1]);
    expect(failureOf(outcome)).toMatchObject({ code: 'bad_answer', message: expect.stringContaining(words) });
  });

  test('is one that is packed again and again, each time to as much as is allowed', async () => {
    const { code, stderr } = await attemptWith(packed(Array(60).fill('gzip').join(', '), gzipSync('{}')), 'exams get 1');
    expect([code, stderr]).toEqual([8, expect.stringContaining('text that is compressed 60 times')]);
  });

  test('keeps the status of a refusal, and leaves the outcome of a write to a read', async () => {
    const refused = await attemptWith(packed('gzip', gzipSync('{"message":"taken"}'), 422), 'exams get 1 -o json');
    expect(failureOf(refused)).toMatchObject({ status: 422, message: expect.stringContaining('taken') });
    const cut = await attemptWith(packed('gzip', gzipSync('The name is taken').subarray(0, -6), 422), 'exams get 1 -o json');
    expect(failureOf(cut)).toMatchObject({ status: 422, message: expect.stringContaining('The name is taken') });
    const server = await writesMeet(packed('zstd', Buffer.from('{}')));
    expect(await attempt('sessions create --exam 1 --email a@example.org -o json', server.origin)).toMatchObject({ code: 8, stdout: '' });
    expect(server.writes()).toHaveLength(1);
  });
});

const written =
  (text: string): Reaction =>
  (socket) =>
    socket.write(Buffer.from(text, 'latin1'));
const withHeader = (lines: string) => written(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${lines}\r\n\r\n[]`);

test.each<[string, string, Reaction]>([
  ['a space before a colon', 'its header X-Office is refused', withHeader('content-length: 2\r\nX-Office : a')],
  ['two lengths', 'its header Content-Length is refused', withHeader('content-length: 2\r\nContent-Length: 2')],
  ['a length and chunks', 'its header Transfer-Encoding is refused', withHeader('content-length: 2\r\nTransfer-Encoding: chunked')],
  ['a length that is none', 'its header content-length is refused', withHeader('content-length: two')],
  ['a control character', 'its header X-Note is refused', withHeader('X-Note: a\u0001b\r\ncontent-length: 2')],
  ['a folded header', 'its header X-Note is refused', withHeader('X-Note: a\r\n b\r\ncontent-length: 2')],
  ['a header without a colon', 'its header hello is refused', withHeader('hello\r\ncontent-length: 2')],
  ['no HTTP', 'it is refused', written('SSH-2.0-OpenSSH_9.9\r\n')],
  ['a chunk without a size', 'it is refused', withHeader('transfer-encoding: chunked\r\n\r\n4;zz\r\nab')],
])('what HTTP forbids is said as that, once, and blames no proxy: %s', async (_what, words, reaction) => {
  const outcome = await attemptWith(reaction, list);
  expect([outcome.code, outcome.server.requests().length]).toEqual([8, 1]);
  const { message, hint } = failureOf(outcome);
  expect(message).toContain(`the answer is not valid HTTP: ${words}`);
  expect(message + hint).not.toMatch(/HTTPS_PROXY|broke/);
});

test('nor does it repeat the end of a line that came in two parts, which may be that of a secret', async () => {
  const inTwo: Reaction = (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nX-Note: a\r\nX-sw0rd');
    setTimeout(() => socket.write('f1sh\u0001: b\r\n\r\n'), 50);
  };
  const { message } = failureOf(await attemptWith(inTwo, list));
  expect(message).toContain('the answer is not valid HTTP: it is refused (');
});

test('headers that are too long are said to be that, once, and blame no proxy', async () => {
  const outcome = await attemptWith(withHeader(`content-length: 2\r\nX-Note: ${'a'.repeat(40_000)}`), list);
  const { message, hint } = failureOf(outcome);
  expect([outcome.server.requests().length, message]).toEqual([1, expect.stringContaining('headers of the answer are larger')]);
  expect(outcome.code).toBe(8);
  expect(message + hint).not.toMatch(/HTTPS_PROXY|broke/);
});

test('100 Continue before the answer to a write is no answer', async () => {
  const created = JSON.stringify({ id: 8, exam_id: 1, email: 'a@example.org', status: 'registered' });
  const head = `content-type: application/json\r\ncontent-length: ${created.length}\r\n\r\n${created}`;
  const server = await writesMeet(written(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n${head}`));
  const outcome = await attempt('api POST /exams/1/grade -o json', server.origin);
  expect(outcome).toMatchObject({ code: 0, stdout: `${created}\n` });
  expect(server.writes()).toHaveLength(1);
});

test('a 403 with Retry-After is a limit: the read waits as long, and is told so in the end', async () => {
  const limited = bytes('{"message":"slow down"}', 403, { 'retry-after': '7' });
  const server = await faultServer([limited, bytes('[]')]);
  const passed = await attempt(list, server.origin);
  expect([passed.code, passed.waits.map((wait) => Math.round(wait / 100))]).toEqual([0, [70]]);
  const lasting = await attemptWith(limited, list);
  expect(failureOf(lasting)).toMatchObject({ code: 'rate_limited', status: 403, hint: expect.stringContaining('(7 s)') });
});
