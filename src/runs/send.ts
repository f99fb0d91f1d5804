/**
 * One step: read what it relies on, pass the gate, record the intent, send, and note the answer. No
 * request leaves before its intent is durable, nor more than two seconds after its reads (ten while
 * the pacer spaces requests). What may have been carried out is not sent again.
 */
import { isSuccess, type Reply } from '../api/answer.ts';
import { ageOfMoment, examOf, type Moment, momentOf } from '../api/client.ts';
import { filled } from '../api/operations.ts';
import { backoff } from '../api/pacer.ts';
import { otherExam, readExam } from '../api/reading.ts';
import { requestFor } from '../api/request.ts';
import { sendOnce } from '../api/write.ts';
import { CliError, type ErrorCode, orError, stateErrors } from '../errors.ts';
import { addressIn } from '../model/address-key.ts';
import { differences, unexpected } from '../model/compare.ts';
import { idOf } from '../model/id.ts';
import { isJsonObject, type JsonObject, textIn } from '../model/json.ts';
import { otherStudent } from '../model/listing.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { phaseOf, statusText } from '../model/status.ts';
import { capitalised, sentence } from '../text/sentence.ts';
import { classifyFailure, classifyReply, outdated, type StepResponse } from './classify-response.ts';
import type { Execution } from './execution.ts';
import { appearedSince } from './existing-records.ts';
import {
  freshMs,
  madeBy,
  maxReadAgeMs,
  type Outcome,
  type Running,
  type RunOptions,
  readOne,
  readSession,
  shared,
  transition,
  transitionLater,
} from './running.ts';
import { awaited, creates, examOfStep, kindOf, listedAs, lookAt, nameOf, type Resource, resourceOf, type Step, showsAll } from './step.ts';

const triesAtMost = 10;
const endsRun: readonly ErrorCode[] = ['token_refused', 'not_logged_in', 'bad_answer', 'list_in_doubt'];

/** Brings a planned step as far as it goes. Throws only what ends the run. */
export async function sendStep(running: Running, item: Execution): Promise<void> {
  const { stop, client, host, context } = running;
  const failed = failedBefore(running, item);
  if (failed) return transitionLater(running, item, { reason: 'after_failed', error: failed.error });
  const held = await placeOfNew(running, item);
  if (held) return transitionLater(running, item, { reason: 'held_back', error: held });
  const refused = running.refused.get(examOfStep(item.step));
  if (refused) {
    item.error = refused;
    return;
  }
  let began: Moment | undefined;
  const isOld = () => began === undefined || ageOfMoment(began, host) > maxReadAgeMs(running);
  for (let tries = 1; !stop.why; tries += 1) {
    if (isOld()) {
      const relied = await precheck(running, item).catch((error: unknown) => failedRead(running, item, error));
      if (!relied) return;
      if (!('wall' in relied)) return transitionLater(running, item, relied);
      began = relied;
    }
    const request = { number: 0 };
    const heard = await exchange(running, item, isOld, request);
    if (!heard) return;
    const isAgain = heard.is === 'outdated' || (heard.is === 'again' && !heard.lasting);
    if (!isAgain || tries >= triesAtMost || client.pacer.gaveUp || stop.why)
      return transitionLater(running, item, outcomeOf(running, item, heard, request.number));
    await transition(running, item, { state: 'planned' });
    if (heard.is !== 'again') continue;
    const wait = heard.limited ? client.pacer.pause : backoff(tries) * (0.5 + host.random());
    if (wait >= 1000) context.say(sentence`${heard.error.message} Retrying in ${(wait / 1000).toFixed(1)} s.`);
    if (wait > 0) await host.sleep(wait).catch(() => {});
  }
}

function failedBefore({ items }: Running, { step }: Execution): Execution | undefined {
  if (step.last) return items.find((other) => !other.step.last && other.state !== 'done');
  const isInTheWay = (before: Execution) => {
    const { state, owned, seen, reason } = before;
    const isMaker = before.index === step.made?.by;
    // What somebody else has created is not what it needs.
    if (isMaker && reason === 'there') return true;
    // What it needs is there, though it shows another value.
    if (isMaker && owned && seen && reason === 'different') return false;
    return !(state === 'done' && seen) && !isOfNobody(before);
  };
  return awaited(step)
    .map((by) => items[by] as Execution)
    .find(isInTheWay);
}

/** The places of an exam that the run has created are not waited for. */
async function placeOfNew(running: Running, { step }: Execution): Promise<CliError | undefined> {
  const { items, places, record, origin, command } = running;
  const maker = step.made && items[step.made.by];
  if (!maker?.id || creates(maker.step) !== 'exam') return undefined;
  const names = [`${origin} exam ${maker.id}`, `${origin} students ${maker.id}`];
  const taken = places.get(maker.id) ?? orError(record.lock(names, command));
  places.set(maker.id, taken);
  const locks = await taken;
  if (!(locks instanceof CliError)) return undefined;
  if (stateErrors.includes(locks.code)) throw locks;
  return locks;
}

/** A student who is gone holds up nothing that is done for the others. */
function isOfNobody({ reason, step }: Execution): boolean {
  return reason === 'gone' && isOfWindow(step) && step.made === undefined;
}

function isOfWindow(step: Step): boolean {
  return kindOf(step) === 'update' && resourceOf(step) === 'session';
}

/** A read that fails leaves the step planned, and counts as an unclear answer. */
function failedRead({ stop }: Running, item: Execution, error: unknown): undefined {
  if (!(error instanceof CliError) || stateErrors.includes(error.code)) throw error;
  item.error = error;
  if (endsRun.includes(error.code)) stop.stop(error);
  else stop.unclear(stop.begin(), error);
}

/** Resolves to the moment of the oldest read, or to what has become of the step. */
async function precheck(running: Running, item: Execution): Promise<Moment | Outcome> {
  const { gate, host, items } = running;
  const { step } = item;
  if (step.isSo) return { reason: 'there', seen: true };
  const reads = [momentOf(host)];
  // The service may have storedAs the address in another spelling.
  if (step.made) item.storedAs ??= items[step.made.by]?.storedAs;
  if (step.restore || step.beside) {
    const staying = await (await import('./final-checks.ts')).findSurvivor(running, step);
    if (staying instanceof CliError) return { reason: 'changed', error: staying };
    reads.push(staying.at);
  }
  if (['update', 'deletion'].includes(kindOf(step))) {
    const target = await readTarget(running, item);
    if (!Array.isArray(target)) return target;
    reads.push(...target);
  }
  const came = creates(step) && (await appearedSince(running, step));
  if (came) return { reason: 'changed', error: came };
  const refused = await gate?.judgeStep(step);
  if (refused) return { reason: 'held_back', error: refused };
  return reads.reduce((oldest, at) => (at.wall < oldest.wall ? at : oldest));
}

/** It is sent only while the same exam, the same student, and all that it expects are shown. */
async function readTarget(running: Running, item: Execution): Promise<Moment[] | Outcome> {
  const { client, zone, run } = running;
  const { step } = item;
  const { id = '' } = step.params;
  const resource = resourceOf(step);
  item.id = id;
  // No list, and no reading that others share, says what a deletion takes from its target.
  const within = kindOf(step) === 'deletion' ? 0 : freshMs;
  const shown = isOfWindow(step) ? await readSession(running, step) : await readOne(running, resource, id, within);
  if (!shown) return { reason: 'gone', error: missing(step, resource, id) };
  const { data, at } = shown;
  const other = otherExam(step.exam, data, client) ?? otherStudent(item.storedAs ?? step.email, data);
  const stranger = resource === 'session' ? other : undefined;
  const bar = barred(step, data);
  const why = stranger ?? bar ?? unexpected(resource, step.expects, data, zone);
  // The same time does not prove that this amount was set.
  const isByOther = why !== undefined && (run.run.more as RunOptions).amount !== undefined;
  const isSo = !isByOther && isSoAlready(step, data, zone);
  // Who has finished needs no window that moves along with the exam.
  const isFinished = step.after !== undefined && bar !== undefined && phaseOf(data.status) === 'finished';
  if (stranger === undefined && (isSo || isFinished)) {
    const is = isSo ? 'has these values already; nothing was sent' : 'has finished meanwhile, and was not changed';
    const note = sentence`${capitalised(nameOf(resource, id))} ${is}.`;
    return { reason: 'there', seen: true, shown: data, note };
  }
  if (why !== undefined) return { reason: 'changed', error: changedMeanwhile(resource, id, why) };
  const taken = resource === 'session' ? await takenBy(running, step, data) : undefined;
  if (taken) return { reason: 'changed', error: taken };
  const { exam, expectsExam } = step;
  if (exam === undefined || !expectsExam) return [at];
  const shownExam = await readOne(running, 'exam', exam, freshMs);
  const moved = unexpected('exam', expectsExam, shownExam?.data ?? {}, zone);
  if (moved !== undefined) return { reason: 'changed', error: changedMeanwhile('exam', exam, moved) };
  return [at, shownExam?.at ?? at];
}

/** The error for an address or a number that the list of the exam shows of another session. */
async function takenBy(running: Running, { body = {}, params, ...step }: Step, shown: JsonObject): Promise<CliError | undefined> {
  const { client } = running;
  const [email, number] = ['email', client.dialect.sessionNumberKey].map((key) => textIn(body[key]));
  const exam = step.exam ?? examOf(shown, client);
  if (exam === undefined || (email ?? number) === undefined) return undefined;
  const list = await shared(running, `students ${exam}`, freshMs, () => readExam(client, exam));
  const other = [...list.of({ email }), ...list.of({ number })].find(({ id }) => id !== params.id);
  if (!other) return undefined;
  const what = sentence`${email ?? number} is in exam ${exam} already, as session ${other.id ?? 'without an ID'}. This request was not sent.`;
  const hint = sentence`Look at both: proctor-cli ${typedCommand('sessions find', [email ?? number ?? ''])}`;
  return new CliError('already_there', what, { hint });
}

/** Undefined where nothing more is to be done about it. */
async function exchange(
  running: Running,
  item: Execution,
  isOld: () => boolean,
  request: { number: number },
): Promise<StepResponse | undefined> {
  const { stop, writer } = running;
  const { step } = item;
  const hooks = {
    async prepare() {
      if (stop.why) throw stop.why;
      await transition(running, item, { state: 'sending', sentDate: writer.known.date });
    },
    withheld() {
      if (stop.why) return stop.why;
      if (isOld()) return outdated;
      request.number ||= stop.begin();
      return undefined;
    },
  };
  const typed = step.raw ?? requestFor(step.operation, step);
  try {
    const reply = await sendOnce(writer, typed, hooks);
    if (step.raw && isSuccess(reply)) item.answer = reply.data;
    return await classifyReply(step, typed, reply, writer);
  } catch (error) {
    if (error instanceof CliError && (stateErrors.includes(error.code) || error.code === 'already_running')) {
      stop.stop(error);
      return undefined;
    }
    if (error === stop.why) {
      if (item.state === 'sending') await transition(running, item, { state: 'planned' });
      return undefined;
    }
    const heard = classifyFailure(typed, error);
    if (heard) return heard;
    await transition(running, item, { state: 'planned', error: error as CliError });
    stop.stop(error);
    return undefined;
  } finally {
    if (item.id !== undefined && request.number > 0) running.client.known.forget(resourceOf(step), item.id);
  }
}

function outcomeOf(running: Running, item: Execution, heard: StepResponse, request: number): Outcome {
  const { stop, refused, client } = running;
  item.sentByThisProcess = true;
  if (['answered', 'denied', 'look', 'rejected'].includes(heard.is)) stop.clear();
  if (heard.is === 'answered') return created(running, item, heard.reply);
  const { error } = heard;
  const code = String(error.status ?? error.code);
  switch (heard.is) {
    case 'denied': {
      const kind = kindOf(item.step);
      const isAll = error.code === 'not_applied';
      // No look can say more.
      if (kind === 'other' && isAll) return { reason: 'not_applied', error, code: 'denied' };
      // Of mails that were not all denied, some may have been sent.
      return { state: 'unknown', error, code: kind === 'mails' && !isAll ? 'denied in part' : 'denied' };
    }
    case 'look':
      return { state: 'unknown', error, code };
    case 'rejected':
      return { reason: 'rejected', error, code };
    case 'unknown':
      stop.unclear(request, error);
      return { state: 'unknown', error, code };
    case 'again':
      if (heard.lasting || (heard.limited && client.pacer.gaveUp)) stop.stop(error);
      else stop.unclear(request, error);
      break;
    case 'token': {
      // What the token may not do to one exam, it may to another.
      const exam = examOfStep(item.step);
      if (error.status === 403 && exam !== undefined) refused.set(exam, error);
      else stop.stop(error);
    }
  }
  return { state: 'planned', error };
}

const unshown = 'but no read shows it yet. It is not sent again.';

/** Of a create, its ID decides; whether it is so, a look shows. */
function created({ client, creatorsById, wasThere }: Running, item: Execution, reply: Reply): Outcome {
  const { step } = item;
  const { status } = reply;
  const made = creates(step);
  const data = step.operation.answer === 'one' ? client.recordIn(reply, step.operation) : reply.data;
  const shown = isJsonObject(data) ? data : undefined;
  if (!made) {
    // No look can say more.
    const seen = ['mails', 'other'].includes(kindOf(step));
    return { state: 'done', seen, owned: true, code: String(status), ...(shown ? { shown } : {}) };
  }
  const unknown = (code: string, more: string): Outcome => {
    const what = sentence`The service answered the request to create the ${made} (${status}) ${more}`;
    return { state: 'unknown', code, error: new CliError('outcome_unknown', what, { status }) };
  };
  const id = shown && idOf(shown);
  if (shown === undefined || id === undefined) return unknown('2xx', `and shows no ID, ${unshown}`);
  const other = creatorsById.get(madeBy({ step, id }));
  if (other && other !== item) return { reason: 'different', error: givenTwice(made, id, other) };
  // Not owned, and no proof: the list decides.
  if (wasThere.has(listedAs(made, id))) return unknown('was there', `with ${made} ${id}, which was there before.`);
  const storedAs = otherStudent(step.email, shown) === undefined ? undefined : addressIn(shown);
  return { ...unknown('2xx', `and names ${made} ${id}, ${unshown}`), id, shown, owned: true, storedAs };
}

export function isSoAlready(step: Step, shown: JsonObject, zone: string): boolean {
  const { body, always, raw, operation, isSo } = step;
  if (isSo) return true;
  if (!body || always || raw || operation.method !== 'PATCH') return false;
  if (!showsAll(shown, body)) return false;
  const { different, notShown } = differences(resourceOf(step), body, shown, zone);
  return different.length + notShown.length === 0;
}

function barred({ unless = [] }: Step, { status }: JsonObject): string | undefined {
  const phase = phaseOf(status);
  return phase !== undefined && unless.includes(phase) ? `its status is ${statusText(status)}` : undefined;
}

function changedMeanwhile(resource: Resource, id: string, why: string): CliError {
  const what = sentence`${capitalised(nameOf(resource, id))} was changed meanwhile: ${why}. This request was not sent.`;
  return new CliError('changed_meanwhile', what, { hint: lookAt(resource, id) });
}

function missing({ operation, params }: Step, resource: Resource, id: string): CliError {
  const does = filled(operation.does, params);
  const what = sentence`The service could not ${does}: ${nameOf(resource, id)} does not exist (404).`;
  const hint = sentence`Check the ID; list them with: proctor-cli ${resource}s list`;
  return new CliError('not_found', what, { hint, status: 404 });
}

function givenTwice(resource: Resource, id: string, { step: { line } }: Execution): CliError {
  const whom = line === undefined ? 'another student' : `line ${line}`;
  const what = sentence`The service answered with ${resource} ${id}, which it gave to ${whom}: for this service, both are one student.`;
  return new CliError('partly_done', what);
}
