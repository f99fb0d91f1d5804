/** Loaded by main once a command will run: context, execution, printing. */
import { itemsOf } from '../../api/list.ts';
import type { RequestStep } from '../../api/request.ts';
import type { Argument, Arguments, Body, Command, Flag, Flags, Result, Values } from '../../command.ts';
import { stateFolder } from '../../config/folders.ts';
import { CliError } from '../../errors.ts';
import { inCI } from '../../host/host.ts';
import { flagName, shellQuoted, typedCommand, typedOption } from '../../model/shell-quote.ts';
import { formatTime } from '../../model/time.ts';
import { render } from '../../output/index.ts';
import type { Format } from '../../output/view.ts';
import { sentence } from '../../text/sentence.ts';
import { bodyOptions } from '../parse/options.ts';
import type { Invocation } from '../parse/program.ts';
import { valuesOf } from '../parse/values.ts';
import { arranged } from './arrange.ts';
import type { RunContext } from './context.ts';
import { wantsColor } from './terminal.ts';

export { createContext } from './context.ts';

/** Prints a result in the current format. */
export async function print(result: Result, context: RunContext): Promise<void> {
  if (result.kind === 'nothing') {
    if (!result.failure) context.release();
    return;
  }
  const { host, globals } = context;
  const reveal = globals.showSecrets || result.reveal === true;
  context.secrets.revealed = reveal;
  const settings = quietSettings(context);
  // A live result may run for hours, so its messages are not held back.
  if (result.kind === 'live') context.release();
  await render(result, {
    format: formatOf(result, context),
    ...(globals.columns === undefined ? {} : { columns: globals.columns }),
    showSecrets: reveal,
    secrets: context.secrets,
    timeZone: settings?.timeZone ?? host.zone(),
    color: wantsColor(host, host.stdout, globals),
    plain: globals.plain,
    stdout: host.stdout,
    note: context.say,
    ...(context.written() ? { afterWrite: { warn: context.warn } } : {}),
    ...(wantsScreen(context) ? { terminal: host } : {}),
  });
  if (formatOf(result, context) === 'table') for (const line of result.advice ?? []) context.say(line);
  if (!result.failure) context.release();
  if (result.kind === 'one') await result.meanwhile?.();
}

function formatOf(result: Exclude<Result, { kind: 'nothing' }>, context: RunContext): Format {
  const { format, globals, host } = context;
  if (format !== 'table' || globals.output !== undefined) return format;
  if (result.unasked === 'json') return 'json';
  return result.unasked === 'file' && !host.stdout.isTTY ? 'csv' : format;
}

/** Settings for printing; a broken configuration must not keep `doctor` from printing. */
function quietSettings(context: RunContext) {
  try {
    return context.settings();
  } catch {
    return undefined;
  }
}

/** Whether a view may take over the terminal: not for a screen reader, a log or a debug run. */
function wantsScreen({ host, globals }: RunContext): boolean {
  return host.stdout.isTTY && !globals.plain && !globals.debug && !inCI(host);
}

type CommandValues = Values<Arguments, Flags> & Body;

export async function execute(invocation: Invocation, context: RunContext): Promise<Result> {
  const { command, globals } = invocation;
  // The client's parser of HTTP is WebAssembly, and on Node 22 whatever touches a Request needs it.
  if (!('WebAssembly' in globalThis)) {
    throw new CliError('invalid_config', 'This Node.js runs without WebAssembly, which proctor-cli needs.', {
      hint: 'Start it without --jitless and --no-expose-wasm; they may be in NODE_OPTIONS. Nothing was sent.',
    });
  }
  if (globals.dryRun && command.effect === 'local') {
    throw new CliError('usage', sentence`"${command.name}" sends nothing, so there is nothing to dry-run.`, {
      hint: 'Leave out --dry-run.',
    });
  }
  if (globals.duringExam !== undefined && !command.takes) {
    // A script may pass it to each of its commands, in an emergency above all.
    context.warn(sentence`note: "${command.name}" takes nothing from students, so --during-exam has no effect.`);
  }
  if (globals.duringExam?.trim() === '') {
    throw new CliError('usage', 'The reason for --during-exam is empty.', { hint: 'Say in a few words why it has to be done now.' });
  }
  const values = await valuesOf(invocation, context);
  context.records((operands) => recordedCommand(invocation, values, operands));
  if (command.effect !== 'local' && command.effect !== 'read') {
    const { closeStateFolder } = await import('../../files/private-folder.ts');
    closeStateFolder(stateFolder(context.host), context.host);
  }
  if (command.run) return command.run(context, values);
  // The embedded service knows its institute only after its start; for other services, an invalid request is refused without a login.
  if (context.settings().sandbox) await context.client();
  return read(command, values, command.request?.(values, context), context);
}

/** What a command that only reads prints: its writes are runs. */
async function read(command: Command, values: CommandValues, request: RequestStep | undefined, context: RunContext): Promise<Result> {
  const client = await context.client();
  if (!request) return { kind: 'nothing' };
  const { operation, ...input } = request;
  const columns = command.columns ?? [];
  if (operation.answer !== 'list') return { kind: 'one', row: await client.get(operation, input), columns };
  const { sort, limit } = values as { sort?: string; limit?: number };
  const filter = await command.filter?.(values, context);
  // A list that is cut short or printed page by page is not read to its end first.
  const whole = sort !== undefined || (limit === undefined && !streamed.has(context.format));
  const listed = itemsOf(client.pages(operation, input, { whole, unsure: 'warn' }));
  const rows = arranged(listed, columns, { sort, limit, filter });
  return { kind: 'list', rows, columns, ...(command.file ? { unasked: 'file' as const } : {}) };
}

/** The formats that print a list page by page; IDs are printed once all of them are there. */
const streamed = new Set(['ndjson', 'csv']);

type Given = Readonly<Record<string, unknown>>;

const completesIds: ReadonlySet<string | undefined> = new Set<Argument['complete']>(['exams', 'sessions', 'runs']);
/** Placeholders of flags that take an ID or a length of time. */
const plain: ReadonlySet<string> = new Set(['id', 'duration', 'amount']);

/** `operands`: in place of the values of its arguments. */
function recordedCommand({ command, raw }: Invocation, values: Given, operands?: readonly string[]): string {
  const { flags = {} } = command;
  const options = Object.entries(flags).flatMap(([key, flag]) => [values[key] ?? []].flat().map((each) => option(key, flag, each)));
  const given = [raw.typed.length > 0, raw.text.length > 0, raw.body !== undefined];
  const ofBody = bodyOptions.flatMap(({ flags: term }, at) => {
    const [name = '', placeholder = ''] = term.split(' ').slice(-2);
    return given[at] ? [`${name} ${placeholder.slice(1, -1).toUpperCase()}`] : [];
  });
  return typedCommand(command.name, operands ?? operandsOf(command, values), ...options, ...ofBody);
}

function operandsOf({ args = {} }: Command, values: Given): string[] {
  return Object.entries(args).flatMap(([name, { complete }]) => {
    const given = [values[name] ?? []].flat().map(String);
    if (completesIds.has(complete)) return given.map((id) => idIn(id) ?? name.toUpperCase());
    return given.length > 0 ? [name.toUpperCase()] : [];
  });
}

function option(key: string, flag: Flag, value: unknown): string {
  const name = flagName(key);
  if (flag.type === 'boolean') return value === false ? name.replace('--', '--no-') : name;
  if (flag.type === 'time') return `${name} ${typeof value === 'number' ? formatTime(value, 'iso-utc') : shellQuoted(String(value))}`;
  const shown = plain.has(flag.value) ? idIn(String(value)) : undefined;
  return shown === undefined ? `${name} ${flag.value.toUpperCase()}` : typedOption(name, shown);
}

/** Nobody keeps an address from being typed in place of an ID. */
function idIn(value: string): string | undefined {
  return value.includes('@') ? undefined : value;
}
