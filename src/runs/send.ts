/**
 * One step: what holds for every kind. No request leaves before its intent is durable, nor more than two
 * seconds after the reads on which it rests (ten while the pacer spaces requests). What may have been carried
 * out is not sent again.
 */
import { isSuccess } from '../api/answer.ts';
import { ageOfMoment, type Moment, type Shown } from '../api/known.ts';
import { requestFor } from '../api/operations.ts';
import { backoff, longWait } from '../api/pacer.ts';
import { sendOnce } from '../api/write.ts';
import { CliError, type ErrorCode, orElse, stateErrors } from '../errors.ts';
import { unexpected } from '../model/compare.ts';
import { durationInWords } from '../model/duration.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { ActiveRun } from './active-run.ts';
import { classifyFailure, classifyReply, outdated, type StepResponse } from './classify-response.ts';
import { freshMs, maxReadAgeMs } from './engine.ts';
import { type Change, type Execution, heldBack } from './execution.ts';
import { isBlocking } from './retry.ts';
import { rulesOf } from './steps/index.ts';
import { isCreate, requestOf, resourceOf } from './steps/step.ts';
import { changedMeanwhile } from './steps/target.ts';

const maxAttempts = 10;
const endsRun: readonly ErrorCode[] = ['token_refused', 'not_logged_in', 'bad_answer', 'list_in_doubt'];

/** Brings a planned step as far as it goes. Throws only what ends the run. */
export async function sendStep(run: ActiveRun, execution: Execution): Promise<void> {
  const { stop, engine } = run;
  const { host, client, context } = engine;
  const blocker = run.dependencies(execution).find((before) => isBlocking(execution.step, before));
  if (blocker) return run.transitionLater(execution, { is: 'after_failed', error: blocker.error });
  const held = await orElse(lockNewExam(run, execution), heldBack, 'already_running');
  if (held) return run.transitionLater(execution, held);
  const stopped = run.stoppedExams.get(execution.exam ?? '');
  if (stopped) return run.learn(execution, { error: stopped });
  let readAt: Moment | undefined;
  const isStale = () => readAt === undefined || ageOfMoment(readAt, host) > maxReadAgeMs(engine);
  for (let attempt = 1; !stop.why; attempt += 1) {
    if (isStale()) {
      const check = await precheck(run, execution).catch((error: unknown) => failedRead(run, execution, error));
      if (!check) return;
      if ('is' in check) return run.transitionLater(execution, check);
      readAt = check;
    }
    const request = { number: 0 };
    const response = await exchange(run, execution, isStale, request);
    if (!response) return;
    const isAgain = response.is === 'outdated' || (response.is === 'again' && !response.lasting);
    if (!isAgain || attempt >= maxAttempts || client.pacer.gaveUp || stop.why)
      return run.transitionLater(execution, outcomeOf(run, execution, response, request.number));
    await run.transition(execution, { is: 'planned' });
    if (response.is !== 'again') continue;
    const wait = response.limited ? client.pacer.pause : backoff(attempt) * (0.5 + host.random());
    if (wait >= longWait && client.pacer.isNews(wait)) context.waits(retrying(run, response.error, wait, attempt));
    if (wait > 0) await host.sleep(wait).catch(() => {});
  }
}

function retrying({ executions }: ActiveRun, { message }: CliError, wait: number, attempt: number): Sentence {
  const done = executions.filter(({ state, code }) => state === 'done' || code === '2xx').length;
  // Each wait is twice the one before, and half as much again at most.
  const most = Math.max(wait * (maxAttempts - attempt), 1.5 * (2 * backoff(maxAttempts - 1) - backoff(attempt)));
  const ofAll = executions.length > 1 ? ` ${done} of ${executions.length} requests done.` : '';
  return sentence`${message}${ofAll} Retrying in ${durationInWords(wait)}, for ${durationInWords(most)} at most.`;
}

/** The locks of an exam that the run has created are not waited for. Throws `already_running`. */
async function lockNewExam(run: ActiveRun, { step }: Execution): Promise<void> {
  const { record, origin, command } = run.engine;
  const creator = run.creatorOf(step);
  if (!creator?.id || !isCreate(creator.step) || resourceOf(creator.step) !== 'exam') return;
  const { id } = creator;
  const taken = run.newExamLocks.get(id) ?? record.lock([`${origin} exam ${id}`, `${origin} students ${id}`], command);
  run.newExamLocks.set(id, taken);
  await taken;
}

/** The kind itself reads its target; then its exam, where times rest on it; then the gate. */
async function precheck(run: ActiveRun, execution: Execution): Promise<Moment | Change> {
  const check = await rulesOf(execution.step).precheck(run, execution);
  if ('is' in check) return check;
  const inExam = await examAsRequired(run, execution);
  if (inExam && 'is' in inExam) return inExam;
  const held = await run.gate?.judgeStep(execution);
  return held ?? (inExam && inExam.at.wall < check.wall ? inExam.at : check);
}

/** Undefined where nothing was computed from its exam. */
async function examAsRequired({ engine }: ActiveRun, { step: { requires }, exam }: Execution): Promise<Shown | Change | undefined> {
  if (exam === undefined || Object.keys(requires.exam).length === 0) return undefined;
  const shown = await engine.reads.record('exam', exam, freshMs);
  const why = unexpected('exam', requires.exam, shown?.data ?? {}, engine.zone);
  return why === undefined ? shown : changedMeanwhile('exam', exam, why);
}

/** A read that fails leaves the step planned, and counts as an unclear answer. */
function failedRead(run: ActiveRun, execution: Execution, error: unknown): undefined {
  const { stop } = run;
  if (!(error instanceof CliError) || stateErrors.includes(error.code)) throw error;
  run.learn(execution, { error });
  if (endsRun.includes(error.code)) stop.stop(error);
  else stop.unclear(stop.nextNumber(), error);
}

/** Undefined where nothing more is to be done about it. */
async function exchange(
  run: ActiveRun,
  execution: Execution,
  isStale: () => boolean,
  request: { number: number },
): Promise<StepResponse | undefined> {
  const { stop, engine } = run;
  const { writer } = engine;
  const { step } = execution;
  const hooks = {
    async prepare() {
      if (stop.why) throw stop.why;
      // The answer to an earlier try says nothing about this one.
      await run.transition(execution, { is: 'sending', facts: { sentDate: writer.known.date, code: undefined } });
    },
    withheld() {
      if (stop.why) return stop.why;
      if (isStale()) return outdated;
      request.number ||= stop.nextNumber();
      return undefined;
    },
  };
  const planned = requestOf(step, engine.client.dialect, execution);
  const typed = 'operation' in planned ? requestFor(planned.operation, planned) : planned;
  try {
    const reply = await sendOnce(writer, typed, hooks);
    // The answer to a request that was typed is printed as it came.
    if (typed === planned && isSuccess(reply)) run.learn(execution, { error: undefined, answer: reply.data });
    return await classifyReply(rulesOf(step), typed, reply, writer);
  } catch (error) {
    if (error === stop.why) {
      if (execution.state === 'sending') run.transitionLater(execution, { is: 'planned' });
      return undefined;
    }
    const response = classifyFailure(typed, error);
    if (response) return response;
    // Nothing has left, also where the record has not taken the intent, and takes nothing more.
    run.transitionLater(execution, { is: 'planned', error: error as CliError });
    stop.stop(error);
    return undefined;
  } finally {
    if (execution.id !== undefined && request.number > 0) engine.client.known.forget(resourceOf(step), execution.id);
  }
}

function outcomeOf(run: ActiveRun, execution: Execution, response: StepResponse, request: number): Change {
  const { stop, engine } = run;
  run.learn(execution, { error: undefined, sentByThisProcess: true });
  if (['answered', 'denied', 'look', 'rejected'].includes(response.is)) stop.clear();
  const rules = rulesOf(execution.step);
  if (response.is === 'answered') return rules.onSuccess(run, execution, response.reply);
  const { error } = response;
  const facts = { code: String(error.status ?? error.code) };
  switch (response.is) {
    case 'denied':
      return rules.onDenial(error);
    case 'look':
      return { is: 'unknown', error, facts };
    case 'rejected':
      return { is: 'rejected', error, facts };
    case 'unknown':
      stop.unclear(request, error);
      return { is: 'unknown', error, facts };
    case 'again':
      if (response.lasting || (response.limited && engine.client.pacer.gaveUp)) stop.stop(error);
      else stop.unclear(request, error);
      break;
    case 'token':
      // A token that may not change this exam may change another.
      if (error.status === 403) run.stopExam(execution, error);
      else stop.stop(error);
  }
  return { is: 'planned', error };
}
