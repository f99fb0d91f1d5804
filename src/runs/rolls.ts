/**
 * Rolls: who is in an exam, and which exams there are, as a reading shows it and as runs from here have recorded it. A list may be late:
 * who was created from here and is not listed is read by ID, and counts while the session shows the address that it had then.
 */
import { examOf } from '../api/client.ts';
import { operations, studentCreates } from '../api/operations.ts';
import { addressKey } from '../model/address-key.ts';
import { idOf } from '../model/id.ts';
import type { JsonObject } from '../model/json.ts';
import { instantOf } from '../model/time.ts';
import type { StepRow } from '../record/index.ts';
import { addressOf, type ListedSession, type Reading, readExam } from './reading.ts';
import { itemOf, studentOf } from './rows.ts';
import { readOne, type World } from './running.ts';
import { isUnknown } from './states.ts';
import { creates, type Item, listedAs, type Step } from './step.ts';

type Student = Pick<Step, 'email' | 'number'>;
/** A recorded step, and its run. */
type Recorded = { run: string; item: Item; student: string | null };

export class Roll {
  readonly reading: Reading;
  /** Sessions that a run from here created and whose own open time it did not set. */
  readonly owed: ReadonlySet<string>;
  /** What a create cannot have made. */
  readonly wasThere: readonly string[];
  readonly #world: World;
  readonly #created: ReadonlyMap<string | null, readonly Recorded[]>;

  constructor(world: World, reading: Reading, recorded: readonly Recorded[]) {
    this.#world = world;
    this.reading = reading;
    const created = recorded.filter(({ item }) => creates(item.step));
    this.#created = Map.groupBy(created, ({ student }) => student);
    const ids = [...reading.sessions, ...created.map(({ item }) => item)].flatMap(({ id }) => id ?? []);
    this.wasThere = ids.map((id) => listedAs('session', id));
    const byStep = new Map(created.map(({ run, item }) => [`${run} ${item.index}`, item.id]));
    const unset = recorded.filter(({ item }) => item.step.made && !creates(item.step) && item.state !== 'done');
    this.owed = new Set(unset.flatMap(({ run, item }) => byStep.get(`${run} ${item.step.made?.by}`) ?? []));
  }

  /** The session of a student: as it is listed, or a recorded one that is shown as it was stored. */
  async of(student: Student): Promise<ListedSession | undefined> {
    const [listed] = this.all(student);
    if (listed) return listed;
    const { reading } = this;
    for (const { item } of this.#recorded(student)) {
      const { id, stored, state } = item;
      if (id === undefined || !['done', 'failed'].includes(state)) continue;
      const isTheirs = (shown: string | undefined) =>
        shown === undefined ||
        isSameAddress(student.email, shown) ||
        // As it was stored, unless that is the address with which somebody else was created.
        (isSameAddress(stored, shown) && !this.#created.has(studentOf({ email: shown }, this.#world.record)));
      const known = reading.withId(id);
      if (known && isTheirs(known.email)) return known;
      const data = known ? undefined : (await readOne(this.#world, 'session', id))?.data;
      const exam = data && (examOf(data, this.#world.client) ?? reading.exam);
      if (data && isTheirs(addressOf(data)) && exam === reading.exam) return { id, email: addressOf(data), data };
    }
    return undefined;
  }

  /** All listed sessions of a student. */
  all(student: Student): readonly ListedSession[] {
    return this.reading.of(student);
  }

  /** The run that has sent a request to create the student, with an unknown outcome: until it is closed, nothing is sent. */
  unknown(student: Student): string | undefined {
    return this.#recorded(student).find(({ item }) => isUnknown(item))?.run;
  }

  #recorded(student: Student): readonly Recorded[] {
    const key = studentOf(student, this.#world.record);
    return key === null ? [] : (this.#created.get(key) ?? []);
  }
}

function isSameAddress(known: string | undefined, shown: string): boolean {
  return known !== undefined && addressKey(known) === addressKey(shown);
}

/** `reading`: one that the caller has already. */
export async function rollOf(world: World, exam: string, reading?: Reading): Promise<Roll> {
  const rows = await world.record.find(world.origin, { exams: [exam], ops: [...studentCreates, operations.patchSession.id] });
  return new Roll(world, reading ?? (await readExam(world.client, exam)), rows.map(recordedOf));
}

function recordedOf({ run, ...row }: StepRow & { run: string }): Recorded {
  return { run, item: itemOf(row), student: row.student };
}

/** All exams of the service, and those that were created from here. */
export class ExamRoll {
  readonly all: readonly JsonObject[];
  readonly wasThere: readonly string[];
  readonly #world: World;
  readonly #created: readonly Recorded[];

  constructor(world: World, all: readonly JsonObject[], created: readonly Recorded[]) {
    this.#world = world;
    this.all = all;
    this.#created = created;
    const ids = [...all.map(idOf), ...created.map(({ item }) => item.id)].flatMap((id) => id ?? []);
    this.wasThere = ids.map((id) => listedAs('exam', id));
  }

  /** The exam with the name and start that a body gives: as it is listed, or a recorded one that is shown by its ID. */
  async of(body: JsonObject): Promise<JsonObject | undefined> {
    const isAlike = (exam: JsonObject) => isSameExam(this.#world, body, exam);
    const listed = this.all.find(isAlike);
    if (listed) return listed;
    const known = new Set(this.all.map(idOf));
    const { id } = this.#alike(body).find(({ item }) => item.state === 'done' && !known.has(item.id))?.item ?? {};
    return id === undefined ? undefined : (await readOne(this.#world, 'exam', id))?.data;
  }

  /** The run that has sent a request to create it, with an unknown outcome. */
  unknown(body: JsonObject): string | undefined {
    return this.#alike(body).find(({ item }) => isUnknown(item))?.run;
  }

  #alike(body: JsonObject): Recorded[] {
    return this.#created.filter(({ item }) => isSameExam(this.#world, body, item.step.body ?? {}));
  }
}

export async function examRoll(world: World): Promise<ExamRoll> {
  const rows = await world.record.find(world.origin, { ops: [operations.createExam.id] });
  return new ExamRoll(world, await world.client.list(operations.listExams, {}), rows.map(recordedOf));
}

/** Whether an exam has the name and the start that the body of a create gives. */
export function isSameExam({ client }: Pick<World, 'client'>, body: JsonObject, exam: JsonObject): boolean {
  const { [client.dialect.examNameKey]: name = null, start_time: start = null } = body;
  const at = instantOf(exam.start_time);
  return (exam[client.dialect.examNameKey] ?? null) === name && at !== undefined && at === instantOf(start);
}
