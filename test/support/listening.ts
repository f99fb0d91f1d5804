/** Servers of the tests that are no service: proxies, and what speaks another protocol. */
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** The port at which a server listens until the end of the test, with all of its connections. */
export async function listening(server: Server, port = 0, address = '127.0.0.1'): Promise<number> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => void sockets.push(socket.on('error', () => {})));
  server.listen(port, address);
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}
