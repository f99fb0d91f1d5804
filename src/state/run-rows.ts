/** Rows of the database as records, and back. A sealed value is opened where its record is read. */
import { type JsonObject, parseJson, stringifyJson } from '../model/json.ts';
import { DamagedRow, summed, unsummed, type Value } from './row-sums.ts';
import type { Claim, NewRun, RecordedEvent, RunRecord, StepEvent, StepRecord } from './state.ts';
import type { StudentKeys } from './student-keys.ts';

/** The row of a run. Its counts say which rows belong to it, so that none can be missing unnoticed. */
export type RunRow = {
  id: string;
  origin: string;
  profile: string;
  digest: string;
  kind: string;
  command: string;
  who: string;
  reason: string | null;
  undoOf: string | null;
  epoch: number;
  holder: string;
  state: RunRecord['state'];
  at: number;
  lastAt: number;
  steps: number;
  events: number;
  /** The number of its latest event; the next has one more. */
  lastEvent: number;
  listed: number;
};

/** In the order of the columns. */
const fields = [
  'id',
  'origin',
  'profile',
  'digest',
  'kind',
  'command',
  'who',
  'reason',
  'undoOf',
  'epoch',
  'holder',
  'state',
  'at',
  'lastAt',
  'steps',
  'events',
  'lastEvent',
  'listed',
] as const satisfies readonly (keyof RunRow)[];

export function runValues(run: RunRow): Value[] {
  return summed(
    'runs',
    fields.map((field) => run[field]),
  );
}

/** For `sql.setRun`. */
export function changedRunValues(run: RunRow): Value[] {
  const sum = runValues(run).at(-1) as number;
  return [run.command, run.epoch, run.holder, run.state, run.lastAt, run.steps, run.events, run.lastEvent, run.listed, sum, run.id];
}

export function runOf(row: Value[]): RunRow {
  const values = unsummed('runs', row);
  return Object.fromEntries(fields.map((field, index) => [field, values[index]])) as RunRow;
}

export function recordOf({ digest, reason, undoOf, events, lastEvent, listed, ...run }: RunRow, keys: StudentKeys): RunRecord {
  return {
    ...run,
    ...(reason === null ? {} : { reason: keys.open(reason, run.id) }),
    ...(undoOf === null ? {} : { undoOf }),
  };
}

export function newRunRow(run: NewRun, begun: Pick<RunRow, 'id' | 'holder' | 'at'>, keys: StudentKeys): RunRow {
  const { origin, profile, identity, kind, command, who, reason, undoOf } = run;
  return {
    ...{ ...begun, lastAt: begun.at, origin, profile, digest: keys.digest(identity), kind, command, who },
    reason: reason === undefined ? null : keys.seal(reason, begun.id),
    undoOf: undoOf ?? null,
    ...{ epoch: 1, state: 'open', steps: 0, events: 0, lastEvent: 0, listed: 0 },
  };
}

export function stepValues(run: string, step: StepRecord, keys: StudentKeys): Value[] {
  const { n, line, op, target, exam, after, sentKey, values, personal } = step;
  return summed('steps', [
    run,
    n,
    line,
    op,
    target,
    exam,
    after.length === 0 ? null : after.join(' '),
    sentKey,
    values === null ? null : stringifyJson(values),
    personal === null ? null : keys.seal(stringifyJson(personal), `${run}/${n}`),
  ]);
}

export function stepOf(row: Value[], keys: StudentKeys): StepRecord {
  const [run, n, line, op, target, exam, after, sentKey, values, personal] = unsummed('steps', row) as [
    ...[string, number, number | null, string, string | null, string | null, string | null, string | null, string | null, string | null],
  ];
  return {
    ...{ n, line, op, target, exam, sentKey },
    after: after === null ? [] : after.split(' ').map(Number),
    values: values === null ? null : (parseJson(values) as JsonObject),
    personal: personal === null ? null : (parseJson(keys.open(personal, `${run}/${n}`)) as JsonObject),
  };
}

export function eventValues(run: string, i: number, { n, at, event, epoch, session, shownKey, ours, code }: RecordedEvent): Value[] {
  const flag = ours === undefined ? null : Number(ours);
  return summed('events', [run, i, n, at, event, epoch, session ?? null, shownKey ?? null, flag, code ?? null]);
}

export function eventOf(row: Value[]): RecordedEvent & { i: number } {
  const [, i, n, at, event, epoch, session, shownKey, ours, code] = unsummed('events', row) as [
    ...[string, number, number, number, string, number, string | null, string | null, number | null, string | null],
  ];
  const known: StepEvent = {
    ...{ n, event },
    ...(session === null ? {} : { session }),
    ...(shownKey === null ? {} : { shownKey }),
    ...(ours === null ? {} : { ours: ours === 1 }),
    ...(code === null ? {} : { code }),
  };
  return { ...known, i, at, epoch };
}

/** What a claim is found by. */
export function claimKey({ origin, scope, key, number }: Claim): Value[] {
  return [origin, scope, key, number];
}

export function claimValues(claim: Claim): Value[] {
  const { run, n, epoch, at, done, session, shownKey } = claim;
  return summed('claims', [...claimKey(claim), run, n, epoch, at, Number(done), session, shownKey]);
}

/** For `sql.setClaim`. */
export function changedClaimValues(claim: Claim): Value[] {
  const { epoch, at, done, session, shownKey } = claim;
  return [epoch, at, Number(done), session, shownKey, claimValues(claim).at(-1) as number, ...claimKey(claim)];
}

export function claimOf(row: Value[]): Claim {
  const [origin, scope, key, number, run, n, epoch, at, done, session, shownKey] = unsummed('claims', row) as [
    ...[string, string, string, number, string, number, number, number, number, string | null, string | null],
  ];
  return { origin, scope, key, number, run, n, epoch, at, done: done === 1, session, shownKey };
}

export function listedValues(run: string, id: string): Value[] {
  return summed('listed', [run, id]);
}

export function listedOf(row: Value[]): string {
  return unsummed('listed', row)[1] as string;
}

/** Throws `DamagedRow` unless there are as many rows as have been recorded. */
export function counted<T>(rows: T[], recorded: number, table: string): T[] {
  if (rows.length !== recorded) throw new DamagedRow(`${recorded} rows of ${table} were recorded, ${rows.length} are there`);
  return rows;
}
