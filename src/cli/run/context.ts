/**
 * What a command works with: settings, client, questions, files; each made when it is first asked
 * for, so that a broken configuration only stops a command that needs it.
 */
import type { Client } from '../../api/client.ts';
import type { Write } from '../../api/wire.ts';
import type { Context, Globals } from '../../command.ts';
import { configPath, readConfig } from '../../config/file.ts';
import { configFolderIfAny } from '../../config/folders.ts';
import { resolveSettings, type Settings } from '../../config/settings.ts';
import { CliError } from '../../errors.ts';
import { canAsk, type Host, inCI, type OutputStream, type Prompts } from '../../host/host.ts';
import { type Format, formats } from '../../model/format.ts';
import { Secrets } from '../../model/secrets.ts';
import { progressOn } from '../../output/progress.ts';
import { type Waiting, waitingOn } from '../../output/waiting.ts';
import { spoken, visible } from '../../text/characters.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { removeExpired } from '../complete/cache.ts';
import { addressed } from './addressed.ts';

export type RunContext = Context & {
  /** Whether a program reads the outcome: a failure is then one line of JSON. */
  forProgram(): boolean;
  /** Tells what was held back, now that the command has not failed. */
  release(): void;
  /** The last request that may have changed something, once it has begun to leave. */
  written(): Write | undefined;
  close(): Promise<void>;
};

const silent = { tick() {}, end() {} };

export function createContext(world: Host, given: Globals, secrets = new Secrets()): RunContext {
  secrets.revealed = given.showSecrets;
  knowProfiles(world, secrets);
  const globals: Globals = {
    ...given,
    get plain() {
      return given.plain || world.env.TERM === 'dumb' || setPlain();
    },
  };
  const waiting =
    world.stderr.isTTY && !given.quiet && !given.debug && !inCI(world) ? waitingOn(world.stderr, () => globals.plain) : undefined;
  const host: Host = {
    ...world,
    stdout: cleared(world.stdout, waiting),
    stderr: cleared(world.stderr, waiting),
    get prompts() {
      return pausing(globals.plain ? world.plainPrompts : world.prompts, waiting);
    },
    screen(events) {
      const resume = waiting?.pause();
      const screen = world.screen(events);
      const release = () => {
        screen.release();
        resume?.();
      };
      return new Proxy(screen, { get: (own, key) => (key === 'release' ? release : Reflect.get(own, key)) });
    },
  };
  const inputs: string[] = [];
  const open: { close(): Promise<void> }[] = [];
  let settings: Settings | undefined;
  let client: Promise<Client> | undefined;
  let patient: Promise<Client> | undefined;
  /** What is told while a program waits for the outcome: a failure has stderr to itself. */
  let held: string[] | undefined = [];
  let written: Write | undefined;
  const tell = (text: string) => {
    const lines = addressed(text, given)
      .split('\n')
      .map((line) => (globals.plain ? spoken(visible(line)) : visible(line)));
    return host.stderr.write(`${lines.join('\n')}\n`).catch(() => {});
  };

  const context: RunContext = {
    host,
    globals,
    secrets,
    settings() {
      settings ??= resolveSettings(host, globals);
      return settings;
    },
    place() {
      const { origin, profile } = context.settings();
      return sentence`at ${origin} (profile ${profile})`;
    },
    zone: () => context.settings().timeZone ?? host.zone(),
    client() {
      client ??= inForce(host);
      return client;
    },
    clientUntil: (end) => inForce({ ...host, interrupted: AbortSignal.any([host.interrupted, end]) }),
    connect: (target) => connected(target, host),
    patientClient() {
      patient ??= inForce({ ...host, interrupted: new AbortController().signal });
      return patient;
    },
    progress(total) {
      if (globals.quiet) return silent;
      const resume = waiting?.pause();
      const shown = progressOn(host.stderr, { now: host.now, total, plain: globals.plain || inCI(host) });
      return {
        ...shown,
        end() {
          shown.end();
          resume?.();
        },
      };
    },
    say(text) {
      if (!globals.quiet) context.warn(text as string as Sentence);
    },
    warn(text) {
      if (held && context.forProgram()) held.push(text);
      else void tell(text);
    },
    forProgram: () => ['json', 'ndjson'].includes(outputFormat(context)),
    release() {
      for (const text of held ?? []) void tell(text);
      held = undefined;
    },
    async confirm(question, typed) {
      if (globals.yes) return;
      if (!canAsk(host, globals.noInput)) {
        throw new CliError('needs_confirmation', 'Confirmation required, but this is not an interactive terminal.', {
          hint: 'Preview it with --dry-run, then add --yes to confirm. Nothing was sent.',
        });
      }
      const asked = await question();
      if (typed === undefined ? await host.prompts.confirm(asked) : await isTyped(asked, typed, host)) return;
      throw new CliError('interrupted', 'Cancelled.', { hint: 'Nothing was changed.' });
    },
    async commands() {
      const { nouns } = await import('../../commands/index.ts');
      return (await Promise.all(nouns.map((noun) => noun.load()))).flat();
    },
    async time(text) {
      const { parseTime } = await import('../../model/time.ts');
      return parseTime(text, { now: host.now, zone: context.settings().timeZone });
    },
    written: () => written,
    read(file) {
      if (file !== '-') inputs.push(file);
      return textOf(file, host);
    },
    inputs() {
      const { PROCTOR_TOKEN_FILE: token, NODE_EXTRA_CA_CERTS: certificates } = host.env;
      const config = configFolderIfAny(host) === undefined ? undefined : configPath(host);
      return [...inputs, config, token, certificates, context.settings().caFile].filter((path): path is string => Boolean(path));
    },
    async close() {
      removeExpired(host);
      // The outcome of the command stands even if something cannot be closed.
      const closing = (error: unknown) => (globals.debug ? tell(`Closing failed: ${error}`) : undefined);
      for (const each of open.reverse()) await each.close().catch(closing);
    },
  };

  /** The client of the profile in force; the embedded service is started for the profile `sandbox`. */
  async function inForce(world: Host): Promise<Client> {
    const target = context.settings();
    if (!target.sandbox) return connected(target, world);
    const [{ startSandbox }, { sandboxFolder }] = await Promise.all([import('../../sandbox/index.ts'), import('../../config/folders.ts')]);
    const sandbox = await startSandbox({ folder: sandboxFolder(host), dialect: target.dialect, now: () => host.now() });
    open.push(sandbox);
    const { baseUrl, token, institute } = sandbox;
    Object.assign(target, { baseUrl, origin: new URL(baseUrl).origin, institute: target.institute ?? institute });
    return connected({ ...target, token: async () => ({ value: token, source: 'the embedded service' }) }, world);
  }

  async function connected(target: Settings, world: Host): Promise<Client> {
    // Without an address there is nothing to connect to; asking for the token says how to log in.
    if (target.baseUrl === '') await target.token();
    const { connect } = await import('../../api/client.ts');
    const made = connect({
      host: world,
      baseUrl: target.baseUrl,
      origin: target.origin,
      authPrefix: target.authPrefix,
      async token() {
        const { value } = await target.token();
        secrets.use(value);
        return value;
      },
      dialect: target.dialect,
      zone: target.timeZone ?? host.zone(),
      timeoutMilliseconds: target.timeoutMilliseconds,
      remedies: target.remedies,
      secrets,
      ...(waiting ? { waiting: waiting.begin } : {}),
      note: (text) => context.say(text),
      warn: (text) => context.warn(text),
      wrote(write) {
        written = write;
      },
      ...(target.caFile === undefined ? {} : { ca: await textOf(target.caFile, host) }),
      ...(globals.debug ? { debug: (lines: Sentence) => void tell(lines) } : {}),
    });
    open.push(made);
    return made;
  }

  /** A broken configuration must not keep the program from telling so. */
  function setPlain(): boolean {
    try {
      return context.settings().plain;
    } catch {
      return false;
    }
  }

  return context;
}

/** The format in force; a broken configuration must not keep `doctor` or `config path` from printing. */
export function outputFormat({ globals, host, settings }: Context): Format {
  let configured = host.env.PROCTOR_OUTPUT;
  try {
    configured = settings().output;
  } catch {}
  return formats.find((format) => format === (globals.output ?? configured)) ?? 'table';
}

/** Whether somebody types what a question wants; Enter alone is a no. */
async function isTyped(question: string, wanted: string, host: Host): Promise<boolean> {
  const problem = sentence`Type ${wanted} to confirm, or press Enter to cancel.`;
  const check = (answer: string) => (['', wanted].includes(answer.trim()) ? undefined : problem);
  return (await host.prompts.text(sentence`${question} Type ${wanted} to confirm:`, { check })).trim() === wanted;
}

/** A configuration that cannot be read holds nothing that could be shown. */
function knowProfiles(host: Host, secrets: Secrets) {
  try {
    for (const { token } of Object.values(readConfig(host).profiles)) secrets.know(token);
  } catch {}
}

/** Bytes of a file that stands for a value or a body. */
const largestText = 64 << 20;

async function textOf(file: string, host: Host): Promise<string> {
  try {
    if (file === '-') return await host.stdin.text();
    const { readInputFile } = await import('../../host/input-file.ts');
    return new TextDecoder('utf-8', { fatal: true }).decode(await readInputFile(file, largestText, { signal: host.interrupted }));
  } catch (error) {
    if (error instanceof CliError) throw error;
    const why = error instanceof TypeError ? 'it is not UTF-8 text' : (error as Error).message;
    throw new CliError('invalid_input', sentence`Could not read ${file === '-' ? 'stdin' : file}: ${why}.`, { cause: error });
  }
}

/** A stream that takes the sign of life away before anything is written. */
function cleared(stream: OutputStream, waiting: Waiting | undefined): OutputStream {
  if (!waiting) return stream;
  return {
    isTTY: stream.isTTY,
    get columns() {
      return stream.columns;
    },
    write(text) {
      waiting.clear();
      return stream.write(text);
    },
  };
}

/** Questions during which there is no sign of life: the terminal is theirs. */
function pausing(prompts: Prompts, waiting: Waiting | undefined): Prompts {
  if (!waiting) return prompts;
  const during = async <T>(ask: () => Promise<T>): Promise<T> => {
    const resume = waiting.pause();
    try {
      return await ask();
    } finally {
      resume();
    }
  };
  return {
    confirm: (...given) => during(() => prompts.confirm(...given)),
    text: (...given) => during(() => prompts.text(...given)),
    password: (...given) => during(() => prompts.password(...given)),
    search: (...given) => during(() => prompts.search(...given)),
    tick: (...given) => during(() => prompts.tick(...given)),
  };
}
