/** What is recorded of runs: `runs list`, `runs show` and `runs forget`. */
import { existsSync } from 'node:fs';
import type { Client } from '../../api/client.ts';
import type { Context, Result, Row } from '../../command.ts';
import { recordIfThere } from '../../config/record-options.ts';
import { idAs } from '../../model/json.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { instantOf, showTime, typedTime } from '../../model/time.ts';
import type { Run, RunFilter, RunRecord } from '../../record/index.ts';
import {
  created,
  type Execution,
  engineOf,
  isCompleteUndo,
  isDelete,
  isTakenBack,
  isWritten,
  loadExecutions,
  meaningOf,
  openRuns,
  operationOf,
  previousOf,
  sentBody,
  standingUndos,
  wayOn,
} from '../../runs/index.ts';
import { count, sentence } from '../../text/sentence.ts';
import { subjectOf, type WrittenStep } from '../crud/results.ts';

export async function listRuns(context: Context, allServices: boolean, filter: RunFilter): Promise<Result> {
  const { zone, settings } = context;
  const { isTTY, columns: width = 0 } = context.host.stdout;
  const own = context.columns.map((each) => (each.key === 'who' && isTTY && width >= 100 ? { key: 'who' } : each));
  const columns = allServices ? [...own, { key: 'service' }] : own;
  const record = await recordIfThere(context);
  const origin = allServices ? undefined : settings().service || undefined;
  const found = record ? await recordedRuns(record, { ...filter, origin }) : [];
  const rows = found.map(({ service, row }) => (allServices ? { ...row, service } : row));
  const seen = rows.map(({ when, state, done, failed, ...row }, at) => {
    const exam = found[at]?.isOfSeveral ? 'several' : row.exam;
    const problem = failed > 0 ? `${failed} failed` : state;
    const ended = [done > 0 || problem === 'finished' ? `${done} done` : [], problem === 'finished' ? [] : problem].flat();
    // The ID has the year.
    const time = showTime(`${when.slice(0, 16)}Z`, zone()).slice(5);
    const command = row.command.replace(/\b\d{4}-\d\d-\d\dT[\d:]{8}Z/g, (utc) => typedTime(instantOf(utc) ?? 0, zone()));
    return { ...row, command, exam, when: time, state: state.endsWith('undone') ? state : ended.join(', ') };
  });
  return { kind: 'list', rows, columns, sheet: { rows: seen, columns }, id: 'run' };
}

/** `by`: the run that took something of it back. */
async function recordedRuns(record: RunRecord, filter: RunFilter) {
  const runs = await record.runs(filter);
  const counted = await record.counts(runs.map(({ id }) => id));
  const stepsIn = (id: string, wanted: string) => {
    let sum = 0;
    for (const { state, number } of counted.get(id) ?? []) if (state === wanted) sum += number;
    return sum;
  };
  const undos = new Map<string, Run | undefined>();
  for (const { undoOf } of runs) if (undoOf !== null && !undos.has(undoOf)) undos.set(undoOf, (await standingUndos(record, undoOf))[0]);
  return runs.map(({ id, command, at, who, origin: service, ...run }) => {
    const steps = counted.get(id) ?? [];
    const exams = new Set(steps.flatMap(({ exam, last }) => [exam ?? [], last ?? []].flat()));
    const [only] = exams;
    const exam = only === undefined || exams.size > 1 ? null : idAs(only, undefined);
    const by = undos.get(id);
    const undone = by && isCompleteUndo(by) ? 'undone' : 'partly undone';
    const row = {
      run: id,
      when: new Date(at).toISOString(),
      command,
      exam,
      state: by ? undone : run.state,
      done: stepsIn(id, 'done'),
      failed: stepsIn(id, 'failed'),
      who,
    };
    return { by, service, isOfSeveral: exams.size > 1, row };
  });
}

export function stepRow(execution: WrittenStep, client?: Client): Row {
  const { step } = execution;
  const { does } = step.typed ?? ('request' in step ? step.request : { does: operationOf(step).does });
  return { line: step.line ?? null, does: does.replace(/ ?:\w+/g, ''), ...subjectOf(execution, client) };
}

export async function showRun(context: Context, id: string): Promise<Result> {
  const record = await context.record();
  const run = await record.run(id);
  const items = await loadExecutions(record, id);
  const undoneBy = await undosOf(record, id);
  // The undos of a run are later than it.
  const recorded = (await recordedRuns(record, { since: run.at })).find(({ row }) => row.run === id);
  const { dialect } = context.settings();
  const steps = items.map((execution) => {
    const { step, state, reason, owned, code = null, isForgotten } = execution;
    const undo = undoneBy(execution);
    const meaning = reason === undefined && state === 'done' ? null : meaningOf(state, reason);
    return {
      n: step.number,
      ...stepRow(execution),
      result: isForgotten ? (code ?? 'forgotten') : (reason ?? state),
      reason: undo ? sentence`undone by run ${undo}` : meaning,
      ours: owned,
      code,
      sets: sentBody(step, dialect) ?? {},
      replaces: previousOf(step),
    };
  });
  const counts = [...Map.groupBy(steps, ({ result }) => result)].map(([result, of]) => [result, of.length]);
  const way = wayOn(run, items);
  const next = way === undefined ? '' : ` ${way === 'close' ? 'To end it' : 'To go on'}: proctor-cli ${typedCommand(`runs ${way}`, [id])}`;
  const lastUndo = recorded?.by?.id ?? null;
  const by = lastUndo === null ? '' : ` by run ${lastUndo}`;
  const state = sentence`${recorded?.row.state ?? run.state}${by}`;
  const begun = sentence`${showTime(run.at, context.zone())}, ${run.who}, at ${run.origin}`;
  context.say(sentence`Run ${id} (${begun}): ${run.command}, ${count(run.steps, 'step')}, ${state}.${next}`);
  const row = {
    ...recorded?.row,
    kind: run.kind,
    profile: run.profile,
    service: run.origin,
    undoes: run.undoOf,
    last: new Date(run.lastAt).toISOString(),
    why: run.more.reason ?? null,
    undoneBy: lastUndo,
    counts: Object.fromEntries(counts),
    steps,
  };
  const sheet = { rows: steps, columns: context.columns };
  return { kind: 'one', row, columns: [], sheet, id: 'run' };
}

/** The undo that has taken back a step of a run. */
async function undosOf(record: RunRecord, run: string): Promise<(execution: Execution) => string | undefined> {
  const undos = await Promise.all(
    (await standingUndos(record, run)).map(async ({ id }) => ({ id, done: (await loadExecutions(record, id)).filter(isWritten) })),
  );
  return (execution) => {
    const isDeleted = ({ step, id }: Execution) => isDelete(step) && step.resource === created(execution.step) && id === execution.id;
    return undos.find(({ done }) => isTakenBack(execution, done) || done.some(isDeleted))?.id;
  };
}

/** An exam is that of the service in force. */
export async function forget(context: Context, about: { student: string } | { exam: string }): Promise<Result> {
  const origin = context.settings().service;
  const what = 'exam' in about ? { ...about, origin } : about;
  const record = await recordIfThere(context);
  if (record) {
    const concerned = 'exam' in about ? { exams: [about.exam] } : { students: [record.keys.studentKey(about.student)] };
    const { refuseForgottenHalf } = await openRuns();
    const command = typedCommand('runs forget', [], ...Object.entries(about).map(([name, value]) => typedOption(`--${name}`, value)));
    await refuseForgottenHalf(record, origin, concerned, { engine: () => engineOf(context), command });
  }
  const { runs, steps } = (await record?.forget(what)) ?? { runs: 0, steps: 0 };
  const name = 'exam' in about ? sentence`exam ${about.exam}: an exam is recorded by its ID` : sentence`${about.student}`;
  if (runs === 0) context.warn(sentence`Nothing was recorded of ${name}.`);
  const answers = (await import('../table-input/ask-columns.ts')).answersFile(context.host);
  if ('student' in about && existsSync(answers))
    context.say(sentence`Answers about the columns of files stay in ${answers}; delete it if a value in it is about the student.`);
  return { kind: 'one', row: { runs, records: steps }, columns: context.columns, id: null };
}
