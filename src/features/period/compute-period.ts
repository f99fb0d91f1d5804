/** The plan of a period, from its timetable, the file beside it, the exams of the service and the record of earlier runs from here. */
import { basename, dirname, resolve } from 'node:path';
import { operations } from '../../api/operations.ts';
import type { Context } from '../../command.ts';
import { CliError, orGone } from '../../errors.ts';
import { runOrigin } from '../../model/run-origin.ts';
import type { TableReading } from '../../roster/map/declaration.ts';
import {
  caughtUp,
  examSent,
  examsCreatedBy,
  examsHeldBack,
  listedAs,
  lookForExams,
  type Plan,
  type Reading,
  readRecord,
  type Step,
  withLast,
  worldOf,
} from '../../runs-before/index.ts';
import { folded } from '../../text/fold.ts';
import { fits } from '../../text/glob.ts';
import { type SelectedExam, selectedExam } from '../exam-selection.ts';
import { idsFileOf, type ReadLine, readIdsFile } from '../ids-file.ts';
import type { RemovalOptions } from '../import/removals.ts';
import { FileProblems } from '../rosters/file-problems.ts';
import { type ExamEntry, knownBy } from './exam-entry.ts';
import { type Consents, identify, type Known, type Match, orphansOf, rowsOfEntries } from './identify.ts';
import { withStudents } from './moving-exams.ts';
import { itemsOf, type OnConflict, type PlanItem } from './period-plan.ts';
import { createOf, type PeriodSteps, stepsOf } from './period-steps.ts';
import { poolsOf, withProctors } from './pools.ts';
import { readTimetable, type Timetable } from './read-timetable.ts';
import { lookForRoster, type ReadRoster, readRosters, rosterOf } from './rosters.ts';

export type PeriodRequest = {
  /** Path of the timetable. */
  file: string;
  reading: TableReading;
  /** An exam that is there is taken for a line of its name. */
  adopt: boolean;
  /** Names, with * and ?, of lines that are new exams. */
  isNew: readonly string[];
  onConflict: OnConflict;
  /** Among whose users proctors are looked up. */
  institute: string | undefined;
  /** Delete the students whom the roster of their exam lacks. */
  removeMissing: RemovalOptions | undefined;
};

export type ComputedPeriod = PeriodSteps & {
  items: readonly PlanItem[];
  orphans: readonly ReadLine[];
  ids: readonly ReadLine[];
  origin: string;
  plan: Plan;
};

/** By what a run of `exams apply` is found again. */
export function applyRun(file: string) {
  return { kind: 'exams apply', identity: [resolve(file)] } as const;
}

/** A timetable with its proctors and its rosters. */
export type Period = Timetable & { rosters: ReadonlyMap<string, ReadRoster> };

export async function readPeriod(context: Context, { file, reading, institute }: PeriodRequest): Promise<Period> {
  const { name, entries } = await readTimetable(context, file, reading);
  const problems = new FileProblems(name);
  const resolved = await withProctors(context, entries, { institute, problems });
  const rosters = await readRosters(context, resolved, { folder: dirname(file), problems });
  problems.refuse(context);
  return { name, entries: resolved, rosters };
}

/** `decided`: what a person, or a flag, has decided of lines whose exam is there already; the others are held back. */
export async function computePeriod(
  context: Context,
  request: PeriodRequest,
  { entries, name, rosters }: Period,
  holds: (items: readonly PlanItem[]) => Promise<readonly PlanItem[]>,
): Promise<ComputedPeriod> {
  const client = await context.client();
  const world = await worldOf(context);
  const origin = runOrigin(context.settings());
  const idsPath = idsFileOf(request.file);
  const ids = await readIdsFile(idsPath);
  const exams = await examsOf(context, entries, ids);
  const consents: Consents = {
    adopt: request.adopt,
    isNew: ({ name: of, key }) => request.isNew.some((pattern) => [of, key].some((text) => text !== undefined && names(pattern, text))),
  };
  const known = {
    ...{ exams, ids, idsName: basename(idsPath), origin, now: context.host.now() },
    createdFor: await examsCreatedBy(context, applyRun(request.file)),
  };
  const isListed = (id: string) => exams.has(id);
  const listed = [...exams.keys()].map((id) => listedAs('exam', id));
  let found = await matched(entries, known, consents, { context, name, onConflict: request.onConflict });
  let there = await lookForExams(world, createsOf(found.items), isListed);
  if (there.late.length > 0) {
    for (const shown of there.late.map((each) => selectedExam(each, client))) exams.set(shown.id, shown);
    found = await matched(entries, known, consents, { context, name, onConflict: request.onConflict });
    there = await lookForExams(world, createsOf(found.items), isListed);
  }
  const {
    items: moved,
    moves,
    readings,
  } = await withStudents(context, client, heldUnknown(await holds(found.items), there.open, known.createdFor), applyRun(request.file));
  const { items, stale, ...looked } = await withRosters(
    context,
    moved,
    (entry) => rosterOf(rosters, request.file, entry),
    request.removeMissing,
  );
  for (const [at, item] of items.entries()) {
    const ofItem = moved[at] && moves.get(moved[at]);
    if (ofItem) moves.set(item, ofItem);
  }
  for (const [exam, reading] of looked.readings) readings.set(exam, reading);
  const whole = stepsOf(items, moves, { creates: there.steps, dialect: client.dialect });
  const running = await examsHeldBack(world, { steps: whole.steps, readings });
  const judged = items.map((item): PlanItem => {
    const error = item.exam && running.get(item.exam.id);
    return error && item.held === undefined ? { ...item, held: error } : item;
  });
  const movesNow = new Map(
    judged.flatMap((item, at) => (items[at] && moves.has(items[at]) ? [[item, moves.get(items[at]) ?? []] as const] : [])),
  );
  const { steps, of } = stepsOf(judged, movesNow, { creates: there.steps, dialect: client.dialect });
  return {
    ...{ items: judged, steps, of, ids, origin },
    orphans: orphansOf(ids, found.matches, origin),
    plan: { steps: withLast(steps), readings, looked: true, listed, stale: [...there.stale, ...stale] },
  };
}

/** Lines whose exam a run has sent, and nobody knows whether it is there. `open`: by their place among those to be created. */
function heldUnknown(items: readonly PlanItem[], open: ReadonlyMap<number, CliError>, createdFor: Known['createdFor']): PlanItem[] {
  let at = -1;
  return items.map((item) => {
    if (item.action !== 'create') return item;
    at += 1;
    // The same line: its name or its start may have been edited since.
    const sentBy = createdFor(knownBy(item.entry) ?? '')?.sentBy;
    const held = open.get(at) ?? (sentBy === undefined ? undefined : examSent(sentBy));
    return held ? { ...item, held } : item;
  });
}

function names(pattern: string, text: string): boolean {
  return fits(pattern, text) || folded(pattern.trim()) === folded(text.trim());
}

function createsOf(items: readonly PlanItem[]): Step[] {
  return items.filter(({ action }) => action === 'create').map(createOf);
}

type Matching = { context: Context; name: string; onConflict: OnConflict };

/** Throws `invalid_input` for lines that cannot be planned; all of them are reported on stderr. */
async function matched(
  entries: readonly ExamEntry[],
  known: Known,
  consents: Consents,
  { context, name, onConflict }: Matching,
): Promise<{ matches: Match[]; items: PlanItem[] }> {
  const problems = new FileProblems(name);
  const matches = identify(entries, known, consents, problems);
  problems.refuse(context);
  const pooled = matches.flatMap((match) => ('exam' in match && match.entry.pool ? [match.exam.id] : []));
  const pools = await poolsOf(await context.client(), pooled);
  const items = itemsOf(matches, { onConflict, pools, problems });
  problems.refuse(context);
  return { matches, items };
}

/** All exams by their ID, as they are by what was written from here; one that a line names and the list does not show yet is read. */
async function examsOf(context: Context, entries: readonly ExamEntry[], ids: readonly ReadLine[]): Promise<Map<string, SelectedExam>> {
  const client = await context.client();
  const exams = new Map<string, SelectedExam>();
  const add = (shown: Parameters<typeof selectedExam>[0]) => {
    const exam = selectedExam(shown, client);
    exams.set(exam.id, exam);
  };
  for (const shown of await client.list(operations.listExams, {})) {
    const { id } = selectedExam(shown, client);
    add(await caughtUp(context, 'exam', id, shown));
  }
  const origin = runOrigin(context.settings());
  const named = rowsOfEntries(entries, ids).flatMap((row) => (row.origin === origin ? [row.exam] : []));
  const wanted = new Set([...named, ...entries.flatMap(({ id }) => id ?? [])]);
  await client.pacer.map(
    [...wanted].filter((id) => !exams.has(id)),
    async (id) => {
      const shown = await orGone(readRecord(context, 'exam', id));
      if (shown) add(shown);
    },
  );
  return exams;
}

type WithRosters = { items: PlanItem[]; readings: ReadonlyMap<string, Reading>; stale: NonNullable<Plan['stale']> };

/** An exam of which nobody can tell who is there, or that would lose too many students, is held back. */
async function withRosters(
  context: Context,
  items: readonly PlanItem[],
  rosterOf: (entry: ExamEntry) => ReadRoster | undefined,
  removeMissing: RemovalOptions | undefined,
): Promise<WithRosters> {
  const world = await worldOf(context);
  const readings = new Map<string, Reading>();
  const stale: NonNullable<Plan['stale']>[number][] = [];
  const all = await world.client.pacer.map(items, async (item): Promise<PlanItem> => {
    const roster = rosterOf(item.entry);
    if (!roster || item.held || (!item.exam && item.action !== 'create')) return item;
    try {
      const looked = await lookForRoster(world, roster, item.exam?.id, removeMissing);
      if (looked.reading) readings.set(looked.reading.exam, looked.reading);
      stale.push(...looked.stale);
      const { added, removals } = looked.students;
      const changes = added.length + (removals?.remove.length ?? 0) > 0;
      const action = item.action === 'unchanged' && changes ? 'update' : item.action;
      return { ...item, action, roster: looked.students };
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'invalid_input') throw error;
      return { ...item, action: item.action === 'unchanged' ? 'unclear' : item.action, held: error };
    }
  });
  return { items: all, readings, stale };
}
