/** The verbs of `runs` for the runs of the older engine: imports, moves, clones and timetables. */
import type { Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { firstLines } from '../../model/first-of.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import {
  carryOut,
  closeRun,
  type Ended,
  isGood,
  isMeant,
  type Kept,
  type Outcome,
  type Plan,
  resumeWith,
  resumption,
  runNamed,
  type Step,
  shownSteps,
  summaryOf,
  undoPlan,
  worldOf,
} from '../../runs-before/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type IdTypes, idTypesOf, type ListedRun, type RunFilter, rowsOf, runRow, stepColumns, stepRow, valuesOf } from './run-rows.ts';
import { keptError, keptInWords, toUndo, undoQuestion } from './undo-words.ts';

export async function runsBefore(context: Context, { open, since, exam }: RunFilter): Promise<ListedRun[]> {
  const state = await context.state();
  const listed: ListedRun[] = [];
  for (const run of await state.runs())
    if ((!open || run.state === 'open') && (await isMeant(state, run, { since, exam }))) {
      const summary = await summaryOf(state, run);
      listed.push({ ...summary, failed: run.steps - summary.done - summary.open });
    }
  return listed;
}

export async function showBefore(context: Context, id: string): Promise<Result> {
  const run = await runNamed(context, id);
  const state = await context.state();
  const { counts, exam, done, open } = await summaryOf(state, run);
  const steps = (await shownSteps(state, run)).map(({ n, step, state: is, id: of, ours, code }) => ({
    ...{ n, ...stepRow(step, of), result: is, reason: null, ours, code: code ?? null },
    ...valuesOf(step),
  }));
  const next = run.state === 'open' ? ` ${wayOn(run)}` : '';
  context.say(sentence`Run ${id}: ${run.command}, ${count(run.steps, 'step')}, ${run.state}.${next}`);
  const { kind, profile, origin, undoOf = null, lastAt, reason: why = null } = run;
  const more = { kind, profile, origin, undoes: undoOf, last: new Date(lastAt).toISOString(), why };
  const row = { ...runRow({ run, exam, done, failed: run.steps - done - open }), ...more, counts, steps };
  return { kind: 'one', row, columns: [], sheet: { rows: steps, columns: stepColumns }, id: 'run' };
}

function wayOn({ id, kind, command }: { id: string; kind: string; command: string }): Sentence {
  if (kind === 'sessions import') return sentence`To go on, run the same command again: proctor-cli ${command}`;
  return sentence`To go on: proctor-cli ${typedCommand('runs resume', [id])}`;
}

/** Of a run that has ended. */
const triedAgain: ReadonlySet<string> = new Set(['rejected', 'not_applied', 'skipped', 'changed', 'gone', 'absent']);

export async function resumeBefore(context: Context, id: string): Promise<Result> {
  const run = await runNamed(context, id);
  if (run.kind === 'sessions import')
    throw new CliError('usage', sentence`Run ${id} is an import, which needs its file to be resumed.`, { hint: wayOn(run) });
  const world = await worldOf(context);
  const hasEnded = run.state === 'finished';
  const lacking = (await shownSteps(world.state, run)).filter(({ state }) => !isGood(state));
  const left = lacking.filter(({ state }) => !hasEnded || triedAgain.has(state));
  if (left.length === 0) {
    if (lacking.length > 0)
      throw new CliError(
        'differences',
        sentence`Run ${id} has ended, and what it lacks is not tried again: ${count(lacking.length, 'step')}.`,
        {
          hint: sentence`Nothing was sent. See them, then run the command itself again: proctor-cli ${typedCommand('runs show', [id])}`,
        },
      );
    context.say(sentence`Run ${id} is finished; there is nothing to resume.`);
    return rowsOf([]);
  }
  if (context.globals.dryRun) return resumption(world, run, true);
  await context.confirm(() => sentence`Go on with run ${id} (${run.command}): ${count(left.length, 'step')}, ${context.place()}?`);
  const result = (ended: Ended) => resultOf(context, ended, 'done', []);
  return resumeWith(world, run, { kind: run.kind, resendAbsent: true, result }, hasEnded);
}

/** What stays unknown is printed, and given up. */
export async function closeBefore(context: Context, id: string): Promise<Result> {
  const run = await runNamed(context, id);
  if (run.state === 'finished') {
    context.say(sentence`Run ${id} is closed.`);
    return rowsOf([]);
  }
  const world = await worldOf(context);
  const { book, stopped } = await closeRun(world, run);
  const types = await idTypesOf(context);
  const unknown = [...book.outcomes()].filter(({ state }) => state === 'unknown' || state === 'confirmed');
  const rows = unknown.map((outcome) => outcomeRow(outcome, types, 'done'));
  if (stopped) return rowsOf(rows, stopped);
  if (unknown.length > 0) await closeRun(world, run, { states: ['unknown', 'confirmed'] });
  context.say(
    sentence`Run ${id} is closed.${unknown.length === 0 ? '' : ` What became of ${count(unknown.length, 'request')} stays unknown.`}`,
  );
  return rowsOf(rows);
}

export async function undoBefore(context: Context, id: string): Promise<Result> {
  const run = await runNamed(context, id);
  const world = await worldOf(context);
  if (run.state === 'open' && !context.globals.dryRun) {
    const { stopped } = await closeRun(world, run);
    if (stopped) throw stopped;
  }
  let kept: readonly Kept[] = [];
  return carryOut(context, {
    kind: 'runs undo',
    identity: [id],
    again: 'anew',
    undoOf: id,
    async plan() {
      const plan = await undoPlan(world, id);
      kept = plan.kept;
      return plan;
    },
    tell(plan) {
      for (const line of firstLines(stepsOf(plan), (step) => toUndo(step, context.zone()))) context.say(line);
      const stays = kept.filter(({ gone }) => !gone);
      for (const line of firstLines(stays, keptInWords)) context.warn(line);
    },
    question: (plan) => undoQuestion(context, run, stepsOf(plan)),
    result: (ended) => resultOf(context, ended, 'undone', kept),
  });
}

function stepsOf({ steps }: Plan): Step[] {
  return Array.from({ length: steps.length }, (_, index) => steps.at(index) ?? []).flat();
}

async function resultOf(context: Context, ended: Ended, did: string, kept: readonly Kept[]): Promise<Result> {
  const types = await idTypesOf(context);
  const rows: Row[] = [...ended.outcomes()].map((outcome) => outcomeRow(outcome, types, did));
  for (const { step, id, email, why, gone } of kept)
    rows.push({ ...stepRow({ ...step, email: email ?? step.email }, id, types), result: gone ? 'undone before' : 'kept', reason: why });
  // What was given up is planned anew by its command, or was closed by a person.
  const of = [...ended.outcomes()].filter(({ state }) => state !== 'given_up');
  const failure = ended.failure({ did, idType: types.session, of });
  if (rows.length === 0) context.say(did === 'undone' ? 'There is nothing to undo.' : 'Nothing was open.');
  return rowsOf(rows, failure ?? keptError(kept, of.length === 0, types.session));
}

function outcomeRow({ step, state, id, error, evidence }: Outcome, types: IdTypes, did: string): Row {
  return {
    ...stepRow(step, id, types),
    result: state === 'done' || state === 'there' ? did : state,
    reason: error?.message ?? evidence ?? null,
  };
}
