/** What was done from here: the recorded runs, and each step of one in the user's words. */
import type { Context } from '../command.ts';
import { CliError } from '../errors.ts';
import { runOrigin } from '../state/run-origin.ts';
import type { RunRecord, State, StepRecord } from '../state/state.ts';
import { sentence } from '../text/sentence.ts';
import { Book } from './book.ts';
import { stepOf } from './recorded.ts';
import { folded } from './resume.ts';
import type { Step } from './step.ts';
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
  record: StepRecord;
  state: StepState;
  id: string | undefined;
  ours: boolean;
  code: string | undefined;
};

export async function runNamed({ state }: Pick<Context, 'state'>, id: string): Promise<RunRecord> {
  const run = await (await state()).run(id);
  if (run) return run;
  throw new CliError('not_found', sentence`No run ${JSON.stringify(id)} on this machine.`, {
    hint: 'List them with: proctor-cli runs list',
  });
}

export async function summaryOf(state: State, run: RunRecord): Promise<RunSummary> {
  const steps = await state.steps(run.id);
  const book = bookOf(steps);
  folded(book, await state.events(run.id));
  const counts = Object.fromEntries(stepStateNames.flatMap((name) => (book.count(name) > 0 ? [[name, book.count(name)]] : [])));
  const exams = new Set(steps.flatMap(({ exam }) => exam ?? []));
  const sum = (holds: (state: StepState) => boolean) => stepStateNames.filter(holds).reduce((all, name) => all + book.count(name), 0);
  return { run, counts, exam: exams.size === 1 ? [...exams][0] : undefined, done: sum(isGood), open: sum(isOpen) };
}

export async function shownSteps(state: State, run: RunRecord): Promise<ShownStep[]> {
  const records = await state.steps(run.id);
  const book = bookOf(records);
  folded(book, await state.events(run.id));
  return records.map((record, index) => {
    const { step, state: is = 'planned', id, ours = false, code } = book.outcome(index) ?? { step: stepOf(record) };
    return { n: record.n, step, record, state: is, id, ours, code };
  });
}

/** The steps one by one as they are asked for: an import has many. */
function bookOf(records: readonly StepRecord[]): Book {
  return new Book({
    length: records.length,
    at(index) {
      const record = records[index];
      return record && stepOf(record);
    },
  });
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
    const records = await runs.steps(run.id);
    if (!records.some(({ values }) => values?.provenAs !== undefined)) continue;
    const book = bookOf(records);
    folded(book, await runs.events(run.id));
    for (const { step, state: is } of book.outcomes()) {
      const { id } = step.params;
      const there = step.provenId ?? (step.proven === undefined ? undefined : book.id(step.proven));
      if (step.provenAs?.exam === exam && isGood(is) && id !== undefined && there !== undefined && !found.has(id)) found.set(id, there);
    }
  }
  return found;
}
