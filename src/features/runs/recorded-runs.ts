/** What is recorded of runs: `runs list`, `runs show`, and `runs forget`, once nothing is unknown any more of what is to be forgotten. */
import type { Context, Result } from '../../command.ts';
import { recordIfThere } from '../../config/record-options.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import type { RunFilter, RunRecord } from '../../record/index.ts';
import { isUnknown, itemsOf, leftIn, lookAgain, meaningOf, type StepState, summariesOf, worldOf } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { runColumns, runRow, stepColumns, stepRow, valuesOf } from './run-rows.ts';

/** Latest first. */
export async function listRuns(context: Context, filter: RunFilter): Promise<Result> {
  const record = await recordIfThere(context);
  const rows = record ? (await summariesOf(record, await record.runs(filter))).map(runRow) : [];
  return { kind: 'list', rows, columns: runColumns, id: 'run' };
}

export async function showRun(context: Context, id: string): Promise<Result> {
  const record = await context.record();
  const run = await record.run(id);
  const items = await itemsOf(record, id);
  const [summary] = await summariesOf(record, [run]);
  const steps = items.map(({ index, step, state, reason, id: of, ours, code }) => ({
    ...{ n: index + 1, ...stepRow(step, of), result: reason ?? state },
    reason: reason === undefined && state === 'done' ? null : meaningOf(state, reason),
    ...{ ours, code: code ?? null, ...valuesOf(step) },
  }));
  const next = leftIn(run, items).length > 0 ? ` To go on: proctor-cli ${typedCommand('runs resume', [id])}` : '';
  context.say(sentence`Run ${id}: ${run.command}, ${count(run.steps, 'step')}, ${run.state}.${next}`);
  const { profile, origin, undoOf, lastAt } = run;
  const more = { kind: run.kind, profile, origin, undoes: undoOf, last: new Date(lastAt).toISOString(), why: run.more.reason ?? null };
  const row = { ...(summary && runRow(summary)), ...more, counts: summary?.counts ?? {}, steps };
  return { kind: 'one', row, columns: [], sheet: { rows: steps, columns: stepColumns }, id: 'run' };
}

type Forgotten = { student: string } | { exam: string };

export async function forget(context: Context, what: Forgotten): Promise<Result> {
  const record = await recordIfThere(context);
  if (record) await settleAbout(context, record, what);
  const { runs, steps } = (await record?.forget(what)) ?? { runs: 0, steps: 0 };
  const row = { runs, records: steps };
  return { kind: 'one', row, columns: [{ key: 'runs' }, { key: 'records' }], id: null };
}

/** Once it is erased, it cannot be looked up any more. Throws `outcome_unknown`, which keeps the records. */
async function settleAbout(context: Context, record: RunRecord, what: Forgotten): Promise<void> {
  const key = 'student' in what ? record.keys.studentKey(what.student) : undefined;
  const hasUnknown = async (run: string) =>
    (await record.steps(run)).some(
      ({ state, student, exam }) => isUnknown({ state: state as StepState }) && ('exam' in what ? exam === what.exam : student === key),
    );
  for (const run of await record.runs({ states: ['open'] })) {
    if (!(await hasUnknown(run.id))) continue;
    await lookAgain(await worldOf(context), run);
    if (!(await hasUnknown(run.id))) continue;
    const what = sentence`Run ${run.id} has sent requests about it whose outcome is unknown. Nothing was erased.`;
    const hint = sentence`End that run, then run this command again: proctor-cli ${typedCommand('runs close', [run.id])}`;
    throw new CliError('outcome_unknown', what, { hint });
  }
}
