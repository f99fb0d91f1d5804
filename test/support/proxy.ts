/** Stands between a process and its server, and does what networks do: cuts, delays, loses, is silent. */
import { createConnection, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** `unsent`: the bytes do not arrive any more. `unanswered`: they do, and what the server does with them is done, but the answer is lost. */
export type Loss = 'unsent' | 'unanswered';

export type Wire = {
  port: number;
  /** Cuts the connection, once, at the next bytes of a client in which the text is. Resolves then. */
  cutAt(text: string, loss: Loss): Promise<void>;
  /** Cuts all connections, and takes new ones. */
  cut(): void;
  /** Cuts all connections, and refuses new ones until it is `back`. */
  leave(): Promise<void>;
  back(): Promise<void>;
  /** From now on nothing of the connections that there are arrives, in one direction or in both; they stay open. */
  swallow(direction: 'answers' | 'both'): void;
  /** How long bytes are on their way, in each direction. Milliseconds. */
  delay: number;
};

/** How long the server needs, at most, for what was sent to it with one piece. Milliseconds. */
const toAct = 30;

type Line = { ends: Socket[]; isMute: { requests: boolean; answers: boolean } };

export async function proxyTo(port: number): Promise<Wire> {
  const lines = new Set<Line>();
  let trap: { text: string; loss: Loss; sprung(): void } | undefined;
  const cut = (line: Line) => {
    lines.delete(line);
    for (const end of line.ends) end.resetAndDestroy();
  };
  const server = createServer((client) => {
    const remote = createConnection({ port, host: '127.0.0.1' });
    const line: Line = { ends: [client, remote], isMute: { requests: false, answers: false } };
    lines.add(line);
    let losing: (() => void) | undefined;
    const pass = (to: Socket, bytes: Uint8Array | string) => {
      if (proxy.delay === 0) to.write(bytes);
      else setTimeout(() => to.write(bytes), proxy.delay);
    };
    client.on('data', (bytes) => {
      if (line.isMute.requests) return;
      if (trap && bytes.includes(trap.text)) {
        const { loss, sprung } = trap;
        trap = undefined;
        losing = () => {
          cut(line);
          sprung();
        };
        if (loss === 'unsent') return losing();
      }
      pass(remote, bytes);
    });
    remote.on('data', (bytes) => {
      if (line.isMute.answers) return;
      if (losing) setTimeout(losing, toAct);
      else pass(client, bytes);
    });
    for (const end of line.ends) {
      end.setNoDelay(true);
      end.on('error', () => {});
      end.on('close', () => {
        if (!line.isMute.answers) cut(line);
      });
    }
  });
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  const cutAll = () => lines.forEach(cut);
  await listen(0);
  const proxy: Wire = {
    port: (server.address() as { port: number }).port,
    delay: 0,
    cutAt: (text, loss) =>
      new Promise((resolve) => {
        trap = { text, loss, sprung: resolve };
      }),
    cut: cutAll,
    leave: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cutAll();
      }),
    back: () => listen(proxy.port),
    swallow(direction) {
      for (const { isMute } of lines) Object.assign(isMute, { requests: direction === 'both', answers: true });
    },
  };
  onTestFinished(() => {
    cutAll();
    server.close();
  });
  return proxy;
}
