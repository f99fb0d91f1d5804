/**
 * Freshness: an ID proves nobody, and a value may have moved. A write to an existing record is sent only if a read that is young enough
 * shows the same exam, the same student and every value from which the step was computed. Where the service shows no exam or
 * no address, then and now, that is the same.
 */

import { examOf } from '../api/client.ts';
import type { Moment } from '../api/known.ts';
import { CliError } from '../errors.ts';
import { addressIn, addressKey, maskIn, mayHide } from '../model/address-key.ts';
import { asSent, showsValue } from '../model/as-sent.ts';
import { differenceInWords } from '../model/difference.ts';
import { fieldRules, type WritableResource } from '../model/fields.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { shellQuoted, typedCommand } from '../model/shell-quote.ts';
import { type Phase, phaseOf, statusText } from '../model/status.ts';
import { capitalised, type Sentence, sentence } from '../text/sentence.ts';
import { notBehind } from './own-writes.ts';
import { examOfStep, type Step, type Target, targetOf } from './step.ts';
import { freshLimit, shownLately, shownNow, type World } from './world.ts';

/** `at`: the oldest read that the step relies on; undefined where it relies on none. `shown`: its target. */
export type Reliance =
  | { is: 'ready'; at: Moment | undefined; shown: JsonObject | undefined }
  | { is: 'done'; shown: JsonObject; evidence: Sentence }
  | { is: 'changed' | 'gone'; error: CliError; shown?: JsonObject };

const nouns = { exam: 'exam', session: 'student session' } as const;

/**
 * `shownKey`: the key of the address that the service showed when the target became ours, where it is another spelling than was sent.
 * `sent`: what created the target, where it is not known that this run did. `proven`: the session that has to be shown as the student's
 * before the step is sent.
 * `masks`: the list beside it shows no address, so that what resembles both an address and a mask is a mask.
 */
export type Identity = {
  shownKey?: string | undefined;
  sent?: JsonObject | undefined;
  proven?: { id: string; shownKey?: string | undefined } | undefined;
  masks?: boolean;
};

export async function reliedOn(step: Step, params: Step['params'], identity: Identity, world: World): Promise<Reliance> {
  const { proven } = identity;
  const within = freshLimit(world.client);
  const moments: Moment[] = [];
  const target = targetOf(step, params);
  let shown: JsonObject | undefined;
  let inPlace: JsonObject | undefined;
  // First, so that what is taken away is read right before that.
  if (proven) {
    const read = await shownNow(world, 'session', proven.id);
    const error = proven.id === target?.id ? notProven(proven.id, 'it is the same session') : unproven(step, proven, read?.data, world);
    if (error) return { is: 'changed', error };
    if (read) moments.push(read.at);
    inPlace = read?.data;
  }
  if (target) {
    // What another record has to prove takes this one away: both are read right before, not by what came before the other was made.
    const first = await (proven ? shownNow(world, target.resource, target.id) : shownLately(world, target.resource, target.id, within));
    const read = step.expects ? await notBehind(world, target, first) : first;
    if (!read) return { is: 'gone', error: missing(step, target) };
    moments.push(read.at);
    shown = read.data;
    const other = otherRecord(step, target, shown, world, identity);
    if (other !== undefined) return { is: 'changed', error: changedError(target, other), shown };
    if (isSoAlready(step, shown, world.zone))
      return {
        is: 'done',
        shown,
        evidence: sentence`${capitalised(nouns[target.resource])} ${target.id} has these values already; nothing was sent.`,
      };
    const why = otherThanPlanned(step, target, shown, world, identity);
    if (why !== undefined) return { is: 'changed', error: changedError(target, why), shown };
    const lost = inPlace ? lostIn(inPlace, shown, world) : [];
    if (proven && lost.length > 0) return { is: 'changed', error: notWhole(proven.id, target, lost), shown };
  }
  if (step.expectsExam) {
    const exam = examOfStep(step) ?? '';
    const first = await shownLately(world, 'exam', exam, within);
    const read = await notBehind(world, { resource: 'exam', id: exam }, first);
    if (!read) return { is: 'gone', error: missing(step, { resource: 'exam', id: exam }) };
    moments.push(read.at);
    const why = unexpected('exam', step.expectsExam, read.data, world.zone);
    if (why !== undefined) return { is: 'changed', error: changedError({ resource: 'exam', id: exam }, why) };
  }
  const [oldest] = moments.toSorted((a, b) => a.wall - b.wall);
  return { is: 'ready', at: oldest, shown };
}

/** Whether a target shows all that an update would set. */
export function isSoAlready({ body, operation }: Step, shown: JsonObject, zone: string): boolean {
  if (!body || operation.method !== 'PATCH') return false;
  // Of a field that is not shown nothing is known, not even that it is empty.
  if (!Object.keys(body).every((field) => Object.hasOwn(shown, field))) return false;
  const { different, notShown } = asSent(operation.resource === 'exam' ? 'exam' : 'session', body, shown, zone);
  return different.length + notShown.length === 0;
}

const phaseInWords: Record<Phase, string> = {
  waiting: 'has not started',
  checking: 'is in the check',
  writing: 'has started the exam',
  finished: 'has finished the exam',
};

/** Why the target is another record than was planned, in words. */
function otherRecord(step: Step, { resource }: Target, shown: JsonObject, world: World, identity: Identity): string | undefined {
  if (resource !== 'session') return undefined;
  const exam = examOf(shown, world.client);
  if (step.exam !== undefined && exam !== undefined && exam !== step.exam) return `it now belongs to exam ${exam}`;
  return otherStudent(step, shown, world, identity);
}

/** Why the target is not what the plan was computed from, in words. */
function otherThanPlanned(step: Step, { resource }: Target, shown: JsonObject, world: World, identity: Identity): string | undefined {
  const { unless, expects } = step;
  if (resource === 'session') {
    const { email, ...sent } = identity.sent ?? {};
    const [different] = asSent(resource, sent, shown, world.zone).different;
    if (different !== undefined) return different;
    const phase = phaseOf(shown.status);
    if (phase !== undefined && unless?.includes(phase)) return `its student ${phaseInWords[phase]}`;
  }
  return expects && unexpected(resource, expects, shown, world.zone);
}

/** Why a session does not prove that the student is there with all that is expected: an address that is hidden proves nothing. */
function unproven(
  step: Step,
  { id, shownKey }: NonNullable<Identity['proven']>,
  shown: JsonObject | undefined,
  world: World,
): CliError | undefined {
  if (!shown) return notProven(id, 'it is no longer there');
  const { exam, shows = {} } = step.provenAs ?? {};
  const is = examOf(shown, world.client);
  if (exam !== undefined && is !== undefined && is !== exam) return notProven(id, `it is shown in exam ${is}`);
  const address = addressIn(shown, { plain: true });
  if (address === undefined) return notProven(id, 'it is shown without an address');
  if (otherStudent(step, shown, world, { shownKey }) !== undefined) return notProven(id, `it is shown as ${address}`);
  const { different, notShown } = asSent('session', shows, shown, world.zone);
  const why = different[0] ?? notShown.map((field) => `${field} is not shown`)[0];
  return why === undefined ? undefined : changedError({ resource: 'session', id }, why);
}

/**
 * What would be lost with a session for which there is another one, in words. Its times are judged by the step, and the other fields of
 * the specification are of each session; any other value may be the student's.
 */
function lostIn(inPlace: JsonObject, shown: JsonObject, { client, zone }: World): Lost[] {
  const { sessionNameKey, sessionExamKey } = client.dialect;
  return Object.entries(shown).flatMap(([field, value]) => {
    if (Object.hasOwn(fieldRules.session, field) || field === 'id' || field === sessionExamKey.split('.')[0] || isNothing(value)) return [];
    if (isNothing(inPlace[field])) return [{ field, why: `${field} is not shown` }];
    const { different } = asSent('session', { [field]: value }, inPlace, zone);
    return field === sessionNameKey ? different.map((why) => ({ field, why })) : [];
  });
}

type Lost = { field: string; why: string };

function notWhole(id: string, { id: old }: Target, lost: readonly Lost[]): CliError {
  const given = lost.map(({ field }) => `-f ${shellQuoted(`${field}=VALUE`)}`).join(' ');
  return new CliError('differences', sentence`Session ${id} differs from session ${old}: ${lost.map(({ why }) => why).join('; ')}.`, {
    hint: sentence`Compare: proctor-cli ${typedCommand('sessions get', [old])}. To give it what it lacks: proctor-cli ${typedCommand('sessions update', [id], given)}. Then run the same command again`,
  });
}

function isNothing(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** Whether the student is there is unknown then. */
function notProven(id: string, why: string): CliError {
  return new CliError('outcome_unknown', sentence`It is not proven that the student is there as session ${id}: ${why}.`, {
    hint: sentence`Check it, then run the command again: proctor-cli ${typedCommand('sessions get', [id])}`,
  });
}

/**
 * Before a key that only a list has shown: the answer to the create showed the address that was sent, or none. Somebody may have given
 * the session to another person, so that it is not created again, and not changed either.
 */
const listedMark = '?';

export function asListed(key: string): string {
  return `${listedMark}${key}`;
}

export function isOnlyListed(key: string | null | undefined): key is string {
  return key?.startsWith(listedMark) ?? false;
}

export function listedKey(key: string): string {
  return key.slice(listedMark.length);
}

/** Why a session is not that of the address, in words. */
export function otherStudent(
  { email, who }: Pick<Step, 'email' | 'who'>,
  shown: JsonObject,
  { state }: Pick<World, 'state'>,
  { shownKey, masks = false }: Pick<Identity, 'shownKey' | 'masks'> = {},
): string | undefined {
  const now = addressIn(shown, { plain: !masks });
  if (now !== undefined && shownKey !== undefined && state.studentKey(now) === shownKey) return undefined;
  if (email === undefined)
    return who === undefined || now === undefined || state.studentKey(now) === who ? undefined : `it now belongs to ${now}`;
  if (now !== undefined) return addressKey(now) === addressKey(email) ? undefined : `it now belongs to ${now}`;
  const mask = maskIn(shown, { plain: !masks });
  return mask !== undefined && !mayHide(mask, email) ? `it now belongs to ${mask}` : undefined;
}

/** The first expected value that the resource does not show any more, in words. */
export function unexpected(resource: WritableResource, expects: JsonObject, shown: JsonObject, zone: string): string | undefined {
  for (const [field, value] of Object.entries(expects)) {
    const is = (shown[field] ?? null) as Json;
    if (field === 'status') {
      // A mail that was sent since does not matter: the student has not started.
      if (statusText(is) === statusText(value) || (phaseOf(is) !== undefined && phaseOf(is) === phaseOf(value))) continue;
      return `its status is now ${statusText(is) ?? 'not shown'}`;
    }
    if (value === null ? is === null : showsValue(resource, field, value, is)) continue;
    return `${differenceInWords(resource, field, { is, wanted: value, zone }).replace(' is ', ' is now ')}`;
  }
  return undefined;
}

function changedError({ resource, id }: Target, why: string): CliError {
  const look = typedCommand(`${resource === 'exam' ? 'exams' : 'sessions'} get`, [id]);
  return new CliError(
    'changed_meanwhile',
    sentence`${capitalised(nouns[resource])} ${id} was changed meanwhile: ${why}. Nothing was sent to it.`,
    {
      hint: sentence`Check it, then run the command again: proctor-cli ${look}`,
    },
  );
}

function missing({ operation }: Step, { resource, id }: Target): CliError {
  const list = resource === 'exam' ? 'exams list' : 'sessions list';
  const does = operation.does.replace(/:\w+/g, id);
  return new CliError('not_found', sentence`The service could not ${does}: ${nouns[resource]} ${id} does not exist (404).`, {
    hint: sentence`Check the ID; list them with: proctor-cli ${list}`,
    status: 404,
  });
}
