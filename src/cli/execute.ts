/**
 * From a checked invocation to its result: values, question, requests, rows. What a command's
 * record says once is turned into behaviour here, for all commands alike.
 */
import { planned } from '../api/planned.ts';
import type { Column, Command, CommandRequest, Result, Row } from '../command.ts';
import { CliError, errorTable } from '../errors.ts';
import { idAs } from '../model/id.ts';
import { isJsonObject } from '../model/json.ts';
import { sentence } from '../text/sentence.ts';
import { outputFormat, type RunContext } from './context.ts';
import type { Invocation } from './program.ts';
import { valuesOf } from './values.ts';

const outcomeColumns: readonly Column[] = [{ key: 'id' }, { key: 'result' }, { key: 'problem' }];

export async function execute(invocation: Invocation, context: RunContext): Promise<Result> {
  const { command, globals } = invocation;
  if (globals.dryRun && command.effect === 'local') {
    throw new CliError('usage', sentence`"${command.name}" sends nothing, so there is nothing to dry-run.`, {
      hint: 'Leave out --dry-run.',
    });
  }
  const values = await valuesOf(invocation, context);
  if (command.run) return command.run(context, values);
  // The embedded service tells its institute once it runs; otherwise what is refused needs no login.
  if (context.settings().sandbox) await context.client();
  const requests = command.requests?.(values, context) ?? [];
  const client = await context.client();
  if (globals.dryRun) return planned(requests.map(({ operation, ...input }) => client.plan(operation, input)));
  const [first] = requests;
  if (!first) return { kind: 'nothing' };
  // What cannot be sent is found out before the first request, not between two.
  for (const { operation, ...input } of requests) client.plan(operation, input);
  if (command.effect === 'read') {
    const columns = command.columns ?? [];
    const { operation, ...input } = first;
    if (operation.answer !== 'list') return { kind: 'one', row: await client.get(operation, input), columns };
    const rows = client.list(operation, input, { stream: streamed.has(outputFormat(context)) });
    const keep = command.keep?.(values);
    return { kind: 'list', rows: keep ? kept(rows, keep) : rows, columns };
  }
  if (command.question) {
    await context.confirm(async () => sentence`${await command.question?.(values, context)} ${context.place()}?`, command.typed?.(values));
  }
  if (first.subject !== undefined) return several(requests, context);
  // Read commands load no code for writes.
  const { perform } = await import('../api/perform.ts');
  const { data, looked, altered } = await perform(client, first.operation, first);
  if (looked !== undefined) context.say(looked);
  const result = { ...resultOf(command, data), ...(altered ? { failure: altered } : {}) };
  return first.operation.answer === 'open' && result.kind === 'one' ? { ...result, id: null } : result;
}

/** The formats that print a list while it arrives. */
const streamed = new Set(['ndjson', 'csv', 'id']);

async function* kept(rows: AsyncIterable<Row>, keep: (row: Row) => boolean): AsyncGenerator<Row> {
  for await (const row of rows) if (keep(row)) yield row;
}

function resultOf(command: Command, data: unknown): Result {
  const columns = command.columns ?? [];
  if (isJsonObject(data)) return { kind: 'one', row: data, columns };
  if (Array.isArray(data)) return { kind: 'list', rows: data.map((item) => (isJsonObject(item) ? item : { id: item })), columns };
  return { kind: 'nothing' };
}

/** One request after the other, each with a row of its own; a failure of one does not stop the rest. */
async function several(requests: readonly CommandRequest[], context: RunContext): Promise<Result> {
  const [client, { perform }] = await Promise.all([context.client(), import('../api/perform.ts')]);
  const rows: { id: string; result: string; problem?: string }[] = [];
  const failures: { id: string; error: CliError }[] = [];
  let stopped: CliError | undefined;
  for (const { operation, subject = '', ...input } of requests) {
    if (stopped) {
      rows.push({ id: subject, result: 'not tried' });
      continue;
    }
    try {
      const { looked } = await perform(client, operation, input);
      rows.push({ id: subject, result: 'deleted', ...(looked === undefined ? {} : { problem: looked }) });
    } catch (error) {
      if (!(error instanceof CliError) || requests.length === 1) throw error;
      failures.push({ id: subject, error });
      rows.push({ id: subject, result: isUnknown(error) || isUnknown(error.cause) ? 'unknown' : 'failed', problem: error.message });
      context.warn(sentence`${subject}: ${error.message}`);
      if (endsTheRun.has(error.code)) stopped = error;
    }
  }
  // As IDs, those that are done and no others: they may be on their way into another command.
  const shown = outputFormat(context) === 'id' ? rows.filter(({ result }) => result === 'deleted') : rows;
  const type = client.idType(requests[0]?.operation.resource ?? 'session');
  return {
    kind: 'list',
    rows: shown.map((row) => ({ ...row, id: idAs(row.id, type) })),
    columns: outcomeColumns,
    id: 'id',
    ...(failures.length > 0
      ? {
          failure: summary(
            failures.map(({ id, error }) => ({ id: idAs(id, type), error })),
            rows,
            stopped,
          ),
        }
      : {}),
  };
}

function isUnknown(error: unknown): boolean {
  return error instanceof CliError && error.code === 'outcome_unknown';
}

const endsTheRun = new Set<CliError['code']>(['token_refused', 'interrupted', 'terminated']);

function summary(
  failures: { id: string | number | bigint; error: CliError }[],
  rows: readonly Row[],
  stopped: CliError | undefined,
): CliError {
  const items = failures.map(({ id, error }) => ({ id, code: error.code, message: error.message }));
  const done = rows.filter(({ result }) => result === 'deleted').length;
  const untried = rows.filter(({ result }) => result === 'not tried').length;
  const unknown = failures.find(({ error }) => error.code === 'outcome_unknown')?.error;
  const alike = failures.every(({ error }) => error.exit === failures[0]?.error.exit) ? failures[0]?.error : undefined;
  const code = stopped?.code ?? unknown?.code ?? (done === 0 && alike ? alike.code : 'partly_done');
  const message = sentence`${done} of ${rows.length} done, ${failures.length} failed${untried > 0 ? `, ${untried} not tried` : ''}.`;
  return new CliError(code, message, { items, hint: stopped?.hint ?? unknown?.hint ?? errorTable.partly_done.hint });
}
