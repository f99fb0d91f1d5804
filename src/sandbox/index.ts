/**
 * The embedded service: the specification's API on a loopback port. Its data are in one folder, which outlives the process and
 * which several processes may serve at once. No mail and no request ever leaves the machine.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { CliError } from '../errors.ts';
import { sentence } from '../text/sentence.ts';
import { type SeedCounts, type Seeding, seedData, seedInstitute } from './seed.ts';
import { type Behaviour, basePath, createService, type Service } from './service.ts';
import type { OutboxMail, Store } from './store.ts';
import { inStore, openStore, refillStore } from './store-file.ts';

export type SandboxOptions = Behaviour &
  Seeding & {
    /** The folder of the store; created if missing. */
    folder: string;
    /** 0, the default, picks a free port. */
    port?: number;
    /** What stands in front of the service; `closed` is aborted when it ends. */
    inFront?: ((service: Service, closed: AbortSignal) => Service) | undefined;
  };

export type Sandbox = {
  baseUrl: string;
  token: string;
  institute: string;
  /** Data that were there before: no seed has made them. */
  keptData: boolean;
  close(): Promise<void>;
};

const host = '127.0.0.1';

/** Serves the folder's data. Throws `CliError` if the store cannot be opened or the port is taken. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { folder, port = 0, inFront = (service) => service } = options;
  let keptData = true;
  const store = openStore(folder, (empty) => {
    keptData = false;
    seedData(empty, options);
  });
  const end = new AbortController();
  const fetch = inFront(createService(store, options), end.signal);
  const server = createAdaptorServer({ fetch: (request, env) => fetch(request, env as HttpBindings) }) as Server;
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    store.close();
    throw new CliError('invalid_input', sentence`The sandbox cannot listen on ${host}:${port}: ${(error as Error).message}.`, {
      hint: 'Choose another port; 0 picks a free one.',
      cause: error,
    });
  }
  let closing: Promise<void> | undefined;
  return {
    baseUrl: `http://${host}:${(server.address() as AddressInfo).port}${basePath}`,
    token: store.token(),
    institute: seedInstitute,
    keptData,
    close() {
      end.abort();
      closing ??= stop(server, store);
      return closing;
    },
  };
}

/** Stops at once: open connections are cut off. */
async function stop(server: Server, store: Store): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
  store.close();
}

/** Replaces all data with new data atomically; the token stays. A store that is empty or damaged is made anew, with a new token. */
export function resetSandbox(folder: string, options: Seeding = {}): SeedCounts {
  return refillStore(folder, (empty) => seedData(empty, options));
}

/** The mails that send_emails has sent, in their order: all of them, or those of one exam. */
export function outbox(folder: string, { exam }: { exam?: string } = {}): OutboxMail[] {
  const [filter, given] = exam === undefined ? ['', []] : ['WHERE exam_id = ?', [exam]];
  const mails = `SELECT * FROM outbox ${filter} ORDER BY id`;
  return inStore(
    folder,
    (empty) => seedData(empty, {}),
    (store) => store.sql(mails).all(...given) as OutboxMail[],
  );
}
