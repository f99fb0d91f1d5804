/**
 * A headless Chromium that opens one file, driven over its own debugging pipe. It keeps what a page
 * should never give rise to: requests beside the file, messages on the console, errors, dialogs.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const program = 'chromium';
export const withoutBrowser = spawnSync(program, ['--version']).status !== 0;

type Message = { id?: number; method?: string; params?: Record<string, unknown>; result?: unknown; error?: { message: string } };
/** A node of the accessibility tree: what a screen reader is told. */
export type Told = { role: string; name: string; description: string };

export type Browser = {
  /** What happened that should not have. */
  incidents: string[];
  requests: string[];
  evaluate<T>(expression: string): Promise<T>;
  told(): Promise<Told[]>;
  send<T>(method: string, params?: object): Promise<T>;
  close(): Promise<void>;
};

/** Opens a file; resolves when it is loaded. `profile` is a folder of the browser's own. */
export async function openInBrowser(file: string, profile: string): Promise<Browser> {
  const child = spawn(
    program,
    ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', `--user-data-dir=${profile}`, '--remote-debugging-pipe'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const [, , , orders, answers] = child.stdio as unknown as [null, null, null, Writable, Readable];
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const listeners = new Map<string, (params: Record<string, unknown>) => void>();
  let sent = 0;
  let session: string | undefined;
  const send = <T>(method: string, params: object = {}) =>
    new Promise<T>((resolve, reject) => {
      sent += 1;
      waiting.set(sent, { resolve: resolve as (value: unknown) => void, reject });
      orders.write(`${JSON.stringify({ id: sent, method, params, ...(session === undefined ? {} : { sessionId: session }) })}\0`);
    });

  let unread = '';
  answers.setEncoding('utf8').on('data', (text: string) => {
    const messages = (unread + text).split('\0');
    unread = messages.pop() ?? '';
    for (const { id, method, params, result, error } of messages.map((message): Message => JSON.parse(message))) {
      if (method !== undefined) listeners.get(method)?.(params ?? {});
      if (id === undefined) continue;
      if (error) waiting.get(id)?.reject(new Error(error.message));
      else waiting.get(id)?.resolve(result);
    }
  });

  const { targetId } = await send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' });
  session = (await send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true })).sessionId;

  const incidents: string[] = [];
  const requests: string[] = [];
  for (const method of ['Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded', 'Page.javascriptDialogOpening']) {
    listeners.set(method, (params) => incidents.push(`${method} ${JSON.stringify(params)}`));
  }
  listeners.set('Network.requestWillBeSent', ({ request }) => requests.push((request as { url: string }).url));
  for (const domain of ['Page', 'Runtime', 'Log', 'Network', 'Accessibility']) await send(`${domain}.enable`);
  const loaded = new Promise<void>((resolve) => listeners.set('Page.loadEventFired', () => resolve()));
  await send('Page.navigate', { url: pathToFileURL(file).href });
  await loaded;

  return {
    incidents,
    requests,
    send,
    async evaluate<T>(expression: string) {
      const { result } = await send<{ result: { value: T } }>('Runtime.evaluate', { expression, returnByValue: true });
      return result.value;
    },
    async told() {
      type Node = { ignored: boolean; role?: { value: string }; name?: { value: string }; description?: { value: string } };
      const { nodes } = await send<{ nodes: Node[] }>('Accessibility.getFullAXTree');
      return nodes
        .filter(({ ignored }) => !ignored)
        .map(({ role, name, description }) => ({
          role: role?.value ?? '',
          name: name?.value ?? '',
          description: description?.value ?? '',
        }));
    },
    async close() {
      const gone = once(child, 'close');
      orders.write(`${JSON.stringify({ id: 0, method: 'Browser.close' })}\0`);
      await gone;
    },
  };
}
