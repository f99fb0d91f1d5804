/**
 * One step: read what it relies on, pass the gate, record the intent, send, and take down what the answer says. No request leaves before
 * its intent is durable, nor later than two seconds after its try has begun (ten while the pacer spaces requests); what may have been
 * carried out is not sent again.
 */
import { isSuccess, type Reply } from '../api/answer.ts';
import { ageOfMoment, type Moment, momentOf } from '../api/client.ts';
import { filled } from '../api/operations.ts';
import { backoff } from '../api/pacer.ts';
import { otherExam } from '../api/reading.ts';
import { requestFor } from '../api/request.ts';
import { sendOnce } from '../api/write.ts';
import { CliError, orError, stateErrors } from '../errors.ts';
import { addressIn } from '../model/address-key.ts';
import { asSent, unexpected } from '../model/as-sent.ts';
import { idOf } from '../model/id.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { otherStudent } from '../model/listing.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { phaseOf, statusText } from '../model/status.ts';
import { capitalised, sentence } from '../text/sentence.ts';
import { type Heard, heardFailure, heardReply, outdated } from './answers.ts';
import { type Item, isSeen } from './item.ts';
import { cameMeanwhile } from './look-first.ts';
import { type Change, freshAtMost, freshFor, type More, madeBy, note, type Running, readOne, readSession, settle } from './running.ts';
import { awaited, creates, examOfStep, kindOf, listedAs, nameOf, type Resource, resourceOf, type Step } from './step.ts';

const triesAtMost = 10;

/** Brings a planned step as far as it goes. Throws only what ends the run: a record that failed, a bug. */
export async function sendStep(running: Running, item: Item): Promise<void> {
  const { stop, client, host, context } = running;
  const failed = failedBefore(running, item);
  if (failed) return note(running, item, { state: 'skipped', reason: 'after_failed', error: failed.error });
  const held = await placeOfNew(running, item);
  if (held) return note(running, item, { state: 'skipped', reason: 'held_back', error: held });
  const refused = running.refused.get(examOfStep(item.step) ?? '');
  if (refused) {
    item.error = refused;
    return;
  }
  let began: Moment | undefined;
  const isOld = () => began === undefined || ageOfMoment(began, host) > freshFor(running);
  for (let tries = 1; !stop.why; tries += 1) {
    if (isOld()) {
      const relied = await reliedOn(running, item).catch((error: unknown) => failedRead(running, item, error));
      if (!relied) return;
      if ('state' in relied) return note(running, item, relied);
      began = relied;
    }
    const request = { number: 0 };
    const heard = await sent(running, item, isOld, request);
    if (!heard) return;
    const isAgain = heard.is === 'outdated' || (heard.is === 'again' && !heard.lasting);
    if (!isAgain || tries >= triesAtMost || client.pacer.gaveUp || stop.why)
      return note(running, item, take(running, item, heard, request.number));
    await settle(running, item, { state: 'planned' });
    if (heard.is !== 'again') continue;
    const wait = heard.limited ? client.pacer.pause : backoff(tries) * (0.5 + host.random());
    if (wait >= 1000) context.say(sentence`${heard.error.message} Retrying in ${(wait / 1000).toFixed(1)} s.`);
    if (wait > 0) await host.sleep(wait).catch(() => {});
  }
}

/** A step that it waits for, and that was not done. What somebody else has created is not what it needs. */
function failedBefore({ items }: Running, { step }: Item): Item | undefined {
  if (step.last) return items.find((other) => !other.step.last && other.state !== 'done');
  const isOthers = (before: Item) => before.index === step.made?.by && before.reason === 'there';
  // What it needs is there, though it shows another value.
  const isMade = ({ index, ours, seen, reason }: Item) => index === step.made?.by && ours && seen && reason === 'different';
  return awaited(step)
    .map((by) => items[by] as Item)
    .find((before) => isOthers(before) || (!isSeen(before) && !isOfNobody(before) && !isMade(before)));
}

/** Takes the places of an exam that the run has created, without waiting. Resolves to why nothing is sent to it. */
async function placeOfNew({ items, places, record, origin, context }: Running, { step }: Item): Promise<CliError | undefined> {
  const maker = step.made && items[step.made.by];
  if (!maker?.id || creates(maker.step) !== 'exam') return undefined;
  const names = [`${origin} exam ${maker.id}`, `${origin} students ${maker.id}`];
  const taken = places.get(maker.id) ?? orError(record.lock(names, context.recorded()));
  places.set(maker.id, taken);
  const locks = await taken;
  if (!(locks instanceof CliError)) return undefined;
  if (stateErrors.includes(locks.code)) throw locks;
  return locks;
}

/** A student of whom a read has shown that there is none any more holds up nothing that is done for the others. */
function isOfNobody({ reason, step }: Item): boolean {
  return reason === 'gone' && kindOf(step) === 'update' && resourceOf(step) === 'session' && step.made === undefined;
}

/** A read that fails leaves the step planned, and counts as an unclear answer. */
function failedRead({ stop }: Running, item: Item, error: unknown): undefined {
  if (!(error instanceof CliError) || stateErrors.includes(error.code)) throw error;
  item.error = error;
  if (['token_refused', 'not_logged_in', 'interrupted', 'terminated', 'bad_answer'].includes(error.code)) stop.stop(error);
  else stop.unclear(stop.begin(), error);
}

/**
 * A write to an existing record is sent only if a read right before it shows the same exam, the same student, and what it was computed
 * from. Resolves to the moment of the oldest read; to the step's end where the reads have brought it there.
 */
async function reliedOn(running: Running, item: Item): Promise<Moment | Change> {
  const { client, zone, gate, host } = running;
  const { step } = item;
  const resource = resourceOf(step);
  const kind = kindOf(step);
  const reads = [momentOf(host)];
  if (step.isSo) return { state: 'done', reason: 'there', seen: true };
  // The service may have stored the address of what it has created in another spelling.
  if (step.made) item.stored ??= running.items[step.made.by]?.stored;
  const staying = step.restore || step.beside ? await (await import('./last-look.ts')).stayingOf(running, step) : undefined;
  if (staying instanceof CliError) return changed(staying);
  if (staying) reads.push(staying.at);
  if (kind === 'update' || kind === 'deletion') {
    const id = step.params.id ?? '';
    item.id = id;
    const isOfStudent = resource === 'session' && kind === 'update';
    // What was created in its place is as it was before.
    const within = step.restore ? 0 : freshAtMost;
    const shown = isOfStudent ? await readSession(running, step) : await readOne(running, resource, id, within);
    if (!shown) return { state: 'failed', reason: 'gone', error: missing(step, resource, id) };
    const { data, at } = shown;
    reads.push(at);
    const stranger =
      resource === 'session' ? (otherExam(step.exam, data, client) ?? otherStudent(item.stored ?? step.email, data)) : undefined;
    const why = stranger ?? barred(step, data) ?? unexpected(resource, step.expects, data, zone);
    // That another command has come to the same time is no proof that an amount was set.
    const isByOther = why !== undefined && (running.run.run.more as More).amount !== undefined;
    // Who has finished needs no window that moves along with the exam.
    const isFinished = step.after !== undefined && barred(step, data) !== undefined && phaseOf(data.status) === 'finished';
    const isSo = !isByOther && isSoAlready(step, data, zone);
    if (stranger === undefined && (isSo || isFinished)) {
      const is = isSo ? 'has these values already; nothing was sent' : 'has finished meanwhile, and was not changed';
      const evidence = sentence`${capitalised(nameOf(resource))} ${id} ${is}.`;
      return { state: 'done', reason: 'there', seen: true, shown: data, evidence };
    }
    if (why !== undefined) return changed(changedMeanwhile(resource, id, why));
    const exam = step.expectsExam && step.exam;
    const shownExam = exam === undefined ? undefined : await readOne(running, 'exam', exam, freshAtMost);
    if (shownExam) reads.push(shownExam.at);
    const moved = exam === undefined ? undefined : unexpected('exam', step.expectsExam, shownExam?.data ?? {}, zone);
    if (moved !== undefined) return changed(changedMeanwhile('exam', exam ?? '', moved, id));
  }
  const came = creates(step) ? await cameMeanwhile(running, step) : undefined;
  if (came) return changed(came);
  const refused = await gate.judgeStep(step);
  if (refused) return { state: 'skipped', reason: 'held_back', error: refused };
  return reads.reduce((oldest, at) => (at.wall < oldest.wall ? at : oldest));
}

function changed(error: CliError): Change {
  return { state: 'failed', reason: 'changed', error };
}

/** Sends it once. Undefined where it has come to an end by itself. */
async function sent(running: Running, item: Item, isOld: () => boolean, request: { number: number }): Promise<Heard | undefined> {
  const { stop, writer, host } = running;
  const { step } = item;
  let committed: Moment | undefined;
  const hooks = {
    async prepare() {
      if (stop.why) throw stop.why;
      committed = momentOf(host);
      await settle(running, item, { state: 'sending' });
    },
    withheld() {
      if (stop.why) return stop.why;
      if (isOld() || (committed && ageOfMoment(committed, host) > freshAtMost)) return outdated;
      request.number ||= stop.begin();
      return undefined;
    },
  };
  const typed = step.raw ?? requestFor(step.operation, { params: { ...step.params }, ...(step.body ? { body: step.body } : {}) });
  try {
    const reply = await sendOnce(writer, typed, hooks);
    if (step.raw && isSuccess(reply)) item.answer = reply.data;
    return await heardReply(step, typed, reply, writer);
  } catch (error) {
    if (error instanceof CliError && (stateErrors.includes(error.code) || error.code === 'already_running')) {
      stop.stop(error);
      return undefined;
    }
    if (error === stop.why) {
      if (item.state === 'sending') await settle(running, item, { state: 'planned' });
      return undefined;
    }
    const heard = heardFailure(typed, error);
    if (heard) return heard;
    await settle(running, item, { state: 'planned', error: error as CliError });
    stop.stop(error as CliError);
    return undefined;
  } finally {
    // What was read before it is old now.
    if (item.id !== undefined && request.number > 0) running.client.known.forget(resourceOf(step), item.id);
  }
}

function take(running: Running, item: Item, heard: Heard, request: number): Change {
  const { stop, refused, client } = running;
  item.sentNow = true;
  if (['answered', 'denied', 'look', 'rejected'].includes(heard.is)) stop.clear();
  if (heard.is === 'answered') return answered(running, item, heard.reply);
  const { error } = heard;
  const unknown: Change = { state: 'unknown', error, code: String(error.status ?? error.code) };
  switch (heard.is) {
    case 'denied': {
      // Nothing is read of what is no operation of the table: what its answer says is all that is known.
      const isAll = kindOf(item.step) === 'other' && error.code === 'not_applied';
      // Of mails that were not all denied, some may have been sent.
      const isPart = kindOf(item.step) === 'mails' && error.code === 'outcome_unknown';
      return { ...unknown, ...(isAll ? { state: 'failed', reason: 'not_applied' } : {}), code: isPart ? 'denied in part' : 'denied' };
    }
    case 'look':
      return unknown;
    case 'rejected':
      return { ...unknown, state: 'failed', reason: 'rejected' };
    case 'unknown':
      stop.unclear(request, error);
      return unknown;
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

/** A success. Of a create, its ID decides; whether it is so, a look shows. */
function answered({ client, makers, wasThere }: Running, item: Item, reply: Reply): Change {
  const { step } = item;
  const { status } = reply;
  const made = creates(step);
  const data = step.operation.answer === 'one' ? client.recordIn(reply, step.operation) : reply.data;
  const shown = isJsonObject(data) ? data : undefined;
  // No state need show that mails were sent: the answer is their proof.
  const seen = kindOf(step) === 'mails';
  if (!made) return { state: 'done', seen, ours: true, code: String(status), ...(shown ? { shown } : {}) };
  const id = shown && idOf(shown);
  if (shown === undefined || id === undefined)
    return { state: 'unknown', code: '2xx', error: acknowledged(made, status, `and shows no ID, ${unshown}`) };
  const other = makers.get(madeBy({ step, id }));
  if (other && other !== item) return { state: 'failed', reason: 'different', error: givenTwice(made, id, other) };
  // Not ours, and no proof: the list decides.
  if (wasThere.has(listedAs(made, id)))
    return { state: 'unknown', code: 'was there', error: acknowledged(made, status, `with ${made} ${id}, which was there before.`) };
  const stored = otherStudent(step.email, shown) === undefined ? undefined : addressIn(shown);
  return {
    state: 'unknown',
    code: '2xx',
    id,
    shown,
    ours: true,
    stored,
    error: acknowledged(made, status, `and names ${made} ${id}, ${unshown}`),
  };
}

/** Whether a target shows all that an update would set. */
export function isSoAlready(step: Step, shown: JsonObject, zone: string): boolean {
  const { body, always, raw, operation, isSo } = step;
  if (isSo) return true;
  if (!body || always || raw || operation.method !== 'PATCH') return false;
  if (!Object.keys(body).every((field) => Object.hasOwn(shown, field))) return false;
  const { different, notShown } = asSent(resourceOf(step), body, shown, zone);
  return different.length + notShown.length === 0;
}

function barred({ unless = [] }: Step, { status }: JsonObject): string | undefined {
  const phase = phaseOf(status);
  return phase !== undefined && unless.includes(phase) ? `its status is ${statusText(status)}` : undefined;
}

/** `unsent`: the session to which nothing was sent because of its exam. */
function changedMeanwhile(resource: Resource, id: string, why: string, unsent?: string): CliError {
  const to = unsent === undefined ? 'it' : sentence`session ${unsent}`;
  const what = sentence`${capitalised(nameOf(resource))} ${id} was changed meanwhile: ${why}. Nothing was sent to ${to}.`;
  const look = typedCommand(`${resource}s get`, [id]);
  return new CliError('changed_meanwhile', what, { hint: sentence`Check it, then run the command again: proctor-cli ${look}` });
}

function missing({ operation, params }: Step, resource: Resource, id: string): CliError {
  const does = filled(operation.does, params);
  return new CliError('not_found', sentence`The service could not ${does}: ${nameOf(resource)} ${id} does not exist (404).`, {
    hint: sentence`Check the ID; list them with: proctor-cli ${resource}s list`,
    status: 404,
  });
}

function acknowledged(resource: Resource, status: number, more: string): CliError {
  const what = sentence`The service answered the request to create the ${resource} (${status}) ${more}`;
  return new CliError('outcome_unknown', what, { status });
}

function givenTwice(resource: Resource, id: string, { step: { line } }: Item): CliError {
  const whom = line === undefined ? 'another student' : `line ${line}`;
  return new CliError(
    'partly_done',
    sentence`The service answered with ${resource} ${id}, which it gave to ${whom}: for this service, both are one student.`,
  );
}
