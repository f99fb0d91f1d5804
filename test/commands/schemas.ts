/** The program's own schemas as a validator sees them. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { run } from '../support/run.ts';

// Patterns stand beside the formats, and say the same.
const ajv = new Ajv2020({ allowUnionTypes: true, validateFormats: false });
const schemas = new Map<string, Record<string, unknown>>();

/** The output of `schema` for a name; undefined if it does not exist. */
export async function schemaOf(name: string): Promise<Record<string, unknown> | undefined> {
  const known = schemas.get(name);
  if (known) return known;
  const { code, stdout } = await run(['schema', ...name.split(' ')]);
  if (code !== 0) return undefined;
  schemas.set(name, JSON.parse(stdout));
  return schemas.get(name);
}

/** The same, as a function that tells what is wrong; `closed` refuses fields that the schema does not name. */
export async function validator(name: string, { closed = false } = {}): Promise<(value: unknown) => string | undefined> {
  const schema = await schemaOf(name);
  if (!schema) return () => `there is no schema of ${name}`;
  const { $id, ...rest } = schema;
  const key = `${$id}${closed ? ':closed' : ''}`;
  const text = JSON.stringify(rest);
  const made = (): ValidateFunction =>
    ajv.compile({ ...JSON.parse(closed ? text.replaceAll('"additionalProperties":{}', '"additionalProperties":false') : text), $id: key });
  const validate = ajv.getSchema(key) ?? made();
  return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors));
}
