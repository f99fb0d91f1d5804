/**
 * The gate of the running exam, for whole plans: what a plan takes from students is judged before its first write, per exam from one
 * reading, and each step once more right before it is sent. What an exam that runs would lose is refused, unless a person has given a
 * reason and confirmed it; what cannot be found out keeps the plan from being sent.
 */

import { examOf, idOf } from '../../api/client.ts';
import { examInWords } from '../../api/in-words.ts';
import type { Shown } from '../../api/known.ts';
import { operations } from '../../api/operations.ts';
import { outgoingFor } from '../../api/request.ts';
import { CliError, isInterruption } from '../../errors.ts';
import { firstInLine } from '../../model/first-of.ts';
import type { JsonObject } from '../../model/json.ts';
import { capitalised, type Sentence, sentence } from '../../text/sentence.ts';
import { type Reading, readExam } from '../reading.ts';
import { eachStep, type Plan, type Step } from '../step.ts';
import { shownLately, type World } from '../world.ts';
import { examPhase, serviceTime } from './exam-phase.ts';
import { type Loss, type LossReads, lossesOf, mayTake, type Write } from './losses.ts';

/** How old what the gate knows of a plan may be: it was read for this plan. Milliseconds. */
const planned = 60_000;

type ExamLoss = { exam: string; why: Sentence; sessions: string[]; whole: boolean };

export class ExamGate {
  readonly #world: World;
  readonly #readings = new Map<string, Reading>();
  /** Exams for which a reason was given and confirmed. */
  readonly #permitted = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  get #isOff(): boolean {
    return !this.#world.settings.examGate;
  }

  /** The exams that run and would lose something, each in one sentence. Throws the errors of its reads. */
  async judgePlan({ steps, readings = new Map() }: Plan): Promise<CliError | undefined> {
    if (this.#isOff) return undefined;
    const losses: Loss[] = [];
    const sessionOf = new Map<string, JsonObject>();
    for (const [, step] of eachStep(steps)) {
      // What this plan creates has nothing to lose.
      if (step.made) continue;
      const write = this.#writeOf(step, step.params);
      if (!mayTake(write)) continue;
      const listed = (id: string) => (step.exam === undefined ? undefined : readings.get(step.exam)?.withId(id)?.data);
      losses.push(
        ...(await lossesOf(
          write,
          this.#reads(planned, (id) => listed(id), sessionOf),
        )),
      );
    }
    const running: { exam: string; why: Sentence; named: Sentence; runs: Sentence }[] = [];
    for (const loss of await this.#byExam(losses, sessionOf)) {
      const phase = await this.#phaseOf(loss, readings, sessionOf);
      if (phase && !this.#permitted.has(loss.exam)) running.push({ exam: loss.exam, why: loss.why, ...phase });
    }
    const [first] = running;
    if (!first) return undefined;
    const { duringExam } = this.#world.context.globals;
    if (duringExam === undefined) return refusal(running);
    for (const { exam, named, runs, why } of running) {
      const question = async () =>
        sentence`${capitalised(named)} ${runs}. Send what ${why.replace(/^which /, '')}, ${this.#world.context.place()}?`;
      await this.#world.context.confirm(question, exam);
      this.#permitted.add(exam);
    }
    return undefined;
  }

  /** Why a step must not be sent now, although the plan has passed: something began meanwhile. */
  async judgeStep(step: Step, params: Step['params'], isOwn: boolean, within: number): Promise<CliError | undefined> {
    if (this.#isOff || isOwn) return undefined;
    const write = this.#writeOf(step, params);
    if (!mayTake(write)) return undefined;
    const sessionOf = new Map<string, JsonObject>();
    const losses = await lossesOf(
      write,
      this.#reads(within, () => undefined, sessionOf),
    );
    for (const loss of await this.#byExam(losses, sessionOf)) {
      if (this.#permitted.has(loss.exam)) continue;
      const phase = await this.#phaseOf({ ...loss, whole: false }, new Map(), sessionOf, within);
      if (phase) return refusal([{ exam: loss.exam, why: loss.why, ...phase }]);
    }
    return undefined;
  }

  #writeOf({ operation, body, raw }: Step, params: Step['params']): Write {
    if (raw) return { method: raw.method, path: raw.path, body: raw.body as JsonObject | undefined };
    const { method, path } = outgoingFor(operation, { params: { ...params } }, this.#world.client.dialect);
    return { method, path, body };
  }

  #reads(within: number, listed: (id: string) => JsonObject | undefined, sessionOf: Map<string, JsonObject>): LossReads {
    const world = this.#world;
    return {
      exam: async (id) => (await shownLately(world, 'exam', id, within))?.data,
      async session(id) {
        const shown = listed(id) ?? (await shownLately(world, 'session', id, within))?.data;
        if (shown) sessionOf.set(id, shown);
        return shown;
      },
      examOf: (session) => examOf(session, world.client),
    };
  }

  /** The losses of each exam. Of a session whose exam is not shown, any exam may be the one. */
  async #byExam(losses: readonly Loss[], sessionOf: Map<string, JsonObject>): Promise<ExamLoss[]> {
    const found = new Map<string, ExamLoss>();
    const add = (exam: string, why: Sentence, session?: string) => {
      const loss = found.get(exam) ?? { exam, why, sessions: [], whole: false };
      if (session === undefined) loss.whole = true;
      else loss.sessions.push(session);
      found.set(exam, loss);
    };
    for (const { resource, id, why } of losses) {
      if (resource === 'exam') add(id, why);
      else if (resource === 'session') {
        const shown = sessionOf.get(id) ?? (await shownLately(this.#world, 'session', id, planned))?.data;
        // Of what the request itself is to, there is nothing to protect: the request finds out.
        if (!shown) continue;
        sessionOf.set(id, shown);
        const exam = examOf(shown, this.#world.client);
        if (exam === undefined) for (const each of await this.#allExams()) add(each, why, id);
        else add(exam, why, id);
      } else for (const exam of await this.#allExams()) add(exam, why);
    }
    return [...found.values()];
  }

  async #allExams(): Promise<string[]> {
    const { client } = this.#world;
    return (await client.all(operations.listExams, {})).flatMap((exam) => idOf(exam, client) ?? []);
  }

  async #phaseOf(
    { exam, sessions, whole }: ExamLoss,
    readings: ReadonlyMap<string, Reading>,
    sessionOf: ReadonlyMap<string, JsonObject>,
    within = planned,
  ): Promise<{ named: Sentence; runs: Sentence } | undefined> {
    const { client, host, zone } = this.#world;
    const shown = await shownLately(this.#world, 'exam', exam, within);
    if (!shown) return undefined;
    const students = await this.#studentsOf({ exam, sessions, whole }, shown, readings, { sessionOf, within });
    const phase = examPhase(shown.data, students, serviceTime(shown, host.now()), zone);
    return phase.running ? { named: examInWords(exam, shown.data, client, zone), runs: phase.why } : undefined;
  }

  /** For one session, its exam and itself are enough. */
  async #studentsOf(
    { exam, sessions, whole }: Pick<ExamLoss, 'exam' | 'sessions' | 'whole'>,
    shown: Shown,
    readings: ReadonlyMap<string, Reading>,
    { sessionOf, within }: { sessionOf: ReadonlyMap<string, JsonObject>; within: number },
  ): Promise<readonly JsonObject[]> {
    const themselves = sessions.map((id) => sessionOf.get(id)).filter((session) => session !== undefined);
    if (!whole && sessions.length === 1) return themselves;
    const before = this.#readings.get(exam);
    // At a later step, somebody may have begun since the plan was judged.
    const known = readings.get(exam) ?? (before && before.age(this.#world.host) <= within ? before : undefined);
    if (!known && !whole && examPhase(shown.data, themselves, serviceTime(shown, this.#world.host.now()), this.#world.zone).running)
      return themselves;
    const reading = known ?? (await readExam(this.#world.client, this.#world.host, exam));
    this.#readings.set(exam, reading);
    return reading.sessions.map(({ data }) => data);
  }
}

type Refused = { exam: string; why: Sentence; named: Sentence; runs: Sentence };

function refusal(running: readonly Refused[]): CliError {
  const [first] = running;
  const what = firstInLine(running, ({ named, runs, why }) => `${named} ${runs}; this ${why.replace(/^which /, '')}`, 3);
  return new CliError('exam_running', sentence`${capitalised(what)}. Nothing was sent.`, {
    hint: sentence`Wait until it is over, or leave it out. To send it all the same: --during-exam "REASON", then type the ID of the exam (${first?.exam ?? ''}); in a script, add --yes.`,
  });
}

/** What is said of a gate whose reads fail: nothing is sent while it is unknown whether an exam runs. */
export async function orUnsent<T>(does: string, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof CliError) || isInterruption(error) || error.code === 'needs_confirmation') throw error;
    const message = sentence`It is unknown whether an exam is running, so nothing was sent to ${does}: ${error.message}`;
    throw new CliError(error.code, message, { hint: error.hint, cause: error });
  }
}
