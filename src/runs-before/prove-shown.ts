/**
 * What a read at the end shows of a step that was done: that it is so, that a copy is behind and is read again, or what became of it, in
 * words.
 */

import { CliError } from '../errors.ts';
import { addressIn } from '../model/address-key.ts';
import { asSent } from '../model/as-sent.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Book, Outcome } from './book.ts';
import type { IsBehind } from './own-writes.ts';
import { asListed, otherStudent } from './relies.ts';
import { type SettleParts, settled } from './settle.ts';
import { createsExam, createsStudent, type Step } from './step.ts';
import type { World } from './world.ts';

export type ShownParts = SettleParts & {
  /** Gets the steps whose clear answer a read contradicts; absent where they are decided. */
  doubtful?: number[] | undefined;
  isBehind: IsBehind;
};

/** Of what was found different, or twice, by an earlier process, the proof finds out what it is now. */
export function wasDifferent(book: Book, index: number): boolean {
  const { state, id, sentNow } = book.outcome(index) ?? {};
  return (state === 'different' || state === 'duplicate') && id !== undefined && !sentNow;
}

/** A step and what is shown of its target. `subject`: "Exam 6", "Student session 100". */
type Proving = { outcome: Outcome; resource: 'exam' | 'session'; subject: Sentence; creates: boolean };

/** `shown`: the target as it is now; undefined where the service does not have it. `masks`: a list shows it, and may hide its address. */
export function proveShown(parts: ShownParts, index: number, shown: JsonObject | undefined, masks = false) {
  const { book, world, shownKeys } = parts;
  if (wasDifferent(book, index)) settled(parts, index, book.isOurs(index) ? 'done' : 'there');
  const outcome = book.outcome(index);
  if (!outcome) return;
  const { step, id = '' } = outcome;
  const resource = step.operation.resource === 'exam' ? 'exam' : 'session';
  const subject = sentence`${resource === 'exam' ? 'Exam' : 'Student session'} ${id}`;
  const creates = createsStudent(step) || createsExam(step);
  const proving: Proving = { outcome, resource, subject, creates };
  if (step.operation.method === 'DELETE') return proveDeleted(parts, proving, shown);
  if (!shown) return proveGone(parts, proving);
  const key = shownKeys.get(step.made?.by ?? index);
  const other = resource === 'session' ? otherStudent(step, shown, world, { shownKey: key, masks }) : undefined;
  // An update that sets the address is proven by its values.
  const isGiven = step.body?.email !== undefined && !creates;
  if (other !== undefined && !isGiven) return proveOther(parts, proving, shown, other);
  proveValues(parts, proving, shown);
}

/** Read again where a copy may be behind what this process has been answered. */
function isDoubtful({ doubtful }: ShownParts, { index, sentNow }: Outcome): boolean {
  if (!sentNow || !doubtful) return false;
  doubtful.push(index);
  return true;
}

function proveDeleted(parts: ShownParts, { outcome, resource, subject }: Proving, shown: JsonObject | undefined) {
  const { step, index, id = '' } = outcome;
  // The ID of a session that is gone may be another student's by now.
  if (!shown || (resource === 'session' && otherStudent(step, shown, parts.world) !== undefined)) return;
  if (isDoubtful(parts, outcome)) return;
  settled(parts, index, 'not_applied', { error: notApplied(step, sentence`${subject} still exists.`, id), shown });
}

function proveGone(parts: ShownParts, { outcome, subject, creates }: Proving) {
  if (isDoubtful(parts, outcome)) return;
  const { index, sentNow, ours } = outcome;
  const did = creates ? (ours ? 'was created' : 'was there') : sentNow ? 'was updated' : undefined;
  const error =
    did !== undefined && (sentNow || ours)
      ? new CliError('partly_done', sentence`${subject} ${did}, but is no longer there.`)
      : new CliError('not_found', sentence`${subject} is no longer there.`, { status: 404 });
  settled(parts, index, 'gone', { error });
}

/** `other`: why it is not this student's, in words. */
function proveOther(parts: ShownParts, { outcome, subject, creates }: Proving, shown: JsonObject, other: string) {
  const { step, index, state, sentNow, ours } = outcome;
  const isFirst = sentNow || parts.shownKeys.get(index) === keyAsListed(shown, parts.world);
  if (createsStudent(step) && isFirst && ours) return storedOtherwise(parts, index, shown, other);
  const error =
    creates && ours
      ? new CliError('partly_done', sentence`${subject} was created, but ${other}.`)
      : new CliError(sentNow ? 'partly_done' : 'not_applied', sentence`${subject}: ${other}.`);
  settled(parts, index, state === 'there' ? 'different' : 'changed', { error, shown });
}

function proveValues(parts: ShownParts, proving: Proving, shown: JsonObject) {
  const { book, world } = parts;
  const { outcome, resource, subject, creates } = proving;
  const { step, index, state } = outcome;
  const { different, notShown } = asSent(resource, creates ? withoutAddress(step) : (step.body ?? {}), shown, world.zone);
  if (different.length === 0) {
    const hidden = notShown.length > 0 && !creates && state === 'done';
    const evidence = sentence`The service does not show ${notShown.join(', ')} of ${subject.charAt(0).toLowerCase()}${subject.slice(1)}, so it is unknown whether the update changed that.`;
    return book.say(index, { shown, ...(hidden ? { evidence } : {}) });
  }
  const words = sentence`${different.join('; ')}`;
  if (creates) return createdOtherwise(parts, proving, shown, words);
  updatedOtherwise(parts, proving, shown, words);
}

function createdOtherwise(parts: ShownParts, { outcome, resource, subject }: Proving, shown: JsonObject, words: Sentence) {
  const { index, id = '', state, sentNow } = outcome;
  const message =
    state === 'there'
      ? sentence`${subject} is there already, and differs from what was given: ${words}.`
      : sentence`${subject} was created, but differs from what was sent: ${words}.`;
  const hint = sentence`Do not create it again. To change it: proctor-cli ${typedCommand(`${resource}s update`, [id])}`;
  settled(parts, index, 'different', {
    shown,
    error: new CliError(state === 'there' && !sentNow ? 'differences' : 'partly_done', message, { hint }),
  });
}

function updatedOtherwise(parts: ShownParts, { outcome, resource, subject }: Proving, shown: JsonObject, words: Sentence) {
  const { world } = parts;
  const { step, index, id = '', shown: answer } = outcome;
  const saysNo = isJsonObject(answer) && asSent(resource, step.body ?? {}, answer, world.zone).different.length > 0;
  const isOld = isAsBefore(step, resource, shown, world.zone) || parts.isBehind({ resource, id }, shown);
  if (!saysNo && !isOld) {
    const hint = sentence`Check it before you retry: proctor-cli ${typedCommand(`${resource}s get`, [id])}`;
    const message = sentence`${subject} was updated, but shows other values than were sent: ${words}.`;
    return settled(parts, index, 'different', { shown, error: new CliError('partly_done', message, { hint }) });
  }
  if (!saysNo && isDoubtful(parts, outcome)) return;
  settled(parts, index, 'not_applied', { error: notApplied(step, sentence`${words}.`, id), shown });
}

/** The first that is seen of a new session is another address: this service may store it so, and the state remembers which. */
function storedOtherwise(parts: ShownParts, index: number, shown: JsonObject, other: string) {
  const { book, shownKeys, world } = parts;
  const id = book.id(index) ?? '';
  const key = keyAsListed(shown, world);
  if (key !== undefined) shownKeys.set(index, key);
  settled(parts, index, 'different', {
    shown,
    error: new CliError('partly_done', sentence`Student session ${id} was created, but ${other}.`, {
      hint: sentence`Do not create it again. Check it: proctor-cli ${typedCommand('sessions get', [id])}`,
    }),
  });
}

function keyAsListed(shown: JsonObject, { state }: World): string | undefined {
  const stored = addressIn(shown, { plain: true });
  return stored === undefined ? undefined : asListed(state.studentKey(stored));
}

/** Whether each value that a step replaces is still what it was, as far as that is known. */
function isAsBefore({ body = {}, expects, before }: Step, resource: 'exam' | 'session', shown: JsonObject, zone: string): boolean {
  const old = Object.entries({ ...expects, ...before }).filter(([field]) => Object.hasOwn(body, field));
  return asSent(resource, Object.fromEntries(old), shown, zone).different.length === 0;
}

/** Whose session it is was judged before, in whatever spelling. */
function withoutAddress({ body = {} }: Step): JsonObject {
  const { email: _, ...rest } = body;
  return rest;
}

function notApplied({ operation }: Step, why: string, id: string): CliError {
  const look = typedCommand(`${operation.resource === 'exam' ? 'exams' : 'sessions'} get`, [id]);
  return new CliError('not_applied', sentence`The service accepted the request, but did not carry it out: ${why}`, {
    hint: sentence`Check it before you retry: proctor-cli ${look}`,
  });
}
