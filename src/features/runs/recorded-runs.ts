/** What is recorded of runs: `runs list`, `runs show`, and `runs forget`, where nothing is unknown of what is to be forgotten. */
import type { Client } from '../../api/client.ts';
import type { Context, Result, Row } from '../../command.ts';
import { recordIfThere } from '../../config/record-options.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { idAs } from '../../model/id.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { showTime } from '../../model/time.ts';
import type { RunFilter, RunRecord } from '../../record/index.ts';
import { isUnknown, itemsOf, leftIn, meaningOf, oldValues, type Step, type StepState } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { subjectOf } from '../writes/results.ts';

/** Latest first. */
export async function listRuns(context: Context, filter: RunFilter): Promise<Result> {
  const record = await recordIfThere(context);
  const rows = (record ? await recordedRuns(record, filter) : []).map(({ row }) => row);
  const seen = rows.map(({ when, state, done, failed, ...row }): Row => {
    const ending = failed > 0 ? `, ${failed} failed` : state === 'finished' ? '' : `, ${state}`;
    // The ID has the year.
    const at = showTime(`${when.slice(0, 16)}Z`, context.zone()).slice(5);
    return { ...row, when: at, state: state.endsWith('undone') ? state : `${done} done${ending}` };
  });
  const { columns } = context;
  return { kind: 'list', rows, columns, sheet: { rows: seen, columns }, id: 'run' };
}

/** `counts`: the number of its steps by the word for what became of them; `by`: the run that took something of it back. */
async function recordedRuns(record: RunRecord, filter: RunFilter) {
  const runs = await record.runs(filter);
  const counted = await record.counts(runs.map(({ id }) => id));
  const stepsIn = (id: string, wanted: string) =>
    (counted.get(id) ?? []).reduce((sum, { state, number }) => sum + (state === wanted ? number : 0), 0);
  const undos = new Map(runs.flatMap((run) => (run.undoOf !== null && stepsIn(run.id, 'done') > 0 ? [[run.undoOf, run]] : [])));
  return runs.map(({ id, command, at, who, ...run }) => {
    const of = counted.get(id) ?? [];
    const counts = Object.fromEntries(of.map(({ state, reason, number }) => [reason ?? state, number]));
    const [only, ...others] = new Set(of.flatMap(({ exam, last }) => [exam, last].filter((each) => each !== null)));
    const exam = only === undefined || others.length > 0 ? null : idAs(only, undefined);
    const by = undos.get(id);
    const isWhole = by?.state === 'finished' && by.more.isPart !== true;
    const state = by === undefined ? run.state : isWhole ? 'undone' : 'partly undone';
    const [done, failed] = [stepsIn(id, 'done'), stepsIn(id, 'failed')];
    return { counts, by, row: { run: id, when: new Date(at).toISOString(), command, exam, state, done, failed, who } };
  });
}

/** `id`: what the step has created, or is about. */
export function stepRow(step: Step, id: string | undefined, client?: Client): Row {
  const { operation, line = null, raw } = step;
  const does = raw ? raw.does : operation.does.replace(/ ?:\w+/g, '').trim();
  return { line, does, ...subjectOf(step, id, client) };
}

export async function showRun(context: Context, id: string): Promise<Result> {
  const record = await context.record();
  const run = await record.run(id);
  const items = await itemsOf(record, id);
  const recorded = (await recordedRuns(record, { since: run.at })).find(({ row }) => row.run === id);
  const steps = items.map(({ index, step, state, reason, id: of, ours, code }) => ({
    ...{ n: index + 1, ...stepRow(step, of), result: reason ?? state },
    reason: reason === undefined && state === 'done' ? null : meaningOf(state, reason),
    ...{ ours, code: code ?? null, sets: step.body ?? {}, replaces: oldValues(step) },
  }));
  const next = leftIn(run, items).length > 0 ? ` To go on: proctor-cli ${typedCommand('runs resume', [id])}` : '';
  const { profile, origin, undoOf, lastAt, who, at } = run;
  const state = sentence`${recorded?.row.state ?? run.state}${recorded?.by ? ` by run ${recorded.by.id}` : ''}`;
  const begun = sentence`${showTime(at / 1000, context.zone())}, ${who}`;
  context.say(sentence`Run ${id} (${begun}): ${run.command}, ${count(run.steps, 'step')}, ${state}.${next}`);
  const more = { kind: run.kind, profile, origin, undoes: undoOf, last: new Date(lastAt).toISOString(), why: run.more.reason ?? null };
  const row = { ...recorded?.row, ...more, undoneBy: recorded?.by?.id ?? null, counts: recorded?.counts ?? {}, steps };
  return { kind: 'one', row, columns: [], sheet: { rows: steps, columns: context.columns }, id: 'run' };
}

type Forgotten = { student: string } | { exam: string };

export async function forget(context: Context, what: Forgotten): Promise<Result> {
  const record = await recordIfThere(context);
  if (record) await refuseUnknown(record, what);
  const { runs, steps } = (await record?.forget(what)) ?? { runs: 0, steps: 0 };
  return { kind: 'one', row: { runs, records: steps }, columns: context.columns, id: null };
}

/** Once it is erased, it cannot be looked up any more; `runs close` looks once more. Throws `outcome_unknown`. */
async function refuseUnknown(record: RunRecord, what: Forgotten): Promise<void> {
  const key = 'student' in what ? record.keys.studentKey(what.student) : undefined;
  for (const { id } of await record.runs({ states: ['open'] })) {
    const about = (await record.steps(id)).filter(({ student, exam }) => ('exam' in what ? exam === what.exam : student === key));
    if (!about.some(({ state }) => isUnknown({ state: state as StepState }))) continue;
    throw new CliError('outcome_unknown', sentence`Run ${id} has sent requests about it whose outcome is unknown. Nothing was erased.`, {
      hint: sentence`End that run, then run this command again: proctor-cli ${typedCommand('runs close', [id])}`,
    });
  }
}
