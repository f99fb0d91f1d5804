/**
 * The gate of the running exam: what a plan takes from students is judged before its first write, and each step again
 * right before it is sent. The kind of a step says what it takes. The times of an exam, the statuses of its students and
 * their own windows say whether it runs.
 */
import type { Shown } from '../api/known.ts';
import { readList } from '../api/reading.ts';
import { CliError, expected, orElse } from '../errors.ts';
import { examClock, examInWords, whoInWords } from '../model/describe.ts';
import { windowInForce } from '../model/fields.ts';
import { idOf, type JsonObject } from '../model/json.ts';
import { addressIn } from '../model/listing.ts';
import { phaseOf } from '../model/status.ts';
import { instantOf, showTime } from '../model/time.ts';
import { capitalised, largest, type Sentence, sentence, students } from '../text/sentence.ts';
import { type Engine, maxReadAgeMs } from './engine.ts';
import { type Change, type Execution, heldBack, newExecution } from './execution.ts';
import { type Refused, runningRefusal } from './request.ts';
import { rulesOf } from './steps/index.ts';
import { movesStart } from './steps/moved-times.ts';
import { type Loss, mayTakeAnything } from './steps/rules.ts';
import { hasTwoReadings, type Plan } from './steps/step.ts';

type Readings = NonNullable<Plan['readings']>;

export class ExamGate {
  readonly #engine: Engine;
  readonly #permitted = new Set<string>();
  /** The old times of exams whose start the plan moves: these say whether they run. */
  readonly #before = new Map<string, JsonObject | undefined>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Throws where a read fails. */
  judgePlan({ steps, readings = new Map() }: Plan): Promise<Refused[]> {
    for (const step of steps) {
      if (movesStart(step) && typeof step.exam === 'string') this.#before.set(step.exam, undefined);
    }
    const executions = steps.map((step) => newExecution(step, 0));
    return this.#running(executions, readings);
  }

  permit(exam: string): void {
    this.#permitted.add(exam);
  }

  async judgeStep(execution: Execution): Promise<Change | undefined> {
    const running = await this.#running([execution], new Map());
    return running.length === 0 ? undefined : heldBack(runningRefusal(running, 'It was not sent.'));
  }

  async #running(executions: readonly Execution[], readings: Readings): Promise<Refused[]> {
    const { client, context, reads } = this.#engine;
    if (!context.settings().protectRunningExams) return [];
    const lossesOf = async (execution: Execution): Promise<readonly Loss[]> => {
      const { step, id, exam } = execution;
      const listed = readings.get(exam ?? '')?.withId(id)?.data;
      const { mayTake, losses } = rulesOf(step);
      if (hasTwoReadings(step)) return [mayTakeAnything];
      return mayTake(step) ? losses(this.#engine, execution, listed) : [];
    };
    try {
      const losses = (await client.pacer.map(executions, lossesOf)).flat();
      const byExam = Map.groupBy(losses, ({ exam }) => exam);
      const ofAny = byExam.get(undefined);
      if (ofAny) {
        const { all } = await reads.once('exams', maxReadAgeMs(this.#engine), () => readList(client, undefined));
        for (const { id } of all) if (id !== undefined) byExam.set(id, [...ofAny, ...(byExam.get(id) ?? [])]);
      }
      const refused = await client.pacer.map([...byExam], ([exam, of]) => this.#refused(exam, of, readings));
      return refused.filter((each) => each !== undefined);
    } catch (error) {
      const { code, message, hint, status } = expected(error);
      const what = sentence`It is unknown whether an exam is running, so this was not sent: ${message}`;
      throw new CliError(code, what, { hint, cause: error, status });
    }
  }

  async #refused(exam: string | undefined, losses: readonly Loss[], readings: Readings): Promise<Refused | undefined> {
    const { client, zone, host, reads } = this.#engine;
    if (exam === undefined || this.#permitted.has(exam)) return undefined;
    const shown: Shown | undefined = await reads.record('exam', exam, maxReadAgeMs(this.#engine));
    if (!shown) return undefined;
    const before = this.#before.get(exam);
    const times = before ?? shown.data;
    if (this.#before.has(exam)) this.#before.set(exam, times);
    const now = host.now() + (shown.clockAheadMs ?? 0);
    const phase = (of: readonly JsonObject[]) => {
      const sessions = before ? of.map(({ status = null }) => ({ status })) : of;
      return phaseIn(times, sessions, now, zone);
    };
    const named = capitalised(examInWords(exam, shown.data, client, zone));
    const whole = losses.find(({ session }) => session === undefined);
    const known = readings.get(exam);
    if (whole) {
      const reading = async () => known ?? reads.students(exam, maxReadAgeMs(this.#engine));
      const read = await orElse(reading(), (error) => {
        // Without its students, the times of an exam can still say that it runs.
        if (phase([]) === undefined) throw error;
        return undefined;
      });
      const runs = phase(read?.all.map(({ data }) => data) ?? []);
      const why = read && whole.whyOf ? whole.whyOf(read.all) : whole.why;
      if (runs === undefined || why === undefined) return undefined;
      return { exam, says: sentence`${named} ${runs}; the request would ${why}.`, hint: whole.hint };
    }
    const concerned = losses.filter(({ session = {} }) => runsFor(session, times, now, zone));
    const [first] = concerned;
    if (!first) return undefined;
    const sessions = concerned.map(({ session = {} }) => session);
    const runs = phase(known?.all.map(({ data }) => data) ?? sessions);
    const who = whoInWords(sessions.map((each) => ({ session: idOf(each), email: addressIn(each) })));
    return runs && { exam, says: sentence`${named} ${runs}; the request would ${first.why} (${who}).`, hint: first.hint };
  }
}

/** So long before its start an exam counts as running. Milliseconds. */
const halfAnHour = 30 * 60_000;

/** How an exam runs, in words; undefined where it does not. `sessions`: of the students concerned. */
function phaseIn(exam: JsonObject, sessions: readonly JsonObject[], now: number, zone: string): Sentence | undefined {
  const { opens, closes } = timesOf(exam);
  const counted = takingInWords(sessions);
  const isOpen = sessions.some((session) => isOpenFor(session, exam, now));
  const own = isOpen ? ", but a student's own window is open or about to open" : '';
  const runsForSome = counted !== '' || isOpen;
  if (opens === undefined || closes === undefined) {
    const unseen = sessions.filter(({ status }) => phaseOf(status) === undefined).length;
    const hidden = unseen > 0 ? `, nor a known status of ${students(unseen)}` : '';
    return runsForSome || unseen > 0 ? sentence`shows no times that can be read${hidden}${own}${counted}` : undefined;
  }
  const clock = examClock({ start: instantOf(exam.start_time), end: instantOf(exam.end_time) }, now);
  const last = largest([closes, ...sessions.map(({ close_time }) => instantOf(close_time) ?? 0)]);
  // Once all windows have closed, nobody takes it, whatever status the service still shows.
  if (now > last) return undefined;
  if (now > closes) return sentence`${clock}, and a student's window is open until ${showTime(last, zone)}${counted}`;
  if (now >= opens - halfAnHour) return sentence`${clock}${counted}`;
  return runsForSome ? sentence`${clock}${own}${counted}` : undefined;
}

function takingInWords(sessions: readonly JsonObject[]): string {
  const phases = sessions.map(({ status }) => phaseOf(status));
  const writing = phases.filter((phase) => phase === 'writing').length;
  const checking = phases.filter((phase) => phase === 'checking').length;
  if (writing + checking === 0) return '';
  const taking = writing > 0 ? students(writing) : 'no student';
  return `, with ${taking} taking it${checking > 0 ? ` and ${checking} in the check` : ''}`;
}

/** Before a student has started, an own window counts in place of the exam's. */
function runsFor(session: JsonObject, exam: JsonObject, now: number, zone: string): boolean {
  if (phaseOf(session.status) === 'waiting' && isOpenFor(session, exam, now) === false) return false;
  return phaseIn(exam, [session], now, zone) !== undefined;
}

/** Whether the window of a session is open, or soon is; undefined if it has none of its own, or one that closes before it opens. */
function isOpenFor(session: JsonObject, exam: JsonObject, now: number): boolean | undefined {
  if ((instantOf(session.open_time) ?? instantOf(session.close_time)) === undefined) return undefined;
  const { open, close } = windowInForce(exam, session);
  return open < close ? now >= open - halfAnHour && now <= close : undefined;
}

/** The earlier and the later of its times; neither where one cannot be read. */
function timesOf({ start_time, end_time }: JsonObject): { opens: number | undefined; closes: number | undefined } {
  const [start, end] = [instantOf(start_time), instantOf(end_time)];
  if (start === undefined || end === undefined) return { opens: undefined, closes: undefined };
  return { opens: Math.min(start, end), closes: Math.max(start, end) };
}
