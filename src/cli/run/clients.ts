/** The clients of a command: each is closed with the command. The embedded service is started for the profile `sandbox`. */
import type { Client, Known } from '../../api/client.ts';
import type { Pacer } from '../../api/pacer.ts';
import type { Context } from '../../command.ts';
import type { Settings } from '../../config/settings.ts';
import type { Host } from '../../host/host.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import type { Sentence } from '../../text/sentence.ts';
import type { Terminal } from './terminal.ts';

/** What the clients of one service share: when requests may leave, and what it has shown. */
type Shared = { pacer: Pacer; known: Known };

export function clientsOf(context: Context, terminal: Terminal) {
  const { globals, secrets } = context;
  const open: { close(): Promise<void> }[] = [];
  const services = new Map<string, Shared>();
  let sandbox: Promise<Sandbox> | undefined;
  return {
    /** The last write that may have been carried out. */
    written: () => [...services.values()].flatMap(({ known }) => [...known.written]).at(-1),

    /** A client for these settings, in a world that may interrupt it. */
    async connect(settings: Settings, host: Host): Promise<Client> {
      // One for all clients of the command: what it has shown to one, the others know.
      if (settings.sandbox) sandbox ??= started(settings, host, open);
      const target = settings.sandbox && sandbox ? served(settings, await sandbox) : settings;
      // Without an address there is nothing to connect to; asking for the token says how to log in.
      if (target.baseUrl === '') await target.token();
      const [{ Client, Known }, { Pacer }] = await Promise.all([import('../../api/client.ts'), import('../../api/pacer.ts')]);
      const shared = services.get(target.origin) ?? { pacer: new Pacer(host), known: new Known() };
      services.set(target.origin, shared);
      const { baseUrl, authPrefix, dialect, timeoutMilliseconds, remedies, caFile } = target;
      const made = new Client({
        ...{ ...shared, host, baseUrl, authPrefix, dialect, timeoutMilliseconds, remedies, secrets, dryRun: globals.dryRun },
        async token() {
          const { value } = await target.token();
          secrets.use(value);
          secrets.use(`${authPrefix} ${value}`);
          return value;
        },
        waiting: terminal.line.waiting,
        note: (text) => context.say(text),
        warn: (text) => context.warn(text),
        ...(caFile === undefined ? {} : { ca: await context.read(caFile) }),
        ...(globals.debug ? { debug: (lines: Sentence) => terminal.trace(lines) } : {}),
      });
      open.push(made);
      return made;
    },

    /** The outcome of the command stands even if something cannot be closed. */
    async close(): Promise<void> {
      const failed = (error: unknown) => (globals.debug ? terminal.trace(`Closing failed: ${error}`) : undefined);
      for (const each of open.reverse()) await each.close().catch(failed);
    },
  };
}

async function started({ dialect }: Settings, host: Host, open: { close(): Promise<void> }[]): Promise<Sandbox> {
  const [{ startSandbox }, { sandboxFolder, stateFolder }, { closeStateFolder }] = await Promise.all([
    import('../../sandbox/index.ts'),
    import('../../config/folders.ts'),
    import('../../files/private-files.ts'),
  ]);
  closeStateFolder(stateFolder(host), host);
  const sandbox = await startSandbox({ folder: sandboxFolder(host), dialect, now: () => host.now() });
  open.push(sandbox);
  return sandbox;
}

/** The address is known from the start of the service on, to everything that reads the settings. */
function served(settings: Settings, { baseUrl, token, institute }: Sandbox): Settings {
  Object.assign(settings, { baseUrl, origin: new URL(baseUrl).origin, institute: settings.institute ?? institute });
  return { ...settings, token: async () => ({ value: token, source: 'the embedded service' }) };
}

/** After an interruption, requests under way get this long to end. Milliseconds. */
const grace = 5_000;

/** The world, in which an interruption comes later. */
export function unhurried(host: Host): Host {
  const later = new AbortController();
  const { interrupted } = host;
  const abort = () => setTimeout(() => later.abort(interrupted.reason), grace).unref();
  if (interrupted.aborted) abort();
  else interrupted.addEventListener('abort', abort, { once: true });
  return { ...host, interrupted: later.signal };
}
