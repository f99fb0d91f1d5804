/**
 * `exams apply`: brings the exams of a timetable into the service and keeps them so, as one run. What nobody has decided, and what an
 * exam that runs would lose, is held back line by line. Killed anywhere, the same command goes on: what moves times is finished first,
 * because it is relative to what was there; everything else is planned anew.
 */
import { resolve } from 'node:path';
import { planned } from '../../api/request.ts';
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { canAsk } from '../../host/host.ts';
import { count, students } from '../../model/count.ts';
import { examInWords } from '../../model/describe.ts';
import { firstInLine, firstLines } from '../../model/first-of.ts';
import { restrictionKeys } from '../../model/restrictions.ts';
import {
  carryOut,
  createsExam,
  createsStudent,
  type Ended,
  isGood,
  type Outcome,
  type Plan,
  type Recorded,
} from '../../runs-before/index.ts';
import { capitalised, type Sentence, sentence } from '../../text/sentence.ts';
import { checkIdsFile, type Digests, idsFileOf, type KnownLine, type ReadLine, writeIdsFile } from '../ids-file.ts';
import { type Removals, tellRemovals } from '../import/removals.ts';
import { sayUndo, wordOf } from '../writes/outcome-rows-before.ts';
import { applyRun, type ComputedPeriod, computePeriod, type PeriodRequest, readPeriod } from './compute-period.ts';
import { entryInWords } from './exam-entry.ts';
import { resetRestrictions } from './exam-moves.ts';
import { digestOfField } from './field-digest.ts';
import { changesExam, isDrift, type PlanItem } from './period-plan.ts';
import { periodResult, tellPlan } from './period-result.ts';
import { type ItemResult, valueInWords } from './period-rows.ts';
import { poolField } from './pools.ts';

export async function applyPeriod(context: Context, request: PeriodRequest): Promise<Result> {
  const { file } = request;
  const timetable = await readPeriod(context, request);
  if (!context.globals.dryRun) await checkIdsFile(idsFileOf(file));
  const decide = decisions(context, request);
  let period: ComputedPeriod | undefined;
  return carryOut(context, {
    ...applyRun(file),
    again: 'finish',
    locks: [`exams apply ${resolve(file)}`],
    async plan(): Promise<Plan> {
      period = await computePeriod(context, request, timetable, decide);
      return period.plan;
    },
    tell: async () => {
      if (!period) return;
      await tellPlan(context, period, timetable.name, true);
      tellRemovals(context, removalsOf(period.items));
    },
    question: async () => period && questionOf(context, period.items, timetable.name),
    // The number of students to delete is typed.
    typed: () => (period && removalsOf(period.items).remove.length > 0 ? String(removalsOf(period.items).remove.length) : undefined),
    stepsOf: async (recorded) => withoutCreatesAndDeletions(recorded),
    async result(ended) {
      if (context.globals.dryRun) return planned(await context.client(), []);
      if (!period) throw unfinished(ended);
      return resultOf(context, ended, period, { request, name: timetable.name });
    },
  });
}

/** The error of the run before; what is planned anew is none of it. */
function unfinished(ended: Ended): CliError {
  const of = [...ended.outcomes()].filter(({ state }) => state !== 'given_up');
  return ended.failure({ did: 'done', idType: undefined, of }) ?? new CliError('not_applied', 'The run before was not finished.');
}

/** The exams that were not created yet, and the students who were not deleted yet, are planned anew, from the files as they are now. */
async function withoutCreatesAndDeletions({ records, state, stepAt }: Recorded) {
  const steps = { length: records.length, at: stepAt };
  const giveUp = new Set<number>();
  for (let index = 0; index < steps.length; index += 1) {
    const step = stepAt(index);
    if (!step || state(index) !== 'planned') continue;
    if (createsExam(step) || step.last || (step.made && giveUp.has(step.made.by))) giveUp.add(index);
  }
  return { steps, giveUp: [...giveUp] };
}

/** The students to delete, and to keep, of all lines that are applied. */
function removalsOf(items: readonly PlanItem[]): Pick<Removals, 'remove' | 'keep'> {
  const all = items.flatMap(({ held, roster }) => (held === undefined && roster?.removals ? [roster.removals] : []));
  return { remove: all.flatMap(({ remove }) => remove), keep: all.flatMap(({ keep }) => keep) };
}

async function questionOf(context: Context, items: readonly PlanItem[], timetable: string): Promise<Sentence> {
  const client = await context.client();
  const sent = items.filter(({ held }) => held === undefined);
  const created = sent.filter(({ action }) => action === 'create');
  const changed = sent.filter(changesExam);
  const named = firstInLine(changed, ({ exam }) => examInWords(exam?.id ?? '', exam?.shown, client, context.zone()), 3);
  const windows = changed.reduce((sum, { students }) => sum + (students?.windows ?? 0), 0);
  const added = sent.reduce((sum, { roster }) => sum + (roster?.added.length ?? 0), 0);
  const removed = removalsOf(items).remove.length;
  const parts = [
    ...(created.length > 0 ? [`create ${count(created.length, 'exam')}`] : []),
    ...(changed.length > 0 ? [`change ${count(changed.length, 'exam')} (${named})`] : []),
    ...(added > 0 ? [`add ${students(added)}`] : []),
    ...(removed > 0 ? [`delete ${students(removed)}`] : []),
    ...(windows > 0 ? [`move ${count(windows, 'window')} of students along`] : []),
  ];
  return sentence`Apply ${timetable}: ${parts.join(', ')}`;
}

async function resultOf(
  context: Context,
  ended: Ended,
  period: ComputedPeriod,
  { request, name }: { request: PeriodRequest; name: string },
): Promise<Result> {
  const client = await context.client();
  const outcomes = [...ended.outcomes()];
  const applied = period.items.map(
    (item): Applied =>
      appliedOf(
        item,
        (period.of.get(item) ?? []).flatMap((index) => outcomes[index] ?? []),
      ),
  );
  const held = period.items.flatMap(({ held: error, exam, entry }) => (error ? [{ id: exam?.id ?? entry.at, error }] : []));
  for (const text of firstLines(held, ({ error }) => error.message)) context.warn(text);
  const exams = new Map(period.items.flatMap(({ exam }) => (exam ? [[exam.id, exam.shown] as const] : [])));
  const failure = ended.failure({
    did: 'done',
    idType: client.idType('exam'),
    of: period.items.flatMap((item) => worstOf((period.of.get(item) ?? []).flatMap((index) => outcomes[index] ?? [])) ?? []),
    // Of a line that failed, other requests may have been done.
    follows: outcomes.some(({ sentNow, state }) => sentNow && isGood(state)),
    also: [...held, ...resetRestrictions(outcomes.filter(keepsRestrictions), exams)],
  });
  const unwritten = await written(idsFileOf(request.file), applied, period);
  if (unwritten && failure) context.warn(unwritten.message);
  sayUndo(context, ended);
  const became = new Map(applied.map((each) => [each.item, each.became]));
  return periodResult(context, period, {
    timetable: name,
    became,
    run: ended.run,
    failure: failure ?? unwritten,
  });
}

function keepsRestrictions({ step: { body = {} } }: Outcome): boolean {
  return !restrictionKeys.some((key) => Object.hasOwn(body, key));
}

/** What became of a line, of which these are the steps: of its exam, and of the students of its roster. */
function appliedOf(item: PlanItem, all: readonly Outcome[]): Applied {
  const { action, held } = item;
  if (held) return { item, became: { result: 'held back', problem: held.message }, isDone: false };
  const did = { create: 'created', adopt: 'adopted', update: 'updated' }[action as string] ?? 'unchanged';
  const outcomes = all.filter((outcome) => !isOfRoster(outcome));
  const exam = outcomes.find(({ step }) => createsExam(step))?.id;
  const worst = worstOf(outcomes);
  const lost = rosterProblem(all.filter(isOfRoster));
  if (!worst || isGood(worst.state)) return { item, became: { result: did, exam, problem: lost ?? worst?.evidence }, isDone: true };
  const { state, error, evidence } = worst;
  return { item, became: { result: wordOf(state, did, error), exam, problem: error?.message ?? evidence }, isDone: false };
}

/** A student of the roster, the time of one, or a student whom it lacks. */
function isOfRoster({ step }: Outcome): boolean {
  return createsStudent(step) || step.last === true || (step.made !== undefined && step.operation.resource === 'session');
}

function rosterProblem(outcomes: readonly Outcome[]): Sentence | undefined {
  const failed = outcomes.filter(({ state }) => !isGood(state));
  const [first] = failed;
  if (!first) return undefined;
  return sentence`${failed.length} of ${count(outcomes.length, 'request')} for students of the roster failed, such as line ${first.step.line}: ${first.error?.message ?? first.state}`;
}

function worstOf(outcomes: readonly Outcome[]): Outcome | undefined {
  return outcomes.find(({ state }) => !isGood(state)) ?? outcomes.at(-1);
}

/** Why the file beside the timetable could not be written; what was done stays done. */
async function written(path: string, applied: readonly Applied[], period: ComputedPeriod): Promise<CliError | undefined> {
  try {
    await writeIdsFile(path, knownLines(applied, period));
    return undefined;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const hint = 'Make room for the file, and run the same command again on this machine: only it knows what was created.';
    return new CliError(period.items.some(isDrift) ? 'partly_done' : error.code, error.message, { hint });
  }
}

/** `isDone`: what the line says is so in the service. */
type Applied = { item: PlanItem; became: ItemResult; isDone: boolean };

type Before = { ids: readonly ReadLine[]; orphans: readonly ReadLine[]; origin: string };

/** In the order of the timetable; then the lines of exams that are no longer in it, and those of other services. */
function knownLines(applied: readonly Applied[], { ids, orphans, origin }: Before): KnownLine[] {
  const lines = applied.flatMap(({ item, became, isDone }): KnownLine[] => {
    const { entry, exam, held, action } = item;
    const id = became.exam ?? exam?.id;
    // Whether it is the exam of the line is not decided.
    if (id === undefined || (action === 'adopt' && held)) return [];
    const { key, name = exam?.name, start = exam?.start } = entry;
    return [{ key, name, start, exam: id, origin, applied: isDone ? digestsOf(item) : item.last }];
  });
  return [...lines, ...orphans, ...ids.filter((row) => row.origin !== origin)];
}

function digestsOf({ entry: { wanted, pool }, kept, last }: PlanItem): Digests {
  const digests: Record<string, string> = {};
  for (const [field, value] of Object.entries({ ...wanted, ...(pool ? { [poolField]: [...pool] } : {}) })) {
    const digest = kept.includes(field) ? last[field] : digestOfField(field, value);
    if (digest !== undefined) digests[field] = digest;
  }
  return digests;
}

/** Asks at most once whether the exams that are there already are those of the timetable. */
function decisions(context: Context, { adopt }: { adopt: boolean }) {
  const answers = new Map<string, boolean>();
  return async (items: readonly PlanItem[]): Promise<readonly PlanItem[]> => {
    const found = adopt ? [] : items.filter(({ action }) => action === 'adopt');
    const asked = firstInLine(found, ({ exam }) => exam?.id ?? '', Number.POSITIVE_INFINITY);
    const isTaken = found.length === 0 || (answers.get(asked) ?? (await mayAdopt(context, found)));
    answers.set(asked, isTaken);
    return items.map((item) => (item.action === 'adopt' && isTaken ? item : { ...item, held: heldBy(item, context.zone()) }));
  };
}

async function mayAdopt(context: Context, found: readonly PlanItem[]): Promise<boolean> {
  const { host, globals } = context;
  if (globals.yes || globals.dryRun || !canAsk(host, globals.noInput)) return false;
  const client = await context.client();
  const named = ({ exam }: PlanItem) => examInWords(exam?.id ?? '', exam?.shown, client, context.zone());
  const which = firstInLine(found, named, 3);
  const what =
    found.length === 1
      ? sentence`${which} is there already, with the name and the start of a line`
      : sentence`${count(found.length, 'exam')} are there already, with the name and the start of a line (${which})`;
  return host.prompts.confirm(
    sentence`${capitalised(what)}. Take ${found.length === 1 ? 'it for the exam of that line' : 'them for the exams of these lines'}?`,
  );
}

/** Undefined where nothing is to be decided. */
function heldBy({ action, entry, exam, changes, why, hint }: PlanItem, zone: string): CliError | undefined {
  const line = sentence`${capitalised(entry.at)}`;
  switch (action) {
    case 'adopt':
      return new CliError('already_there', sentence`${line}: ${entryInWords(entry)} is there already, as exam ${exam?.id}.`, {
        hint: 'Nothing was sent for it. --adopt takes exams with the name and the start of a line for the exams of the timetable.',
      });
    case 'conflict': {
      const values = changes.map(
        ({ field, from, to }) => `${field} is ${valueInWords(field, from, zone)}, in the timetable ${valueInWords(field, to, zone)}`,
      );
      return new CliError(
        'different',
        sentence`${line}: exam ${exam?.id} was changed in the service and in the timetable: ${values.join('; ')}.`,
        {
          hint: 'Nothing was sent for it. Correct the timetable, or choose which value is kept: --on-conflict table, or --on-conflict service',
        },
      );
    }
    case 'perhaps_moved':
    case 'unclear':
      return new CliError('already_there', sentence`${line}: ${entryInWords(entry)}: ${why}.`, {
        hint: sentence`Nothing was sent for it. ${hint}`,
      });
    default:
      return undefined;
  }
}
