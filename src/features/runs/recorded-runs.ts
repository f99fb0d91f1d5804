/** What is recorded of runs: `runs list`, `runs show`, and `runs forget`, once nothing is unknown any more of what is to be forgotten. */
import type { Context, Result, Row } from '../../command.ts';
import { recordIfThere } from '../../config/record-options.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { durationInWords } from '../../model/duration.ts';
import { idAs } from '../../model/id.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import type { RunFilter, RunRecord } from '../../record/index.ts';
import {
  isUnknown,
  itemsOf,
  leftIn,
  lookAgain,
  meaningOf,
  oldValues,
  type RunSummary,
  type Step,
  type StepState,
  summariesOf,
  worldOf,
} from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { type IdTypes, subjectOf } from '../writes/results.ts';
import { runColumns, stepColumns } from './run-columns.ts';

/** Latest first. */
export async function listRuns(context: Context, filter: RunFilter): Promise<Result> {
  const record = await recordIfThere(context);
  const all = record ? await summariesOf(record, await record.runs(filter)) : [];
  const now = context.host.now();
  const seen = all.map((summary) => seenRow(summary, now));
  return { kind: 'list', rows: all.map(runRow), columns: runColumns, sheet: { rows: seen, columns: runColumns }, id: 'run' };
}

function runRow({ run, exam, done, failed }: RunSummary): Row {
  const { id, command, state, at, who } = run;
  const of = exam === undefined ? null : idAs(exam, undefined);
  return { run: id, when: new Date(at).toISOString(), command, exam: of, state, done, failed, who };
}

/** For people: how long ago, in the largest unit, and what was done. */
function seenRow(summary: RunSummary, now: number): Row {
  const { run, done, failed } = summary;
  const when = durationInWords(now - run.at)
    .split(' ')
    .slice(0, 2)
    .join(' ');
  const ending = failed > 0 ? `${failed} failed` : run.state === 'finished' ? '' : run.state;
  return { ...runRow(summary), when, state: [`${done} done`, ending].filter(Boolean).join(', ') };
}

/** `id`: what the step has created, or is about. */
export function stepRow(step: Step, id: string | undefined, types: IdTypes = {}): Row {
  const { operation, line = null, raw } = step;
  const does = raw ? raw.does : operation.does.replace(/ ?:\w+/g, '').trim();
  return { line, does, ...subjectOf(step, id, types) };
}

export async function showRun(context: Context, id: string): Promise<Result> {
  const record = await context.record();
  const run = await record.run(id);
  const items = await itemsOf(record, id);
  const [summary] = await summariesOf(record, [run]);
  const steps = items.map(({ index, step, state, reason, id: of, ours, code }) => ({
    ...{ n: index + 1, ...stepRow(step, of), result: reason ?? state },
    reason: reason === undefined && state === 'done' ? null : meaningOf(state, reason),
    ...{ ours, code: code ?? null, sets: step.body ?? {}, replaces: oldValues(step) },
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
