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
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { Terminal } from './terminal.ts';

/** What the clients of one service share: when requests may leave, and what it has shown. */
type Shared = { pacer: Pacer; known: Known };

export class Clients {
  readonly #context: Context;
  readonly #terminal: Terminal;
  readonly #open: { close(): Promise<void> }[] = [];
  readonly #shared = new Map<string, Shared>();
  #sandbox: Promise<Sandbox> | undefined;
  #client: Promise<Client> | undefined;
  #uninterrupted: Promise<Client> | undefined;

  constructor(context: Context, terminal: Terminal) {
    this.#context = context;
    this.#terminal = terminal;
  }

  /** The last write that may have been carried out. */
  get written(): Request | undefined {
    return [...this.#shared.values()].flatMap(({ known }) => [...known.written]).at(-1);
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
    const closing = (error: unknown) => (this.#context.globals.debug ? this.#terminal.trace(`Closing failed: ${error}`) : undefined);
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
    // Without an address there is nothing to connect to; asking for the token says how to log in.
    if (target.baseUrl === '') await target.token();
    const [{ Client }, { Pacer }] = await Promise.all([import('../../api/client.ts'), import('../../api/pacer.ts')]);
    const shared = this.#shared.get(target.origin) ?? { pacer: new Pacer(world), known: new Known() };
    this.#shared.set(target.origin, shared);
    const made = new Client({
      ...shared,
      host: world,
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
      waiting: this.#terminal.line.waiting,
      note: (text) => context.say(text),
      warn: (text) => context.warn(text),
      ...(target.caFile === undefined ? {} : { ca: await textOf(target.caFile, host) }),
      ...(globals.debug ? { debug: (lines: Sentence) => this.#terminal.trace(lines) } : {}),
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

/** Bytes. */
const largestText = 64 << 20;

/** The text of a file that stands for a value, a body or certificates; of stdin for `-`. Throws `invalid_input`. */
export async function textOf(file: string, host: Host): Promise<string> {
  try {
    if (file === '-') return await host.stdin.text();
    const { readInputFile } = await import('../../host/input-file.ts');
    return new TextDecoder('utf-8', { fatal: true }).decode(await readInputFile(file, largestText, host.interrupted));
  } catch (error) {
    if (error instanceof CliError) throw error;
    const why = error instanceof TypeError ? 'it is not UTF-8 text' : (error as Error).message;
    throw new CliError('invalid_input', sentence`Could not read ${file === '-' ? 'stdin' : file}: ${why}.`, { cause: error });
  }
}
