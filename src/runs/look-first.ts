/**
 * Rolls: who is in an exam, and which exams there are. And the look before creating and mailing: by address, number, or name and start in
 * a list and in what is recorded; for mails by the states of the students and by the runs of mails. What is there already is a question on
 * a terminal and an error in a script, unless a flag has said it; under the locks, so that nobody who shares this record can do the same.
 */
import { ageOfMoment } from '../api/client.ts';
import { operations, studentCreates } from '../api/operations.ts';
import { otherExam, readExam, readList } from '../api/reading.ts';
import { CliError } from '../errors.ts';
import { addressIn, addressKey } from '../model/address-key.ts';
import { asSent } from '../model/as-sent.ts';
import { students } from '../model/count.ts';
import { keyOf, keysIn, type Listed, type Listing, otherStudent, Reading, type Wanted } from '../model/listing.ts';
import { showTime } from '../model/time.ts';
import type { StepRow } from '../record/index.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { type Item, isUnknown, itemOf } from './item.ts';
import { Asks, blockedBy, mayAsk, type Said } from './request.ts';
import { type Running, readOne, shared, type World } from './running.ts';
import { creates, kindOf, listedAs, lookAt, type Plan, type Resource, resourceOf, type Step } from './step.ts';

/** For a plan whose first step creates an exam or a student, or whose steps mail. Others look themselves. */
export async function lookFirst(world: World, plan: Plan, said: Said): Promise<Plan> {
  const [first] = plan.steps;
  if (!first || plan.looked) return plan;
  if (kindOf(first) === 'mails') return (await import('./mails.ts')).lookForMails(world, plan, said);
  return creates(first) ? lookForOne(world, plan, first, said) : plan;
}

/** Who or what is there by now, where the list that a create rests on is so old that somebody else may have come. */
export async function cameMeanwhile(running: Running, step: Step): Promise<CliError | undefined> {
  const { readAt, settleTime, host, client, wasThere } = running;
  if (ageOfMoment(readAt, host) <= settleTime) return undefined;
  const resource = creates(step) ?? 'exam';
  const exam = resource === 'exam' ? undefined : step.exam;
  const list = await shared(running, exam === undefined ? 'exams' : `students ${exam}`, settleTime, () => readList(client, exam));
  const found = list.of(step);
  const id = found.map((each) => each.id).find((each) => each !== undefined && !wasThere.has(listedAs(resource, each)));
  if (id === undefined) return undefined;
  const hint = sentence`Nothing was sent for it. ${lookAt(resource, id)}`;
  return new CliError('already_there', sentence`It is there by now, as ${resource} ${id}.`, { hint });
}

async function lookForOne(world: World, plan: Plan, step: Step, said: Said): Promise<Plan> {
  const exam = creates(step) === 'exam' ? undefined : (step.exam ?? '');
  const roll = exam === undefined ? await examRoll(world) : await rollOf(world, exam, plan.readings?.get(exam));
  const { reading } = roll;
  const run = roll.unknown(step);
  const same = exam === undefined ? 'exam' : 'student';
  // It stays the answer until its run is closed.
  if (run !== undefined)
    throw blockedBy(
      run,
      'outcome_unknown',
      sentence`Run ${run} has sent a request to create the same ${same}, and its outcome is unknown.`,
    );
  const there = await roll.of(step);
  const readings = reading instanceof Reading ? new Map([[reading.exam, reading]]) : plan.readings;
  const free = { ...plan, readings, looked: [roll] };
  if (there) return decided(world, step, said, there, free);
  const hidden = reading instanceof Reading ? reading.hiding(step).length : 0;
  if (hidden === 0 || said.consents.allowDuplicate) return free;
  throw new CliError(
    'invalid_input',
    sentence`The list of exam ${exam} shows no ${step.email === undefined ? 'number' : 'address'} of ${students(hidden)}, so it is unknown whether the student is there already. Nothing was sent.`,
    { hint: 'Check the exam. To create the student all the same: --allow-duplicate' },
  );
}

function inWords({ client, zone }: World, { exam, email, number, body = {} }: Step, resource: Resource, id: string): Sentence {
  if (resource === 'session') return sentence`${email ?? number ?? ''} is in exam ${exam} already, as session ${id}`;
  const { [client.dialect.examNameKey]: name = null, start_time: start = null } = body;
  const which = name === null ? 'An exam' : `An exam ${String(name)}`;
  return sentence`${which} that starts at ${showTime(String(start), zone)} is there already, as exam ${id}`;
}

/** Of what is there already, a flag or a person decides. Throws `different`, `already_there`, or asks. */
async function decided(world: World, step: Step, { consents, agreed }: Said, there: Listed, free: Plan): Promise<Plan> {
  const { context, zone } = world;
  const resource = resourceOf(step);
  const { id = '', data: shown } = there;
  const what = inWords(world, step, resource, id);
  const hint = sentence`Nothing was sent. ${lookAt(resource, id)}`;
  if (consents.ifNotExists) {
    // It was found by its address, in whatever spelling the service has stored that.
    const { email: _address, ...values } = step.body ?? {};
    const isWhole = Object.keys(values).every((field) => Object.hasOwn(shown, field));
    const { data } = isWhole ? { data: shown } : ((await readOne(world, resource, id)) ?? { data: shown });
    const { different } = asSent(resourceOf(step), values, data, zone);
    if (different.length === 0) return { steps: [], there: { is: 'there', resource, shown: data } };
    throw new CliError('different', sentence`${what}, and differs from what was given: ${different.join('; ')}.`, { hint });
  }
  const key = `there ${listedAs(resource, id)}`;
  if (consents.allowDuplicate || agreed.has(key)) return free;
  if (mayAsk(context)) throw new Asks({ key, words: sentence`${what}. Create another one?` });
  // `api` has no flags for it.
  throw new CliError('already_there', sentence`${what}.`, step.raw ? { hint } : {});
}

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

export async function rollOf(world: World, exam: string, reading?: Reading): Promise<Roll> {
  const rows = await world.record.find(world.origin, { exams: [exam], ops: [...studentCreates, operations.patchSession.id] });
  return new Roll(world, reading ?? (await readExam(world.client, exam)), rows);
}

export async function examRoll(world: World): Promise<Roll<Listing>> {
  const rows = await world.record.find(world.origin, { ops: [operations.createExam.id] });
  return new Roll(world, await readList(world.client, undefined), rows);
}
