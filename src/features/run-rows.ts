/** Runs and their steps as rows: what `runs list`, `runs show`, `runs resume` and `runs undo` print. */
import type { Column, Row } from '../command.ts';
import { type IdType, idAs } from '../model/id.ts';
import type { JsonObject } from '../model/json.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import type { Outcome, RunSummary, ShownStep, Step } from '../runs-before/index.ts';
import { wordOf } from './writes/outcome-rows.ts';

export const runColumns: readonly Column[] = [
  { key: 'run' },
  { key: 'command', identifies: true },
  { key: 'state', identifies: true },
  { key: 'failed', identifies: true },
  { key: 'exam' },
  { key: 'steps' },
  { key: 'done' },
  { key: 'open' },
  { key: 'started', as: 'time' },
  { key: 'last', as: 'time', detail: true },
  { key: 'who', detail: true },
  { key: 'profile', detail: true },
  { key: 'origin', detail: true },
  { key: 'reason', detail: true },
  { key: 'undoes', detail: true },
  { key: 'next', detail: true },
];

export const stepColumns: readonly Column[] = [
  { key: 'line' },
  { key: 'does' },
  { key: 'exam' },
  { key: 'session' },
  { key: 'email' },
  { key: 'result', identifies: true },
  { key: 'problem' },
];

/** `undone`: another run has taken it back. */
export function runRow({ run, counts, exam, done, open }: RunSummary, undone = false): Row {
  return {
    run: run.id,
    command: run.command,
    kind: run.kind,
    state: run.state === 'open' ? 'open' : undone ? 'undone' : 'finished',
    exam: exam === undefined ? null : idAs(exam, undefined),
    steps: run.steps,
    done,
    open,
    failed: run.steps - done - open,
    counts: { ...counts },
    started: new Date(run.at).toISOString(),
    last: new Date(run.lastAt).toISOString(),
    who: run.who,
    profile: run.profile,
    origin: run.origin,
    ...(run.reason === undefined ? {} : { reason: run.reason }),
    undoes: run.undoOf ?? null,
    next: run.state === 'open' ? nextOf({ run, counts, exam, open }) : null,
  };
}

/** The command that goes on with an open run. An import needs its file. */
function nextOf({ run, counts, exam, open }: Pick<RunSummary, 'run' | 'counts' | 'exam' | 'open'>): string {
  const resends = counts.absent === open ? '--resend-absent' : '';
  if (run.kind === 'sessions import')
    return `Run the same command again: proctor-cli ${typedCommand('sessions import FILE', [], `${typedOption('--exam', exam ?? 'ID')} ${resends}`.trim())}`;
  return `proctor-cli ${typedCommand('runs resume', [run.id], resends)}`;
}

/** `values`: the times and booleans of a step, which are recorded plain. */
export function shownStepRow({ n, step, state, id, ours, code }: ShownStep): Row {
  const row = stepRow(step, id, undefined);
  return { n, ...row, result: state, ours, code: code ?? null, ...valuesOf(step) };
}

function valuesOf({ body, expects, before }: Step): { sets?: JsonObject; replaces?: JsonObject } {
  const replaced = { ...expects, ...before };
  return {
    ...(body && Object.keys(body).length > 0 ? { sets: body } : {}),
    ...(Object.keys(replaced).length > 0 ? { replaces: replaced } : {}),
  };
}

type IdTypes = { exam: IdType | undefined; session: IdType | undefined };

export function stepRow(step: Step, id: string | undefined, types: IdTypes | undefined): Row {
  const { operation, params, line, email, exam, raw } = step;
  const isSession = operation.resource === 'session';
  const of = operation.resource === 'exam' ? (id ?? params.id ?? exam) : (exam ?? params.exam_id ?? (isSession ? undefined : params.id));
  const session = isSession ? (operation.writes?.writing === 'create' ? id : (params.id ?? id)) : undefined;
  return {
    line: line ?? null,
    does: raw ? raw.does : operation.does.replace(/ ?:\w+/g, '').trim(),
    exam: of === undefined ? null : idAs(of, types?.exam),
    session: session === undefined ? null : idAs(session, types?.session),
    email: email ?? null,
  };
}

/** The user's word for what became of a step of a resumed run or an undo. */
export function outcomeRow(outcome: Outcome, types: IdTypes, did: string): Row {
  const { step, state, id, error, evidence } = outcome;
  const problem = error?.message ?? evidence;
  return { ...stepRow(step, id, types), result: wordOf(state, did, error), ...(problem === undefined ? {} : { problem }) };
}
