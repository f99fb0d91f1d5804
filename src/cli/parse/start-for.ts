/** The start that an end belongs to: with it, an end can be typed as a time of day or as a duration. */
import type { Command, Context, TimeFlag } from '../../command.ts';
import { instantOf } from '../../model/time.ts';
import { type Fields, fieldName } from './body.ts';

/** Whether the command updates a resource: missing fields stay unchanged, and are not prompted for. */
export function isUpdate({ writes }: Command): boolean {
  return typeof writes === 'object' && writes.writing === 'update';
}

type Line = {
  command: Command;
  values: Readonly<Record<string, unknown>>;
  fields: Fields;
  /** Whether the service may be asked for the start of what is updated. */
  mayRead: boolean;
};

/** The start for an end: as typed or, in an update, as the service has it. Milliseconds since 1970; undefined where it is not known. */
export async function startFor({ after = '' }: TimeFlag, { command, values, fields, mayRead }: Line, context: Context) {
  const field = command.flags?.[after]?.field;
  if (field === undefined) return undefined;
  const name = fieldName(field, context);
  if (fields.has(name) || !isUpdate(command) || !mayRead) return instantOf(fields.get(name)?.value);
  const [id, ...more] = [values.id ?? values.ids].flat();
  // Several sessions have starts of their own.
  if (typeof id !== 'string' || more.length > 0) return undefined;
  const [client, { operations }] = await Promise.all([context.client(), import('../../api/operations.ts')]);
  const { resource } = command.writes as { resource: string };
  return instantOf((await client.get(resource === 'exam' ? operations.getExam : operations.getSession, { params: { id } }))[name]);
}
