/**
 * Shared by the models of the resources: tolerant field types, and a check that names the invalid field.
 * Models validate; they never copy, so the service's own fields, their order and everything unknown reach the
 * user unchanged.
 */
import * as z from 'zod/mini';
import { isJsonObject, type Json, stringifyJson } from './json.ts';
import { isSecretKey, mask, maskSecretKeys } from './secrets.ts';

/** Identifier of a resource: the specification fixes no format (section 1). */
export const Id = z.union([z.string(), z.number(), z.bigint()]);
/** A point in time as the service shows it: text, or a number where it counts seconds. */
export const Timestamp = z.nullish(z.union([z.string(), z.number()]));
export const MaybeBoolean = z.nullish(z.boolean());
export const MaybeText = z.nullish(z.string());

/** A field that does not fit a schema, and what was found there, in short. */
export type Misfit = { field: string; found: string };

/** The fields that do not fit the schema; none if the value fits. */
export function misfits(schema: z.ZodMiniType, value: unknown): Misfit[] {
  if (plainlyFits(schema, value)) return [];
  const result = schema.safeParse(value);
  if (result.success) return [];
  return result.error.issues.map(({ path }) => {
    const found = path.reduce<unknown>((part, key) => (part as Record<PropertyKey, unknown> | undefined)?.[key], value);
    const held = path.some((key) => isSecretKey(String(key))) ? mask : maskSecretKeys(found);
    const shown = held === undefined ? 'nothing' : stringifyJson(held);
    return { field: path.join('.'), found: shown.length > 60 ? `${shown.slice(0, 57)}…` : shown };
  });
}

const fieldsOf = new WeakMap<z.ZodMiniType, [name: string, types: ReadonlySet<string>][]>();

/**
 * Whether an object's fields have types that their schemas take as they are: quick, because lists may
 * have a million items, and never true where the schema itself would say no.
 */
function plainlyFits(schema: z.ZodMiniType, value: unknown): boolean {
  if (!isJsonObject(value) || !(schema instanceof z.ZodMiniObject)) return false;
  let fields = fieldsOf.get(schema);
  if (!fields) {
    fields = Object.entries(schema.def.shape).map(([name, field]) => [name, typesOf(field as z.ZodMiniType)]);
    fieldsOf.set(schema, fields);
  }
  for (const [name, types] of fields) if (!types.has(typeOf(value[name]))) return false;
  return true;
}

function typeOf(value: Json | undefined): string {
  if (value === null) return 'null';
  return typeof value === 'number' && !Number.isFinite(value) ? 'not a number' : typeof value;
}

/** The types that a schema takes without a further look, as `typeOf` names them; none of what has rules of its own. */
function typesOf(schema: z.ZodMiniType): ReadonlySet<string> {
  if (schema instanceof z.ZodMiniOptional) return new Set([...typesOf(schema.def.innerType as z.ZodMiniType), 'undefined']);
  if (schema instanceof z.ZodMiniNullable) return new Set([...typesOf(schema.def.innerType as z.ZodMiniType), 'null']);
  if (schema instanceof z.ZodMiniUnion) return new Set(schema.def.options.flatMap((option) => [...typesOf(option as z.ZodMiniType)]));
  const { type, checks = [] } = schema.def as { type: string; checks?: unknown[] };
  return new Set(checks.length === 0 && ['string', 'number', 'bigint', 'boolean'].includes(type) ? [type] : []);
}
