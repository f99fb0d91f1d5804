/**
 * The gate of the running exam: what a plan takes from students is judged before its first write, and
 * each step again right before it is sent. A request that a service may read in another way than the
 * table counts as taking something from any exam that runs.
 */
import { examOf, type Shown } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { readExam, readList } from '../api/reading.ts';
import { CliError, isInterruption, orError } from '../errors.ts';
import { addressIn, addressKey } from '../model/address-key.ts';
import { examInWords, whoInWords } from '../model/describe.ts';
import { phaseIn, runsFor } from '../model/exam-phase.ts';
import { restrictionKeys, timeFields } from '../model/fields.ts';
import { idOf } from '../model/id.ts';
import { booleanIn, isJsonObject, type Json, type JsonObject, textOfJson } from '../model/json.ts';
import { proctorsIn, valuesIn } from '../model/pool.ts';
import { instantOf } from '../model/time.ts';
import { lettersAndDigits } from '../text/fold.ts';
import { capitalised, sentence } from '../text/sentence.ts';
import { type Refused, runningRefusal } from './request.ts';
import { maxReadAgeMs, readOne, shared, type World } from './running.ts';
import { creates, kindOf, type Plan, type Resource, resourceOf, type Step } from './step.ts';

/** `exam`: undefined for any. `session`: who loses something; undefined for the exam as a whole. */
type Loss = { exam: string | undefined; why: string; session?: JsonObject };
type Readings = NonNullable<Plan['readings']>;

const judged: readonly string[] = [...timeFields, ...restrictionKeys];

export class ExamGate {
  readonly #world: World;
  readonly #permitted = new Set<string>();
  /** The old times of exams whose start the plan moves: these say whether they run. */
  readonly #before = new Map<string, JsonObject | undefined>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Throws where a read fails. */
  judgePlan({ steps, readings = new Map() }: Plan): Promise<Refused[]> {
    for (const { exam = '', body = {}, operation } of steps) {
      const movesStart = operation.resource === 'exam' && Object.hasOwn(body, 'start_time');
      if (movesStart) this.#before.set(exam, undefined);
    }
    return this.#running(steps, readings);
  }

  permit(exam: string): void {
    this.#permitted.add(exam);
  }

  async judgeStep(step: Step): Promise<CliError | undefined> {
    const running = await this.#running([step], new Map());
    return running.length === 0 ? undefined : runningRefusal(running, 'It was not sent.');
  }

  async #running(steps: readonly Step[], readings: Readings): Promise<Refused[]> {
    const { client, context } = this.#world;
    if (!context.settings().protectRunningExams) return [];
    try {
      const losses = (await client.pacer.map(steps, (step) => this.#lossesOf(step, readings))).flat();
      const byExam = Map.groupBy(losses, ({ exam }) => exam);
      const ofAny = byExam.get(undefined);
      if (ofAny) {
        const { all } = await this.#shared('exams', () => readList(client, undefined));
        for (const { id } of all) if (id !== undefined) byExam.set(id, [...ofAny, ...(byExam.get(id) ?? [])]);
      }
      const refused = await client.pacer.map([...byExam], ([exam, of]) => this.#refused(exam, of, readings));
      return refused.filter((each) => each !== undefined);
    } catch (error) {
      if (!(error instanceof CliError) || isInterruption(error)) throw error;
      const what = sentence`It is unknown whether an exam is running, so this was not sent: ${error.message}`;
      throw new CliError(error.code, what, { hint: error.hint, cause: error, status: error.status });
    }
  }

  async #lossesOf(step: Step, readings: Readings): Promise<Loss[]> {
    const { operation, body = {}, params } = step;
    const { id = '' } = params;
    const kind = kindOf(step);
    // Its own run creates what it changes.
    if (step.made) return [];
    if (isUnclear(step)) return [{ exam: undefined, why: 'do what the specification does not describe' }];
    if (kind === 'mails') return [{ exam: id, why: 'disturb its students' }];
    if (kind === 'pool') return (await this.#empties(step)) ? [{ exam: id, why: 'leave it without proctors' }] : [];
    const isDeletion = kind === 'deletion';
    const mayTake = kind === 'update' && (operation.method === 'PUT' || judged.some((key) => Object.hasOwn(body, key)));
    if (!isDeletion && !mayTake) return [];
    if (resourceOf(step) === 'exam') {
      if (isDeletion) return [{ exam: id, why: 'take it from its students' }];
      const shown = await this.#shown('exam', id);
      return shown ? examLosses(step, shown.data).map((why) => ({ exam: id, why })) : [];
    }
    const listed = readings.get(step.exam ?? '')?.withId(id)?.data;
    const session = listed ?? (await this.#shown('session', id))?.data;
    if (!session) return [];
    const exam = examOf(session, this.#world.client) ?? step.exam;
    const shown = exam === undefined ? undefined : await this.#shown('exam', exam);
    const lost = isDeletion ? ['take the exam from a student'] : sessionLosses(step, session, shown?.data ?? {});
    return lost.map((why) => ({ exam: shown && exam, why, session }));
  }

  /** A request that names nobody may mean the whole pool. */
  async #empties({ operation, params, body = {} }: Step): Promise<boolean> {
    const { client } = this.#world;
    if (operation.method !== 'DELETE') return false;
    const read = () => client.list(operations.listProctors, { params });
    const pool = await this.#shared(`pool ${params.id ?? ''}`, read);
    const removed = new Set(proctorsIn(body, client.dialect).map((each) => addressKey(textOfJson(each))));
    const isRemoved = (proctor: Json) => removed.size === 0 || valuesIn(proctor).some((value) => removed.has(value));
    return pool.length > 0 && pool.every(isRemoved);
  }

  async #refused(exam: string | undefined, losses: readonly Loss[], readings: Readings): Promise<Refused | undefined> {
    const { client, zone, host } = this.#world;
    if (exam === undefined || this.#permitted.has(exam)) return undefined;
    const shown = await this.#shown('exam', exam);
    if (!shown) return undefined;
    const before = this.#before.get(exam);
    const times = before ?? shown.data;
    if (this.#before.has(exam)) this.#before.set(exam, times);
    const now = host.now() + (shown.ahead ?? 0);
    const phase = (of: readonly JsonObject[]) => {
      const sessions = before ? of.map(({ status = null }) => ({ status })) : of;
      return phaseIn(times, sessions, now, zone);
    };
    const named = capitalised(examInWords(exam, shown.data, client, zone));
    const whole = losses.find(({ session }) => session === undefined);
    const known = readings.get(exam);
    if (whole) {
      const read = known ?? (await orError(this.#shared(`students ${exam}`, () => readExam(client, exam))));
      // Its times alone say that it runs.
      if (read instanceof CliError && phase([]) === undefined) throw read;
      const runs = phase(read instanceof CliError ? [] : read.sessions.map(({ data }) => data));
      return runs && { exam, says: sentence`${named} ${runs}; the request would ${whole.why}.` };
    }
    const concerned = losses.filter(({ session = {} }) => runsFor(session, times, now, zone));
    const [first] = concerned;
    if (!first) return undefined;
    const sessions = concerned.map(({ session = {} }) => session);
    const runs = phase(known?.sessions.map(({ data }) => data) ?? sessions);
    const who = whoInWords(sessions.map((each) => ({ session: idOf(each), email: addressIn(each) })));
    return runs && { exam, says: sentence`${named} ${runs}; the request would ${first.why} (${who}).` };
  }

  #shown(resource: Resource, id: string): Promise<Shown | undefined> {
    return readOne(this.#world, resource, id, maxReadAgeMs(this.#world));
  }

  /** What a step has just read serves its judgement. */
  #shared<T>(name: string, read: () => Promise<T>): Promise<T> {
    return shared(this.#world, name, maxReadAgeMs(this.#world), read);
  }
}

/** Whether a service may read it in another way than the table. */
function isUnclear(step: Step): boolean {
  const { raw, body = {} } = step;
  const kind = kindOf(step);
  if (raw && kind === 'other') return true;
  const isNested = (value: Json) => typeof value === 'object' && value !== null;
  if (kind !== 'pool' && !creates(step) && Object.values(raw?.body ?? {}).some(isNested)) return true;
  return kind === 'update' && hides(body);
}

/** A judged field in another spelling or inside of a value: `exam[End-Time]` is end_time, too. */
function hides(value: Json, isBody = true): boolean {
  if (Array.isArray(value)) return value.some((item) => hides(item, false));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, item]) => {
    const letters = lettersAndDigits(key);
    const isMeant = judged.some((name) => letters.endsWith(lettersAndDigits(name)));
    return (isMeant && !(isBody && judged.includes(key))) || hides(item, false);
  });
}

function examLosses(step: Step, shown: JsonObject): string[] {
  const { operation, body = {} } = step;
  // An update that names one restriction resets those that it leaves out (specification 2.1, rule 2).
  const isSet = operation.method === 'PUT' || restrictionKeys.some((key) => Object.hasOwn(body, key));
  const isKept = (key: string) => {
    if (booleanIn(shown[key]) === false) return true;
    return Object.hasOwn(body, key) ? booleanIn(body[key]) === true : shown[key] === undefined;
  };
  const withdrawn = isSet ? restrictionKeys.filter((key) => !isKept(key)) : [];
  return [
    ...(losesTime(step, 'end_time', shown) ? ['end it earlier'] : []),
    ...(losesTime(step, 'start_time', shown) ? ['start it later'] : []),
    ...(withdrawn.length > 0 ? [`withdraw ${withdrawn.join(', ')}`] : []),
  ];
}

/** Without a time of its own, a session opens and closes with its exam. */
function sessionLosses(step: Step, shown: JsonObject, exam: JsonObject): string[] {
  return [
    ...(losesTime(step, 'close_time', shown, exam.end_time) ? ["close a student's window earlier"] : []),
    ...(losesTime(step, 'open_time', shown, exam.start_time) ? ["open a student's window later"] : []),
  ];
}

/** Also by a time that cannot be compared, or that a PUT leaves out. `base`: what no time means. */
function losesTime({ operation, body = {} }: Step, field: string, shown: JsonObject, base: Json = null): boolean {
  const old = shown[field] ?? null;
  const next = body[field];
  if (next === undefined) return operation.method === 'PUT' && old !== null;
  if (next === old) return false;
  const [to, from] = [instantOf(next ?? base), instantOf(old ?? base)];
  if (to === undefined || from === undefined) return true;
  return field === 'end_time' || field === 'close_time' ? to < from : to > from;
}
