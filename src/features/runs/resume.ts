/** `runs resume` and `runs close`: a run is finished, or ended as it stands. */
import type { Client } from '../../api/client.ts';
import type { Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import type { Run } from '../../record/index.ts';
import {
  type Engine,
  type Execution,
  engineOf,
  isUnknown,
  isWritten,
  loadExecutions,
  needsVerifying,
  notSent,
  openRuns,
  plannedRequests,
  requestOf,
  retryableIn,
  runKindOf,
  standingUndos,
  undoHint,
} from '../../runs/index.ts';
import { count, inARow, sentence } from '../../text/sentence.ts';
import { failureOf } from '../crud/failure.ts';
import { outcomeCells } from '../crud/results.ts';
import { stepRow } from './recorded-runs.ts';

export async function resumeNamed(context: Context, id: string): Promise<Result> {
  const engine = await engineOf(context);
  const { client, record } = engine;
  const run = await runHere(engine, id);
  const { planAnewHint, resumeRun } = await openRuns();
  const items = await loadExecutions(record, id);
  const left = retryableIn(run, items);
  const lacking = items.filter(({ state }) => state !== 'done').length;
  const [undo] = await standingUndos(record, id);
  if (undo) {
    const what = sentence`Run ${undo.id} has undone run ${id}, so nothing more of it is sent.`;
    const hint = sentence`Nothing was sent. To have all of it again: proctor-cli ${typedCommand('runs undo', [undo.id])}`;
    throw new CliError('differences', what, { hint });
  }
  if (left.length === 0 && lacking === 0) return finishedResult(context, id, 'resume');
  if (left.length === 0) {
    const what = sentence`Run ${id} has ended. ${count(lacking, 'step')} failed and cannot be tried again.`;
    const show = typedCommand('runs show', [id]);
    const isHalf = run.undoOf === null && items.some(({ reason }) => reason === 'after_failed');
    const next = isHalf ? undoHint(id) : sentence`See what failed, then run its command again: proctor-cli ${show}`;
    const hint = sentence`Nothing was sent. ${next}`;
    throw new CliError('differences', what, { hint });
  }
  if (context.globals.dryRun) {
    const isAnew = run.state === 'open' && runKindOf(run.kind).rerun !== 'resume';
    if (isAnew) context.say('It would look up each unknown outcome, and give up the rest.');
    const toSend = left.filter((item) => !isAnew && !needsVerifying(item) && !isUnknown(item));
    const requests = toSend.map((execution) => requestOf(execution.step, client.dialect, execution));
    return plannedRequests(client, requests);
  }
  const ended = await resumeRun(engine, run);
  const rows = ended.items.map((item) => itemRow(item, client));
  const failure = failureOf(ended, { did: 'done', idType: client.idType('session') });
  const givenUp = ended.items.filter(({ reason }) => reason === 'given_up').length;
  if (givenUp === 0) return resumeResult(context, rows, failure);
  const again = await planAnewHint(engine, run, ended.items);
  const code = ended.items.some(isWritten) ? 'partly_done' : 'differences';
  const what = sentence`${count(givenUp, 'step')} of run ${id} ${givenUp === 1 ? 'was' : 'were'} given up.`;
  const error = failure
    ? new CliError(failure.code, failure.message, { hint: inARow([failure.hint, again]) })
    : new CliError(code, what, { hint: again });
  return resumeResult(context, rows, error);
}

export async function closeNamed(context: Context, id: string): Promise<Result> {
  const engine = await engineOf(context);
  const run = await runHere(engine, id);
  if (run.state === 'finished') return finishedResult(context, id, 'close');
  const ended = await (await openRuns()).closeRun(engine, run);
  const { items, stopped } = ended;
  const unknown = items.filter(isUnknown);
  // A process that was killed has told nobody of these.
  const different = items.filter(({ reason }) => reason === 'different' || reason === 'changed');
  const rows = [...unknown, ...different].map((item) => itemRow(item, engine.client));
  if (stopped) return resumeResult(context, rows, stopped);
  const left = unknown.length === 0 ? '' : ` The outcome of ${count(unknown.length, 'request')} stays unknown.`;
  context.say(sentence`Run ${id} is closed.${left}`);
  const told = [...items.filter(({ state }) => state === 'done'), ...different];
  return resumeResult(context, rows, failureOf({ ...ended, items: told }, { did: 'done', idType: engine.client.idType('session') }));
}

/** Throws `invalid_input` for a run of another service, before anything is asked of this one. */
export async function runHere({ record, origin }: Engine, id: string): Promise<Run> {
  const run = await record.run(id);
  if (run.origin === origin) return run;
  const show = sentence`Use its profile: proctor-cli runs show ${run.id} --profile ${run.profile}`;
  throw notSent(sentence`Run ${run.id} was made at ${run.origin}, not at ${origin}.`, show);
}

function finishedResult(context: Context, id: string, verb: string): Result {
  context.say(sentence`Run ${id} is finished; there is nothing to ${verb}.`);
  return resumeResult(context, []);
}

function itemRow(item: Execution, client: Client): Row {
  return { ...stepRow(item, client), ...outcomeCells(item, 'done') };
}

function resumeResult({ columns }: Context, rows: readonly Row[], failure?: CliError): Result {
  return { kind: 'list', rows, columns, id: 'session', failure };
}
