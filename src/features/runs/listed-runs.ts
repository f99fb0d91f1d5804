/** `runs list` and `runs show`: what was done from here. */
import type { Context, Result } from '../../command.ts';
import { recordIfThere } from '../../config/record-options.ts';
import { count } from '../../model/count.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { itemsOf, leftIn, meaningOf, summariesOf } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { type RunFilter, runColumns, runRow, stepColumns, stepRow, valuesOf } from './run-rows.ts';

/** Latest first. */
export async function listRuns(context: Context, { open, since, exam }: RunFilter): Promise<Result> {
  const record = await recordIfThere(context);
  const states = open ? { states: ['open'] as const } : {};
  const runs = await record?.runs({ ...states, ...(since === undefined ? {} : { since }), ...(exam === undefined ? {} : { exam }) });
  const rows = record && runs ? (await summariesOf(record, runs)).map(runRow) : [];
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
