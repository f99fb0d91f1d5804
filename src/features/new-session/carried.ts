/**
 * What of an old session goes into a new one, in the same exam or in another: whatever the specification or the dialect declares, with the
 * window of its own moved along by the difference of the exams' starts. Any other field that it shows with a value is named, and left.
 */
import type { Client } from '../../api/client.ts';
import type { Dialect } from '../../api/dialect.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { addressIn, addressKey } from '../../model/address-key.ts';
import { count } from '../../model/count.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { booleanIn } from '../../model/json.ts';
import { numberIn } from '../../model/listing.ts';
import { formatTime, instantOf } from '../../model/time.ts';
import { sentence } from '../../text/sentence.ts';
import { moved, movedAlong } from '../times/exam-change.ts';

/** `fields`: what goes along beside the address. `left`: fields that do not. */
export type Carried = { id: string; email: string | undefined; number: string | undefined; fields: JsonObject; left: readonly string[] };

/** The old exam and the new one. */
export type Along = { from: JsonObject; to: JsonObject; zone: string };

/** What a list may leave out, and a session is read for by its ID. */
export function declaredFields({ sessionNameKey, sessionNumberKey }: Dialect): string[] {
  const keys = ['email', 'status', 'open_time', 'close_time', 'skip_requirements', sessionNameKey, sessionNumberKey];
  return keys.filter((key) => key !== '');
}

/**
 * `along`: where it goes to another exam. `given`: values that go before those of the session. Throws `invalid_input` for a window that
 * cannot move along.
 */
export function carriedOver({ dialect }: Client, id: string, shown: JsonObject, along?: Along, given: JsonObject = {}): Carried {
  const { idKey, sessionExamKey, sessionNameKey, sessionNumberKey } = dialect;
  const skips = booleanIn(shown.skip_requirements);
  const kept = [sessionNameKey, sessionNumberKey].flatMap((key) => (isEmpty(shown[key]) ? [] : [[key, shown[key] ?? null] as const]));
  const time = (field: string): JsonObject => {
    const at = shown[field] ?? null;
    const [from, to] = along ? [instantOf(along.from.start_time), instantOf(along.to.start_time)] : [0, 0];
    if (at === null) return {};
    if (from === undefined || to === undefined)
      throw new CliError('invalid_input', sentence`The ${field} of session ${id} cannot move along: one of the exams shows no start.`, {
        hint: 'Nothing was sent. Set the start of that exam, or leave the session out.',
      });
    const instant = moved(`The ${field} of session ${id}`, () => movedAlong(at, from, to, along?.zone ?? 'UTC'));
    return { [field]: formatTime(instant, dialect.timeFormat) };
  };
  const isSkipping = skips === undefined ? {} : { skip_requirements: skips };
  const fields: JsonObject = { ...Object.fromEntries(kept), ...time('open_time'), ...time('close_time'), ...isSkipping, ...given };
  const [exam = ''] = sessionExamKey.split('.');
  const known = new Set(['id', idKey, exam, 'level_of_suspicion', ...declaredFields(dialect), ...Object.keys(fields)]);
  const left = Object.keys(shown).filter((key) => !known.has(key) && !isEmpty(shown[key]));
  return { id, email: addressIn(shown), number: numberIn(shown, sessionNumberKey), fields, left };
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' ? Object.keys(value).length === 0 : String(value).trim() === '';
}

/** By what a student is recognised; undefined for one who shows neither address nor number. */
export function keyOf({ email, number }: Pick<Carried, 'email' | 'number'>): string | undefined {
  return email === undefined ? number && `number ${number}` : addressKey(email);
}

/** Says what does not go along. `add`: what can be done about it. */
export function tellCarried({ warn }: Context, all: readonly Carried[], add: string): void {
  const fields = all.flatMap(({ left }) => left);
  const numberOf = (field: string) => count(fields.filter((each) => each === field).length, 'session');
  const left = [...new Set(fields)].map((field) => `${field} (${numberOf(field)})`);
  if (left.length > 0) warn(sentence`warning: not carried over: ${left.join(', ')}.${add}`);
}
