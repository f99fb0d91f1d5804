/** From a checked invocation to its result: what a command runs, or what it reads and the rows that come of it. */

import { planned } from '../../api/planned.ts';
import type { RequestStep } from '../../api/request.ts';
import type { Arguments, Body, Command, Flags, Result, Values } from '../../command.ts';
import { stateFolder } from '../../config/folders.ts';
import { CliError } from '../../errors.ts';
import { closeStateFolder } from '../../state/private-folder.ts';
import { sentence } from '../../text/sentence.ts';
import type { Invocation } from '../parse/program.ts';
import { recordedCommand } from '../parse/recorded-command.ts';
import { valuesOf } from '../parse/values.ts';
import { arranged } from './arrange.ts';
import type { RunContext } from './context.ts';

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
  // The result of a write would be lost, and with it the IDs of what was created.
  if (command.effect !== 'local') context.host.stdout.assertOpen?.();
  const values = await valuesOf(invocation, context);
  context.records((operands) => recordedCommand(invocation, values, operands));
  if (command.effect !== 'local' && command.effect !== 'read') closeStateFolder(stateFolder(context.host), context.host);
  if (command.run) return command.run(context, values);
  // The embedded service knows its institute only after its start; for other services, an invalid request is refused without a login.
  if (context.settings().sandbox) await context.client();
  const requests = (await command.requests?.(values, context)) ?? [];
  const client = await context.client();
  return globals.dryRun ? planned(client, requests) : read(command, values, requests[0], context);
}

/** What a command that only reads prints: its writes are runs. */
async function read(command: Command, values: CommandValues, request: RequestStep | undefined, context: RunContext): Promise<Result> {
  const client = await context.client();
  if (!request) return { kind: 'nothing' };
  const { operation, ...input } = request;
  const columns = command.columns ?? [];
  if (operation.answer !== 'list') return { kind: 'one', row: await client.get(operation, input), columns };
  const order = { sort: undefined, limit: undefined, ...command.order?.(values) };
  const filter = await command.filter?.(values, context);
  // A list that is cut short or printed page by page is not read to its end first.
  const stream = order.sort === undefined && (order.limit !== undefined || streamed.has(context.format));
  const listed = client.list(operation, input, { stream, unsure: 'warn' });
  const rows = filter || command.order ? arranged(listed, columns, { ...order, filter }) : listed;
  const sheet = await command.sheet?.(rows, values, context);
  return { kind: 'list', rows, columns, ...(sheet ? { sheet } : {}) };
}

/** The formats that print a list page by page; IDs are printed once all of them are there. */
const streamed = new Set(['ndjson', 'csv']);
