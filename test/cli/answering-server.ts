/** A service on loopback that answers every request with the status that its first path segment names. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

/** The address to give as the base URL so that every answer has this status. */
export function answeringServer(): (status: number) => string {
  const server = createServer((request, response) => {
    const [, status] = (request.url ?? '').split('/');
    response.writeHead(Number(status), { 'content-type': 'application/json', location: 'https://elsewhere.example/?session=secret' });
    response.end(JSON.stringify({ message: 'the words of the service' }));
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return (status) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${status}/api/v1`;
}
