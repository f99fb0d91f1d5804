/** The way from a machine to the database of its team: a proxy that can keep back what is said on it, and cut it in the middle. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from './random.ts';

/** What becomes of one portion of bytes: it comes so many milliseconds later; the connection is cut before it arrives, or after. */
export type Portion = { takes?: number; cut?: 'before' | 'after' };

export type Wire = {
  port: number;
  /** Called when the machine has said something, before the database hears it. */
  onSaid: (bytes: Buffer) => void | Promise<void>;
  /** What becomes of a portion, in either direction. */
  fate: () => Portion;
  close(): void;
};

export async function wireTo(port: number): Promise<Wire> {
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', noDelay: true });
    const cut = () => {
      near.resetAndDestroy();
      // What has arrived at the database is done there.
      far.end();
    };
    carry(near, far, cut, (bytes) => wire.onSaid(bytes));
    carry(far, near, cut);
  });

  function carry(from: Socket, to: Socket, cut: () => void, before: (bytes: Buffer) => void | Promise<void> = () => {}) {
    open.add(from);
    let last: Promise<unknown> = Promise.resolve();
    const next = (act: () => unknown) => {
      last = last.then(act).catch(() => {});
    };
    from.on('data', (bytes: Buffer) =>
      next(async () => {
        await before(bytes);
        const { takes = 0, cut: where } = wire.fate();
        if (takes > 0) await pause(takes);
        if (where === 'before') return cut();
        if (to.writable) await new Promise((written) => to.write(bytes, written));
        if (where === 'after') cut();
      }),
    );
    from.on('error', () => to.destroy());
    from.on('close', () => {
      open.delete(from);
      next(() => to.end());
    });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const wire: Wire = {
    port: (server.address() as { port: number }).port,
    onSaid() {},
    fate: () => ({}),
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
  return wire;
}

/** Fates of a bad connection. `long`: longer than a lock lives. Milliseconds. */
export function badFate(random: Random, long: number): Portion {
  if (random.chance(0.02)) return { cut: random.pick(['before', 'after'] as const) };
  if (random.chance(0.02)) return { takes: random.pick([20, 200, 1_500, long]) };
  return {};
}
