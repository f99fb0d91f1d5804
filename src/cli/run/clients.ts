/**
 * The clients of a command: each made when it is first asked for, and closed with the command. The embedded
 * service is started for the profile `sandbox`.
 */
import type { Client } from '../../api/client.ts';
import { Known } from '../../api/known.ts';
import type { Pacer } from '../../api/pacer.ts';
import type { Request } from '../../api/request.ts';
import type { Context } from '../../command.ts';
import type { Settings } from '../../config/settings.ts';
import type { Host } from '../../host/host.ts';
import type { Waiting } from '../../output/waiting.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import type { Sentence } from '../../text/sentence.ts';
import type { Messages } from './stderr-messages.ts';
import { textOf } from './text-of.ts';

export class Clients {
  readonly #context: Context;
  readonly #messages: Messages;
  readonly #waiting: Waiting | undefined;
  readonly #open: { close(): Promise<void> }[] = [];
  readonly #pacers = new Map<string, Pacer>();
  readonly #known = new Map<string, Known>();
  #sandbox: Promise<Sandbox> | undefined;
  #client: Promise<Client> | undefined;
  #uninterrupted: Promise<Client> | undefined;

  constructor(context: Context, messages: Messages, waiting: Waiting | undefined) {
    this.#context = context;
    this.#messages = messages;
    this.#waiting = waiting;
  }

  /** The last write that may have been carried out. */
  get written(): Request | undefined {
    return [...this.#known.values()].flatMap(({ written }) => [...written]).at(-1);
  }

  client(): Promise<Client> {
    this.#client ??= this.#inForce(this.#context.host);
    return this.#client;
  }

  /** An interruption lets its requests come to their end for a while. */
  uninterrupted(): Promise<Client> {
    this.#uninterrupted ??= this.#inForce({ ...this.#context.host, interrupted: delayed(this.#context.host.interrupted) });
    return this.#uninterrupted;
  }

  /** The outcome of the command stands even if something cannot be closed. */
  async close(): Promise<void> {
    const closing = (error: unknown) => (this.#context.globals.debug ? this.#messages.tell(`Closing failed: ${error}`) : undefined);
    for (const each of this.#open.reverse()) await each.close().catch(closing);
  }

  async #inForce(world: Host): Promise<Client> {
    const target = this.#context.settings();
    if (!target.sandbox) return this.connected(target, world);
    this.#sandbox ??= this.#started(target, world);
    const { baseUrl, token, institute } = await this.#sandbox;
    Object.assign(target, { baseUrl, origin: new URL(baseUrl).origin, institute: target.institute ?? institute });
    return this.connected({ ...target, token: async () => ({ value: token, source: 'the embedded service' }) }, world);
  }

  /** One for all clients of the command: what it has shown to one, the others know. */
  async #started({ dialect }: Settings, world: Host): Promise<Sandbox> {
    const [{ startSandbox }, { sandboxFolder, stateFolder }, { closeStateFolder }] = await Promise.all([
      import('../../sandbox/index.ts'),
      import('../../config/folders.ts'),
      import('../../files/private-folder.ts'),
    ]);
    closeStateFolder(stateFolder(world), world);
    const sandbox = await startSandbox({ folder: sandboxFolder(world), dialect, now: () => world.now() });
    this.#open.push(sandbox);
    return sandbox;
  }

  /** A client for these settings. */
  async connected(target: Settings, world: Host): Promise<Client> {
    const context = this.#context;
    const { host, globals, secrets } = context;
    const waiting = this.#waiting;
    // Without an address there is nothing to connect to; asking for the token says how to log in.
    if (target.baseUrl === '') await target.token();
    const [{ Client }, { Pacer }] = await Promise.all([import('../../api/client.ts'), import('../../api/pacer.ts')]);
    const pacer = this.#pacers.get(target.origin) ?? new Pacer(world);
    this.#pacers.set(target.origin, pacer);
    const known = this.#known.get(target.origin) ?? new Known();
    this.#known.set(target.origin, known);
    const made = new Client({
      host: world,
      pacer,
      known,
      baseUrl: target.baseUrl,
      authPrefix: target.authPrefix,
      async token() {
        const { value } = await target.token();
        secrets.use(value);
        secrets.use(`${target.authPrefix} ${value}`);
        return value;
      },
      dialect: target.dialect,
      timeoutMilliseconds: target.timeoutMilliseconds,
      remedies: target.remedies,
      secrets,
      dryRun: globals.dryRun,
      ...(waiting ? { waiting: waiting.begin } : {}),
      note: (text) => context.say(text),
      warn: (text) => context.warn(text),
      ...(target.caFile === undefined ? {} : { ca: await textOf(target.caFile, host) }),
      ...(globals.debug ? { debug: (lines: Sentence) => void this.#messages.tell(lines) } : {}),
    });
    this.#open.push(made);
    return made;
  }
}

/** After an interruption, requests under way get this long to end. Milliseconds. */
const grace = 5_000;

function delayed(interrupted: AbortSignal): AbortSignal {
  const later = new AbortController();
  const abort = () => setTimeout(() => later.abort(interrupted.reason), grace).unref();
  if (interrupted.aborted) abort();
  else interrupted.addEventListener('abort', abort, { once: true });
  return later.signal;
}
