/** Loaded by main once a command will run: context, execution, printing. */
import type { Client } from '../../api/client.ts';
import { type Dialect, dialectName } from '../../api/dialect.ts';
import { itemsOf } from '../../api/list.ts';
import type { RequestStep } from '../../api/operations.ts';
import type { Arguments, Body, Column, Command, Flags, Result, Row, RowFilter, Values } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { inCI } from '../../host/host.ts';
import { ZoneMissing } from '../../model/invalid-value.ts';
import { formatRules } from '../../output/formats.ts';
import { render } from '../../output/index.ts';
import { mapped } from '../../output/layout.ts';
import type { FormatRule, View } from '../../output/result.ts';
import { sentence } from '../../text/sentence.ts';
import type { Invocation } from '../parse/program.ts';
import { parseLine, recordedCommand } from '../parse/values.ts';
import type { RunContext } from './context.ts';
import { wantsColor } from './terminal.ts';

export { createContext } from './context.ts';

export async function print(result: Result, context: RunContext): Promise<void> {
  const { host, globals } = context;
  const reveal = globals.showSecrets || result.reveal === true;
  context.secrets.revealed = reveal;
  // A live result may run for hours, so its messages are not held back.
  if (result.kind === 'live') context.terminal.release();
  const format = outputFormat(result, context);
  const settings = context.settingsIfAny();
  // A view does not take over the terminal of a screen reader, a log or a debug run.
  const mayTakeOver = host.stdout.isTTY && !globals.plain && !globals.debug && !inCI(host);
  const view: View = {
    format,
    columns: globals.columns,
    showSecrets: reveal,
    masked: (text) => (reveal ? text : context.secrets.masked(text)),
    get timeZone() {
      return settings?.timeZone ?? host.zone();
    },
    color: wantsColor(host, host.stdout, globals),
    plain: globals.plain,
    stdout: host.stdout,
    save: undefined,
    origin: { service: settings?.origin ?? '', profile: settings?.profile ?? '', zone: settings?.timeZone, when: host.now() },
    note: context.say,
    afterWrite: context.written() && { warn: context.warn },
    terminal: mayTakeOver ? host : undefined,
  };
  await (context.save ?? render)(result, view);
  if (context.save ? !context.terminal.isForProgram : format.reader === 'person') for (const line of result.advice ?? []) context.say(line);
  if (!result.failure) context.terminal.release();
  if (result.kind === 'one') await result.meanwhile?.();
}

function outputFormat({ unasked }: Result, { format, globals, host }: RunContext): FormatRule {
  const isAsked = format !== 'table' || globals.output !== undefined;
  const other = unasked === 'file' && !host.stdout.isTTY ? 'csv' : unasked === 'json' ? 'json' : format;
  return formatRules[isAsked ? format : other];
}

const questions = () => import('../prompt/ask.ts');

type CommandValues = Values<Arguments, Flags> & Body;

/** Asks for a zone where a time needs one and none is set. */
export async function execute(invocation: Invocation, context: RunContext): Promise<Result> {
  const { to } = context.globals;
  if (to !== undefined) context.save = await (await import('./to-file.ts')).fileFor(invocation, to, context);
  return run(invocation, context).catch(async (error: unknown) => {
    const { globals, settings } = context;
    if (!(error instanceof ZoneMissing) || globals.noInput) throw error;
    const { askZone } = await questions();
    const timeZone = await askZone(error.message, invocation.command, context);
    context.settings = () => ({ ...settings(), timeZone });
    return run(invocation, context);
  });
}

async function run(invocation: Invocation, context: RunContext): Promise<Result> {
  const { command, globals } = invocation;
  if (globals.dryRun && command.effect === 'local')
    throw new CliError('usage', sentence`"${command.name}" has nothing to dry-run.`, { hint: 'Leave out --dry-run.' });
  const line = await parseLine(invocation, context);
  if (line.missing.length > 0) await (await questions()).ask(line, context);
  const values = { ...line.values, body: line.body, typedTimes: line.typedTimes } as CommandValues;
  const { columns = [] } = command;
  context.columns = columns.some(({ key }) => key.startsWith('dialect.')) ? withDialectKeys(columns, context.settings().dialect) : columns;
  context.recorded = (operands) => recordedCommand(invocation, values, operands);
  if (command.run) return command.run(context, values);
  // Only the started embedded service knows its institute. Elsewhere, an invalid request is refused
  // without a login.
  if (context.settings().sandbox) await context.client();
  return readResult(command, values, command.request?.(values, context), context);
}

/** A column whose field the dialect names; none where it names none. */
function withDialectKeys(columns: readonly Column[], dialect: Dialect): readonly Column[] {
  return columns.map((column) => ({ ...column, key: dialectName(column.key, dialect) })).filter(({ key }) => key !== '');
}

type Rows = AsyncIterable<Row> | Iterable<Row>;

async function readResult(command: Command, values: CommandValues, request: RequestStep | undefined, context: RunContext): Promise<Result> {
  const client = await context.client();
  if (!request) return { kind: 'nothing' };
  const { operation, ...input } = request;
  const { columns } = context;
  const isForPeople = context.format === 'table' && context.globals.columns === undefined;
  if (operation.answer !== 'list') {
    // A text in the place of an ID has been read as one.
    const seen = operation.path.endsWith('/:id') ? client.known.shown(operation.resource, input.params?.id ?? '') : undefined;
    const row = seen?.data ?? (await client.get(operation, input));
    const shown = isForPeople && (await command.inTable?.(values, context));
    return { kind: 'one', row: shown ? await shown(row) : row, columns };
  }
  const { sort: asked, limit } = values as { sort?: string; limit?: number };
  const isOnTerminal = context.format === 'table' && context.host.stdout.isTTY && limit === undefined;
  const sort = asked ?? (isOnTerminal ? command.sortedBy : undefined);
  const filter = await command.filter?.(values, context);
  // A list that is cut short or printed page by page is not read to its end first.
  const whole = sort !== undefined || (limit === undefined && (context.globals.to !== undefined || !formatRules[context.format].streams));
  let rows: Rows = itemsOf(client.pages(operation, input, { unsure: 'warn' }, whole));
  if (sort !== undefined) rows = await (await import('../../output/choose-columns.ts')).sorted(rows, columns, sort);
  const found = wanted(rows, client, filter, limit);
  const shown = isForPeople && (await command.inTable?.(values, context));
  return { kind: 'list', rows: shown ? mapped(found, shown) : found, columns };
}

/** The rows that pass the filter, at most `limit`; then reading ends. Throws if none passes and the list may not be whole. */
async function* wanted(rows: Rows, client: Client, filter: RowFilter | undefined, limit = Infinity): AsyncGenerator<Row> {
  let found = 0;
  for await (const row of rows) {
    if (filter && !filter.keep(row)) continue;
    yield row;
    found += 1;
    if (found >= limit) break;
  }
  if (filter && found === 0) client.refuseDoubt('anything matches');
  filter?.end?.();
}
