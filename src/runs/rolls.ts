/**
 * Rolls: who is in an exam, and which exams there are, as a list shows it and as runs from here have recorded it. A list may be late:
 * what was created from here and is not listed is read by ID, and counts while it is shown as it was then.
 */
import { operations, studentCreates } from '../api/operations.ts';
import { addressIn, addressKey } from '../model/address-key.ts';
import type { StepRow } from '../record/index.ts';
import { keyOf, keysIn, type Listed, type Listing, otherExam, otherStudent, Reading, readExam, readList, type Wanted } from './reading.ts';
import { itemOf } from './rows.ts';
import { readOne, type World } from './running.ts';
import { isUnknown } from './states.ts';
import { creates, type Item, listedAs } from './step.ts';

/** A recorded step, and its run. */
type Recorded = { run: string; item: Item };

export class Roll<List extends Listing = Reading> {
  readonly reading: List;
  /** Sessions that a run from here created and whose own open time it did not set. */
  readonly owed: ReadonlySet<string>;
  /** What a create cannot have made. */
  readonly wasThere: readonly string[];
  readonly #world: World;
  readonly #created: ReadonlyMap<string | undefined, readonly Recorded[]>;

  constructor(world: World, reading: List, rows: readonly (StepRow & { run: string })[]) {
    this.#world = world;
    this.reading = reading;
    const recorded = rows.map(({ run, ...row }): Recorded => ({ run, item: itemOf(row) }));
    const created = recorded.filter(({ item }) => creates(item.step));
    this.#created = Map.groupBy(created, ({ item }) => keyOf(item.step, reading.fields));
    const resource = reading instanceof Reading ? 'session' : 'exam';
    const ids = [...reading.all, ...created.map(({ item }) => item)].flatMap(({ id }) => id ?? []);
    this.wasThere = ids.map((id) => listedAs(resource, id));
    const byStep = new Map(created.map(({ run, item }) => [`${run} ${item.index}`, item.id]));
    const unset = recorded.filter(({ item }) => item.step.made && !creates(item.step) && item.state !== 'done');
    this.owed = new Set(unset.flatMap(({ run, item }) => byStep.get(`${run} ${item.step.made?.by}`) ?? []));
  }

  /** What is looked for: as it is listed, or a recorded one that is shown as it was stored. */
  async of(wanted: Wanted): Promise<Listed | undefined> {
    const [listed] = this.reading.of(wanted);
    if (listed) return listed;
    for (const { item } of this.#recorded(wanted)) {
      if (item.id === undefined || !['done', 'failed'].includes(item.state)) continue;
      const found = this.reading.withId(item.id) ?? (await this.#unlisted(item.id));
      if (found && this.#isStill(wanted, item, found)) return found;
    }
    return undefined;
  }

  /** The run that has sent a request to create it, with an unknown outcome: until it is closed, nothing is sent. */
  unknown(wanted: Wanted): string | undefined {
    return this.#recorded(wanted).find(({ item }) => isUnknown(item))?.run;
  }

  #recorded(wanted: Wanted): readonly Recorded[] {
    const key = keyOf(wanted, this.reading.fields);
    return key === undefined ? [] : (this.#created.get(key) ?? []);
  }

  async #unlisted(id: string): Promise<Listed | undefined> {
    const { reading } = this;
    const data = (await readOne(this.#world, reading instanceof Reading ? 'session' : 'exam', id))?.data;
    if (!data || (reading instanceof Reading && otherExam(reading.exam, data, this.#world.client) !== undefined)) return undefined;
    return { id, email: addressIn(data), data };
  }

  #isStill(wanted: Wanted, { stored = '' }: Item, { email, data }: Listed): boolean {
    const { fields } = this.reading;
    if (!(this.reading instanceof Reading)) return keysIn(data, fields).includes(keyOf(wanted, fields) ?? '');
    if (email === undefined || otherStudent(wanted.email, data) === undefined) return true;
    // As it was stored, unless that is the address with which somebody else was created.
    return addressKey(stored) === addressKey(email) && !this.#created.has(keyOf({ email }, fields));
  }
}

/** Who is in an exam. `reading`: one that the caller has already. */
export async function rollOf(world: World, exam: string, reading?: Reading): Promise<Roll> {
  const rows = await world.record.find(world.origin, { exams: [exam], ops: [...studentCreates, operations.patchSession.id] });
  return new Roll(world, reading ?? (await readExam(world.client, exam)), rows);
}

/** All exams. */
export async function examRoll(world: World): Promise<Roll<Listing>> {
  const rows = await world.record.find(world.origin, { ops: [operations.createExam.id] });
  return new Roll(world, await readList(world.client, undefined), rows);
}
