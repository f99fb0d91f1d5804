/**
 * What the resources' models share: tolerant field types, and a check that names the field which
 * does not fit. Models validate; they never copy, so the service's own fields, their order and
 * everything unknown reach the user unchanged.
 */
import * as z from 'zod/mini';

/** Identifier of a resource: the specification fixes no format (section 1). */
export const Id = z.union([z.string(), z.number(), z.bigint()]);
/** A point in time as the service shows it: text, or a number where it counts seconds. */
export const Timestamp = z.nullish(z.union([z.string(), z.number()]));
export const MaybeBoolean = z.nullish(z.boolean());
export const MaybeText = z.nullish(z.string());

/** The first field that does not fit the schema, in words; undefined if the value fits. */
export function misfit(schema: z.ZodMiniType, value: unknown): string | undefined {
  const result = schema.safeParse(value);
  const issue = result.success ? undefined : result.error.issues[0];
  if (!issue) return undefined;
  const field = issue.path.join('.');
  const found = issue.path.reduce<unknown>((part, key) => (part as Record<PropertyKey, unknown> | undefined)?.[key], value);
  const shown =
    found === undefined
      ? 'nothing'
      : (JSON.stringify(found, (_key, item) => (typeof item === 'bigint' ? String(item) : item)) ?? typeof found);
  const short = shown.length > 60 ? `${shown.slice(0, 57)}…` : shown;
  return field ? `${field} is ${short}` : `it is ${short}`;
}
