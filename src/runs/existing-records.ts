/** The students of an exam, or the exams, that exist: by their list, and by what runs from here have recorded. */
import { operations, studentCreates } from '../api/operations.ts';
import { otherExam } from '../api/reading.ts';
import { compared, shownOf } from '../model/compare.ts';
import { addressIn, addressKey, keyOf, keysIn, type Listed, type Listing, maskIn, otherStudent, type Wanted } from '../model/listing.ts';
import type { StepRow } from '../record/index.ts';
import { sentence } from '../text/sentence.ts';
import { dueIn, type Engine, shortList } from './engine.ts';
import { type Execution, executionOf, isUnknown } from './execution.ts';
import { blockedBy } from './request.ts';
import { isCreate, isDelete, isLasting, listedAs, type Resource, targetOf, wantedBy } from './steps/step.ts';

type RecordedRow = StepRow & { run: string };
type Recorded = { run: string; execution: Execution };

export class ExistingRecords<Exam extends string | undefined = string> {
  readonly reading: Listing<Exam>;
  /** Sessions that a run from here created and whose own open time it did not set. */
  readonly missingOpenTime: ReadonlySet<string>;
  /** The records that runs from here have created. */
  readonly made: ReadonlySet<string | undefined>;
  /** The IDs of records that were there before: a create cannot have made them. */
  readonly wasThere: readonly string[];
  readonly #engine: Engine;
  /** What a whole list has to show by now and this one lacks, unless a run from here has deleted it. */
  readonly #lacking: readonly string[];
  #lacked: Promise<string | undefined> | undefined;
  readonly #reads = new Map<string, Promise<Listed | undefined>>();
  readonly #created: ReadonlyMap<string | undefined, readonly Recorded[]>;
  /** The deletions of each student by runs from here, the latest first. */
  readonly #deleted: ReadonlyMap<string | undefined, readonly Recorded[]>;

  constructor(engine: Engine, reading: Listing<Exam>, rows: readonly RecordedRow[]) {
    this.#engine = engine;
    this.reading = reading;
    const recorded = rows.map(({ run, ...row }): Recorded => ({ run, execution: executionOf(row) }));
    const creates = recorded.filter(({ execution }) => isCreate(execution.step));
    this.#created = Map.groupBy(creates, ({ execution }) => keyOf(wantedBy(execution.step), reading.fields));
    const isDone = ({ execution }: Recorded) => execution.state === 'done';
    const deletions = recorded.filter((each) => isDone(each) && isDelete(each.execution.step));
    this.#deleted = Map.groupBy(deletions, ({ execution }) => keyOf(wantedBy(execution.step), reading.fields));
    const deleted = new Set(deletions.map(({ execution }) => execution.id));
    const made = creates.flatMap(({ execution: { id } }) => (id === undefined || deleted.has(id) ? [] : id));
    const due = new Set(
      dueIn(
        engine,
        creates.map(({ execution }) => execution),
      ),
    );
    this.#lacking = [...due].filter((id) => !deleted.has(id) && !reading.withId(id));
    // What a list no longer shows has been deleted, and its ID may be used again.
    const there = made.filter((id) => !due.has(id));
    this.wasThere = [...reading.all.map(({ id }) => id), ...there].map((id) => listedAs(this.#resource, id));
    const unset = recorded.filter((each) => typeof targetOf(each.execution.step) === 'object' && !isDone(each));
    // Somebody else's session with other values, met in place of the new one, keeps its times.
    this.made = new Set(creates.filter((each) => each.execution.owned || isDone(each)).map(({ execution }) => execution.id));
    this.missingOpenTime = new Set(unset.flatMap(({ execution: { id } }) => (id !== undefined && this.made.has(id) ? id : [])));
  }

  /** Listed, or recorded and still shown as it was stored. Throws `list_in_doubt` for nobody in a list that is not whole. */
  async find(wanted: Wanted): Promise<Listed | undefined> {
    const [listed] = this.reading.of(wanted);
    if (listed) return listed;
    for (const { execution } of this.#recorded(wanted)) {
      if (execution.id === undefined || !['done', 'failed'].includes(execution.state)) continue;
      const found = this.reading.withId(execution.id) ?? (await this.#unlisted(execution.id));
      if (found && this.#isStill(wanted, execution, found)) return found;
    }
    await this.whole();
    // A student whose number is listed under another address, or under none, is registered already. A masked address may be anybody's.
    return this.reading.of({ number: wanted.number }).find(({ data }) => maskIn(data) === undefined);
  }

  /** Throws `list_in_doubt` where it lacks what is there. */
  async whole(): Promise<Listing<Exam>> {
    this.#lacked ??= lackedBy(this.#engine, this.reading, this.#lacking);
    const lacked = await this.#lacked;
    if (lacked !== undefined) throw shortList(this.reading.exam, lacked);
    return this.reading;
  }

  /** Why what was found may be somebody else by now: it shows an address under which it did not become ours. */
  otherStudent(wanted: Wanted, { id, data }: Listed): string | undefined {
    const isStored = ({ execution: { id: own, storedAs } }: Recorded) =>
      own === id && storedAs !== undefined && otherStudent(storedAs, data) === undefined;
    return this.#recorded(wanted).some(isStored) ? undefined : otherStudent(wanted.email, data);
  }

  /** The run that has sent a request to create it, of unknown outcome. */
  unknown(wanted: Wanted): string | undefined {
    return this.#recorded(wanted).find(({ execution }) => isUnknown(execution))?.run;
  }

  /** Whether a run from here was the last to take the student from the exam, by a move to another one. */
  isMoved(wanted: Wanted): boolean {
    const [last] = this.#deleted.get(keyOf(wanted, this.reading.fields)) ?? [];
    return last !== undefined && !isLasting(last.execution.step);
  }

  get #resource(): Resource {
    return this.reading.exam === undefined ? 'exam' : 'session';
  }

  #recorded(wanted: Wanted): readonly Recorded[] {
    const key = keyOf(wanted, this.reading.fields);
    return key === undefined ? [] : (this.#created.get(key) ?? []);
  }

  #unlisted(id: string): Promise<Listed | undefined> {
    const read = this.#reads.get(id) ?? this.#readUnlisted(id);
    this.#reads.set(id, read);
    return read;
  }

  async #readUnlisted(id: string): Promise<Listed | undefined> {
    const data = (await this.#engine.reads.record(this.#resource, id))?.data;
    if (!data || otherExam(this.reading.exam, data, this.#engine.client) !== undefined) return undefined;
    return { id, email: addressIn(data), data };
  }

  #isStill(wanted: Wanted, { owned, reason, storedAs, lastSeen = {} }: Execution, { email, data }: Listed): boolean {
    const { exam, fields } = this.reading;
    // A start that cannot be read is still the one that the exam got.
    const became = shownOf([fields.examNameKey, 'start_time'], lastSeen);
    const isAsMade = owned && compared('exam', became, data).changes.length === 0;
    if (exam === undefined) return isAsMade || keysIn(data, fields).includes(keyOf(wanted, fields) ?? '');
    // A student who was created with other values is not created again.
    const known = storedAs ?? (reason === 'different' ? addressIn(lastSeen) : undefined) ?? '';
    return email === undefined || otherStudent(wanted.email, data) === undefined || addressKey(known) === addressKey(email);
  }
}

/** The first of these that a list lacks, although its own GET shows it there. */
export async function lackedBy(engine: Engine, list: Listing, ids: Iterable<string>): Promise<string | undefined> {
  for (const id of ids) {
    // A read from before the list may show what was deleted since.
    const shown = list.withId(id) ? undefined : await engine.reads.record(list.exam === undefined ? 'exam' : 'session', id);
    if (shown && otherExam(list.exam, shown.data, engine.client) === undefined) return id;
  }
  return undefined;
}

/** The students of an exam; without one, all exams. `reading`: the first one. */
export async function existingIn<Exam extends string | undefined>(engine: Engine, exam: Exam, reading?: Listing<Exam>) {
  const ofExam = { exams: [exam ?? ''], ops: [...studentCreates, operations.patchSession.id, operations.deleteSession.id] };
  const ofExams = { ops: [operations.createExam.id, operations.deleteExam.id] };
  const rows = await engine.record.find(engine.origin, exam === undefined ? ofExams : ofExam);
  return new ExistingRecords(engine, reading ?? (await engine.reads.list(exam)), rows);
}

/** Throws `unfinished` where a run is yet to create students. `otherwise`: what would become of them. */
export async function refuseUnfinishedCreates(
  { record, origin }: Engine,
  exams: readonly string[],
  otherwise: 'would not be copied' | 'would not be mailed',
): Promise<void> {
  const [open] = await record.find(origin, { exams, ops: studentCreates, states: ['planned', 'sending', 'unknown'] });
  if (!open) return;
  const { id, command } = await record.run(open.run);
  const what = sentence`Run ${id} (${command}) is unfinished, and may add students to exam ${open.exam ?? ''}: they ${otherwise}.`;
  throw blockedBy(id, 'unfinished', what);
}
