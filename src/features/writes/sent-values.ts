/** What a write is about and what it replaces, read from its body and from the service before it is planned. */
import { examOf } from '../../api/client.ts';
import type { Context } from '../../command.ts';
import { addressIn } from '../../model/address-key.ts';
import type { JsonObject } from '../../model/json.ts';
import { instantOf } from '../../model/time.ts';
import { kindOf, numberIn, readRecord, type Step } from '../../runs/index.ts';

/** By what a student who is created is looked for. */
export function studentIn({ settings }: Pick<Context, 'settings'>, { email, ...more }: JsonObject): Pick<Step, 'email' | 'number'> {
  return {
    email: typeof email === 'string' && email.trim() !== '' ? email : undefined,
    number: numberIn(more, settings().dialect.sessionNumberKey),
  };
}

/** What a step about a session relies on: its exam and its student. */
export async function ofSession(context: Context, shown: JsonObject): Promise<Pick<Step, 'exam' | 'email' | 'number'>> {
  const client = await context.client();
  return { exam: examOf(shown, client), email: addressIn(shown), number: numberIn(shown, client.dialect.sessionNumberKey) };
}

/** An update or a deletion with what its target shows: the values that it replaces; of a session the exam and the student. */
export async function ofItsTarget(context: Context, step: Step): Promise<Step> {
  const [kind, { operation, params, body = {} }] = [kindOf(step), step];
  if (kind !== 'update' && kind !== 'deletion') return step;
  const resource = operation.resource === 'session' ? 'session' : 'exam';
  const shown = await readRecord(context, resource, params.id ?? '');
  const before = kind === 'update' ? { before: replacedBy(body, shown) } : {};
  return { ...step, ...before, ...(resource === 'session' ? await ofSession(context, shown) : {}) };
}

/** The values that an update replaces, as the resource has them; what it does not show cannot be set back. */
export function replacedBy(body: JsonObject, shown: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(body).flatMap((field) => (Object.hasOwn(shown, field) ? [[field, shown[field] ?? null]] : [])));
}

/** Whether an update changes times: those of other records may depend on them. */
export function setsTimes(body: JsonObject): boolean {
  return ['start_time', 'end_time', 'open_time', 'close_time'].some((field) => Object.hasOwn(body, field));
}

/** A student whose close time is over can no longer start. */
export function warnIfPast({ host, warn }: Pick<Context, 'host' | 'warn'>, { close_time }: JsonObject): void {
  const closes = instantOf(close_time);
  if (closes !== undefined && closes < host.now()) warn('warning: the close time is in the past; the student can no longer start.');
}
