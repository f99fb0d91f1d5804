/**
 * One step: read what it relies on, pass the gate, record claim and intent, send, and take down what the answer says. Invariants: no
 * request leaves before its intent is durable, nor on one that is older than two seconds; none leaves on a read that is too old; what
 * may have been carried out is not sent again.
 */
import type { Reply } from '../api/answer.ts';
import { ageOfMoment, type Moment, momentOf } from '../api/known.ts';
import { backoff, tries as triesUnstarted } from '../api/pacer.ts';
import { requestFor, type WriteHooks } from '../api/request.ts';
import { sendOnce } from '../api/write.ts';
import { CliError, stateErrors } from '../errors.ts';
import { addressIn, addressKey } from '../model/address-key.ts';
import { idOf } from '../model/id.ts';
import { isJsonObject } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { type Claim, type ClaimName, ClaimTaken, type HeldRun, TakenOver } from '../state/state.ts';
import { sentence } from '../text/sentence.ts';
import { type Heard, heardFailure, heardReply, Outdated } from './answers.ts';
import type { Book, Said } from './book.ts';
import { claimsOf, settleClaims, studentScope } from './claims.ts';
import type { ExamGate } from './gate/exam-gate.ts';
import { noteWritten } from './own-writes.ts';
import { type Identity, reliedOn } from './relies.ts';
import { createsExam, createsStudent, dependenciesOf, isWhole, type Step, targetOf } from './step.ts';
import { isGood, isOpen, type StepState } from './step-states.ts';
import type { StopRule } from './stop-rule.ts';
import { lookForStudents } from './students-there.ts';
import { freshLimit, noteShown, orReadError, shownLately, type World } from './world.ts';

/** How old the commit that justifies a request may be when the request starts. Milliseconds. */
const commitFor = 2000;
const triesAtMost = 10;

/** The run stops, and the request has not left. */
class Stopped extends CliError<'The run had stopped.'> {
  constructor() {
    super('interrupted', 'The run had stopped.');
  }
}

export type SenderParts = {
  world: World;
  run: HeldRun;
  book: Book;
  gate: ExamGate;
  stop: StopRule;
  /** Whether an ID was there when the run was planned. */
  wasListed(resource: 'exam' | 'session', id: string, exam: string | undefined): boolean;
  /** The key of the address that the service showed of a step's session. */
  shownKeys: Map<number, string>;
};

/** A step with what is sent of it; `request`: the number by which the stop rule counts it. */
type Sent = { step: Step; params: Step['params']; exam: string | undefined; claims: readonly ClaimName[]; request: number };

export class StepSender {
  readonly #parts: SenderParts;
  /** Exams that the token may not change: their other steps are not sent. */
  readonly #refusedExams = new Map<string, CliError>();
  #claimedBy = new Map<number, Claim>();
  /** Steps that were put off once because another run had claimed their student. */
  readonly #putOff = new Set<number>();

  readonly #claims = new Map<string, Promise<void>>();
  readonly #claimedIds = new Set<string>();

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** The steps that were put off because of the claims of other runs. */
  takeClaimed(): ReadonlyMap<number, Claim> {
    const claimed = this.#claimedBy;
    this.#claimedBy = new Map();
    return claimed;
  }

  /** Brings a planned step as far as it goes. Throws only what ends the run: a state that failed, a bug. */
  async send(index: number): Promise<void> {
    const { book, stop } = this.#parts;
    const step = book.steps.at(index);
    if (!isWhole(step) || stop.why) return;
    const waits = this.#waitsFor(step);
    if (waits) return waits.is === 'failed' ? this.#end(index, 'skipped', { error: waits.error }) : undefined;
    const params = book.paramsOf(index);
    const exam = book.examOf(index);
    const refused = exam === undefined ? undefined : this.#refusedExams.get(exam);
    if (refused) return book.say(index, { error: refused });
    const claims = claimsOf(step, exam, this.#parts.world);
    for (let [tries, outdated] = [1, 0]; ; ) {
      const ready = await this.#ready(index, step, params);
      if (!ready) return;
      const heard = await this.#sendOnce(index, { step, params, exam, claims, ...ready });
      if (heard === undefined) return;
      if (heard.is === 'outdated' && outdated < triesAtMost) {
        this.#back(index);
        outdated += 1;
        // The process was stopped, or waited: meanwhile, somebody else may have added the student.
        const looks = createsStudent(step) && exam !== undefined && step.email !== undefined && step.number === undefined;
        if (looks && (await this.#isThere(index, step, exam))) return;
        continue;
      }
      const again =
        heard.is === 'again' &&
        !heard.lasting &&
        tries < (heard.limited ? triesAtMost : triesUnstarted) &&
        !this.#parts.world.client.pacer.gaveUp &&
        !stop.why;
      if (!again) {
        this.#take(index, { step, params, exam, claims, request: ready.counted.number }, heard);
        return heard.is === 'look' && heard.error.status === 404 ? this.#stopIfGone(step, exam, heard.error) : undefined;
      }
      this.#back(index);
      if (!heard.limited) await this.#wait(backoff(tries), heard.error);
      else this.#sayWait(heard.error);
      tries += 1;
    }
  }

  /** In an exam that is gone, nothing more can be created. */
  async #stopIfGone(step: Step, exam: string | undefined, error: CliError): Promise<void> {
    const { world, stop } = this.#parts;
    if (!createsStudent(step) || exam === undefined) return;
    const shown = await orReadError(shownLately(world, 'exam', exam, 0));
    if (shown === undefined) stop.stop(error);
  }

  /** The steps before it: `failed` where it can never be sent; `open` where it may be later. */
  #waitsFor(step: Step): { is: 'failed'; error: CliError } | { is: 'open' } | undefined {
    const { book } = this.#parts;
    const { made, proven, last } = step;
    if (last && book.turnOfLast !== 'now') {
      return book.turnOfLast === 'open'
        ? { is: 'open' }
        : { is: 'failed', error: new CliError('not_applied', 'Not sent, because the steps before it are not complete.') };
    }
    // A student who was there already is not this run's to complete.
    if (made && book.state(made.by) === 'there')
      return { is: 'failed', error: new CliError('already_there', 'The student was there already.') };
    for (const before of dependenciesOf(step)) {
      const state = book.state(before);
      const { error, step: earlier } = book.outcome(before) ?? {};
      // Somebody else's record that is not there any more holds nothing up.
      const isAway = state === 'gone' && earlier?.made === undefined && before !== made?.by && before !== proven;
      if (isGood(state) || isAway) continue;
      if (isOpen(state)) return { is: 'open' };
      return { is: 'failed', error: error ?? new CliError('not_applied', 'A step before this one was not done.') };
    }
    return undefined;
  }

  #identityOf(step: Step): Identity {
    const { book, shownKeys } = this.#parts;
    const { made, proven } = step;
    const id = proven === undefined ? step.provenId : book.id(proven);
    const by = made && !book.isOurs(made.by) ? book.steps.at(made.by) : undefined;
    return {
      ...(made ? { shownKey: shownKeys.get(made.by) } : {}),
      ...(by && createsStudent(by) ? { sent: by.body } : {}),
      ...(id === undefined ? {} : { proven: { id, shownKey: proven === undefined ? undefined : shownKeys.get(proven) } }),
    };
  }

  /** The reads that the step relies on, and the gate; undefined where the step has come to an end by them. */
  async #ready(index: number, step: Step, params: Step['params']) {
    const { world, gate, book, stop } = this.#parts;
    try {
      const relied = await reliedOn(step, params, this.#identityOf(step), world);
      if (relied.is !== 'ready') {
        const said: Said = { ...(relied.shown ? { shown: relied.shown } : {}) };
        if (relied.is === 'done') this.#end(index, 'done', { ...said, evidence: relied.evidence });
        else this.#end(index, relied.is, { ...said, error: relied.error });
        return undefined;
      }
      const isOwn = step.made !== undefined && book.isOurs(step.made.by);
      const refusal = await gate.judgeStep(step, params, isOwn, freshLimit(world.client));
      if (refusal) {
        this.#end(index, 'skipped', { error: refusal });
        return undefined;
      }
      return { at: relied.at, shown: relied.shown, counted: { number: 0 } };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      book.say(index, { error });
      if (['token_refused', 'not_logged_in', 'interrupted', 'terminated', 'bad_answer'].includes(error.code)) stop.stop(error);
      else stop.unclear(stop.begin(), error);
      return undefined;
    }
  }

  async #sendOnce(
    index: number,
    { step, params, exam, claims, at, counted }: Omit<Sent, 'request'> & { at: Moment | undefined; counted: { number: number } },
  ): Promise<Heard | undefined> {
    const { world, book, run, stop } = this.#parts;
    const { client, host } = world;
    let committed: Moment | undefined;
    const write: WriteHooks = {
      async prepare() {
        if (stop.why) throw new Stopped();
        // When its answer comes late, another process may have taken over since.
        committed = momentOf(host);
        await run.intend(index + 1, 'sending', claims);
        book.restore(index, 'sending');
      },
      withheld() {
        if (stop.why) return new Stopped();
        if (committed && ageOfMoment(committed, host) > commitFor) return new Outdated();
        if (at && ageOfMoment(at, host) > freshLimit(client)) return new Outdated();
        counted.number ||= stop.begin();
        return undefined;
      },
    };
    const target = targetOf(step, params);
    const relied = target && client.known.shown(target.resource, target.id);
    /** What did nothing leaves what was read before as young as it was. */
    const asBefore = ({ is }: Heard) => {
      if (target && relied && (is === 'again' || is === 'outdated')) client.known.saw(target.resource, target.id, relied);
    };
    const request = () => requestFor(step.operation, { params: { ...params }, ...(step.body ? { body: step.body } : {}) });
    try {
      if (target) client.known.forget(target.resource, target.id);
      if (createsStudent(step) && exam !== undefined) await this.#readClaims(exam);
      const reply = await sendOnce(world.writer, request(), write);
      const heard = heardReply(step, request(), reply, world.writer);
      asBefore(heard);
      if (target && heard.is === 'answered') await noteWritten(world, step, target, { run: run.run.id, exam });
      return heard;
    } catch (error) {
      if (error instanceof ClaimTaken) return this.#claimed(index, { step, exam }, error);
      if (error instanceof TakenOver) {
        stop.stop(error);
        return undefined;
      }
      if (error instanceof Stopped) {
        this.#back(index);
        return undefined;
      }
      if (error instanceof CliError && stateErrors.includes(error.code)) throw error;
      try {
        const heard = heardFailure(request(), error);
        asBefore(heard);
        return heard;
      } catch (fault) {
        if (!(fault instanceof CliError)) throw fault;
        this.#back(index);
        book.say(index, { error: fault });
        stop.stop(fault);
        return undefined;
      }
    }
  }

  /** Another step has claimed the same. A student who is there is not created; one whose outcome is open is put off, then its run is named. */
  async #claimed(
    index: number,
    { step, exam }: { step: Step; exam: string | undefined },
    { claim }: ClaimTaken,
  ): Promise<Heard | undefined> {
    const { book, run } = this.#parts;
    if (createsStudent(step) && claim.done && claim.session !== null && exam !== undefined) {
      if (await this.#isThere(index, step, exam)) return undefined;
      run.endClaim(claim, 0);
      await run.flush();
      return { is: 'outdated' };
    }
    if (createsStudent(step) && !this.#putOff.has(index)) {
      this.#putOff.add(index);
      this.#claimedBy.set(index, claim);
    }
    book.say(index, { error: claimedBy(claim, this.#parts.world) });
    return undefined;
  }

  /** Looks once more for the student whom a step creates, and ends the step where somebody else has added them. */
  async #isThere(index: number, step: Step, exam: string): Promise<boolean> {
    const { book, world } = this.#parts;
    const { reading, claimed } = await lookForStudents(world, exam, [step]);
    const there = reading.withAddress(step.email ?? '')[0] ?? claimed.get(0);
    if (there?.id === undefined) return false;
    book.setId(index, there.id);
    this.#end(index, 'there', { shown: there.data });
    return true;
  }

  /** What the answer means for the step. */
  #take(index: number, sent: Sent, heard: Heard) {
    const { book, stop } = this.#parts;
    book.noteSent(index);
    switch (heard.is) {
      case 'answered':
        stop.clear();
        return this.#answered(index, sent, heard.reply);
      case 'denied': {
        stop.clear();
        const { error, reply } = heard;
        return this.#end(index, 'unknown', { error, code: 'denied', ...(reply.data === undefined ? {} : { shown: reply.data }) });
      }
      case 'look':
        stop.clear();
        return this.#end(index, 'unknown', { error: heard.error, code: String(heard.error.status ?? 'look') });
      case 'rejected':
        stop.clear();
        return this.#end(index, 'rejected', { error: heard.error, code: codeOf(heard.error) });
      case 'token':
        this.#back(index);
        book.say(index, { error: heard.error });
        if (heard.error.status === 403 && sent.exam !== undefined) this.#refusedExams.set(sent.exam, heard.error);
        else stop.stop(heard.error);
        return;
      case 'again':
        this.#back(index);
        book.say(index, { error: heard.error });
        if (heard.lasting || (heard.limited && this.#parts.world.client.pacer.gaveUp)) stop.stop(heard.error);
        else stop.unclear(sent.request, heard.error);
        return;
      case 'outdated':
        this.#back(index);
        book.say(index, {
          error: new CliError(
            'rate_limited',
            'The request was not sent: the service limits requests so much that the read it relies on would be too old.',
          ),
        });
        return;
      case 'interrupted':
        this.#back(index);
        book.say(index, { error: heard.error });
        return;
      case 'unknown':
        stop.unclear(sent.request, heard.error);
        return this.#end(index, 'unknown', { error: heard.error, code: codeOf(heard.error) });
    }
  }

  #answered(index: number, { step, exam, claims }: Sent, reply: Reply) {
    const { world, book, wasListed, shownKeys } = this.#parts;
    const { status } = reply;
    const data = step.operation.answer === 'one' ? world.client.recordIn(reply, step.operation) : reply.data;
    const shown = isJsonObject(data) ? data : undefined;
    const creates = createsStudent(step) ? 'session' : createsExam(step) ? 'exam' : undefined;
    if (!creates) return this.#end(index, 'done', { shown: data }, { ours: true, claims });
    const id = shown && idOf(shown);
    if (shown === undefined || id === undefined) return this.#end(index, 'confirmed', { error: noIdShown(creates, status) });
    const other = book.withId(id, creates);
    if ((other !== undefined && other !== index) || (creates === 'session' && this.#claimedIds.has(id))) {
      const line = other === undefined ? undefined : book.steps.at(other)?.line;
      const error = new CliError(
        'partly_done',
        sentence`The service answered with ${creates} ${id}, which it gave to ${line === undefined ? 'another student' : `line ${line}`}: for this service, both are one student.`,
      );
      return this.#end(index, 'different', { error, shown });
    }
    book.setId(index, id, creates);
    if (wasListed(creates, id, exam))
      return this.#end(index, 'there', {
        shown,
        evidence: sentence`The service answered ${status} with ${creates} ${id}, which was there before.`,
      });
    const address = addressIn(shown, { plain: true });
    const isSpelled = address !== undefined && step.email !== undefined && addressKey(address) !== addressKey(step.email);
    // The address that was sent has its key in the claim.
    const sentKey = step.email === undefined || isSpelled ? undefined : claims[0]?.key;
    const shownKey = address === undefined ? undefined : (sentKey ?? world.state.studentKey(address));
    if (shownKey !== undefined) shownKeys.set(index, shownKey);
    noteShown(world, creates, id, shown);
    this.#end(index, 'done', { shown, ...(isSpelled ? { stored: address } : {}) }, { ours: true, shownKey, claims });
  }

  /** The IDs of students of other addresses that were created in this exam from here before. */
  async #readClaims(exam: string): Promise<void> {
    const { world, run } = this.#parts;
    const read = async () => {
      for (const claim of await world.state.claims(world.origin, studentScope(exam)))
        if (claim.session !== null && claim.run !== run.run.id) this.#claimedIds.add(claim.session);
    };
    const reading = this.#claims.get(exam) ?? read();
    this.#claims.set(exam, reading);
    await reading;
  }

  /** The request provably did nothing: the step is as before. */
  #back(index: number): void {
    const { book, run } = this.#parts;
    if (book.state(index) !== 'sending') return;
    book.restore(index, 'planned');
    run.record({ n: index + 1, event: 'planned' });
  }

  #end(
    index: number,
    state: StepState,
    said: Said,
    { ours = false, shownKey, claims }: { ours?: boolean; shownKey?: string | undefined; claims?: readonly ClaimName[] } = {},
  ): void {
    const { book, run, world } = this.#parts;
    if (!book.move(index, state, said)) return;
    if (ours) book.setOurs(index, true);
    const step = book.steps.at(index);
    run.record({ n: index + 1, event: state, session: book.id(index), shownKey, ours: book.isOurs(index), code: said.code });
    if (step) settleClaims(step, index, state, book.examOf(index), { world, run, book, shownKey, claims });
  }

  #sayWait({ message }: CliError, wait = this.#parts.world.client.pacer.pause): void {
    const { world } = this.#parts;
    if (wait >= 1000) world.context.say(sentence`${message} Retrying in ${(wait / 1000).toFixed(1)} s.`);
  }

  async #wait(milliseconds: number, error: CliError): Promise<void> {
    const { world } = this.#parts;
    const wait = milliseconds * (0.5 + world.host.random());
    this.#sayWait(error, wait);
    await world.host.sleep(wait).catch(() => {});
  }
}

/** `claim`: old, its process has ended, and what it has sent could not be settled. */
function claimedBy({ run, scope, at, done }: Claim, { host, settings, settleTime }: World): CliError {
  const what = scope === 'exams' ? 'exam' : 'student';
  const isOld = !done && host.now() - at > settings.timeoutMilliseconds + settleTime;
  return isOld
    ? new CliError('already_running', sentence`Run ${run} has sent a request for the same ${what}, and its outcome is unknown.`, {
        hint: sentence`To end it as it is: proctor-cli ${typedCommand('runs close', [run])}`,
      })
    : new CliError('already_running', sentence`Run ${run} is working on the same ${what}.`, {
        hint: sentence`Wait until it has ended, or look at it: proctor-cli ${typedCommand('runs show', [run])}`,
      });
}

function noIdShown(resource: 'exam' | 'session', status: number): CliError {
  return new CliError(
    'outcome_unknown',
    sentence`The service answered ${status} to the request to create the ${resource}, but shows no ID, and no list shows the ${resource} yet. It is not sent again.`,
    { status },
  );
}

function codeOf({ status, code }: CliError): string {
  return status === undefined ? code : String(status);
}
