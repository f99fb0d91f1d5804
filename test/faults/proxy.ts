/** A proxy of this machine, and what it could learn. */
import { connect, createServer, type Socket } from 'node:net';
import { listening } from '../support/listening.ts';

export type Proxy = {
  url: string /** First lines of what was asked for. */;
  asked: string[] /** Everything that came in, as the proxy could read it. */;
  seen(): string;
};

/** A proxy that leads every CONNECT to one port of this machine, or refuses it. */
export async function proxyTo(port: number, refusal?: string): Promise<Proxy> {
  const asked: string[] = [];
  let seen = '';
  const server = createServer((socket) => {
    let behind: Socket | undefined;
    socket.on('close', () => void behind?.destroy());
    socket.on('data', (bytes) => {
      seen += bytes.toString('latin1');
      if (behind) return void behind.write(bytes);
      asked.push(bytes.toString('latin1').split('\r\n')[0] ?? '');
      if (refusal) return void socket.end(`HTTP/1.1 ${refusal}\r\ncontent-length: 0\r\n\r\n`);
      behind = connect(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 Connection established\r\n\r\n'));
      behind.on('error', () => {}).pipe(socket);
    });
  });
  return { url: `http://127.0.0.1:${await listening(server)}`, asked, seen: () => seen };
}
