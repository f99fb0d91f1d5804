/** What an apply does for each line: pure, from the lines, the exams that they are, and the values that were applied last. */

import type { CliError } from '../../errors.ts';
import { showsValue } from '../../model/as-sent.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { restrictionKeys } from '../../model/restrictions.ts';
import { instantOf } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { SelectedExam } from '../exam-selection.ts';
import type { Digests } from '../ids-file.ts';
import type { FileProblems } from '../rosters/file-problems.ts';
import type { ExamEntry, FieldChange } from './exam-entry.ts';
import { digestOfField } from './field-digest.ts';
import type { Match } from './identify.ts';
import { poolChange, poolField, textsIn } from './pools.ts';
import type { RosterStudents } from './rosters.ts';

export const periodActions = ['create', 'adopt', 'update', 'unchanged', 'conflict', 'perhaps_moved', 'unclear'] as const;
export type PeriodAction = (typeof periodActions)[number];

/** The students of an exam whose times change: those with a window of their own, and those who were mailed. */
export type MovedStudents = { windows: number; mailed: number };

export type PlanItem = {
  entry: ExamEntry;
  action: PeriodAction;
  exam: SelectedExam | undefined;
  changes: readonly FieldChange[];
  /** Fields that were changed in the service too, and stay as they are there. */
  kept: readonly string[];
  last: Digests;
  /** Why it is not decided, and what decides it. */
  why?: Sentence | undefined;
  hint?: Sentence | undefined;
  students?: MovedStudents | undefined;
  /** The students of its roster. */
  roster?: RosterStudents | undefined;
  /** Why nothing is sent for this line. */
  held?: CliError | undefined;
};

export type OnConflict = 'table' | 'service' | undefined;

type Planning = {
  onConflict: OnConflict;
  /** Who is in the pool of each exam whose line names proctors. */
  pools: ReadonlyMap<string, readonly string[]>;
  problems: FileProblems;
};

/** Lines that cannot be created, or whose exam would end before it starts, are added to `problems`. */
export function itemsOf(matches: readonly Match[], { onConflict, pools, problems }: Planning): PlanItem[] {
  return matches.map((match): PlanItem => {
    const { entry, last } = match;
    const none = { entry, last, kept: [], changes: [], exam: undefined };
    if ('hint' in match) return { ...none, action: match.is, why: match.why, hint: match.hint };
    if (!('exam' in match)) {
      refuseIncomplete(entry, problems);
      return { ...none, action: 'create', changes: [...changesOf(entry.wanted, {}, {}), ...poolChanges(entry, undefined)] };
    }
    const { exam } = match;
    const all = [...changesOf(entry.wanted, exam.shown, last), ...poolChanges(entry, pools.get(exam.id) ?? [])];
    const both = all.filter(({ field, from, to }) => isConflict(field, { from, to, last }));
    const isOpen = both.length > 0 && onConflict === undefined;
    const changes = onConflict === 'service' ? all.filter((change) => !both.includes(change)) : all;
    refuseReversed(entry, exam, changes, problems);
    const action = isOpen ? 'conflict' : match.is === 'adopt' ? 'adopt' : changes.length > 0 ? 'update' : 'unchanged';
    const kept = onConflict === 'service' ? both.map(({ field }) => field) : [];
    return { entry, last, exam, changes: isOpen ? both : changes, kept, action };
  });
}

/** The fields of a line that the exam shows otherwise. What it does not show is as it was applied last. */
function changesOf(wanted: ExamEntry['wanted'], shown: JsonObject, last: Digests): FieldChange[] {
  return Object.entries(wanted).flatMap(([field, to]) => {
    const from = (Object.hasOwn(shown, field) ? shown[field] : undefined) as Json | undefined;
    const isSo = from === undefined ? to === null || last[field] === digestOfField(field, to) : showsValue('exam', field, to, from);
    return isSo ? [] : [{ field, from: from ?? null, to }];
  });
}

function poolChanges(entry: ExamEntry, pool: readonly string[] | undefined): FieldChange[] {
  const change = poolChange(entry, pool);
  return change && (pool !== undefined || textsIn(change.to).length > 0) ? [change] : [];
}

/** Changed in the service and in the timetable since it was applied last. */
function isConflict(field: string, { from, to, last }: Omit<FieldChange, 'field'> & { last: Digests }): boolean {
  const before = last[field];
  return before !== undefined && before !== digestOfField(field, from) && before !== digestOfField(field, to);
}

function refuseIncomplete({ at, name, start, end }: ExamEntry, problems: FileProblems): void {
  const missing = Object.entries({ name, start, end }).flatMap(([field, value]) => (value === undefined ? [field] : []));
  if (missing.length > 0)
    problems.add(at, sentence`a new exam without ${missing.join(' and ')}.`, sentence`Fill the cell, or give the ID of an existing exam.`);
}

/** An end that stays may be before a start that moves, and the other way round. */
function refuseReversed(
  { at, end }: ExamEntry,
  { id, shown }: SelectedExam,
  changes: readonly FieldChange[],
  problems: FileProblems,
): void {
  const after: JsonObject = { ...shown, ...Object.fromEntries(changes.map(({ field, to }) => [field, to])) };
  const [starts, ends] = [instantOf(after.start_time), instantOf(after.end_time)];
  const moves = changes.some(({ field }) => field === 'start_time' || field === 'end_time');
  if (!moves || starts === undefined || ends === undefined || starts < ends) return;
  problems.add(
    at,
    sentence`exam ${id} would end before it starts.`,
    end === undefined ? sentence`Give its end in the timetable as well.` : sentence`Give its start in the timetable as well.`,
  );
}

/** What is sent for a line: its changes, and with a restriction all four, which the service would otherwise reset. */
export function bodyOf({ entry: { wanted }, changes }: PlanItem): JsonObject {
  const changed = Object.fromEntries(changes.flatMap(({ field, to }) => (field === poolField ? [] : [[field, to] as const])));
  const restricts = restrictionKeys.some((key) => Object.hasOwn(changed, key));
  const all = restricts ? restrictionKeys.flatMap((key) => (Object.hasOwn(wanted, key) ? [[key, wanted[key]] as const] : [])) : [];
  return { ...Object.fromEntries(all), ...changed } as JsonObject;
}

/** Whether an apply would change something for a line, or a person has to decide first. */
export function isDrift({ action }: PlanItem): boolean {
  return action !== 'unchanged';
}

/** Whether an exam that is there gets other values. */
export function changesExam({ action, changes }: PlanItem): boolean {
  return (action === 'update' || action === 'adopt') && changes.length > 0;
}
