/**
 * What a look at a step says of it: the one table, for what was sent without an answer as for the proof of what was answered. No verdict:
 * it is looked at again, until its settle time is over (`isLast`).
 */
import { CliError } from '../errors.ts';
import { asSent } from '../model/as-sent.ts';
import { count } from '../model/count.ts';
import type { JsonObject } from '../model/json.ts';
import { otherStudent } from '../model/listing.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { capitalised, type Sentence, sentence } from '../text/sentence.ts';
import { withoutVerdict } from './answers.ts';
import type { Item } from './item.ts';
import { creates, lookAt, nameOf, oldValues, resourceOf, type Step } from './step.ts';

export type Candidate = { id: string; data: JsonObject; isNew: boolean };
export type Sight =
  /**
   * Its target, or what it has created. `alike`: all sessions of its exam with the address; `ofOther`: another create of the run was sent
   * with the address that it shows.
   */
  | { is: 'shown'; data: JsonObject; alike?: readonly string[]; isUnlisted?: boolean; ofOther?: boolean }
  /** `isElsewhere`: it is shown as one of another exam. */
  | { is: 'not there'; isElsewhere?: boolean }
  /** What a create without a proven ID may have made. `strangers`: new sessions that no run from here explains. */
  | { is: 'candidates'; found: readonly Candidate[]; strangers: readonly string[] }
  | { is: 'pool'; wrong: readonly string[] }
  | { is: 'mails'; waiting: number; all: number };
type Seen<Is extends Sight['is']> = Extract<Sight, { is: Is }>;

export type Verdict = Pick<Item, 'state'> & Partial<Pick<Item, 'reason' | 'seen' | 'id' | 'ours' | 'error' | 'evidence' | 'shown'>>;
export type Looking = { isLast: boolean; zone: string; run: string };

/** Answers that say no: nothing of them can come late. */
const saysNo: ReadonlySet<string> = new Set(['denied', '404', '409', '422', 'was there']);

export function judge(item: Item, sight: Sight, looking: Looking): Verdict | undefined {
  const { isLast } = looking;
  const lost = item.state === 'unknown';
  const isFinal = isLast || (lost && saysNo.has(item.code ?? ''));
  switch (sight.is) {
    case 'pool': {
      if (sight.wrong.length === 0) return done(item, {}, sentence`the pool is as planned`);
      const shows = item.step.operation.method === 'DELETE' ? 'still shows' : 'does not show';
      return isFinal ? notApplied(item, sentence`the pool ${shows} ${sight.wrong.join(', ')}.`) : undefined;
    }
    case 'mails':
      return judgeMails(item, sight, isLast);
    case 'not there':
      if (item.step.operation.method === 'DELETE') {
        if (item.code === '404') return { state: 'failed', reason: 'gone', error: item.error };
        return done(item, { ours: true }, sentence`${subjectOf(item)} no longer exists`);
      }
      if (!isLast) return undefined;
      // The service has said yes: it is never sent again, and never called absent.
      if (creates(item.step)) return { state: 'unknown', error: item.error };
      return { state: 'failed', reason: 'gone', error: noLongerThere(item) };
    case 'candidates':
      return judgeCandidates(item, sight, looking);
    case 'shown':
      if (item.step.operation.method === 'DELETE') return judgeDeletion(item, sight.data, isFinal);
      return creates(item.step) ? judgeCreated(item, sight, looking) : judgeUpdate(item, sight.data, { ...looking, isLast: isFinal });
  }
}

function judgeMails(item: Item, { waiting, all }: Seen<'mails'>, isLast: boolean): Verdict | undefined {
  const { step, code } = item;
  const exam = step.exam ?? '';
  if (code === 'denied' && waiting === all && all > 0) return notApplied(item, sentence`no student is shown as mailed.`);
  // Of students who had all been mailed before, the states say nothing.
  if (waiting === 0 && !step.always) return done(item, {}, sentence`all ${count(all, 'student')} of exam ${exam} are shown as mailed`);
  if (!isLast) return undefined;
  const counts = sentence`${all - waiting} of the ${count(all, 'student')} of exam ${exam} are shown as mailed`;
  const again = typedCommand('exams send-emails', [exam], '--resend');
  return { state: 'unknown', error: unknown(item, counts, sentence`To mail all of them again: proctor-cli ${again}`) };
}

function judgeDeletion(item: Item, data: JsonObject, isFinal: boolean): Verdict | undefined {
  const subject = subjectOf(item);
  // The ID of a session that is gone may be another student's by now.
  if (resourceOf(item.step) === 'session' && otherStudent(item.step.email, data) !== undefined)
    return done(item, { ours: true }, sentence`${subject} no longer exists`);
  return isFinal ? { ...notApplied(item, sentence`${subject} still exists.`), shown: data } : undefined;
}

/** What a create has made, whatever address it shows. Who is not in the list yet would be missed by the next command. */
function judgeCreated(
  item: Item,
  { data, alike = [], isUnlisted, ofOther = false }: Seen<'shown'>,
  { isLast, zone, run }: Looking,
): Verdict | undefined {
  const { step, ours, stored, reason } = item;
  if (isUnlisted && !isLast) return undefined;
  if (alike.length > 1) return { state: 'failed', reason: 'duplicate', seen: true, shown: data, error: doubled(item, alike, run) };
  const { email: _address, ...values } = step.body ?? {};
  const { different } = asSent(resourceOf(step), values, data, zone);
  const other = resourceOf(step) === 'session' && (ofOther || !stored) ? otherStudent(step.email, data) : undefined;
  const differences = other === undefined ? different : [other, ...different];
  const was = ours ? 'was created' : 'is there';
  if (differences.length > 0) {
    const isOurs = ours && !ofOther;
    return { state: 'failed', reason: 'different', seen: true, ours: isOurs, shown: data, error: otherwise(item, was, differences) };
  }
  const more = stored === undefined ? {} : { evidence: sentence`Stored as ${stored}.` };
  return { ...done(item, { ours }, sentence`the list shows ${subjectOf(item)}`), ...more, shown: data, ...(reason ? { reason } : {}) };
}

function judgeUpdate(item: Item, data: JsonObject, { isLast, zone }: Looking): Verdict | undefined {
  const { step, state, code, stored = step.email } = item;
  const lost = state === 'unknown';
  const subject = subjectOf(item);
  const other = resourceOf(step) === 'session' && step.body?.email === undefined ? otherStudent(stored, data) : undefined;
  const { different: values, notShown } = asSent(resourceOf(step), step.body ?? {}, data, zone);
  const different = other === undefined ? values : [other];
  if (different.length > 0 && !lost && (other !== undefined || !isAsBefore(step, data, zone)))
    return { state: 'failed', reason: 'different', shown: data, error: otherwise(item, 'was updated', different) };
  if (different.length > 0) {
    if (!isLast) return undefined;
    const says = notApplied(item, sentence`${different.join('; ')}.`);
    return { ...says, ...(code === '409' ? { reason: 'rejected' as const } : {}), shown: data };
  }
  if (notShown.length === 0) return done(item, { shown: data, ours: true }, sentence`${subject} was updated`);
  const unseen = sentence`The service does not show ${notShown.join(', ')} of ${subject}, so it is unknown whether the update changed that`;
  if (!lost) return { state: 'done', seen: true, ours: true, shown: data, evidence: sentence`${unseen}.` };
  if (code === 'denied') return notApplied(item, unseen);
  return isLast ? { state: 'unknown', error: unknown(item, unseen) } : undefined;
}

/** What a create without a proven ID has come to, by what is new in the list. */
function judgeCandidates(item: Item, { found, strangers }: Seen<'candidates'>, { isLast, run }: Looking): Verdict | undefined {
  const { step, code = '', error } = item;
  const noun = resourceOf(step);
  const fresh = found.filter(({ isNew }) => isNew);
  const [one, another] = fresh;
  if (one && another)
    return {
      state: 'failed',
      reason: 'duplicate',
      seen: true,
      error: doubled(
        item,
        fresh.map(({ id }) => id),
        run,
      ),
    };
  if (one) {
    const evidence = sentence`The answer was lost or unclear; the list shows ${noun} ${one.id}.`;
    return { state: 'done', seen: true, id: one.id, ours: false, shown: one.data, evidence };
  }
  const [before] = found;
  if (before) return { state: 'done', reason: 'there', seen: true, id: before.id, ours: false, shown: before.data };
  if (code === 'denied' && strangers.length === 0) return notApplied(item, sentence`no ${noun} that matches what was sent is shown.`);
  if (saysNo.has(code) && strangers.length === 0 && code !== 'was there') return { state: 'failed', reason: 'rejected', error };
  if (!isLast) return undefined;
  if (strangers.length > 0) return { state: 'unknown', error: mayBeOther(item, strangers, run) };
  // The service has said yes: it is never sent again.
  if (code === '2xx' || code === 'was there') return { state: 'unknown', error };
  const what = sentence`${withoutVerdict(error)} A look when no late request could arrive any more shows that it was not carried out.`;
  const absent = new CliError('unavailable', what, { hint: 'Run the same command again: it sends it again.' });
  return { state: 'failed', reason: 'absent', error: absent };
}

function done(item: Item, more: Partial<Verdict>, shows: Sentence): Verdict {
  const lost = item.state === 'unknown';
  const isOwn = item.ours || (lost && creates(item.step) === undefined);
  const says = item.code === 'denied' ? 'The answer says that nothing was done' : 'The answer was lost';
  const evidence = lost && item.code !== '2xx' ? { evidence: sentence`${says}, but ${shows}.` } : {};
  return { state: 'done', seen: true, ours: isOwn, ...evidence, ...more };
}

function notApplied(item: Item, shows: Sentence): Verdict {
  return { state: 'failed', reason: 'not_applied', error: contradicted(item, shows) };
}

/** Whether each value that a step replaces is still what it was, as far as that is known. */
function isAsBefore(step: Step, shown: JsonObject, zone: string): boolean {
  const old = Object.entries(oldValues(step)).filter(([field]) => Object.hasOwn(step.body ?? {}, field));
  return asSent(resourceOf(step), Object.fromEntries(old), shown, zone).different.length === 0;
}

function subjectOf({ step, id = '' }: Item): string {
  return `${nameOf(resourceOf(step))} ${id}`;
}

function contradicted(item: Item, shows: Sentence): CliError {
  const { error, state, code, step } = item;
  const { look } = step.operation;
  const hint = look === undefined ? undefined : sentence`Check it before you retry: proctor-cli ${look(step.params)}`;
  if (state !== 'unknown') {
    const what = sentence`The service accepted the request, but did not carry it out: ${shows}`;
    return new CliError('not_applied', what, hint === undefined ? {} : { hint });
  }
  if (code === '409' && error) return error;
  const what = sentence`${withoutVerdict(error)} Read afterwards: ${shows}`;
  return new CliError('not_applied', what, { status: error?.status });
}

function unknown({ error }: Item, shows: Sentence, hint?: Sentence): CliError {
  // Looked at again, it says the new counts in place of those before.
  const cause = error?.cause instanceof CliError ? error.cause : error;
  const more = { cause, status: error?.status, ...(hint === undefined ? {} : { hint }) };
  return new CliError('outcome_unknown', sentence`${withoutVerdict(cause)} ${shows}.`, more);
}

function mayBeOther(item: Item, strangers: readonly string[], run: string): CliError {
  const shows = sentence`The exam has ${count(strangers.length, 'new session')} that no run explains (${strangers.join(', ')}), which may be this student`;
  const close = typedCommand('runs close', [run]);
  return unknown(item, shows, sentence`${lookAt('session', strangers[0] ?? '')}; if it is somebody else: proctor-cli ${close}`);
}

function noLongerThere(item: Item): CliError {
  const subject = subjectOf(item);
  if (item.state === 'unknown') return unknown(item, sentence`Read afterwards: ${subject} is no longer there`);
  return new CliError('partly_done', sentence`${capitalised(subject)} was updated, but is no longer there.`);
}

/** `was`: what the run did to it, such as "was updated". */
function otherwise(item: Item, was: string, different: readonly string[]): CliError {
  const what = sentence`${capitalised(subjectOf(item))} ${was}, but differs from what was sent: ${different.join('; ')}.`;
  const look = lookAt(resourceOf(item.step), item.id ?? '');
  return new CliError('partly_done', what, { hint: creates(item.step) ? sentence`Do not create it again. ${look}` : look });
}

/** `ids`: of records that are all what a create was to make. */
function doubled({ id, ours, step }: Item, ids: readonly string[], run: string): CliError {
  const noun = resourceOf(step);
  const own = ours ? sentence`This run created ${noun} ${id ?? ''}` : sentence`It is unknown which of them this run created`;
  const what = sentence`${ids.length} ${noun}s match what was sent: ${ids.join(', ')}. ${own}.`;
  const hint = ours
    ? sentence`Compare them; to delete the one of this run: proctor-cli ${typedCommand('runs undo', [run])}`
    : sentence`Look at each, and delete the surplus ones: proctor-cli ${typedCommand(`${noun}s get`, ids.slice(0, 1))}`;
  return new CliError('partly_done', what, { hint });
}
