/**
 * A process that is stopped between its durable intent and its request, as when a machine sleeps or a container is frozen, while another
 * one takes its run over.
 */
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { hasOpenssl, makeCertificates } from '../faults/certificates.ts';
import { held } from '../support/algebra.ts';
import { temporaryFolder } from '../support/run.ts';
import type { Service } from '../support/service.ts';
import { ended, launch, program } from './program.ts';

type Front = { origin: string /** Resolves when a connection is held. */; holding: Promise<void>; release(): void };

/** Leads connections to the service. The first one after `from` is held before its handshake, so that no request can start on it. */
async function front(service: Service, from: () => boolean): Promise<Front> {
  const sockets: Socket[] = [];
  const holding = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let isHeld = false;
  const server = createServer(async (socket) => {
    socket.on('error', () => {});
    sockets.push(socket);
    if (from() && !isHeld) {
      isHeld = true;
      holding.resolve();
      await released.promise;
    }
    const behind = connect(Number(new URL(service.origin).port), '127.0.0.1').on('error', () => {});
    sockets.push(behind);
    socket.pipe(behind).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port: own } = server.address() as { port: number };
  return { origin: `https://127.0.0.1:${own}`, holding: holding.promise, release: released.resolve };
}

test.skipIf(!hasOpenssl() || process.platform === 'win32')(
  'between commit and request for more than two seconds, and taken over meanwhile, it sends nothing on its old intent',
  async () => {
    const { caFile, ...tls } = makeCertificates();
    const service = await held().listen(tls);
    const { origin, holding, release } = await front(service, () => service.requests().includes('GET /exams/1/student_sessions'));
    const home = temporaryFolder();
    const env = {
      PROCTOR_BASE_URL: origin,
      PROCTOR_TOKEN: 'a-token-of-the-tests',
      NODE_EXTRA_CA_CERTS: caFile,
      PROCTOR_STATE_DIR: join(home, 'state'),
    };
    const roster = join(home, 'roster.csv');
    writeFileSync(roster, 'email\nada@example.org\n');
    const line = `sessions import ${roster} --exam 1 --yes`;
    const child = launch(line.split(' '), { home, env });
    onTestFinished(() => void child.kill('SIGKILL'));
    const end = ended(child);
    await holding;
    child.kill('SIGSTOP');
    const stopped = performance.now();
    // Without their files, no lock keeps another process from it.
    rmSync(join(home, 'state', 'locks'), { recursive: true });
    const other = await program(`${line} --resend-absent --timeout 500ms`, { home, env });
    expect(other.code, other.stderr).toBe(0);
    expect(other.stderr).toContain('is resumed');
    expect(service.writes()).toHaveLength(1);
    await pause(Math.max(0, 2100 - (performance.now() - stopped)));
    release();
    child.kill('SIGCONT');
    const first = await end;
    expect(first.code, first.stderr).not.toBe(1);
    expect(first.stderr).toContain('Another proctor-cli has taken this run over');
    expect(service.writes()).toHaveLength(1);
    expect(service.sessions).toHaveLength(1);
  },
);
