/**
 * What of an old session goes into a new one: whatever the specification or the dialect declares; its own
 * window moves by the difference of the exams' starts. Any other field with a value is named, and left.
 */
import type { Client } from '../../api/client.ts';
import type { Context } from '../../command.ts';
import { addressIn } from '../../model/address-key.ts';
import { examTimes, setsTimes, settable } from '../../model/fields.ts';
import { booleanIn, type Json, type JsonObject } from '../../model/json.ts';
import { numberIn } from '../../model/listing.ts';
import { formatTime, instantOf } from '../../model/time.ts';
import { notSent } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { moved, movedAlong, shownOf } from '../times/exam-change.ts';

/** `fields`: what goes along beside the address. `left`: fields that do not. */
export type Copied = {
  id: string;
  email: string | undefined;
  number: string | undefined;
  fields: JsonObject;
  left: readonly string[];
};

export type Along = { from: JsonObject; to: JsonObject; zone: string };

/** Where a list leaves one out, the session is read by its ID. */
export function declaredFields(dialect: Client['dialect']): string[] {
  return [...settable('session', dialect), 'status'];
}

/** `given`: in place of its values. Throws `invalid_input` for a window that cannot move along. */
export function copiedFrom({ dialect }: Client, id: string, shown: JsonObject, along?: Along, given?: JsonObject): Copied {
  const { idKey, sessionExamKey, sessionNameKey, sessionNumberKey } = dialect;
  const fields: JsonObject = {};
  for (const key of [sessionNameKey, sessionNumberKey]) {
    if (!isEmpty(shown[key])) fields[key] = shown[key] ?? null;
  }
  const [from, to] = along ? [along.from, along.to].map(({ start_time }) => instantOf(start_time)) : [0, 0];
  for (const field of ['open_time', 'close_time']) {
    const at = shown[field] ?? null;
    if (at === null) continue;
    const name = `The ${field} of session ${id}`;
    if (from === undefined || to === undefined)
      throw notSent(
        sentence`${name} cannot move along: one of the exams shows no start.`,
        sentence`Set the start of that exam, or leave the session out.`,
      );
    const instant = moved(name, () => movedAlong(at, from, to, along?.zone ?? 'UTC'));
    fields[field] = formatTime(instant, dialect.timeFormat);
  }
  const skips = booleanIn(shown.skip_requirements);
  if (skips !== undefined) fields.skip_requirements = skips;
  Object.assign(fields, given);
  const [exam = ''] = sessionExamKey.split('.');
  const known = ['id', idKey, exam, 'level_of_suspicion', ...declaredFields(dialect), ...Object.keys(fields)];
  const left = Object.keys(shown).filter((key) => !known.includes(key) && !isEmpty(shown[key]));
  return {
    id,
    email: addressIn(shown),
    number: numberIn(shown, sessionNumberKey),
    fields,
    left,
  };
}

/** The times of its exam, where times of its own were computed from them. */
export function timesFor({ fields }: Pick<Copied, 'fields'>, exam: JsonObject): JsonObject | undefined {
  return setsTimes(fields) ? shownOf(examTimes, exam) : undefined;
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' ? Object.keys(value).length === 0 : String(value).trim() === '';
}

/** `add`: what can be done about it. */
export function tellCopied({ warn }: Context, all: readonly Copied[], add = ''): void {
  const left = new Set(all.flatMap((each) => each.left));
  if (left.size > 0) warn(sentence`warning: not carried over: ${[...left].join(', ')}.${add}`);
}
