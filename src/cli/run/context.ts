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
import { canAsk, type Host, inCI } from '../../host/host.ts';
import { noChoice } from '../../model/choices.ts';
import { type Format, formats } from '../../model/format.ts';
import { Secrets } from '../../model/secrets.ts';
import { parseTime } from '../../model/time.ts';
import { progressOn, type ShownProgress } from '../../output/progress.ts';
import { waitingOn } from '../../output/waiting.ts';
import type { RunRecord } from '../../record/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { removeExpired } from '../complete/cache.ts';
import { Clients } from './clients.ts';
import { toFiles } from './guarded.ts';
import { withSignOfLife } from './sign-of-life.ts';
import { Messages } from './stderr-messages.ts';
import { textOf } from './text-of.ts';

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

export function createContext(world: Host, given: Globals, secrets = new Secrets()): RunContext {
  secrets.revealed = given.showSecrets;
  const format = formatOf(given, world.env);
  knowProfiles(world, secrets);
  const globals: Globals = {
    ...given,
    get plain() {
      return given.plain || world.env.TERM === 'dumb' || isSetPlain(context);
    },
  };
  const waiting =
    world.stderr.isTTY && !given.quiet && !given.debug && !inCI(world) ? waitingOn(world.stderr, () => globals.plain) : undefined;
  let bar: ShownProgress | undefined;
  const line = {
    clear() {
      waiting?.clear();
      bar?.clear();
    },
    pause() {
      bar?.clear();
      return waiting?.pause() ?? (() => {});
    },
  };
  const host = withSignOfLife(world, line, () => globals.plain);
  const messages = new Messages(host.stderr, given, () => globals.plain);
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
    records(given) {
      recorded = given;
    },
    record() {
      record ??= openRecordOf(context);
      return record;
    },
    // While it is shown, the sign of life is off.
    progress(total) {
      if (globals.quiet) return { tick() {}, end() {} };
      const resume = waiting?.pause();
      const shown = progressOn(world.stderr, { now: host.now, total, plain: globals.plain || inCI(host) });
      bar = shown;
      return {
        ...shown,
        end() {
          shown.end();
          bar = undefined;
          resume?.();
        },
      };
    },
    async whileWaiting(work) {
      const ended = waiting?.begin();
      try {
        return await work();
      } finally {
        ended?.();
      }
    },
    say(text) {
      if (!globals.quiet) context.warn(text as string as Sentence);
    },
    warn(text) {
      messages.say(text, context.forProgram);
    },
    format,
    forProgram: () => format === 'json' || format === 'ndjson',
    release: () => messages.release(),
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
    act: async ({ steps, show, perform }) => (globals.dryRun ? show(steps) : perform(steps)),
    time: (text, { day } = {}) => parseTime(text, { now: host.now, zone: context.settings().timeZone, day }),
    written: () => clients.written,
    read(file) {
      if (file !== '-') inputs.push(file);
      return textOf(file, host);
    },
    outputRule: ({ force, reads = [] }) => ({
      force,
      inputs: [...inputs, ...reads, ...inputsOf(context)],
      shown: toFiles(secrets),
    }),
    async close() {
      removeExpired(host);
      await clients.close();
      // What a run has recorded is durable already.
      await (await record?.catch(() => undefined))?.close().catch(() => {});
    },
  };
  const clients = new Clients(context, messages, waiting);
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
