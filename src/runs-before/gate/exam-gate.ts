/**
 * The gate of the running exam, for whole plans: what a plan takes from students is judged before its first write, per exam from one
 * reading, and each step once more right before it is sent. What an exam that runs would lose is refused, unless a person has given a
 * reason and confirmed it; what cannot be found out keeps the plan from being sent.
 */

import { examOf } from '../../api/client.ts';
import type { Shown } from '../../api/known.ts';
import { operations } from '../../api/operations.ts';
import { CliError, isInterruption } from '../../errors.ts';
import { examInWords, whoInWords } from '../../model/describe.ts';
import { firstInLine } from '../../model/first-of.ts';
import { idOf } from '../../model/id.ts';
import type { JsonObject } from '../../model/json.ts';
import { capitalised, type Sentence, sentence } from '../../text/sentence.ts';
import { type Reading, readExam } from '../reading.ts';
import { eachStep, type Plan, type Step, targetOf } from '../step.ts';
import { shownLately, type World } from '../world.ts';
import { examPhase, serviceTime } from './exam-phase.ts';
import { type Loss, type LossReads, lossesOf, mayTake } from './losses.ts';

/** How old an exam or a session may be that the gate judges a plan by: it was read for this plan. Milliseconds. */
const readForPlan = 60_000;

type ExamLoss = { exam: string; why: Sentence; sessions: string[]; whole: boolean };
/** What is known besides reads of single exams and sessions: readings, and the sessions of the losses. */
type Seen = { readings: ReadonlyMap<string, Reading>; sessionOf: Map<string, JsonObject>; within: number };
type LossOfStep = Loss & { stepExam: string | undefined };

export class ExamGate {
  readonly #world: World;
  /** The latest reading of each exam; a step uses it only while it is young. */
  readonly #readings = new Map<string, Reading>();
  /** Exams for which a reason was given and confirmed. */
  readonly #permitted = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  get #isOff(): boolean {
    return !this.#world.settings.protectRunningExams;
  }

  /** The exams that run and would lose something, each in one sentence. Throws the errors of its reads. */
  async judgePlan({ steps, readings = new Map() }: Plan): Promise<CliError | undefined> {
    if (this.#isOff) return undefined;
    this.#readings.clear();
    for (const [exam, reading] of readings) this.#readings.set(exam, reading);
    const running = await orUnsent('nothing was sent', () => this.#runningIn(steps));
    const [first] = running;
    if (!first) return undefined;
    const { duringExam } = this.#world.context.globals;
    if (duringExam === undefined) return refusal(running, 'Nothing was sent.');
    // A dry run sends nothing that would need a confirmation.
    if (this.#world.context.globals.dryRun) return undefined;
    for (const { exam, named, runs, why } of running) {
      const question = async () =>
        sentence`${capitalised(named)} ${runs}. The request would ${why}. Send it ${this.#world.context.place()}?`;
      await this.#world.context.confirm(question, exam);
      this.#permitted.add(exam);
    }
    return undefined;
  }

  /** The exams of a plan that run and would lose something, each with its error; none where a reason is given for all of them. */
  async heldBack({ steps, readings = new Map() }: Plan): Promise<ReadonlyMap<string, CliError>> {
    if (this.#isOff || this.#world.context.globals.duringExam !== undefined) return new Map();
    for (const [exam, reading] of readings) this.#readings.set(exam, reading);
    const running = await orUnsent('nothing was sent', () => this.#runningIn(steps));
    return new Map(running.map((each) => [each.exam, refusal([each], 'It was not sent.')]));
  }

  /** Why a step must not be sent now, although the plan has passed: something began meanwhile. */
  async judgeStep(step: Step, params: Step['params'], isOwn: boolean, within: number): Promise<CliError | undefined> {
    if (this.#isOff || isOwn) return undefined;
    if (!mayTake(step)) return undefined;
    const seen: Seen = { readings: this.#readings, sessionOf: new Map(), within };
    return orUnsent('it was not sent', async () => {
      const [first] = await this.#running(await this.#lossesOf(step, params, () => undefined, seen), seen);
      return first && refusal([first], 'It was not sent.');
    });
  }

  async #runningIn(steps: Plan['steps']): Promise<Refused[]> {
    const seen: Seen = { readings: this.#readings, sessionOf: new Map(), within: readForPlan };
    const losses: LossOfStep[] = [];
    await this.#readExams(steps, seen.within);
    for (const [, step] of eachStep(steps)) {
      // What this plan creates has nothing to lose.
      if (step.made || !mayTake(step)) continue;
      const listed = (id: string) => (step.exam === undefined ? undefined : this.#readings.get(step.exam)?.withId(id)?.data);
      losses.push(...(await this.#lossesOf(step, step.params, listed, seen)));
    }
    return this.#running(losses, seen);
  }

  /** The exams that a plan changes, read at once: one by one, a plan of many would wait for each. */
  async #readExams(steps: Plan['steps'], within: number): Promise<void> {
    const exams = new Set<string>();
    for (const [, step] of eachStep(steps)) {
      const target = step.made ? undefined : targetOf(step, step.params);
      if (target?.resource === 'exam' && mayTake(step)) exams.add(target.id);
    }
    if (exams.size > 1) await this.#world.client.pacer.map([...exams], (id) => shownLately(this.#world, 'exam', id, within));
  }

  /** What a step takes. `listed`: sessions that need no read of their own. */
  async #lossesOf(
    step: Step,
    params: Step['params'],
    listed: (id: string) => JsonObject | undefined,
    { sessionOf, within }: Seen,
  ): Promise<LossOfStep[]> {
    const world = this.#world;
    const reads: LossReads = {
      exam: async (id) => (await shownLately(world, 'exam', id, within))?.data,
      async session(id) {
        const shown = listed(id) ?? (await shownLately(world, 'session', id, within))?.data;
        if (shown) sessionOf.set(id, shown);
        return shown;
      },
      examOf: (session) => examOf(session, world.client) ?? step.exam,
    };
    const losses = await lossesOf(step, params, reads);
    for (const { resource, id } of losses) if (resource === 'session' && !sessionOf.has(id)) await reads.session(id);
    return losses.map((loss) => ({ ...loss, stepExam: step.exam }));
  }

  /** The exams that run, and lose something. */
  async #running(losses: readonly LossOfStep[], seen: Seen): Promise<Refused[]> {
    const running: Refused[] = [];
    for (const loss of await this.#byExam(losses, seen)) {
      if (this.#permitted.has(loss.exam)) continue;
      const phase = await this.#phaseOf(loss, seen);
      if (phase) running.push({ exam: loss.exam, why: sentence`${loss.why}${this.#whoIn(loss, seen)}`, ...phase });
    }
    return running;
  }

  /** ` (7 ada@example.org)`: the sessions that lose something, by name where they show no address. */
  #whoIn({ sessions, whole }: ExamLoss, { sessionOf }: Seen): string {
    if (whole || sessions.length === 0) return '';
    const { sessionNameKey } = this.#world.client.dialect;
    const who = sessions.map((session) => {
      const { email, [sessionNameKey]: name } = sessionOf.get(session) ?? {};
      return { session, email: [email, name].find((each): each is string => typeof each === 'string') };
    });
    return ` (${whoInWords(who)})`;
  }

  /** The losses of each exam. Of a session whose exam is not shown, or is not there, any exam may be the one. */
  async #byExam(losses: readonly LossOfStep[], { sessionOf, within }: Seen): Promise<ExamLoss[]> {
    const found = new Map<string, ExamLoss>();
    const add = (exam: string, why: Sentence, session?: string) => {
      const loss = found.get(exam) ?? { exam, why, sessions: [], whole: false };
      if (session === undefined) loss.whole = true;
      else loss.sessions.push(session);
      found.set(exam, loss);
    };
    for (const { resource, id, why, stepExam } of losses) {
      if (resource === 'exam') add(id, why);
      else {
        const shown = sessionOf.get(id);
        // Of what the request itself is to, there is nothing to protect: the request finds out.
        if (!shown) continue;
        const exam = examOf(shown, this.#world.client) ?? stepExam ?? '';
        const isThere = exam.trim() !== '' && (await shownLately(this.#world, 'exam', exam, within)) !== undefined;
        for (const each of isThere ? [exam] : await this.#allExams()) add(each, why, id);
      }
    }
    return [...found.values()];
  }

  async #allExams(): Promise<string[]> {
    const { client } = this.#world;
    return (await client.list(operations.listExams, {})).flatMap((exam) => idOf(exam) ?? []);
  }

  async #phaseOf(loss: ExamLoss, seen: Seen): Promise<{ named: Sentence; runs: Sentence } | undefined> {
    const { client, host, zone } = this.#world;
    const shown = await shownLately(this.#world, 'exam', loss.exam, seen.within);
    if (!shown) return undefined;
    const phase = examPhase(shown.data, await this.#studentsOf(loss, shown, seen), serviceTime(shown, host.now()), zone);
    return phase.running ? { named: examInWords(loss.exam, shown.data, client, zone), runs: phase.why } : undefined;
  }

  /** For one session, its exam and itself are enough. */
  async #studentsOf(
    { exam, sessions, whole }: ExamLoss,
    shown: Shown,
    { readings, sessionOf, within }: Seen,
  ): Promise<readonly JsonObject[]> {
    const { client, host, zone } = this.#world;
    const themselves = sessions.map((id) => sessionOf.get(id)).filter((session) => session !== undefined);
    if (!whole && sessions.length === 1) return themselves;
    const runsWith = (students: readonly JsonObject[]) => examPhase(shown.data, students, serviceTime(shown, host.now()), zone).running;
    const known = readings.get(exam);
    if (known && known.age(host) <= within) return known.sessions.map(({ data }) => data);
    if (!whole && runsWith(themselves)) return themselves;
    try {
      const reading = await readExam(client, host, exam, this.#world.keep);
      this.#readings.set(exam, reading);
      return reading.sessions.map(({ data }) => data);
    } catch (error) {
      // Its times alone say that it runs: its students only need not be counted.
      if (error instanceof CliError && !isInterruption(error) && runsWith([])) return [];
      throw error;
    }
  }
}

type Refused = { exam: string; why: Sentence; named: Sentence; runs: Sentence };

/** `sent`: what was sent of the plan. */
function refusal(running: readonly Refused[], sent: 'Nothing was sent.' | 'It was not sent.'): CliError {
  const [first] = running;
  const what = firstInLine(running, ({ named, runs, why }) => `${named} ${runs}; the request would ${why}`, 3);
  return new CliError('exam_running', sentence`${capitalised(what)}. ${sent}`, {
    hint: sentence`Wait until it is over, or leave it out. To send it all the same: --during-exam "REASON", then type the ID of the exam (${first?.exam ?? ''}); in a script, add --yes.`,
  });
}

/** What is said of a gate whose reads fail: nothing is sent while it is unknown whether an exam runs. */
async function orUnsent<T>(unsent: 'nothing was sent' | 'it was not sent', look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof CliError) || isInterruption(error)) throw error;
    const message = sentence`It is unknown whether an exam is running, so ${unsent}: ${error.message}`;
    throw new CliError(error.code, message, {
      hint: error.hint,
      cause: error,
      ...(error.status === undefined ? {} : { status: error.status }),
    });
  }
}

/** By the ID of the exam. Throws the errors of its reads. */
export function examsHeldBack(world: World, plan: Plan): Promise<ReadonlyMap<string, CliError>> {
  return new ExamGate(world).heldBack(plan);
}
