/** `runs resume`, `runs close` and `runs undo`: a run is finished, given up or taken back. */
import type { Client } from '../../api/client.ts';
import { filled } from '../../api/operations.ts';
import { planned } from '../../api/request.ts';
import type { Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count, firstInLine, firstLines } from '../../model/count.ts';
import { idAs } from '../../model/id.ts';
import type { JsonObject } from '../../model/json.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { statusOf } from '../../model/status.ts';
import { showTime } from '../../model/time.ts';
import { cell, kindOf } from '../../output/cell.ts';
import type { Run } from '../../record/index.ts';
import {
  type Ended,
  type Execution,
  executePlan,
  isUnknown,
  isWritten,
  loadExecutions,
  needsVerifying,
  openRuns,
  requestOf,
  rerunPolicyOf,
  resourceOf,
  retryableIn,
  type Step,
  type World,
  worldOf,
} from '../../runs/index.ts';
import { inARow, type Sentence, sentence } from '../../text/sentence.ts';
import { ofExams } from '../exam-selection.ts';
import { failureOf } from '../writes/failure.ts';
import { outcomeOf } from '../writes/results.ts';
import { stepRow } from './recorded-runs.ts';
import { type NotUndone, undoPlaces, undoPlan } from './undo-plan.ts';

export async function resumeNamed(context: Context, id: string): Promise<Result> {
  const world = await worldOf(context);
  const { client, record } = world;
  const run = await runHere(world, id);
  const { resumeRun } = await openRuns();
  const items = await loadExecutions(record, id);
  const left = retryableIn(run, items);
  const lacking = items.filter(({ state }) => state !== 'done').length;
  if (left.length === 0 && lacking === 0) return finished(context, id, 'resume');
  if (left.length === 0) {
    const what = sentence`Run ${id} has ended, and ${count(lacking, 'step')} that it did not do cannot be tried again.`;
    const show = typedCommand('runs show', [id]);
    const hint = sentence`Nothing was sent. See them, then run the command itself again: proctor-cli ${show}`;
    throw new CliError('differences', what, { hint });
  }
  if (context.globals.dryRun) {
    const isAnew = run.state === 'open' && rerunPolicyOf(run.kind) !== 'resume';
    if (isAnew) context.say('What is unknown would be looked up, and the rest given up.');
    const toSend = left.filter((item) => !isAnew && !needsVerifying(item) && !isUnknown(item));
    return planned(
      client,
      toSend.map(({ step }) => requestOf(step)),
    );
  }
  const ended = await resumeRun(world, run);
  const rows = ended.items.map((item) => itemRow(item, client));
  const failure = failureOf(ended, { did: 'done', idType: client.idType('session') });
  const givenUp = ended.items.filter(({ reason }) => reason === 'given_up').length;
  if (givenUp === 0) return rowsOf(context, rows, failure);
  const isWhole = !/ [A-Z=_-]+( |$)/.test(run.command);
  const withValues = isWhole ? '' : ', with your values for the words in capitals';
  const again = sentence`To plan the rest anew${withValues}: proctor-cli ${run.command}`;
  const code = ended.items.some(isWritten) ? 'partly_done' : 'differences';
  const what = sentence`${count(givenUp, 'step')} of run ${id} ${givenUp === 1 ? 'was' : 'were'} given up.`;
  const error = failure
    ? new CliError(failure.code, failure.message, { hint: inARow([failure.hint, again]) })
    : new CliError(code, what, { hint: again });
  return rowsOf(context, rows, error);
}

export async function closeNamed(context: Context, id: string): Promise<Result> {
  const world = await worldOf(context);
  const run = await runHere(world, id);
  if (run.state === 'finished') return finished(context, id, 'close');
  const { items, stopped } = await (await openRuns()).closeRun(world, run);
  const unknown = items.filter(isUnknown);
  const rows = unknown.map((item) => itemRow(item, world.client));
  if (stopped) return rowsOf(context, rows, stopped);
  const left = unknown.length === 0 ? '' : ` What became of ${count(unknown.length, 'request')} stays unknown.`;
  context.say(sentence`Run ${id} is closed.${left}`);
  return rowsOf(context, rows);
}

/** Throws `invalid_input` for a run of another service, before anything is asked of this one. */
async function runHere(world: World, id: string): Promise<Run> {
  const run = await world.record.run(id);
  (await openRuns()).refuseOtherService(world, run);
  return run;
}

function finished(context: Context, id: string, verb: string): Result {
  context.say(sentence`Run ${id} is finished; there is nothing to ${verb}.`);
  return rowsOf(context, []);
}

function itemRow(item: Execution, client: Client, did = 'done'): Row {
  return { ...stepRow(item.step, item.id, client), ...outcomeOf(item, did) };
}

function rowsOf({ columns }: Context, rows: readonly Row[], failure?: CliError): Result {
  return { kind: 'list', rows, columns, id: 'session', failure };
}

export async function undoNamed(context: Context, id: string): Promise<Result> {
  const world = await worldOf(context);
  const run = await runHere(world, id);
  if (run.state === 'open' && !context.globals.dryRun) {
    const { stopped } = await (await openRuns()).closeRun(world, run);
    if (stopped) throw stopped;
  }
  return executePlan(context, {
    kind: 'runs undo',
    identity: [id],
    undoOf: id,
    locks: () => undoPlaces(world, run.id),
    async plan() {
      const plan = await undoPlan(world, run.id);
      const refused = plan.steps.length === 0 ? keptError('differences', plan.kept, world.client) : undefined;
      return { ...plan, refused, isPart: plan.ofDoubles === true || plan.kept.some(({ gone }) => !gone) };
    },
    tell({ steps, kept, ofDoubles }) {
      if (ofDoubles && steps.length > 0)
        context.say('Only students who are there twice are undone. To undo the rest, run the command once more.');
      const lines = firstLines(steps.filter(isCounted), (step) => toUndo(step, context.zone()));
      for (const line of lines) context.say(line);
      const stays = kept.filter(({ gone }) => !gone);
      const reasons = firstLines(stays, (each) => sentence`Not undone: ${named(each)}: ${each.why}.`);
      for (const line of reasons) context.warn(line);
    },
    question: ({ steps }) => undoQuestion(context, run, steps.filter(isCounted)),
    result: (ended, plan) => resultOf(context, ended, plan?.kept ?? []),
  });
}

/** A time of a student who is put back counts with the student. */
function isCounted({ made }: Step): boolean {
  return made === undefined;
}

async function resultOf(context: Context, ended: Ended, kept: readonly NotUndone[]): Promise<Result> {
  const client = await context.client();
  const done = ended.items.map((item) => itemRow(item, client, 'undone'));
  const others = kept.map(({ step, id, why, gone }) => ({
    ...stepRow(step, id, client),
    result: gone ? 'undone before' : 'kept',
    reason: why,
  }));
  if (ended.items.length === 0) context.say('There is nothing to undo.');
  const failure = failureOf(ended, { did: 'undone', idType: client.idType('session') });
  return rowsOf(context, [...done, ...others], failure ?? keptError('partly_done', kept, client));
}

function toUndo({ operation, params, email = '', body = {}, expects }: Step, zone: string): Sentence {
  const mailed = isMailed(expects) ? ', who was mailed' : '';
  const what = `${filled(operation.does, params)} ${email}`.trim() + mailed;
  if (operation.method !== 'PATCH') return sentence`Will undo: ${what}`;
  const values = Object.entries(body).map(([field, value]) => {
    const shown = cell(value, kindOf('field', { field }), zone, 'none');
    return `${field} ${shown}`;
  });
  return sentence`Will undo: ${what}: ${values.join(', ')}`;
}

async function undoQuestion(context: Context, { id, command, at }: Run, steps: readonly Step[]): Promise<Sentence> {
  const deletions = steps.filter(({ operation }) => operation.method === 'DELETE');
  const deletes = deletions.length;
  const creates = steps.filter(({ operation }) => operation.writes?.writing === 'create').length;
  const restores = steps.length - deletes - creates;
  const parts: string[] = [];
  if (creates > 0) parts.push(`put back ${count(creates, 'student')}`);
  if (restores > 0) parts.push(`restore ${count(restores, 'value')}`);
  if (deletes > 0) parts.push(`delete ${count(deletes, 'record')}`);
  const exams = steps.flatMap(({ exam }) => exam ?? []);
  const of = await ofExams(await context.client(), exams, context.zone());
  const mailed = deletions.filter(({ expects }) => isMailed(expects)).length;
  const isLasting = deletions.some(({ restore }) => !restore);
  const lasting = [isLasting ? 'deletions' : [], mailed > 0 ? 'mails' : []].flat().join(' and ');
  const who = mailed === 0 ? '' : `${mailed} of them ${mailed === 1 ? 'was' : 'were'} mailed; `;
  const so = lasting === '' ? '' : ` (${who}${lasting} cannot be taken back)`;
  return sentence`Undo run ${id} (${command}, ${showTime(at, context.zone())}): ${parts.join(', ')}${of}${so},`;
}

function isMailed(expects: JsonObject = {}): boolean {
  return statusOf(expects.status) === 'mail_sent';
}

function keptError(code: 'differences' | 'partly_done', kept: readonly NotUndone[], client: Client): CliError | undefined {
  const stays = kept.filter(({ gone }) => !gone);
  if (stays.length === 0) return undefined;
  const which = firstInLine(stays, (each) => `${named(each)} (${each.why})`, 3);
  const what = sentence`${count(stays.length, 'step')} of the run cannot be taken back: ${which}.`;
  return new CliError(code, what, {
    hint: 'The same command does no more.',
    items: stays.map(({ id = '', why }) => ({
      id: idAs(id, client.idType('session')),
      code: 'not_applied',
      message: why,
    })),
  });
}

function named({ step, id }: NotUndone): string {
  return [resourceOf(step), id ?? step.params.id ?? step.exam, step.email].filter(Boolean).join(' ');
}
