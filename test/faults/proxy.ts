/** A proxy of this machine, and what it could learn. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type Proxy = {
  url: string /** First lines of what was asked for. */;
  asked: string[] /** Everything that came in, as the proxy could read it. */;
  seen(): string;
};

/** A proxy that leads every CONNECT to one port of this machine, or refuses it. */
export async function proxyTo(port: number, refusal?: string): Promise<Proxy> {
  const asked: string[] = [];
  const sockets: Socket[] = [];
  let seen = '';
  const server = createServer((socket) => {
    sockets.push(socket);
    let behind: Socket | undefined;
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      seen += bytes.toString('latin1');
      if (behind) return void behind.write(bytes);
      asked.push(bytes.toString('latin1').split('\r\n')[0] ?? '');
      if (refusal) return void socket.end(`HTTP/1.1 ${refusal}\r\ncontent-length: 0\r\n\r\n`);
      behind = connect(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 Connection established\r\n\r\n'));
      sockets.push(behind);
      behind.on('error', () => {});
      behind.pipe(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, asked, seen: () => seen };
}
