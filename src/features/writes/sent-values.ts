/** The body of an update: an exam's restrictions are sent all four (specification 2.1, rule 2), and what it replaces is kept for an undo. */
import type { Column, Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { missingRestrictions, restrictionKeys, restrictionsOf, wouldResetRestrictions } from '../../model/fields.ts';
import type { JsonObject } from '../../model/json.ts';
import { instantOf } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

type Update = {
  body: JsonObject;
  /** `now+7h` is another time when the command is run again, and means the same. */
  typedTimes: Readonly<Record<string, string>>;
  put: boolean;
  columns: readonly Column[];
};
export type ExamUpdate = Update & { id: string };
export type SessionUpdates = Update & { ids: readonly string[] };

/** The body with all four restrictions where it names one, and the values that the exam has to have still. Throws `invalid_input`. */
export function withRestrictions(id: string, shown: JsonObject, body: JsonObject): { sent: JsonObject; expects: JsonObject } {
  if (!wouldResetRestrictions(body)) return { sent: body, expects: {} };
  const missing = [...new Set([...missingRestrictions(shown), ...missingRestrictions({ ...shown, ...body })])];
  if (missing.length > 0) {
    const what = sentence`The service does not show ${missing.join(', ')} of exam ${id}, and would reset the restrictions that the update leaves out.`;
    const flags = restrictionKeys.map((key) => `--[no-]${key.replaceAll('_', '-')}`).join(' ');
    throw new CliError('invalid_input', what, { hint: sentence`Give all four: ${flags}` });
  }
  const kept = Object.fromEntries(Object.entries(restrictionsOf(shown)).filter(([key]) => !Object.hasOwn(body, key)));
  return { sent: { ...kept, ...body }, expects: kept };
}

/** The values that an update replaces, as the resource has them; what it does not show cannot be set back. */
export function replacedBy(body: JsonObject, shown: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(body).flatMap((field) => (Object.hasOwn(shown, field) ? [[field, shown[field] ?? null]] : [])));
}

/** Whether an update changes times: those of other records may depend on them. */
export function setsTimes(body: JsonObject): boolean {
  return ['start_time', 'end_time', 'open_time', 'close_time'].some((field) => Object.hasOwn(body, field));
}

/** The restrictions before and after, changed ones first. */
export function restrictionChange(id: string, before: JsonObject, after: JsonObject): Sentence {
  const was = restrictionsOf(before);
  const is = restrictionsOf(after);
  const word = (value: boolean | undefined) => (value === undefined ? 'not shown' : value ? 'yes' : 'no');
  const changed = restrictionKeys.filter((key) => was[key] !== is[key]).map((key) => `${key} ${word(was[key])} → ${word(is[key])}`);
  const kept = restrictionKeys.filter((key) => was[key] === is[key]).map((key) => `${key} ${word(is[key])}`);
  return sentence`Exam ${id}: ${changed.length > 0 ? changed.join(', ') : 'no restriction changed'}${kept.length > 0 ? `; kept: ${kept.join(', ')}` : ''}.`;
}

/** A student whose close time is over can no longer start. */
export function warnIfPast({ host, warn }: Pick<Context, 'host' | 'warn'>, { close_time }: JsonObject): void {
  const closes = instantOf(close_time);
  if (closes !== undefined && closes < host.now()) warn('warning: the close time is in the past; the student can no longer start.');
}
