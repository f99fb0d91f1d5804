/** The column of rosters: files beside the timetable, read and checked as imports read them; their students are created in the exams. */
import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { operations } from '../../api/operations.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import type { Entry } from '../../roster/map/entries.ts';
import { mapTable } from '../../roster/map/index.ts';
import { openRoster } from '../../roster/read/index.ts';
import { lookForStudents, type Plan, type Reading, type Step, type worldOf } from '../../runs-before/index.ts';
import { sentence } from '../../text/sentence.ts';
import { fieldsOf, type RequestShape } from '../import/line-plan.ts';
import { openTimeOf } from '../import/line-steps.ts';
import { deletionOf, type Missing, type RemovalOptions, type Removals } from '../import/removals.ts';
import { RosterPlan, refuseUnmatched } from '../import/roster-plan.ts';
import { type InvalidField, type Validated, validate } from '../import/validate.ts';
import type { FileProblems } from '../rosters/file-problems.ts';
import { readingOf } from '../rosters/table-reading.ts';
import type { ExamEntry } from './exam-entry.ts';

/** A roster that was read; `extra`: fields that every student has. */
export type ReadRoster = { entries: Validated['entries']; extra: JsonObject };

/** The rosters of a timetable by their paths, each read once. Problems are added to `problems`, at the line that names the file. */
export async function readRosters(
  context: Context,
  entries: readonly ExamEntry[],
  { folder, problems }: { folder: string; problems: FileProblems },
): Promise<Map<string, ReadRoster>> {
  const rosters = new Map<string, ReadRoster>();
  for (const { roster } of entries) {
    if (!roster) continue;
    const path = resolve(folder, roster.file);
    if (rosters.has(path)) continue;
    try {
      const { name, validated } = await readRoster(context, path);
      rosters.set(path, { entries: validated.entries, extra: validated.extra });
      for (const problem of validated.problems) problems.add(roster.at, sentence`${name}, ${problemInWords(problem)}`);
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'invalid_input') throw error;
      if (!existsSync(path)) {
        problems.add(roster.at, error.message, sentence`The path is relative to the timetable.`);
        continue;
      }
      const look = typedCommand('sessions import', [path], '--exam ID', '--dry-run');
      problems.add(
        roster.at,
        error.message,
        sentence`Look at it with: proctor-cli ${look}; what has to be declared cannot be here: remove it, or import the roster by itself`,
      );
    }
  }
  return rosters;
}

async function readRoster(context: Context, path: string): Promise<{ name: string; validated: Validated }> {
  const table = await openRoster({ path, signal: context.host.interrupted }, readingOf(context, {}));
  try {
    const mapping = await mapTable(table);
    const { timeZone } = context.settings();
    return {
      name: basename(path),
      validated: await validate(mapping, { now: () => context.host.now(), zone: timeZone }),
    };
  } finally {
    await table.close();
  }
}

function problemInWords({ line, column, header, value, reason }: InvalidField): string {
  const place = column === undefined ? '' : `, column ${column}${header === undefined ? '' : ` ("${header}")`}`;
  return `line ${line}${place}: ${value === undefined ? '' : `${value}: `}${reason}`;
}

export function rosterOf(rosters: ReadonlyMap<string, ReadRoster>, file: string, { roster }: ExamEntry): ReadRoster | undefined {
  return roster && rosters.get(resolve(dirname(file), roster.file));
}

/** What becomes of the students of a roster. `added`: those who are not in the exam yet. */
export type RosterStudents = {
  added: readonly Entry[];
  different: number;
  duplicate: number;
  missing: number;
  /** Of the missing ones, with `--remove-missing`; undefined without it, and where it is `unclear` who of the roster is there. */
  removals: Removals | undefined;
  unclear: boolean;
  shape: RequestShape;
};

type World = Awaited<ReturnType<typeof worldOf>>;
export type RosterLooked = { students: RosterStudents; reading?: Reading; stale: NonNullable<Plan['stale']> };

/**
 * Of an exam that is there, or is to be created (`exam` undefined). Throws `invalid_input` where nobody can tell who is there, and where
 * too many students would be deleted.
 */
export async function lookForRoster(
  world: World,
  { entries, extra }: ReadRoster,
  exam: string | undefined,
  removeMissing: RemovalOptions | undefined,
): Promise<RosterLooked> {
  const shape: RequestShape = { dialect: world.settings.dialect, extra };
  const none = { different: 0, duplicate: 0, missing: 0, removals: undefined, unclear: false, shape };
  if (exam === undefined) return { students: { ...none, added: [...entries] }, stale: [] };
  const there = await lookForStudents(world, exam, entries);
  const options = { ...shape, exams: [exam], zone: world.zone, update: false, updateOnly: false, mapped: [], acceptDifferent: true };
  const plan = new RosterPlan([there], entries, { ...options, removeMissing });
  refuseUnmatched(plan);
  plan.addSteps(0);
  const { removals } = plan;
  if (removals?.refused) throw removals.refused;
  const unclear = removeMissing !== undefined && removals === undefined;
  const added: Entry[] = [];
  for (const [entry, { action }] of plan.lines()) if (action === 'create') added.push(entry);
  const { different, duplicate } = plan.counts;
  const missing = plan.exams.reduce((sum, { notInFile }) => sum + notInFile.length, 0);
  return { students: { added, different, duplicate, missing, removals, unclear, shape }, reading: there.reading, stale: plan.stale };
}

export function removedBy({ roster }: { roster?: RosterStudents | undefined }): readonly Missing[] {
  return roster?.removals?.remove ?? [];
}

/** The requests that create the students, and delete those missing; `exam`: its ID, or the step that creates it. `first`: the index of the first of them. */
export function rosterSteps({ added, removals, shape }: RosterStudents, exam: { id: string } | { by: number }, first: number): Step[] {
  const steps: Step[] = [];
  const where = 'id' in exam ? { params: { exam_id: exam.id }, exam: exam.id } : { params: {}, made: { param: 'exam_id', by: exam.by } };
  for (const entry of added) {
    const { line, email } = entry;
    const by = first + steps.length;
    steps.push({ ...where, operation: operations.createSession, body: fieldsOf(entry, 'create', shape), line, email });
    const body = openTimeOf(entry, shape);
    const of = 'id' in exam ? { exam: exam.id } : {};
    if (body) steps.push({ ...of, operation: operations.patchSession, params: {}, made: { param: 'id', by }, body, line, email });
  }
  return [...steps, ...(removals?.remove ?? []).flatMap((missing) => deletionOf(missing) ?? [])];
}
