/**
 * Rolls: who is in an exam, and which exams there are. And the look before creating: what is there
 * already is asked about on a terminal, and an error in a script, unless a flag has said it.
 */
import { ageOfMoment } from '../api/client.ts';
import { operations, studentCreates } from '../api/operations.ts';
import { otherExam, readExam, readList } from '../api/reading.ts';
import { CliError } from '../errors.ts';
import { addressIn, addressKey } from '../model/address-key.ts';
import { differences } from '../model/compare.ts';
import { count } from '../model/count.ts';
import { examInWords } from '../model/describe.ts';
import { keyOf, keysIn, type Listed, type Listing, otherStudent, Reading, type Wanted } from '../model/listing.ts';
import type { StepRow } from '../record/index.ts';
import { capitalised, sentence } from '../text/sentence.ts';
import { type Execution, executionOf, isUnknown } from './execution.ts';
import { ConfirmationRequired, type Consented, createUnknown, mayAsk } from './request.ts';
import { type Running, readOne, serviceAge, shared, shortList, type World } from './running.ts';
import { creates, kindOf, listedAs, lookAt, type Plan, type Resource, resourceOf, type Step, showsAll } from './step.ts';

/** For one create, and for mails. Other plans look themselves. */
export async function checkExisting(world: World, plan: Plan, said: Consented): Promise<Plan> {
  const [first] = plan.steps;
  if (!first || plan.looked) return plan;
  if (kindOf(first) === 'mails') return (await import('./mails.ts')).lookForMails(world, plan, said);
  return creates(first) ? lookForOne(world, plan, first, said) : plan;
}

/** The list on which a create rests is read again once it is older than the settle time. */
export async function appearedSince(running: Running, step: Step): Promise<CliError | undefined> {
  const { readAt, settleTimeMs: settleTime, host, client, wasThere } = running;
  if (ageOfMoment(readAt, host) <= settleTime) return undefined;
  const resource = creates(step) ?? 'exam';
  const exam = resource === 'exam' ? undefined : step.exam;
  const name = exam === undefined ? 'exams' : `students ${exam}`;
  const list = await shared(running, name, settleTime, () => readList(client, exam));
  const ids = list.of(step).flatMap(({ id }) => id ?? []);
  const id = ids.find((each) => !wasThere.has(listedAs(resource, each)));
  if (id === undefined) return undefined;
  const hint = sentence`Nothing was sent for it. ${lookAt(resource, id)}`;
  return new CliError('already_there', sentence`It is there by now, as ${resource} ${id}.`, { hint });
}

async function lookForOne(world: World, plan: Plan, step: Step, said: Consented): Promise<Plan> {
  const { exam = '' } = step;
  const isExam = creates(step) === 'exam';
  const roll = isExam ? await existingExams(world) : await existingSessions(world, exam, plan.readings?.get(exam));
  const { reading } = roll;
  const run = roll.unknown(step);
  if (run !== undefined) throw createUnknown(run, `the same ${isExam ? 'exam' : 'student'}`);
  const there = await roll.of(step);
  const students = reading instanceof Reading ? reading : undefined;
  const readings = students ? new Map([[exam, students]]) : plan.readings;
  const free = { ...plan, readings, looked: [roll] };
  if (there) return decided(world, step, said, there, free);
  const hidden = students?.hiding(step).length ?? 0;
  if (hidden === 0 || said.consents.allowDuplicate) return free;
  const by = step.email === undefined ? 'number' : 'address';
  const what = sentence`The list of exam ${exam} shows no ${by} of ${count(hidden, 'student')}`;
  const way = step.raw ? 'sessions create with --allow-duplicate' : '--allow-duplicate';
  throw new CliError('list_in_doubt', sentence`${what}, so it is unknown whether the student is there already.`, {
    hint: sentence`Nothing was sent. To create the student all the same: ${way}`,
  });
}

/** Throws `different` or `already_there`, or asks. */
async function decided(world: World, step: Step, said: Consented, there: Listed, free: Plan): Promise<Plan> {
  const { context, client, zone } = world;
  const { allowDuplicate, ifNotExists } = said.consents;
  const resource = resourceOf(step);
  const { id = '', data: shown } = there;
  const what =
    resource === 'exam'
      ? sentence`${capitalised(examInWords(id, shown, client, zone))} is there already`
      : sentence`${step.email ?? step.number} is in exam ${step.exam} already, as session ${id}`;
  const hint = sentence`Nothing was sent. ${lookAt(resource, id)}`;
  if (ifNotExists) {
    // It was found by its address, in any spelling.
    const { email: _address, ...values } = step.body ?? {};
    const { data } = (showsAll(shown, values) ? undefined : await readOne(world, resource, id)) ?? there;
    const { different } = differences(resource, values, data, zone);
    if (different.length === 0) return { steps: [], there: { is: 'there', shown: data } };
    throw new CliError('different', sentence`${what}, and differs from what was given: ${different.join('; ')}.`, { hint });
  }
  const key = `there ${listedAs(resource, id)}`;
  if (allowDuplicate || said.agreed.has(key)) return { ...free, steps: [{ ...step, isAnother: true }, ...free.steps.slice(1)] };
  if (mayAsk(context)) throw new ConfirmationRequired({ key, words: sentence`${what}. Create another one?` });
  // `api` has no flags for it.
  throw new CliError('already_there', sentence`${what}.`, step.raw ? { hint } : {});
}

type Recorded = { run: string; item: Execution };

export class ExistingRecords<List extends Listing = Reading> {
  readonly reading: List;
  /** Sessions that a run from here created and whose own open time it did not set. */
  readonly missingOpenTime: ReadonlySet<string>;
  /** What a create cannot have made. */
  readonly wasThere: readonly string[];
  readonly #world: World;
  /** Created from here by runs that have ended, and not deleted from here, as far as the list lacks them. */
  readonly #lacking: readonly string[];
  readonly #reads = new Map<string, Promise<Listed | undefined>>();
  readonly #created: ReadonlyMap<string | undefined, readonly Recorded[]>;
  /** Undefined for the list of all exams. */
  readonly #exam: string | undefined;

  constructor(world: World, reading: List, rows: readonly (StepRow & { run: string })[]) {
    this.#world = world;
    this.reading = reading;
    this.#exam = reading instanceof Reading ? reading.exam : undefined;
    const recorded = rows.map(({ run, ...row }): Recorded => ({ run, item: executionOf(row) }));
    const created = recorded.filter(({ item }) => creates(item.step));
    this.#created = Map.groupBy(created, ({ item }) => keyOf(item.step, reading.fields));
    const ids = [...reading.all, ...created.map(({ item }) => item)].flatMap(({ id }) => id ?? []);
    this.wasThere = ids.map((id) => listedAs(this.#resource, id));
    const byStep = new Map(created.map(({ run, item }) => [`${run} ${item.index}`, item.id]));
    const deleted = new Set(recorded.flatMap(({ item }) => (kindOf(item.step) === 'deletion' && item.state === 'done' ? item.id : [])));
    const ageOf = (item: Execution) => serviceAge(world, item) ?? world.host.now() - item.at;
    const isSettled = ({ item }: Recorded) => item.state === 'done' && ageOf(item) > world.settleTimeMs;
    const known = created.filter(isSettled).flatMap(({ item }) => item.id ?? []);
    this.#lacking = known.filter((id) => !deleted.has(id) && !reading.withId(id));
    const unset = recorded.filter(({ item }) => item.step.made && !creates(item.step) && item.state !== 'done');
    this.missingOpenTime = new Set(unset.flatMap(({ run, item }) => byStep.get(`${run} ${item.step.made?.by}`) ?? []));
  }

  /** Listed, or recorded and still shown as it was storedAs. Throws `list_in_doubt` for nobody in a list that is not whole. */
  async of(wanted: Wanted): Promise<Listed | undefined> {
    const [listed] = this.reading.of(wanted);
    if (listed) return listed;
    for (const { item } of this.#recorded(wanted)) {
      if (item.id === undefined || !['done', 'failed'].includes(item.state)) continue;
      const found = this.reading.withId(item.id) ?? (await this.#unlisted(item.id));
      if (found && this.#isStill(wanted, item, found)) return found;
    }
    for (const id of this.#lacking) if (await this.#unlisted(id)) throw shortList(this.#exam, id);
    return undefined;
  }

  /** The run that has sent a request to create it, of unknown outcome. */
  unknown(wanted: Wanted): string | undefined {
    return this.#recorded(wanted).find(({ item }) => isUnknown(item))?.run;
  }

  get #resource(): Resource {
    return this.#exam === undefined ? 'exam' : 'session';
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
    const data = (await readOne(this.#world, this.#resource, id))?.data;
    if (!data || otherExam(this.#exam, data, this.#world.client) !== undefined) return undefined;
    return { id, email: addressIn(data), data };
  }

  #isStill(wanted: Wanted, { storedAs = '' }: Execution, { email, data }: Listed): boolean {
    const { fields } = this.reading;
    if (this.#exam === undefined) return keysIn(data, fields).includes(keyOf(wanted, fields) ?? '');
    return email === undefined || otherStudent(wanted.email, data) === undefined || addressKey(storedAs) === addressKey(email);
  }
}

export async function existingSessions(world: World, exam: string, reading?: Reading): Promise<ExistingRecords> {
  const ops = [...studentCreates, operations.patchSession.id, operations.deleteSession.id];
  const rows = await world.record.find(world.origin, { exams: [exam], ops });
  return new ExistingRecords(world, reading ?? (await readExam(world.client, exam)), rows);
}

export async function existingExams(world: World): Promise<ExistingRecords<Listing>> {
  const rows = await world.record.find(world.origin, { ops: [operations.createExam.id] });
  return new ExistingRecords(world, await readList(world.client, undefined), rows);
}
