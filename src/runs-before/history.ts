/** What was done from here: the recorded runs, and each step of one in the user's words. */
import { operations } from '../api/operations.ts';
import { stateIfThere } from '../bridge.ts';
import type { Context } from '../command.ts';
import { CliError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { runOrigin } from '../model/run-origin.ts';
import { sameInstant } from '../model/time.ts';
import type { RunRecord, State } from '../state/state.ts';
import { sentence } from '../text/sentence.ts';
import { keyOf, recordedRun } from './recorded.ts';
import { identityOf } from './run-request.ts';
import { createsExam, createsStudent, eachStep, type Step } from './step.ts';
import { isGood, isOpen, type StepState, stepStateNames } from './step-states.ts';

export type RunSummary = {
  run: RunRecord;
  counts: Readonly<Partial<Record<StepState, number>>>;
  exam: string | undefined;
  done: number;
  open: number;
};

/** A step as it is shown: `line` of the file, the operation, its target. */
export type ShownStep = {
  n: number;
  step: Step;
  state: StepState;
  id: string | undefined;
  ours: boolean;
  code: string | undefined;
};

export async function runNamed({ state }: Pick<Context, 'state'>, id: string): Promise<RunRecord> {
  const run = await (await state()).run(id);
  if (run) return run;
  throw new CliError('not_found', sentence`No run ${JSON.stringify(id)} is recorded.`, {
    hint: 'List them with: proctor-cli runs list',
  });
}

/** Which runs are meant; what is given narrows each other. */
type RunFilter = {
  /** Something was recorded of it at this moment or later. Milliseconds since 1970. */
  since: number | undefined;
  /** One of its steps is about this exam, or created it. */
  exam: string | undefined;
};

export async function isMeant(state: State, run: RunRecord, { since, exam }: RunFilter): Promise<boolean> {
  if (since !== undefined && run.lastAt < since) return false;
  if (exam === undefined) return true;
  const { book } = await recordedRun(state, run.id);
  for (const [index, step] of eachStep(book.steps)) if ((createsExam(step) ? book.id(index) : book.examOf(index)) === exam) return true;
  return false;
}

export async function summaryOf(state: State, run: RunRecord): Promise<RunSummary> {
  const { records, book } = await recordedRun(state, run.id);
  const counts = Object.fromEntries(stepStateNames.flatMap((name) => (book.count(name) > 0 ? [[name, book.count(name)]] : [])));
  const exams = new Set(records.flatMap((record) => record?.exam ?? []));
  const sum = (holds: (state: StepState) => boolean) => stepStateNames.filter(holds).reduce((all, name) => all + book.count(name), 0);
  return { run, counts, exam: exams.size === 1 ? [...exams][0] : undefined, done: sum(isGood), open: sum(isOpen) };
}

export async function shownSteps(state: State, run: RunRecord): Promise<ShownStep[]> {
  const { records, book } = await recordedRun(state, run.id);
  return [...book.outcomes()].flatMap(({ index, step, state: is, id, ours, code }) => {
    const record = records[index];
    return record ? [{ n: record.n, step, state: is, id, ours, code }] : [];
  });
}

/** Runs with students of an exam who are still to be created, or whose creation is unknown: how many of each run. */
export async function openStudents(context: Context, exam: string): Promise<{ run: RunRecord; open: number }[]> {
  const [runs, origin] = [await stateIfThere(context), runOrigin(context.settings())];
  const found: { run: RunRecord; open: number }[] = [];
  for (const run of (await runs?.runs()) ?? []) {
    if (!runs || run.origin !== origin || run.state !== 'open') continue;
    const { book } = await recordedRun(runs, run.id);
    const open = [...book.outcomes()].filter(
      ({ index, step, state: is }) => isOpen(is) && createsStudent(step) && book.examOf(index) === exam,
    ).length;
    if (open > 0) found.push({ run, open });
  }
  return found;
}

/** The exam that a run has created for a line; or, with `sentBy`, the run whose request to create it has no known outcome. */
export type CreatedExam = { id: string; sentBy?: never } | { id?: never; sentBy: string };

/** What runs of a command have created from here for a line, by what the line is known by; the latest counts. */
export async function examsCreatedBy(
  { state: opened, settings }: Pick<Context, 'state' | 'settings'>,
  request: Parameters<typeof identityOf>[0],
): Promise<(lineKey: string) => CreatedExam | undefined> {
  const state = await opened();
  const found = new Map<string, CreatedExam>();
  for (const { id: run } of await state.runsOf(runOrigin(settings()), identityOf(request))) {
    const { book, records } = await recordedRun(state, run);
    for (const { index, step, id, state: is } of book.outcomes()) {
      const key = records[index]?.sentKey ?? undefined;
      if (!createsExam(step) || key === undefined || found.has(key)) continue;
      if (isGood(is) && id !== undefined) found.set(key, { id });
      else if (isOpen(is) && is !== 'planned') found.set(key, { sentBy: run });
    }
  }
  return (lineKey) => found.get(keyOf({ lineKey }, state) ?? '');
}

const timesOfExams = ['start_time', 'end_time'] as const;

/**
 * Exams whose times the latest run of a command has moved only in part, each with that run: some have their new values, and a later
 * step was not done. What is relative to them would be moved twice. `shown`: the exams as they are.
 */
export async function movedInPart(
  { state: opened, settings }: Pick<Context, 'state' | 'settings'>,
  request: Parameters<typeof identityOf>[0],
  shown: ReadonlyMap<string, JsonObject>,
): Promise<ReadonlyMap<string, string>> {
  const state = await opened();
  const found = new Map<string, string>();
  const judged = new Set<string>();
  const undone = new Set((await state.runs()).flatMap(({ undoOf }) => undoOf ?? []));
  for (const { id: run } of await state.runsOf(runOrigin(settings()), identityOf(request))) {
    if (undone.has(run) || judged.size === shown.size) continue;
    const { book } = await recordedRun(state, run);
    const moves = [...book.outcomes()].filter(
      ({ step: { operation, body = {} } }) =>
        operation.id === operations.patchExam.id && timesOfExams.some((time) => Object.hasOwn(body, time)),
    );
    for (const [exam = '', steps] of Map.groupBy(moves, ({ id }) => id)) {
      const now = shown.get(exam);
      if (!now || judged.has(exam)) continue;
      judged.add(exam);
      const done = steps.filter(({ state: is }) => isGood(is));
      const isShown = done.every(({ step: { body = {} } }) =>
        timesOfExams.every((time) => !Object.hasOwn(body, time) || sameInstant(body[time], now[time])),
      );
      if (done.length > 0 && done.length < steps.length && isShown) found.set(exam, run);
    }
  }
  return found;
}

/** The sessions that runs from here have moved to an exam, each with the session there that proved it. */
export async function movedHere(
  { state, settings }: Pick<Context, 'state' | 'settings'>,
  exam: string,
): Promise<ReadonlyMap<string, string>> {
  const [runs, origin] = [await state(), runOrigin(settings())];
  const found = new Map<string, string>();
  for (const run of await runs.runs()) {
    if (run.origin !== origin) continue;
    const steps = await shownSteps(runs, run);
    const made = new Map(steps.map(({ n, id }) => [n - 1, id]));
    for (const { step, state: is } of steps) {
      const { id } = step.params;
      const there = step.provenId ?? (step.proven === undefined ? undefined : made.get(step.proven));
      if (step.provenAs?.exam === exam && isGood(is) && id !== undefined && there !== undefined && !found.has(id)) found.set(id, there);
    }
  }
  return found;
}
