/** Connections for writes: each is used once, and the next one is opened in time. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openTransport, type Transport } from '../../src/api/http.ts';
import type { Host } from '../../src/host/host.ts';

type Seen = { connection: number; method: string; close: boolean };

/** A service that answers each request after some milliseconds, and what it saw. */
async function service(takes = 20) {
  const sockets: Socket[] = [];
  const seen: Seen[] = [];
  const counts = { open: 0, most: 0 };
  const server = createServer((socket) => {
    const connection = sockets.push(socket);
    counts.open += 1;
    counts.most = Math.max(counts.most, counts.open);
    socket
      .on('error', () => {})
      .on('close', () => {
        counts.open -= 1;
      });
    socket.on('data', async (bytes) => {
      const head = bytes.toString();
      seen.push({ connection, method: head.split(' ')[0] ?? '', close: /connection: close/i.test(head) });
      await after(takes);
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = { interrupted: new AbortController().signal, env: {} } as unknown as Host;
  const transport = openTransport({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, host, timeout: 5000 });
  onTestFinished(async () => {
    await transport.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { transport, seen, sockets, counts };
}

async function send({ exchange }: Transport, method: 'GET' | 'POST' = 'POST') {
  const { status, body } = await exchange({ method, path: '/x', headers: {} });
  for await (const _part of body);
  return status;
}

test('Each write has a connection of its own, and says that it closes it; reads keep theirs.', async () => {
  const { transport, seen } = await service();
  for (const method of ['GET', 'POST', 'GET', 'POST', 'GET', 'POST'] as const) expect(await send(transport, method)).toBe(200);
  const writes = seen.filter(({ method }) => method === 'POST');
  expect(new Set(writes.map(({ connection }) => connection)).size).toBe(3);
  expect(writes.every(({ close }) => close)).toBe(true);
  const reads = seen.filter(({ method }) => method === 'GET');
  expect(new Set(reads.map(({ connection }) => connection)).size).toBe(1);
  expect(reads.some(({ close }) => close)).toBe(false);
});

test('Four readers, one request after the other each, take four connections.', async () => {
  const { transport, sockets } = await service(5);
  const reader = async () => {
    for (let read = 0; read < 10; read += 1) await send(transport, 'GET');
  };
  await Promise.all([reader(), reader(), reader(), reader()]);
  expect(sockets).toHaveLength(4);
});

test('A single write opens a single connection; from the second one on, one more is ready for each in flight.', async () => {
  const { transport, sockets, counts } = await service();
  await send(transport);
  expect(sockets).toHaveLength(1);
  for (let write = 2; write <= 6; write += 1) await send(transport);
  expect(sockets).toHaveLength(7);
  await Promise.all(Array.from({ length: 40 }, () => send(transport)));
  expect(counts.most).toBeLessThanOrEqual(80);
  const worker = async () => {
    for (let write = 0; write < 5; write += 1) await send(transport);
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  expect(counts.most).toBeLessThanOrEqual(80);
});

test('A ready connection that the service has closed, or that has waited for two seconds, carries no write.', async () => {
  const { transport, seen, sockets, counts } = await service(1);
  await send(transport);
  await send(transport);
  await after(20);
  expect(sockets).toHaveLength(3);
  sockets[2]?.end();
  await after(20);
  expect(await send(transport)).toBe(200);
  expect(seen.at(-1)?.connection).toBe(4);
  await expect.poll(() => counts.open, { timeout: 4000 }).toBe(0);
  expect(await send(transport)).toBe(200);
  expect(seen).toHaveLength(4);
});
