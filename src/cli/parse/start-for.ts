/** The start that an end belongs to: with it, an end can be typed as a time of day or as a duration. */
import type { Command, Context, TimeFlag } from '../../command.ts';
import { instantOf } from '../../model/time.ts';
import { type Fields, fieldName } from './body.ts';

type Line = {
  command: Command;
  values: Readonly<Record<string, unknown>>;
  fields: Fields;
};

/** The start for an end: as typed or, in an update, as the service has it. Milliseconds since 1970; undefined where it is not known. */
export async function startFor({ after = '' }: TimeFlag, { command, values, fields }: Line, context: Context) {
  const field = command.flags?.[after]?.field;
  if (field === undefined) return undefined;
  const name = fieldName(field, context);
  const { writes } = command;
  if (fields.has(name) || typeof writes !== 'object' || writes.writing !== 'update') return instantOf(fields.get(name)?.value);
  const [id, ...more] = [values.id ?? values.ids].flat();
  // Several sessions have starts of their own.
  if (typeof id !== 'string' || more.length > 0) return undefined;
  const [client, { operations }] = await Promise.all([context.client(), import('../../api/operations.ts')]);
  return instantOf((await client.get(writes.resource === 'exam' ? operations.getExam : operations.getSession, { params: { id } }))[name]);
}
