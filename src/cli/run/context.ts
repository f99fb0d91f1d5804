/**
 * The context of a command: settings, client, questions, files; each created on first use, so that a broken
 * configuration only stops a command that needs it.
 */
import type { Request } from '../../api/request.ts';
import type { Context, Globals } from '../../command.ts';
import { configPath, readConfig } from '../../config/file.ts';
import { configFolderIfAny } from '../../config/folders.ts';
import { resolveSettings, type Settings } from '../../config/settings.ts';
import { CliError } from '../../errors.ts';
import { canAsk, type Host } from '../../host/host.ts';
import { noChoice } from '../../model/nearest.ts';
import { Secrets } from '../../model/secrets.ts';
import { parseTime } from '../../model/time.ts';
import { type Format, formats } from '../../output/view.ts';
import type { RunRecord } from '../../record/index.ts';
import { sentence } from '../../text/sentence.ts';
import { Clients, textOf } from './clients.ts';
import { Terminal } from './terminal.ts';

export type RunContext = Context & {
  /** Whether a program reads the outcome: a failure is then one line of JSON. */
  forProgram(): boolean;
  /** Writes the messages that were held back, because the command has not failed. */
  release(): void;
  /** The last write that may have been carried out. */
  written(): Request | undefined;
  /** What is recorded of the command, once its values are known. */
  records(recorded: Context['recorded']): void;
  close(): Promise<void>;
};

export function createContext(world: Host, given: Globals, terminal = new Terminal(world, new Secrets())): RunContext {
  const { host, secrets, line } = terminal;
  secrets.revealed = given.showSecrets;
  const format = formatOf(given, world.env);
  const forProgram = format === 'json' || format === 'ndjson';
  knowProfiles(world, secrets);
  const globals: Globals = {
    ...given,
    get plain() {
      return given.plain || world.env.TERM === 'dumb' || isSetPlain(context);
    },
  };
  terminal.begin(given, () => globals.plain);
  const inputs: string[] = [];
  let settings: Settings | undefined;
  let record: Promise<RunRecord> | undefined;
  let recorded: Context['recorded'] = () => '';

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
    client: () => clients.client(),
    connect: (target) => clients.connected(target, host),
    uninterruptedClient: () => clients.uninterrupted(),
    recorded: (operands) => recorded(operands),
    records(made) {
      recorded = made;
    },
    record() {
      record ??= openRecordOf(context);
      return record;
    },
    progress: (total) => (globals.quiet ? { tick() {}, end() {} } : line.progress(total)),
    async whileWaiting(work) {
      const ended = line.waiting();
      try {
        return await work();
      } finally {
        ended();
      }
    },
    say(text) {
      if (!globals.quiet) terminal.say(text, forProgram);
    },
    warn(text) {
      terminal.say(text, forProgram);
    },
    format,
    forProgram: () => forProgram,
    release: () => terminal.release(),
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
    written: () => clients.written,
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
  const clients = new Clients(context, terminal);
  return context;
}

/** Loaded by commands that write. */
async function openRecordOf(context: Context): Promise<RunRecord> {
  const [{ openRecord }, { recordOptions }] = await Promise.all([
    import('../../record/index.ts'),
    import('../../config/record-options.ts'),
  ]);
  return openRecord(recordOptions(context));
}

/** The files that every command may read. */
function inputsOf({ host, settings }: Context): string[] {
  const { PROCTOR_TOKEN_FILE: token, NODE_EXTRA_CA_CERTS: certificates } = host.env;
  const config = configFolderIfAny(host) === undefined ? undefined : configPath(host);
  return [config, token, certificates, settings().caFile].filter((path): path is string => Boolean(path));
}

/** A broken configuration must not prevent its own error message. */
function isSetPlain({ settings }: Context): boolean {
  try {
    return settings().plain;
  } catch {
    return false;
  }
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

/** If the configuration cannot be read, it has no secrets to mask. */
function knowProfiles(host: Host, secrets: Secrets) {
  try {
    for (const { token } of Object.values(readConfig(host).profiles)) secrets.know(token);
  } catch {}
}
