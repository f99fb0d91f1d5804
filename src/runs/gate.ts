/**
 * The gate of the running exam: what a plan takes from students is judged before its first write, and
 * each step again right before it is sent. What a kind of step takes, the kind says.
 */
import type { Shown } from '../api/known.ts';
import { readList } from '../api/reading.ts';
import { CliError, expected, orElse } from '../errors.ts';
import { addressIn } from '../model/address-key.ts';
import { examInWords, whoInWords } from '../model/describe.ts';
import { phaseIn, runsFor } from '../model/exam-phase.ts';
import { idOf } from '../model/id.ts';
import type { JsonObject } from '../model/json.ts';
import { capitalised, sentence } from '../text/sentence.ts';
import { type Engine, maxReadAgeMs } from './engine.ts';
import { type Change, type Execution, heldBack, newExecution } from './execution.ts';
import { type Refused, runningRefusal } from './request.ts';
import { rulesOf } from './steps/index.ts';
import { movesStart } from './steps/moved-times.ts';
import { type Loss, unclear } from './steps/rules.ts';
import { isUnclear, type Plan } from './steps/step.ts';

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
      if (isUnclear(step)) return [unclear];
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
      const runs = phase(read?.sessions.map(({ data }) => data) ?? []);
      const why = read && whole.whyOf ? whole.whyOf(read.sessions) : whole.why;
      if (runs === undefined || why === undefined) return undefined;
      return { exam, says: sentence`${named} ${runs}; the request would ${why}.`, hint: whole.hint };
    }
    const concerned = losses.filter(({ session = {} }) => runsFor(session, times, now, zone));
    const [first] = concerned;
    if (!first) return undefined;
    const sessions = concerned.map(({ session = {} }) => session);
    const runs = phase(known?.sessions.map(({ data }) => data) ?? sessions);
    const who = whoInWords(sessions.map((each) => ({ session: idOf(each), email: addressIn(each) })));
    return runs && { exam, says: sentence`${named} ${runs}; the request would ${first.why} (${who}).`, hint: first.hint };
  }
}
