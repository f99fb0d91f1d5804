/**
 * The context of a command: settings, client, questions, files; each created on first use, so that a broken
 * configuration only stops a command that needs it.
 */
import type { Client } from '../../api/client.ts';
import type { Request } from '../../api/request.ts';
import type { Context, Globals } from '../../command.ts';
import { configFolderIfAny } from '../../config/folders.ts';
import { configPath, readConfig } from '../../config/profiles.ts';
import { layersInForce, type Settings, settingsOf } from '../../config/settings.ts';
import { CliError } from '../../errors.ts';
import { canAsk, type Host } from '../../host/host.ts';
import { orNone } from '../../model/invalid-value.ts';
import { noChoice } from '../../model/nearest.ts';
import { Secrets } from '../../model/secrets.ts';
import { parseTime } from '../../model/time.ts';
import { type Format, formats } from '../../output/view.ts';
import type { RunRecord } from '../../record/index.ts';
import { sentence } from '../../text/sentence.ts';
import { clientsOf, unhurried } from './clients.ts';
import { Terminal } from './terminal.ts';

export type RunContext = Context & {
  terminal: Terminal;
  /** Whether a program reads the outcome: a failure is then one line of JSON. */
  forProgram: boolean;
  /** The settings, unless the configuration is broken, which must not keep an error or `doctor` from being printed. */
  settingsIfAny(): Settings | undefined;
  /** The last write that may have been carried out. */
  written(): Request | undefined;
  close(): Promise<void>;
};

export function createContext(world: Host, given: Globals, terminal = new Terminal(world, new Secrets())): RunContext {
  const { host, secrets, line } = terminal;
  secrets.revealed = given.showSecrets;
  const format = formatOf(given, world.env);
  const forProgram = format === 'json' || format === 'ndjson';
  const globals: Globals = {
    ...given,
    get plain() {
      return given.plain || world.env.TERM === 'dumb' || context.settingsIfAny()?.plain === true;
    },
  };
  terminal.begin(given, () => globals.plain);
  for (const { token } of Object.values(orNone(() => readConfig(world).profiles) ?? {})) secrets.know(token);
  const inputs: string[] = [];
  let settings: Settings | undefined;
  let client: Promise<Client> | undefined;
  let uninterrupted: Promise<Client> | undefined;
  let record: Promise<RunRecord> | undefined;

  const context: RunContext = {
    host,
    terminal,
    globals,
    secrets,
    format,
    forProgram,
    settings() {
      settings ??= settingsOf(layersInForce(host, globals));
      return settings;
    },
    settingsIfAny: () => orNone(context.settings),
    place() {
      const { origin, profile } = context.settings();
      return sentence`at ${origin} (profile ${profile})`;
    },
    zone: () => context.settings().timeZone ?? host.zone(),
    client(others) {
      if (others) return clients.connect(others, host);
      client ??= clients.connect(context.settings(), host);
      return client;
    },
    uninterruptedClient() {
      uninterrupted ??= clients.connect(context.settings(), unhurried(host));
      return uninterrupted;
    },
    recorded: () => '',
    record() {
      record ??= openRecordOf(context);
      return record;
    },
    progress: (total) => (globals.quiet ? { tick() {}, end() {} } : line.progress(total)),
    async whileWaiting(work) {
      const ended = line.waiting();
      return work().finally(ended);
    },
    say: (text) => (globals.quiet ? undefined : terminal.say(text, forProgram)),
    warn: (text) => terminal.say(text, forProgram),
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
    time: (text, { day } = {}) => parseTime(text, { now: host.now, zone: context.settings().timeZone, day }),
    written: () => clients.written(),
    read(file) {
      if (file !== '-') inputs.push(file);
      return textOf(file, host);
    },
    outputRule: ({ force, reads = [] }) => ({
      force,
      inputs: [...inputs, ...reads, ...inputsOf(context)],
      // In a file secrets are masked even if stdout shows them.
      shown: (text) => secrets.masked(text),
    }),
    async close() {
      await clients.close();
      // What a run has recorded is durable already.
      await (await record?.catch(() => undefined))?.close().catch(() => {});
    },
  };
  const clients = clientsOf(context, terminal);
  return context;
}

/** Loaded by commands that write. */
async function openRecordOf(context: Context): Promise<RunRecord> {
  const { openRecord } = await import('../../record/index.ts');
  const { recordOptions } = await import('../../config/record-options.ts');
  return openRecord(recordOptions(context));
}

/** The files that every command may read. */
function inputsOf({ host, settings }: Context): string[] {
  const { PROCTOR_TOKEN_FILE: token, NODE_EXTRA_CA_CERTS: certificates } = host.env;
  const config = configFolderIfAny(host) === undefined ? undefined : configPath(host);
  return [config, token, certificates, settings().caFile].filter((path): path is string => Boolean(path));
}

/** The format of the flag, else that of the variable. Throws `invalid_input` for a word that is none. */
function formatOf({ output }: Globals, { PROCTOR_OUTPUT }: Host['env']): Format {
  const text = output ?? (PROCTOR_OUTPUT || 'table');
  const format = formats.find((each) => each === text);
  if (format) return format;
  const { message, hint } = noChoice('The value', text, formats);
  throw new CliError('invalid_input', sentence`PROCTOR_OUTPUT: ${message}`, hint === undefined ? {} : { hint });
}

/** Asks for the text to type; Enter alone means no. */
async function isTyped(question: string, wanted: string, host: Host): Promise<boolean> {
  const problem = sentence`Type ${wanted} to confirm, or press Enter to cancel.`;
  const check = (answer: string) => (['', wanted].includes(answer.trim()) ? undefined : problem);
  return (await host.prompts.text(sentence`${question} Type ${wanted} to confirm:`, { check })).trim() === wanted;
}

/** Bytes. */
const largestText = 64 << 20;

/** The text of a file that stands for a value, a body or certificates; of stdin for `-`. Throws `invalid_input`. */
async function textOf(file: string, host: Host): Promise<string> {
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
