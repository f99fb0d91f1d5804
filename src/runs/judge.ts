/**
 * What a look at a step says of it: one table, for lost answers and for the proof of others. Without
 * a verdict it is looked at again until its settle time is over.
 */
import { CliError } from '../errors.ts';
import { addressIn } from '../model/address-key.ts';
import { differences } from '../model/compare.ts';
import { count } from '../model/count.ts';
import type { JsonObject } from '../model/json.ts';
import { otherStudent } from '../model/listing.ts';
import { capitalised, type Sentence, sentence } from '../text/sentence.ts';
import { withoutVerdict } from './classify-response.ts';
import { type Execution, isRefusedAsThere } from './execution.ts';
import type { Outcome } from './running.ts';
import { creates, lookAt, mailAgain, nameOf, oldValues, resourceOf, type Step } from './step.ts';

export type Candidate = { id: string; data: JsonObject; isNew: boolean };
export type Observation =
  /**
   * Its target, or what it has created. `alike`: the sessions of its exam with the address that no other step has
   * created; `isOther`: it shows another address, and a new session shows the one that was sent.
   */
  | { is: 'shown'; data: JsonObject; alike?: readonly string[]; isUnlisted?: boolean; isOther?: boolean }
  /** `isElsewhere`: it is shown as one of another exam. */
  | { is: 'not there'; isElsewhere?: boolean }
  /** What a create without a proven ID may have made. `strangers`: new, of unknown origin; `lacking`: the list is not whole. */
  | { is: 'candidates'; found: readonly Candidate[]; strangers: readonly string[]; lacking?: CliError | undefined }
  | { is: 'pool'; wrong: readonly string[] }
  | { is: 'mails'; waiting: number; all: number };
type Seen<Is extends Observation['is']> = Extract<Observation, { is: Is }>;

export type VerdictOptions = { isLast: boolean; zone: string; run: string };

/** Answers that say no: nothing of them can come late. */
const saysNo: ReadonlySet<string> = new Set(['denied', '404', '409', '422', 'was there']);

/** Whether a create without an answer is absent once nothing shows it. */
export function mayBeAbsent({ code = '' }: Execution): boolean {
  return code !== '2xx' && !saysNo.has(code);
}

export function verdictOn(item: Execution, sight: Observation, looking: VerdictOptions): Outcome | undefined {
  const { state, code = '', error, step } = item;
  const { isLast } = looking;
  const isFinal = isLast || (state === 'unknown' && saysNo.has(code));
  const isDeletion = step.operation.method === 'DELETE';
  switch (sight.is) {
    case 'pool': {
      if (sight.wrong.length === 0) return done(item, {}, sentence`the pool is as planned`);
      if (!isFinal) return undefined;
      const shows = isDeletion ? 'still shows' : 'does not show';
      return notApplied(item, sentence`the pool ${shows} ${sight.wrong.join(', ')}.`);
    }
    case 'mails':
      return judgeMails(item, sight, isLast);
    case 'not there':
      if (isDeletion) return code === '404' ? { reason: 'gone', error } : deleted(item);
      if (!isLast) return undefined;
      // The service has said yes: it is never called absent.
      if (creates(step)) return { state: 'unknown', error };
      return { reason: 'gone', error: noLongerThere(item) };
    case 'candidates':
      return judgeCandidates(item, sight, looking);
    case 'shown':
      if (isDeletion) return judgeDeletion(item, sight.data, isFinal);
      if (creates(step)) return judgeCreated(item, sight, looking);
      return judgeUpdate(item, sight.data, { ...looking, isLast: isFinal });
  }
}

function judgeMails(item: Execution, { waiting, all }: Seen<'mails'>, isLast: boolean): Outcome | undefined {
  const { step, code } = item;
  const exam = step.exam ?? '';
  const isNone = waiting === all && all > 0;
  if (code === 'denied' && isNone) return notApplied(item, sentence`no student is shown as mailed.`);
  const of = sentence`${count(all, 'student')} of exam ${exam} are shown as mailed`;
  // Of students who had all been mailed before, the states say nothing.
  if (waiting === 0 && !step.always) return done(item, {}, sentence`all ${of}`);
  if (!isLast) return undefined;
  return { state: 'unknown', error: unknown(item, sentence`${all - waiting} of the ${of}`, mailAgain(exam)) };
}

function judgeDeletion(item: Execution, data: JsonObject, isFinal: boolean): Outcome | undefined {
  const { step } = item;
  // The ID of a session that is gone may be another student's by now.
  if (resourceOf(step) === 'session' && otherStudent(step.email, data) !== undefined) return deleted(item);
  return isFinal ? { ...notApplied(item, sentence`${subjectOf(item)} still exists.`), shown: data } : undefined;
}

function deleted(item: Execution): Outcome {
  return done(item, { owned: true }, sentence`${subjectOf(item)} no longer exists`);
}

/** Who is not listed yet would be missed by the next command. */
function judgeCreated(item: Execution, sight: Seen<'shown'>, { isLast, zone, run }: VerdictOptions): Outcome | undefined {
  const { step, owned, storedAs } = item;
  const { data: shown, alike = [], isUnlisted, isOther = false } = sight;
  if (isUnlisted && !isLast) return undefined;
  if (alike.length > 1) return { reason: 'duplicate', seen: true, shown, error: doubled(item, alike, run) };
  const judgesAddress = resourceOf(step) === 'session' && (isOther || !storedAs);
  const other = judgesAddress ? otherStudent(step.email, shown) : undefined;
  const values = otherValues(step, shown, zone);
  const different = other === undefined ? values : [other, ...values];
  if (different.length > 0) {
    const error = otherwise(item, owned ? 'was created' : 'is there', different);
    // By the address that it shows it is known again.
    const isOurs = owned && !isOther;
    return { reason: 'different', seen: true, owned: isOurs, shown, error, storedAs: isOurs && other ? addressIn(shown) : storedAs };
  }
  const more = storedAs === undefined ? {} : { note: sentence`Stored as ${storedAs}.` };
  return done(item, { owned, shown, ...more }, sentence`the list shows ${subjectOf(item)}`);
}

/** In words, what a record shows otherwise than its create demands; by its address or name it was found. */
function otherValues({ body = {}, ...step }: Step, shown: JsonObject, zone: string): readonly string[] {
  const { email: _address, ...values } = body;
  return differences(resourceOf(step), values, shown, zone).different;
}

function judgeUpdate(item: Execution, shown: JsonObject, { isLast, zone }: VerdictOptions): Outcome | undefined {
  const { step, state, code, storedAs = step.email } = item;
  const { body = {} } = step;
  const resource = resourceOf(step);
  const lost = state === 'unknown';
  const other = resource === 'session' && body.email === undefined ? otherStudent(storedAs, shown) : undefined;
  const { different: values, notShown } = differences(resource, body, shown, zone);
  const different = other === undefined ? values : [other];
  if (different.length > 0) {
    const isThird = other !== undefined || !isAsBefore(step, shown, zone);
    if (isThird && !lost) return { reason: 'different', shown, error: otherwise(item, 'was updated', different) };
    if (!isLast) return undefined;
    const error = contradicted(item, sentence`${different.join('; ')}.`);
    return { reason: code === '409' ? 'rejected' : 'not_applied', error, shown };
  }
  const subject = subjectOf(item);
  if (notShown.length === 0) return done(item, { shown, owned: true }, sentence`${subject} was updated`);
  const unseen = sentence`The service does not show ${notShown.join(', ')} of ${subject}, so it is unknown whether the update changed that`;
  if (!lost) return { state: 'done', seen: true, owned: true, shown, note: sentence`${unseen}.` };
  if (code === 'denied') return notApplied(item, unseen);
  return isLast ? { state: 'unknown', error: unknown(item, unseen) } : undefined;
}

function judgeCandidates(item: Execution, sight: Seen<'candidates'>, { isLast, run, zone }: VerdictOptions): Outcome | undefined {
  const { found, strangers, lacking } = sight;
  const { step, code = '', error } = item;
  const noun = resourceOf(step);
  const fresh = found.filter(({ isNew }) => isNew);
  const [one] = fresh;
  if (fresh.length > 1) {
    const ids = fresh.map(({ id }) => id);
    return { reason: 'duplicate', seen: true, error: doubled(item, ids, run) };
  }
  const there = one ?? (step.isAnother ? undefined : found[0]);
  if (there) return judgeFound(item, there, zone);
  if (strangers.length > 0) return isLast ? { state: 'unknown', error: mayBeOther(item, strangers, run) } : undefined;
  if (code === 'denied') return notApplied(item, sentence`no ${noun} that matches what was sent is shown.`);
  const isAccepted = code === '2xx' || code === 'was there';
  if (saysNo.has(code) && !isAccepted) return { reason: 'rejected', error };
  if (!isLast) return undefined;
  if (isAccepted) return { state: 'unknown', error };
  if (lacking) return { state: 'unknown', error: unknown(item, sentence`${lacking.message}`, lacking.hint) };
  const what = sentence`${withoutVerdict(error)} A look when it could no longer arrive shows that it was not carried out.`;
  const absent = new CliError('unavailable', what, { hint: 'Run the same command again: it sends it again.' });
  return { reason: 'absent', error: absent };
}

/** What a create without a proven ID has made, or somebody else: never ours. */
function judgeFound(item: Execution, { id, data: shown, isNew }: Candidate, zone: string): Outcome {
  const { step } = item;
  const noun = resourceOf(step);
  const isTheirs = !isNew || isRefusedAsThere(item);
  const common = { seen: true, id, owned: false, shown };
  const different = otherValues(step, shown, zone);
  if (different.length > 0) {
    const error = otherwise({ ...item, id }, 'is there', different);
    return { ...common, reason: 'different', error: isTheirs ? new CliError('different', error.message, { hint: error.hint }) : error };
  }
  if (isTheirs) return { ...common, reason: 'there', note: sentence`${capitalised(nameOf(noun, id))} was there already.` };
  const note = sentence`The answer was lost or unclear; the list shows ${noun} ${id}.`;
  return { ...common, state: 'done', note };
}

type Known = Partial<Pick<Execution, 'owned' | 'shown' | 'note'>>;

function done(item: Execution, more: Known, shows: Sentence): Outcome {
  const lost = item.state === 'unknown';
  const owned = item.owned || (lost && creates(item.step) === undefined);
  const says = item.code === 'denied' ? 'The answer says that nothing was done' : 'The answer was lost';
  const note = lost && item.code !== '2xx' ? { note: sentence`${says}, but ${shows}.` } : {};
  return { state: 'done', seen: true, owned, ...note, ...more };
}

function notApplied(item: Execution, shows: Sentence): Outcome {
  return { reason: 'not_applied', error: contradicted(item, shows) };
}

/** Whether each value that a step replaces is still what it was, as far as that is known. */
function isAsBefore(step: Step, shown: JsonObject, zone: string): boolean {
  const { body = {} } = step;
  const old = Object.entries(oldValues(step)).filter(([field]) => Object.hasOwn(body, field));
  return differences(resourceOf(step), Object.fromEntries(old), shown, zone).different.length === 0;
}

function subjectOf({ step, id = '' }: Execution): string {
  return nameOf(resourceOf(step), id);
}

function contradicted(item: Execution, shows: Sentence): CliError {
  const { error, state, code, step } = item;
  if (state !== 'unknown') {
    const look = step.operation.look?.(step.params);
    const what = sentence`The service accepted the request, but did not carry it out: ${shows}`;
    return new CliError('not_applied', what, look ? { hint: sentence`Check it before you retry: proctor-cli ${look}` } : {});
  }
  if (code === '409' && error) return error;
  const what = sentence`${withoutVerdict(error)} Read afterwards: ${shows}`;
  return new CliError('not_applied', what, { status: error?.status });
}

function unknown({ error }: Execution, shows: Sentence, hint?: Sentence): CliError {
  // The counts of an earlier look are replaced.
  const cause = error?.cause instanceof CliError ? error.cause : error;
  const more = { cause, status: error?.status, ...(hint === undefined ? {} : { hint }) };
  return new CliError('outcome_unknown', sentence`${withoutVerdict(cause)} ${shows}.`, more);
}

function mayBeOther(item: Execution, strangers: readonly string[], run: string): CliError {
  const sessions = sentence`${count(strangers.length, 'new session')} that no run explains (${strangers.join(', ')})`;
  const shows = sentence`The exam has ${sessions}, which may be this student`;
  const look = lookAt('session', strangers[0] ?? '');
  return unknown(item, shows, sentence`${look}; if it is somebody else: proctor-cli runs close ${run}`);
}

function noLongerThere(item: Execution): CliError {
  const subject = subjectOf(item);
  if (item.state === 'unknown') return unknown(item, sentence`Read afterwards: ${subject} is no longer there`);
  return new CliError('partly_done', sentence`${capitalised(subject)} was updated, but is no longer there.`);
}

function otherwise(item: Execution, was: string, different: readonly string[]): CliError {
  const what = sentence`${capitalised(subjectOf(item))} ${was}, but differs from what was sent: ${different.join('; ')}.`;
  const look = lookAt(resourceOf(item.step), item.id ?? '');
  return new CliError('partly_done', what, { hint: creates(item.step) ? sentence`Do not create it again. ${look}` : look });
}

function doubled({ id, owned, step }: Execution, ids: readonly string[], run: string): CliError {
  const noun = resourceOf(step);
  const match = sentence`${ids.length} ${noun}s match what was sent: ${ids.join(', ')}.`;
  if (owned) {
    const hint = sentence`Compare them; to delete the one of this run: proctor-cli runs undo ${run}`;
    return new CliError('partly_done', sentence`${match} This run created ${noun} ${id}.`, { hint });
  }
  const what = sentence`${match} It is unknown which of them this run created.`;
  return new CliError('partly_done', what, { hint: lookAt(noun, ids[0] ?? '') });
}
