/**
 * The record as evidence: each run, each step with what became of it, and each taking-over, in the order of time, and
 * the filters by which runs are chosen. One run after the other is read, a part at a time.
 */
import { parseJson, stringifyJson } from '../model/json.ts';
import type { RunRecord, State, StepRecord } from '../state/state.ts';
import { Book } from './book.ts';
import type { ShownStep } from './history.ts';
import { Fold, stepsOf } from './recorded.ts';
import { createsExam, eachStep } from './step.ts';

/** Which runs are meant; what is given narrows each other. */
export type RunFilter = {
  /** Something was recorded of it at this moment or later. Milliseconds since 1970. */
  since?: number | undefined;
  /** Began it or took it over: `who` as it is recorded, or the user before the @ of it. */
  user?: string | undefined;
  /** One of its steps is about this exam, or created it. */
  exam?: string | undefined;
};

/** Another process has taken the run over: when, and who. Milliseconds since 1970. */
export type Taking = { at: number; who: string };

/** `at`: when it was recorded, milliseconds since 1970; of a step, what became of it. `who`: whose process recorded it. */
export type Evidence = { at: number; run: RunRecord; who: string } & (
  | { entry: 'run' }
  /** `sentAt`: when it was to be sent for the first time. */
  | { entry: 'step'; shown: ShownStep; sentAt: number | undefined }
  | { entry: 'taken' }
);

export async function takingsOf(state: Pick<State, 'parts'>, run: RunRecord): Promise<Taking[]> {
  const takings: Taking[] = [];
  if (run.epoch === 1) return takings;
  for await (const events of state.parts('events', run.id))
    for (const { n, event, at, code = '' } of events) if (n === 0 && event === 'taken') takings.push({ at, who: code });
  return takings;
}

export async function isMeant(state: State, run: RunRecord, filter: RunFilter): Promise<boolean> {
  if (!(await mayBeMeant(state, run, filter))) return false;
  return filter.exam === undefined || isAbout(await read(state, run), filter.exam);
}

/** All that is recorded of the runs that are meant, in the order of time. */
export async function* evidenceOf(state: State, filter: RunFilter): AsyncGenerator<Evidence, void> {
  /** Runs that are at work at the same time, each with its next entry. */
  const begun: { next: Evidence; rest: Iterator<Evidence, undefined> }[] = [];
  const earlierThan = function* (moment: number): Generator<Evidence, undefined> {
    for (;;) {
      begun.sort((a, b) => a.next.at - b.next.at);
      const [first] = begun;
      if (!first || first.next.at >= moment) return;
      yield first.next;
      const { value } = first.rest.next();
      if (value) first.next = value;
      else begun.shift();
    }
  };
  for (const run of (await state.runs()).reverse().sort((a, b) => a.at - b.at)) {
    if (!(await mayBeMeant(state, run, filter))) continue;
    yield* earlierThan(run.at);
    const known = await read(state, run);
    if (filter.exam !== undefined && !isAbout(known, filter.exam)) continue;
    const rest = entriesOf(known);
    const { value } = rest.next();
    if (value) begun.push({ next: value, rest });
  }
  yield* earlierThan(Number.POSITIVE_INFINITY);
}

/** By what is known without its steps. */
async function mayBeMeant(state: State, run: RunRecord, { since, user }: RunFilter): Promise<boolean> {
  if (since !== undefined && run.lastAt < since) return false;
  return user === undefined || isOf(user, run.who) || (await takingsOf(state, run)).some(({ who }) => isOf(user, who));
}

function isOf(user: string, who: string): boolean {
  return who === user || (who.includes('@') && who.slice(0, who.lastIndexOf('@')) === user);
}

/** A run of which all is read. */
type Read = {
  run: RunRecord;
  /** By the index of a step; undefined for one that was forgotten. */
  recordAt(index: number): StepRecord | undefined;
  book: Book;
  takings: readonly (Taking & { epoch: number })[];
  /** By the index of a step; 0 where there is none. */
  moments: { recorded: Float64Array; sent: Float64Array; epoch: Uint32Array };
};

async function read(state: Pick<State, 'parts'>, run: RunRecord): Promise<Read> {
  // As text, which takes half the room.
  const texts: string[] = [];
  for await (const part of state.parts('steps', run.id)) for (const record of part) texts[record.n - 1] = stringifyJson(record);
  const recordAt = (index: number) => {
    const text = texts[index];
    return text === undefined ? undefined : (parseJson(text) as unknown as StepRecord);
  };
  const { steps, forgotten } = stepsOf(texts.length, recordAt);
  const book = new Book(steps);
  const fold = new Fold(book);
  const { length } = steps;
  const moments = { recorded: new Float64Array(length), sent: new Float64Array(length), epoch: new Uint32Array(length) };
  const takings: Read['takings'][number][] = [];
  for await (const events of state.parts('events', run.id)) {
    fold.add(events);
    for (const { n, event, at, epoch, code = '' } of events) {
      if (n === 0 && event === 'taken') takings.push({ at, epoch, who: code });
      if (n === 0) continue;
      moments.recorded[n - 1] = at;
      moments.epoch[n - 1] = epoch;
      if (event === 'sending') moments.sent[n - 1] ||= at;
    }
  }
  fold.end(forgotten);
  return { run, recordAt, book, takings, moments };
}

function isAbout({ book }: Read, exam: string): boolean {
  for (const [index, step] of eachStep(book.steps)) if ((createsExam(step) ? book.id(index) : book.examOf(index)) === exam) return true;
  return false;
}

/** In the order of time; a step of which nothing was recorded since it was planned comes with its run. */
function* entriesOf({ run, recordAt, book, takings, moments }: Read): Generator<Evidence, undefined> {
  yield { entry: 'run', at: run.at, run, who: run.who };
  const stepAt = (index: number) => moments.recorded[index] || run.at;
  const whoIn = (epoch: number) => takings.find((taking) => taking.epoch === epoch)?.who ?? run.who;
  const order = Uint32Array.from({ length: book.steps.length }, (_, index) => index).sort((a, b) => stepAt(a) - stepAt(b));
  let taken = 0;
  for (const index of order) {
    const record = recordAt(index);
    const outcome = book.outcome(index);
    if (!record || !outcome) continue;
    const at = stepAt(index);
    for (let taking = takings[taken]; taking && taking.at <= at; taking = takings[++taken]) yield takenIn(run, taking);
    const { step, state, id, ours, code } = outcome;
    const shown = { n: record.n, step, record, state, id, ours, code };
    yield { entry: 'step', at, run, who: whoIn(moments.epoch[index] ?? 0), shown, sentAt: moments.sent[index] || undefined };
  }
  for (const taking of takings.slice(taken)) yield takenIn(run, taking);
}

function takenIn(run: RunRecord, { at, who }: Taking): Evidence {
  return { entry: 'taken', at, run, who };
}
