/**
 * Shared by the models of the resources: tolerant field types, and a check that names the invalid field.
 * Models validate; they never copy, so the service's own fields, their order and everything unknown reach the
 * user unchanged.
 */
import * as z from 'zod/mini';
import { isJsonObject, type Json, stringifyJson } from './json.ts';
import { isSecretKey, mask } from './secret-keys.ts';

/** Identifier of a resource: the specification fixes no format (section 1). */
export const Id = z.union([z.string(), z.number(), z.bigint()]);
/** A point in time as the service shows it: text, or a number where it counts seconds. */
export const Timestamp = z.nullish(z.union([z.string(), z.number()]));
export const MaybeBoolean = z.nullish(z.boolean());
export const MaybeText = z.nullish(z.string());

/** A field that does not fit a schema, and what was found there, in short. */
export type Misfit = { field: string; found: string };

/** The fields that do not fit the schema; none if the value fits. `masked`: JSON text as it may be shown, before it is cut. */
export function misfits(schema: z.ZodMiniType, value: unknown, masked: (json: string) => string): Misfit[] {
  if (plainlyFits(schema, value)) return [];
  const result = schema.safeParse(value);
  if (result.success) return [];
  return result.error.issues.map(({ path }) => {
    const found = path.reduce<unknown>((part, key) => (part as Record<PropertyKey, unknown> | undefined)?.[key], value);
    const shown = path.some((key) => isSecretKey(String(key))) ? mask : found === undefined ? 'nothing' : masked(stringifyJson(found));
    return { field: path.join('.'), found: shown.length > 60 ? `${shown.slice(0, 57)}…` : shown };
  });
}

/** The names of a schema's fields, and the types of each, as the sum of their bits. */
type FieldTypes = { names: readonly string[]; types: readonly number[] };
const typesOfFields = new WeakMap<z.ZodMiniType, FieldTypes>();

/**
 * Whether an object's fields have types that their schemas take as they are: quick, because lists may
 * have a million items, and never true where the schema itself would say no.
 */
function plainlyFits(schema: z.ZodMiniType, value: unknown): boolean {
  if (!isJsonObject(value) || !(schema instanceof z.ZodMiniObject)) return false;
  const { names, types } = typesOfFields.get(schema) ?? learnt(schema);
  for (let at = 0; at < names.length; at += 1) if ((bitOf(value[names[at] as string]) & (types[at] as number)) === 0) return false;
  return true;
}

function learnt(schema: z.ZodMiniObject): FieldTypes {
  const fields = Object.entries(schema.def.shape);
  const made = { names: fields.map(([name]) => name), types: fields.map(([, field]) => typesOf(field as z.ZodMiniType)) };
  typesOfFields.set(schema, made);
  return made;
}

const bits = { undefined: 1, null: 2, string: 4, number: 8, boolean: 16, bigint: 32 } as const;

/** The bit of a value's type; none for what needs a further look: objects, arrays, and numbers that are none. */
function bitOf(value: Json | undefined): number {
  switch (typeof value) {
    case 'string':
      return bits.string;
    case 'number':
      return Number.isFinite(value) ? bits.number : 0;
    case 'object':
      return value === null ? bits.null : 0;
    case 'boolean':
      return bits.boolean;
    case 'undefined':
      return bits.undefined;
    case 'bigint':
      return bits.bigint;
    default:
      return 0;
  }
}

/** The bits of the types that a schema takes without a further look; none of what has rules of its own. */
function typesOf(schema: z.ZodMiniType): number {
  if (schema instanceof z.ZodMiniOptional) return typesOf(schema.def.innerType as z.ZodMiniType) | bits.undefined;
  if (schema instanceof z.ZodMiniNullable) return typesOf(schema.def.innerType as z.ZodMiniType) | bits.null;
  if (schema instanceof z.ZodMiniUnion) return schema.def.options.reduce((sum, option) => sum | typesOf(option as z.ZodMiniType), 0);
  const { type, checks = [] } = schema.def as { type: string; checks?: unknown[] };
  const isPlain = type === 'string' || type === 'number' || type === 'bigint' || type === 'boolean';
  return isPlain && checks.length === 0 ? bits[type] : 0;
}
