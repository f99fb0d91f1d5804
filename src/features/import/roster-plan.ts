/** The plan for a whole roster: what is done for each line, and for the students of its exams whom the roster lacks. */
import { CliError } from '../../errors.ts';
import { students } from '../../model/count.ts';
import type { Entries, Entry } from '../../roster/map/entries.ts';
import type { ListedSession, Reading, Step, StudentsThere } from '../../runs-before/index.ts';
import { sentence } from '../../text/sentence.ts';
import { type ActionCounts, type LinePlan, lineActions, noActions, type PlanOptions, planLine } from './line-plan.ts';
import { LineSteps, openTimeOf } from './line-steps.ts';
import { planRemovals, type RemovalOptions, type Removals } from './removals.ts';

export type ImportScope = PlanOptions & {
  /** The exams of the lines, by their numbers. */
  exams: readonly string[];
  /** The fields that `--map` fills. */
  mapped: readonly string[];
  /** Delete the students missing from the file; undefined: they are only counted. */
  removeMissing: RemovalOptions | undefined;
  /** A student who differs from the file counts as done. */
  acceptDifferent: boolean;
};

/** What is planned for one of the exams. */
export type ExamPlan = {
  id: string;
  reading: Reading;
  counts: ActionCounts;
  notInFile: readonly ListedSession[];
};

export class RosterPlan {
  readonly exams: readonly ExamPlan[];
  /** Of all exams. */
  readonly counts: ActionCounts = noActions();
  readonly claimed = new Map<number, ListedSession>();
  readonly renamed = new Set<number>();
  readonly stale: StudentsThere['stale'];
  /** What `--remove-missing` deletes; undefined without it, and while the import cannot be complete. */
  removals: Removals | undefined;
  readonly steps: LineSteps;
  readonly entries: Entries;
  readonly #options: ImportScope;
  readonly #actions: Uint8Array;

  /**
   * Without steps: those of a new run are added by `addSteps`, those of a resumed one by `carryOver`. `there`: who is in each exam, among
   * the students of its lines. `recorded`: a step of the run that is resumed.
   */
  constructor(there: readonly StudentsThere[], entries: Entries, options: ImportScope, recorded?: (index: number) => Step | undefined) {
    this.entries = entries;
    this.#options = options;
    this.#actions = new Uint8Array(entries.length);
    this.stale = there.flatMap(({ stale }) => stale);
    for (const [exam, { claimed, renamed }] of there.entries()) {
      const placeOf = (at: number) => entries.placeIn(exam, at) ?? -1;
      for (const [at, session] of claimed) this.claimed.set(placeOf(at), session);
      for (const at of renamed) this.renamed.add(placeOf(at));
    }
    this.steps = new LineSteps({
      exams: options.exams,
      entries,
      shape: options,
      planOf: (place, entry) => this.planOf(place, entry),
      removed: (place) => this.removals?.remove[place],
      recorded,
    });
    const exams = there.map(({ reading }, number) => ({
      ...{ id: options.exams[number] ?? '', reading, counts: noActions() },
      notInFile: [] as readonly ListedSession[],
    }));
    this.exams = exams;
    const inFile = new Set<ListedSession>();
    let place = 0;
    for (const entry of entries) {
      this.#plan(place, entry, inFile);
      place += 1;
    }
    for (const exam of exams) exam.notInFile = exam.reading.sessions.filter((session) => !inFile.has(session));
  }

  get readings(): ReadonlyMap<string, Reading> {
    return new Map(this.exams.map(({ id, reading }) => [id, reading]));
  }

  /** `invalid`: lines of the file that are no entries: any of them may be a student of any exam. */
  addSteps(invalid: number): void {
    for (let place = 0; place < this.#actions.length; place += 1) {
      const action = lineActions[this.#actions[place] ?? -1];
      if (action === 'update') this.steps.add('update', place);
      if (action !== 'create') continue;
      this.steps.add('create', place);
      const entry = this.entries.at(place);
      if (entry && openTimeOf(entry, this.#options)) this.steps.add('open', place);
    }
    this.removals = this.#removals(invalid);
    for (let at = 0; at < (this.removals?.remove.length ?? 0); at += 1) this.steps.add('delete', at);
  }

  #plan(place: number, entry: Entry, inFile: Set<ListedSession>) {
    const found = this.studentsOf(place, entry);
    for (const student of found) inFile.add(student);
    const { action } = planLine(entry, found, this.#options, this.renamed.has(place));
    this.#actions[place] = lineActions.indexOf(action);
    this.counts[action] += 1;
    const counts = this.exams[entry.exam]?.counts;
    if (counts) counts[action] += 1;
  }

  #removals(invalid: number): Removals | undefined {
    const { removeMissing, acceptDifferent } = this.#options;
    const { duplicate, different } = this.counts;
    if (!removeMissing || invalid + duplicate + this.renamed.size + (acceptDifferent ? 0 : different) > 0) return undefined;
    const exams = this.exams.map(({ id, reading, notInFile }) => ({ exam: id, all: reading.sessions.length, notInFile }));
    return planRemovals(exams, removeMissing);
  }

  /** The students whom a line means: those with its address, or the one of its claim. */
  studentsOf(place: number, { exam, email }: Entry): readonly ListedSession[] {
    if (email === undefined) return [];
    const found = this.exams[exam]?.reading.withAddress(email) ?? [];
    if (found.length > 0) return found;
    const claimed = this.claimed.get(place);
    return claimed ? [claimed] : [];
  }

  planOf(place: number, entry: Entry): LinePlan {
    return planLine(entry, this.studentsOf(place, entry), this.#options, this.renamed.has(place));
  }

  *lines(): Generator<[entry: Entry, plan: LinePlan, place: number], undefined> {
    let place = 0;
    for (const entry of this.entries) {
      yield [entry, this.planOf(place, entry), place];
      place += 1;
    }
  }
}

/** The fields of a session that the plan, the gate and the proof read. */
export function keptFields({ dialect, extra, mapped }: Pick<ImportScope, 'dialect' | 'extra' | 'mapped'>): Set<string> {
  const compared = [dialect.sessionNameKey, 'open_time', 'close_time', 'skip_requirements', ...Object.keys(extra), ...mapped];
  return new Set(['id', 'email', 'status', dialect.sessionExamKey.split('.')[0] ?? '', ...compared]);
}

/** A student whose address the list masks may be any line that would be created; so may each, if it shows no address at all. Throws `invalid_input`. */
export function refuseUnmatched(plan: RosterPlan): void {
  for (const [number, { id, counts, reading, notInFile }] of plan.exams.entries()) {
    if (counts.create === 0) continue;
    const unmatched = reading.hiding(createdIn(plan, number), notInFile);
    if (unmatched.length === 0) continue;
    throw new CliError(
      'invalid_input',
      sentence`The list of exam ${id} shows no address of ${students(unmatched.length)}, so it is unknown whether students of the file are there already. Nothing was sent.`,
      { hint: 'Check the exam. If no line that would be created is one of these students, add --unmatched.' },
    );
  }
}

function* createdIn(plan: RosterPlan, exam: number): Generator<string | undefined> {
  let at = 0;
  for (const entry of plan.entries.ofExam(exam)) {
    const place = plan.entries.placeIn(exam, at) ?? -1;
    at += 1;
    if (plan.planOf(place, entry).action === 'create') yield entry.email;
  }
}
