/**
 * From a checked invocation to its result: values, question, requests, rows. The same for all commands, driven by
 * their records.
 */

import type { Question } from '../../api/confirmations.ts';
import { planned } from '../../api/planned.ts';
import type { RequestStep } from '../../api/request.ts';
import type { Arguments, Body, Column, Command, Flags, Result, Values } from '../../command.ts';
import { closeStateFolder } from '../../config/folders.ts';
import { CliError } from '../../errors.ts';
import { idAs } from '../../model/id.ts';
import { isJsonObject } from '../../model/json.ts';
import { sentence } from '../../text/sentence.ts';
import type { Invocation } from '../parse/program.ts';
import { valuesOf } from '../parse/values.ts';
import { arranged } from './arrange.ts';
import { outputFormat, type RunContext } from './context.ts';

type CommandValues = Values<Arguments, Flags> & Body;

const outcomeColumns: readonly Column[] = [{ key: 'id' }, { key: 'result' }, { key: 'problem' }];

export async function execute(invocation: Invocation, context: RunContext): Promise<Result> {
  const { command, globals } = invocation;
  context.log.begin(invocation);
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
  // The result of a write would be lost, and with it the IDs of what was created.
  if (command.effect !== 'local') context.host.stdout.assertOpen?.();
  const values = await valuesOf(invocation, context);
  if (command.effect !== 'local' && command.effect !== 'read') closeStateFolder(context.host);
  if (command.run) return command.run(context, values);
  // The embedded service knows its institute only after its start; for other services, an invalid request is refused without a login.
  if (context.settings().sandbox) await context.client();
  const steps = (await command.requests?.(values, context)) ?? [];
  const client = await context.client();
  return context.act({
    steps,
    show: (unsent) => planned(client, unsent),
    perform: (requests) => performRequests(command, values, requests, context),
  });
}

async function performRequests(
  command: Command,
  values: CommandValues,
  requests: readonly RequestStep[],
  context: RunContext,
): Promise<Result> {
  const client = await context.client();
  const [first] = requests;
  if (!first) return { kind: 'list', rows: [], columns: outcomeColumns, id: 'id' };
  // Builds all requests first, so that an invalid one is found before the first is sent.
  for (const { operation, ...input } of requests) client.plan(operation, input);
  if (command.effect === 'read') {
    const columns = command.columns ?? [];
    const { operation, ...input } = first;
    if (operation.answer !== 'list') return { kind: 'one', row: await client.get(operation, input), columns };
    const order = { sort: undefined, limit: undefined, ...command.order?.(values) };
    const filter = await command.filter?.(values, context);
    // A list that is cut short or printed page by page is not read to its end first.
    const stream = order.sort === undefined && (order.limit !== undefined || streamed.has(outputFormat(context)));
    const listed = client.list(operation, input, { stream, unsure: 'warn' });
    const rows = filter || command.order ? arranged(listed, columns, { ...order, filter }) : listed;
    const sheet = await command.sheet?.(rows, values, context);
    return { kind: 'list', rows, columns, ...(sheet ? { sheet } : {}) };
  }
  const ask = command.question?.bind(command);
  let question: Question | undefined;
  if (ask) {
    await context.confirm(async () => {
      question = await ask(values, context, requests);
      return sentence`${question.text} ${context.place()}?`;
    }, command.typed?.(values));
  }
  if (first.subject !== undefined) return several(requests, question, context);
  const changed = await question?.changed(first.params?.id ?? '');
  if (changed) throw changed;
  // Read commands load no code for writes.
  const { perform } = await import('../../api/perform.ts');
  const { data, evidence, altered } = await perform(client, first.operation, first);
  if (evidence !== undefined) context.say(evidence);
  const result = { ...resultOf(command, data), ...(altered ? { failure: altered } : {}) };
  return first.operation.answer === 'open' && result.kind === 'one' ? { ...result, id: null } : result;
}

/** The formats that print a list page by page; IDs are printed once all of them are there. */
const streamed = new Set(['ndjson', 'csv']);

function resultOf(command: Command, data: unknown): Result {
  const columns = command.columns ?? [];
  if (isJsonObject(data)) return { kind: 'one', row: data, columns };
  if (Array.isArray(data)) return { kind: 'list', rows: data.map((item) => (isJsonObject(item) ? item : { id: item })), columns };
  return { kind: 'nothing' };
}

/** One request after another, each with a row of its own. A subject that changed since the question is kept. */
async function several(requests: readonly RequestStep[], question: Question | undefined, context: RunContext): Promise<Result> {
  const { host } = context;
  const [client, { perform }, { batchFailure, inBatch }, { withFreshRead }] = await Promise.all([
    context.client(),
    import('../../api/perform.ts'),
    import('../../api/batch.ts'),
    import('../../api/fresh-read.ts'),
  ]);
  const done = requests[0]?.operation.method === 'DELETE' ? 'deleted' : 'updated';
  const lookAndSend = async (step: RequestStep): Promise<RequestEnd> => {
    const readAt = question || step.changed ? host.now() : undefined;
    const changed = (await question?.changed(step.subject ?? '')) ?? (await step.changed?.());
    if (changed) return endOf(changed, 'kept');
    const { evidence } = await perform(client, step.operation, { ...step, readAt });
    return { row: { result: done, ...(evidence === undefined ? {} : { problem: evidence }) } };
  };
  const send = async (step: RequestStep): Promise<RequestEnd> => {
    try {
      return await withFreshRead(() => lookAndSend(step));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return endOf(error, isUnknown(error) || isUnknown(error.cause) ? 'unknown' : 'failed');
    }
  };
  const ended = ({ subject }: RequestStep, { error, kept }: RequestEnd) => {
    if (error && requests.length === 1) throw error;
    if (error) context.warn(kept ? error.message : sentence`${subject}: ${error.message}`);
  };
  const { ends, stopped } = await inBatch(requests, host, async (step) => {
    const end = await send(step);
    ended(step, end);
    return end;
  });
  const idType = client.idType(requests[0]?.operation.resource ?? 'session');
  const rows = ends.map(({ item: { subject = '' }, end }) => ({ ...(end?.row ?? { result: 'not tried' }), id: idAs(subject, idType) }));
  const failures = ends.flatMap(({ item: { subject = '' }, end }) =>
    end?.error ? [{ id: subject, error: end.error, kept: end.kept ?? false }] : [],
  );
  const successes = rows.filter(({ result }) => result === done);
  const untried = ends.filter(({ end }) => !end).length;
  const failure = batchFailure({ done: successes.length, all: rows.length, untried, failures, stopped }, { did: 'done', idType });
  // The format `id` prints the completed items only: the IDs may go into another command.
  const shown = outputFormat(context) === 'id' ? successes : rows;
  return { kind: 'list', rows: shown, columns: outcomeColumns, id: 'id', ...(failure ? { failure } : {}) };
}

type RequestEnd = { row: { result: string; problem?: string }; error?: CliError; kept?: boolean };

function endOf(error: CliError, result: 'kept' | 'failed' | 'unknown'): RequestEnd {
  return { row: { result, problem: error.message }, error, kept: result === 'kept' };
}

function isUnknown(error: unknown): boolean {
  return error instanceof CliError && error.code === 'outcome_unknown';
}
