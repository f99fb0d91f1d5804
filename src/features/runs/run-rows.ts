/** Runs and their steps as rows. */
import type { Column, Context, Result, Row } from '../../command.ts';
import type { CliError } from '../../errors.ts';
import { type IdType, idAs } from '../../model/id.ts';
import type { RunSummary, Step } from '../../runs/index.ts';

export const runColumns: readonly Column[] = [
  { key: 'run' },
  // Its ID has the time of day.
  { key: 'when', as: 'day' },
  { key: 'command' },
  { key: 'exam' },
  { key: 'done' },
  { key: 'failed' },
  { key: 'state' },
  { key: 'who', detail: true },
];

export const stepColumns: readonly Column[] = [
  { key: 'line' },
  { key: 'does' },
  { key: 'exam' },
  { key: 'session' },
  { key: 'email' },
  { key: 'result', identifies: true },
  { key: 'reason' },
];

export function runRow({ run, exam, done, failed }: RunSummary): Row {
  const { id, command, state, at, who } = run;
  const of = exam === undefined ? null : idAs(exam, undefined);
  return { run: id, when: new Date(at).toISOString(), command, exam: of, state, done, failed, who };
}

export type IdTypes = Partial<Record<'exam' | 'session', IdType | undefined>>;

/** How the service writes its IDs. */
export async function idTypesOf(context: Context): Promise<IdTypes> {
  const client = await context.client();
  return { exam: client.idType('exam'), session: client.idType('session') };
}

/** `id`: what the step has created, or is about. */
export function stepRow({ operation, params, line, email, exam, raw }: Step, id: string | undefined, types: IdTypes = {}): Row {
  const isSession = operation.resource === 'session';
  const of = operation.resource === 'exam' ? (id ?? params.id ?? exam) : (exam ?? params.exam_id ?? (isSession ? undefined : params.id));
  const session = isSession ? (operation.writes?.writing === 'create' ? id : (params.id ?? id)) : undefined;
  return {
    line: line ?? null,
    does: raw ? raw.does : operation.does.replace(/ ?:\w+/g, '').trim(),
    exam: of === undefined ? null : idAs(of, types.exam),
    session: session === undefined ? null : idAs(session, types.session),
    email: email ?? null,
  };
}

/** The fields that a step sets, and what they were. */
export function valuesOf(step: Step): Row {
  return { sets: step.body ?? {}, replaces: { ...step.expects, ...step.before } };
}

export function rowsOf(rows: readonly Row[], failure?: CliError): Result {
  return { kind: 'list', rows, columns: stepColumns, id: 'session', ...(failure ? { failure } : {}) };
}
