/** On which connection a request goes, and what odd HTTP does: no request is lost to a connection that was closed without a word. */
import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { attempt, attemptWith, failureOf } from './outcome.ts';
import { cutChunked, faultServer, type Reaction, type Received, writesMeet } from './server.ts';

/** The behaviour of a service on a connection after an answer. */
const habits = {
  'closes it at once': (socket: Socket) => void setImmediate(() => socket.destroy()),
  'closes it 20 ms later': (socket: Socket) => void setTimeout(() => socket.destroy(), 20),
  'closes it after 20 answers': (socket: Socket, answers: number) => {
    if (answers === 20) setImmediate(() => socket.destroy());
  },
  'keeps it': () => {},
};

/** Obeys and answers after 5 ms; what then becomes of the connection is never announced. */
function servingWith(habit: (socket: Socket, answers: number) => void) {
  const sessions: { id: number; email: string; status: string }[] = [];
  const answers = new Map<Socket, number>();
  const reply = (socket: Socket, status: number, body: unknown) => {
    const text = JSON.stringify(body);
    const head = `HTTP/1.1 ${status} OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\nkeep-alive: timeout=60\r\n\r\n`;
    answers.set(socket, (answers.get(socket) ?? 0) + 1);
    setTimeout(() => socket.write(head + text, () => habit(socket, answers.get(socket) ?? 0)), 5);
  };
  const react: Reaction = (socket, { method, path, body }: Received) => {
    if (method === 'POST') {
      const session = { id: sessions.length + 1, status: 'registered', ...(JSON.parse(body) as { email: string }) };
      sessions.push(session);
      return reply(socket, 201, session);
    }
    return reply(socket, 200, path.includes('student_sessions') ? sessions : { id: 1 });
  };
  return { sessions, react };
}

/** Waits take their time: the service has a clock of its own. */
const soon = (wait: number) => new Promise<void>((resolve) => void setTimeout(resolve, wait));

const importedRows = 100;
async function importThrough(habit: (socket: Socket, answers: number) => void) {
  const { sessions, react } = servingWith(habit);
  const server = await faultServer(Array.from({ length: 2 * importedRows }, () => react));
  const roster = join(temporaryFolder(), 'roster.csv');
  writeFileSync(roster, `email\n${Array.from({ length: importedRows }, (_, row) => `a${row}@example.org\n`).join('')}`);
  const outcome = await attempt(['sessions', 'import', roster, '--exam', '1', '--yes', '-o', 'json'], server.origin, {
    now: Date.now,
    onSleep: soon,
  });
  const connections = server.received.filter(({ method }) => method === 'POST').map(({ connection }) => connection);
  return { outcome, sessions, connections: new Set(connections).size };
}

test.each(Object.entries(habits))('an import loses no row, whatever the service does to its connections: %s', async (_what, habit) => {
  const { outcome, sessions, connections } = await importThrough(habit);
  expect(outcome).toMatchObject({ code: 0 });
  expect(JSON.parse(outcome.stdout).counts).toMatchObject({ created: importedRows, unknown: 0, absent: 0 });
  expect(sessions).toHaveLength(importedRows);
  expect(connections).toBeGreaterThanOrEqual(importedRows);
});

const json = 'content-type: application/json\r\n';
const body = '{"id":7}';
/** Bytes as they are; the connection stays open. */
const bytes =
  (text: string): Reaction =>
  (socket) =>
    socket.write(text);
const chunked = (rest: string) => bytes(`HTTP/1.1 200 OK\r\n${json}transfer-encoding: chunked\r\n\r\n${rest}`);

describe('odd HTTP', () => {
  test.each<[string, Reaction]>([
    ['trailers', chunked(`8\r\n${body}\r\n0\r\nx-checksum: 1\r\nx-more: 2\r\n\r\n`)],
    ['extensions of chunks', chunked(`8;a=b;c="d"\r\n${body}\r\n0;e\r\n\r\n`)],
    ['chunks of one byte', chunked(`${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`)],
    [
      'informational answers before it',
      bytes(
        `HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(50)}HTTP/1.1 200 OK\r\n${json}content-length: 8\r\n\r\n${body}`,
      ),
    ],
    [
      '100 Continue, asked for by nobody',
      bytes(
        `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n${json}content-length: 8\r\n\r\n${body}`,
      ),
    ],
    ['HTTP/1.0 and the end of the connection', (socket) => socket.end(`HTTP/1.0 200 OK\r\n${json}\r\n${body}`)],
  ])('is understood: %s', async (_what, reaction) => {
    const outcome = await attemptWith(reaction, 'sessions get 7 -o json --timeout 2s');
    expect(outcome).toMatchObject({ code: 0, stdout: '{"id":7}\n' });
  });

  test.each<[string, Reaction]>([
    ['two lengths that differ', bytes(`HTTP/1.1 200 OK\r\n${json}content-length: 8\r\ncontent-length: 9\r\n\r\n${body}x`)],
    [
      'a length and chunks',
      bytes(`HTTP/1.1 200 OK\r\n${json}content-length: 8\r\ntransfer-encoding: chunked\r\n\r\n8\r\n${body}\r\n0\r\n\r\n`),
    ],
    ['no HTTP at all', (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n')],
    ['chunks without an end', (socket, request) => cutChunked(200, ['{"id"'])(socket, request)],
    ['a chunk without a size', chunked(`zz\r\n${body}\r\n0\r\n\r\n`)],
    ['a chunk beyond all sizes', chunked(`ffffffffffffffffff\r\n${body}`)],
    ['a negative length', bytes(`HTTP/1.1 200 OK\r\n${json}content-length: -1\r\n\r\n${body}`)],
    ['another protocol', bytes('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nhello')],
    ['a header of a megabyte', bytes(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(1 << 20)}\r\n\r\n`)],
    ['a status that is none', bytes(`HTTP/1.1 99 What\r\n${json}content-length: 8\r\n\r\n${body}`)],
  ])('that cannot be trusted is a failed read, and a write that is proven not to be there: %s', async (_what, reaction) => {
    const read = await attemptWith(reaction, 'sessions get 7 -o json --timeout 1s');
    expect(read).toMatchObject({ code: 8, stdout: '' });
    failureOf(read);
    const other = await writesMeet(reaction);
    const write = await attempt('sessions create --exam 1 --email a@example.org -o json --timeout 1s', other.origin);
    expect(write).toMatchObject({ code: 8, stdout: '' });
    expect(other.writes()).toHaveLength(1);
    failureOf(write);
  });
});
