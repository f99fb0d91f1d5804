/** `runs resume` and `runs close`: a run that has not come to its end, or that did only a part. */
import { planned } from '../../api/request.ts';
import type { Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import {
  againOf,
  closeRun,
  failureOf,
  type Item,
  isToLookAt,
  isUnknown,
  isWritten,
  itemsOf,
  leftIn,
  refuseOtherService,
  requestOf,
  resumeRun,
  worldOf,
} from '../../runs/index.ts';
import { inARow, type Sentence, sentence } from '../../text/sentence.ts';
import { outcomeOf } from '../writes/results.ts';
import { type IdTypes, idTypesOf, rowsOf, stepRow } from './run-rows.ts';

export async function resumeNamed(context: Context, id: string): Promise<Result> {
  const world = await worldOf(context);
  const { client, record } = world;
  const run = await record.run(id);
  refuseOtherService(world, run);
  const items = await itemsOf(record, id);
  const left = leftIn(run, items);
  if (left.length === 0) {
    const lacking = items.filter(({ state }) => state !== 'done').length;
    if (lacking > 0)
      throw new CliError('differences', sentence`Run ${id} has ended, and what it lacks is not tried again: ${count(lacking, 'step')}.`, {
        hint: sentence`Nothing was sent. See them, then run the command itself again: proctor-cli ${typedCommand('runs show', [id])}`,
      });
    context.say(sentence`Run ${id} is finished; there is nothing to resume.`);
    return rowsOf([]);
  }
  const isAnew = run.state === 'open' && againOf(run.kind) !== 'resume';
  if (context.globals.dryRun && isAnew) context.say('What is unknown would be looked up, and the rest given up.');
  // What may have been sent is looked up.
  const toSend = left.filter((item) => !isToLookAt(item) && !isUnknown(item));
  if (context.globals.dryRun) return planned(client, isAnew ? [] : toSend.map(({ step }) => requestOf(step)));
  const ended = await resumeRun(world, run);
  const types = await idTypesOf(context);
  const rows = ended.items.map((item) => itemRow(item, types, 'done'));
  const failure = failureOf(ended, { did: 'done', idType: types.session });
  const givenUp = ended.items.filter(({ reason }) => reason === 'given_up').length;
  if (givenUp === 0) return rowsOf(rows, failure);
  const again = againInWords(run.command);
  if (failure) return rowsOf(rows, new CliError(failure.code, failure.message, { hint: inARow([failure.hint, again]) }));
  const code = ended.items.some(isWritten) ? 'partly_done' : 'differences';
  const what = sentence`${count(givenUp, 'step')} of run ${id} ${givenUp === 1 ? 'was' : 'were'} given up.`;
  return rowsOf(rows, new CliError(code, what, { hint: again }));
}

/** A recorded command has placeholders in capitals: with one, it cannot be pasted. */
function againInWords(command: string): Sentence {
  const isWhole = !/ [A-Z=_-]+( |$)/.test(command);
  return isWhole
    ? sentence`To plan the rest anew: proctor-cli ${command}`
    : sentence`To plan the rest anew, run the same command again (${command}), with its values.`;
}

/** What stays unknown after one more look is printed, and the run is ended. */
export async function closeNamed(context: Context, id: string): Promise<Result> {
  const world = await worldOf(context);
  const run = await world.record.run(id);
  if (run.state === 'finished') {
    context.say(sentence`Run ${id} is finished; there is nothing to close.`);
    return rowsOf([]);
  }
  const { items, stopped } = await closeRun(world, run);
  const types = await idTypesOf(context);
  const unknown = items.filter(isUnknown);
  const rows = unknown.map((item) => itemRow(item, types, 'done'));
  if (stopped) return rowsOf(rows, stopped);
  const left = unknown.length === 0 ? '' : ` What became of ${count(unknown.length, 'request')} stays unknown.`;
  context.say(sentence`Run ${id} is closed.${left}`);
  return rowsOf(rows);
}

/** `did`: the word for a step that is done. */
export function itemRow(item: Item, types: IdTypes, did: string): Row {
  return { ...stepRow(item.step, item.id, types), ...outcomeOf(item, did) };
}
