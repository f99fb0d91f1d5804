/** The way to a server: a proxy that does what networks do to it, keeps back what is said, cuts it in the middle, and is gone. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What becomes of one portion of bytes: it comes so many milliseconds later; the connection is cut before it arrives, or after. */
export type Portion = { takes?: number; cut?: 'before' | 'after' };

export type Wire = {
  port: number;
  /** Called when a client has said something, before the server hears it. */
  onSaid: (bytes: Buffer) => void | Promise<void>;
  /** What becomes of a portion, in either direction. */
  fate: () => Portion;
  /** Cuts the connection, once, at the next words of a client in which the text is: the server does not hear them, or does them and its answer is lost. */
  cutAt(text: string, cut: 'before' | 'after'): Promise<void>;
  /** Cuts all connections, and takes new ones. */
  cut(): void;
  /** Cuts all connections, and refuses new ones until it is `back`. */
  leave(): Promise<void>;
  back(): Promise<void>;
  close(): void;
};

export async function wireTo(port: number): Promise<Wire> {
  const open = new Set<Socket>();
  let trap: { text: string; cut: 'before' | 'after'; sprung(): void } | undefined;
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', noDelay: true });
    const cut = () => {
      near.resetAndDestroy();
      // What has arrived at the server is done there.
      far.end();
    };
    carry(near, far, cut, async (bytes) => {
      await wire.onSaid(bytes);
      const sprung = trap && bytes.includes(trap.text) ? trap : undefined;
      if (sprung) trap = undefined;
      return sprung ? { cut: sprung.cut, told: sprung.sprung } : wire.fate();
    });
    carry(far, near, cut, () => wire.fate());
  });

  type Fate = Portion & { told?(): void };
  function carry(from: Socket, to: Socket, cut: () => void, fateOf: (bytes: Buffer) => Fate | Promise<Fate>) {
    open.add(from);
    let last: Promise<unknown> = Promise.resolve();
    const next = (act: () => unknown) => {
      last = last.then(act).catch(() => {});
    };
    from.on('data', (bytes: Buffer) =>
      next(async () => {
        const { takes = 0, cut: where, told = () => {} } = await fateOf(bytes);
        if (takes > 0) await pause(takes);
        if (where !== 'before' && to.writable) await new Promise((written) => to.write(bytes, written));
        if (where === undefined) return;
        cut();
        told();
      }),
    );
    from.on('error', () => to.destroy());
    from.on('close', () => {
      open.delete(from);
      next(() => to.end());
    });
  }

  const listen = async (at: number) => void (await once(server.listen(at, '127.0.0.1'), 'listening'));
  await listen(0);
  const wire: Wire = {
    port: (server.address() as { port: number }).port,
    onSaid() {},
    fate: () => ({}),
    cutAt: (text, cut) =>
      new Promise((sprung) => {
        trap = { text, cut, sprung };
      }),
    cut: () => open.forEach((socket) => void socket.resetAndDestroy()),
    async leave() {
      const closed = once(server, 'close');
      wire.close();
      await closed;
    },
    back: () => listen(wire.port),
    close() {
      server.close();
      wire.cut();
    },
  };
  return wire;
}
