/**
 * The context of a command: settings, clients, questions, files. Each is made at its first use, so that
 * a broken configuration stops only a command that needs it.
 */
import { lstatSync } from 'node:fs';
import type { Client, Shared } from '../../api/client.ts';
import type { Request } from '../../api/operations.ts';
import type { Context, Globals, Result } from '../../command.ts';
import { sandboxPlace } from '../../config/folders.ts';
import { configPathIfAny, readConfig } from '../../config/profiles.ts';
import { type Settings, settingSources, settingsOf } from '../../config/settings.ts';
import { CliError } from '../../errors.ts';
import { isInAnothersHome, isOpenToOthers } from '../../files/private-files.ts';
import { canAsk, type Host, type Prompts, type World } from '../../host/host.ts';
import { orNone } from '../../model/invalid-value.ts';
import { textOfJson } from '../../model/json.ts';
import { Secrets } from '../../model/secrets.ts';
import { endings, type Format, formatOfFile, formats } from '../../output/formats.ts';
import type { View } from '../../output/result.ts';
import { sentence } from '../../text/sentence.ts';
import { oneOf } from '../parse/options.ts';
import { isForProgram, Terminal } from './terminal.ts';

export type RunContext = Context & {
  terminal: Terminal;
  /** Takes the result in place of stdout: --to. */
  save: ((result: Result, view: View) => Promise<void>) | undefined;
  /** Undefined where the configuration is broken: errors and `doctor` are printed all the same. */
  settingsIfAny(): Settings | undefined;
  /** The last write that may have been carried out. */
  written(): Request | undefined;
  close(): Promise<void>;
};

export async function createContext(world: World, given: Globals, terminal = new Terminal(world, new Secrets())): Promise<RunContext> {
  // Node 22 and 24 have no calendar of their own.
  globalThis.Temporal ??= (await import('temporal-polyfill')).Temporal;
  const { host, secrets, line } = terminal;
  secrets.revealed = given.showSecrets;
  const wanted = given.output ?? (world.env.PROCTOR_OUTPUT || 'table');
  const asked = oneOf('PROCTOR_OUTPUT', formats, wanted) as Format;
  terminal.isForProgram = isForProgram(asked);
  const format = formatInFile(given) ?? asked;
  const globals: Globals = {
    ...given,
    noInput: !canAsk(host, given.noInput),
    get plain() {
      return given.plain || world.env.TERM === 'dumb' || context.settingsIfAny()?.plain === true;
    },
  };
  const closed: string[] = [];
  const ofConfig: string[] = [];
  const profiles = orNone(() => readConfig(host, (paths) => ofConfig.push(...paths)).profiles) ?? {};
  for (const { token, ...others } of Object.values(profiles)) {
    secrets.know(token);
    // A file that was written by hand may have any value under an unknown name.
    for (const value of Object.values(others)) secrets.knowAddress(textOfJson(value));
  }
  const inputs: string[] = [];
  let isStdinRead = false;
  const open: { close(): Promise<void> }[] = [];
  let shared: Shared | undefined;

  terminal.given = globals;
  const context: RunContext = {
    host,
    terminal,
    globals,
    secrets,
    format,
    settings: once(() => settingsOf(settingSources(host, globals))),
    settingsIfAny: () => orNone(context.settings),
    place() {
      const { origin, profile, sandbox } = context.settings();
      return sandbox ? sentence`at the embedded service` : sentence`at ${origin} (profile ${profile})`;
    },
    zone: () => context.settings().timeZone ?? host.zone(),
    client: (others) => (others ? connected(others, host) : client()),
    uninterruptedClient: once(() => connected(context.settings(), unhurried(host))),
    closed,
    reportClosed(paths) {
      closed.push(...paths);
      if (paths.length > 0)
        context.say(sentence`warning: Other users could read or change ${paths.join(' and ')}, until this command closed it to them.`);
    },
    columns: [],
    recorded: () => '',
    save: undefined,
    record: once(async () => {
      const { openRecord } = await import('../../record/index.ts');
      const { recordOptions } = await import('../../config/record-options.ts');
      return opened(await openRecord(recordOptions(context)));
    }),
    progress: (total) => (globals.quiet ? { tick() {}, end() {} } : line.progress(total)),
    async whileWaiting(work) {
      const ended = line.waiting();
      return work().finally(ended);
    },
    say: (text) => (globals.quiet ? undefined : terminal.say(text)),
    warn: (text) => terminal.say(text, 'warning'),
    waits: (text) => (globals.quiet ? undefined : terminal.say(text, 'waiting')),
    async confirm(question, typed) {
      if (globals.yes) return;
      if (globals.noInput)
        throw new CliError('needs_confirmation', 'Confirmation required, but this is not an interactive terminal.', {
          hint: 'Preview it with --dry-run, then add --yes to confirm. Nothing was sent.',
        });
      const asked = await question();
      const questions = await host.questions();
      const isConfirmed = typed === undefined ? questions.confirm(asked) : isTyped(questions, asked, typed);
      if (!(await isConfirmed)) throw new CliError('interrupted', 'Cancelled.', { hint: 'Nothing was changed.' });
    },
    async time(text, day) {
      const { parseTime } = await import('../../model/typed-time.ts');
      return parseTime(text, { now: host.now, zone: context.settings().timeZone, day });
    },
    written: () => [...(shared?.known.written ?? [])].at(-1),
    async read(file) {
      if (file !== '-') context.reads(file);
      else if (!isStdinRead) isStdinRead = true;
      else throw new CliError('usage', 'stdin cannot be read twice.', { hint: 'Give one of the two in a file.' });
      return (await import('../../host/inputs.ts')).readText(host, file);
    },
    reads: (path) => void (path === '-' || inputs.push(path)),
    async mayReplace(path) {
      if (globals.force) return true;
      if (globals.noInput || !lstatSync(path, { throwIfNoEntry: false })?.isFile()) return false;
      await context.confirm(() => sentence`Replace ${path}?`);
      return true;
    },
    outputRule: ({ force, reads }) => ({
      force,
      inputs: [...inputs, ...reads, ...inputsOf(context)],
      // A file gets its secrets masked even if stdout shows them.
      shown: (text) => secrets.masked(text),
    }),
    async close() {
      // What a command has done stands even if something cannot be closed.
      for (const each of open.reverse()) await each.close().catch(() => {});
    },
  };
  context.reportClosed(ofConfig);
  const path = configPathIfAny(host);
  if (path !== undefined && isInAnothersHome(path, world.home))
    context.say(sentence`warning: ${world.home} belongs to another user, who cannot read ${path}. Move it to your own home, and set HOME.`);
  const client = once(() => connected(context.settings(), host));
  const sandbox = once(() => startSandboxFor(context).then(opened));

  /** A file that a person shares gives a warning, and is used all the same. Who writes the certificates can stand in for the service. */
  const nameOpenFiles = once(() => {
    const { tokenFile, caFile } = context.settingsIfAny() ?? {};
    if (tokenFile !== undefined && isOpenToOthers(tokenFile))
      context.say(sentence`warning: Other users can read or change the token file ${tokenFile}.`);
    if (caFile !== undefined && isOpenToOthers(caFile, 0o022))
      context.say(sentence`warning: Other users can change the certificate file ${caFile}.`);
  });

  function opened<T extends { close(): Promise<void> }>(thing: T): T {
    open.push(thing);
    return thing;
  }

  /** `surroundings` may interrupt it. What clients have learned, and their pacer, they share. */
  async function connected(settings: Settings, surroundings: Host): Promise<Client> {
    if (settings.sandbox) await sandbox();
    // If there is no address, the error for the token says how to log in.
    if (settings.baseUrl === '') await settings.token();
    const api = await import('../../api/client.ts');
    shared ??= api.sharedBy(surroundings);
    const made = new api.Client({
      ...settings,
      ...shared,
      host: surroundings,
      secrets,
      dryRun: globals.dryRun,
      refusesDoubt: globals.to !== undefined,
      async token() {
        const value = await settings.token();
        nameOpenFiles();
        secrets.use(value);
        secrets.use(`${settings.authPrefix} ${value}`);
        return value;
      },
      waiting: line.waiting,
      note: context.waits,
      warn: context.warn,
      ca: settings.caFile && (await context.read(settings.caFile)),
      debug: globals.debug ? (lines) => terminal.trace(lines) : undefined,
    });
    return opened(made);
  }
  return context;
}

/** Throws `usage`. */
function formatInFile({ to, output }: Globals): Format | undefined {
  if (to === undefined) return undefined;
  const format = formatOfFile(to);
  const hint = sentence`Give --to a file that ends with ${endings.join(', ')}.`;
  if (!format)
    throw new CliError('usage', sentence`--to writes the result into a file, and the ending of "${to}" names no format.`, { hint });
  if (output === undefined || output === format) return format;
  throw new CliError('usage', sentence`-o ${output} does not fit the file "${to}", whose ending is its format.`, {
    hint: 'Leave out -o.',
  });
}

function once<T>(make: () => T): () => T {
  let made: { is: T } | undefined;
  return () => {
    made ??= { is: make() };
    return made.is;
  };
}

/** Starts the embedded service. From then on, the settings have its address and its token. */
async function startSandboxFor({ host, settings, reportClosed }: Context) {
  const { startSandbox } = await import('../../sandbox/index.ts');
  const { dialect, institute } = settings();
  const sandbox = await startSandbox({
    ...sandboxPlace(host),
    onClosed: reportClosed,
    dialect,
    now: () => host.now(),
  });
  const { baseUrl, token } = sandbox;
  Object.assign(settings(), {
    baseUrl,
    origin: new URL(baseUrl).origin,
    token: async () => token,
    institute: institute ?? sandbox.institute,
  });
  return sandbox;
}

/** After an interruption, requests under way get this long to end. Milliseconds. */
const grace = 5_000;

/** The same host, for which an interruption comes later; after one, no request begins. */
function unhurried(host: Host): Host {
  const later = new AbortController();
  const { interrupted } = host;
  interrupted.addEventListener('abort', () => setTimeout(() => later.abort(interrupted.reason), grace).unref(), { once: true });
  return { ...host, interrupted: later.signal };
}

/** The files that every command may read. */
function inputsOf({ host, settings }: Context): string[] {
  const { tokenFile, caFile } = settings();
  const paths = [configPathIfAny(host), host.env.NODE_EXTRA_CA_CERTS, tokenFile, caFile];
  return paths.filter((path): path is string => Boolean(path));
}

/** Asks for the text to type; Enter alone means no. */
async function isTyped(questions: Prompts, question: string, wanted: string): Promise<boolean> {
  const problem = sentence`Type ${wanted} to confirm, or press Enter to cancel.`;
  const check = (answer: string) => (['', wanted].includes(answer.trim()) ? undefined : problem);
  const answer = await questions.text(sentence`${question} Type ${wanted} to confirm:`, { check });
  return answer.trim() === wanted;
}
