/** Shapes as JSON Schema, draft 2020-12: what a validator or a code generator of a script reads. */
import * as z from 'zod/mini';
import { type Shape, type Shown, shapes } from './shapes.ts';

/** The major version of everything that is printed as JSON. */
const schemaVersion = 1;

export type Described = {
  /** As typed behind `schema`. */
  name: string;
  describes: string;
  /** Each of these may be printed. */
  shows: Shown | readonly Shown[];
};

/** The schema of a JSON document. Its `$id` carries the version. */
export function jsonSchemaOf({ name, describes, shows }: Described): Record<string, unknown> {
  const variants = [shows].flat().map((shown) => schemaOf(shown as Shown));
  const [only, ...others] = variants;
  const { $schema, ...schema } = z.toJSONSchema(only && others.length === 0 ? only : z.union(variants), {
    // Whole numbers beyond 2^53 are BigInt here and digits there.
    unrepresentable: ({ zodSchema }) => (zodSchema._zod.def.type === 'bigint' ? { type: 'integer' } : 'throw'),
  });
  const $id = `urn:proctor-cli:output:${schemaVersion}:${name.replaceAll(' ', '-')}`;
  return { $schema, $id, title: name, description: describes, ...schema };
}

function schemaOf(shown: Shown): z.ZodMiniType {
  const list = shown.endsWith('[]');
  const shape = shapes[(list ? shown.slice(0, -2) : shown) as Shape];
  return list ? z.array(shape) : shape;
}
