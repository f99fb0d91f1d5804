/** Short digests of the values of an exam, by which a later apply tells who has changed what since. A value in another notation has the same one. */
import { createHash } from 'node:crypto';
import { booleanIn } from '../../model/boolean.ts';
import { ruleOf } from '../../model/fields.ts';
import { type Json, stringifyJson, textOfJson } from '../../model/json.ts';
import { instantOf } from '../../model/time.ts';

/** Enough to see that a value is another one. */
const length = 8;

export function digestOfField(field: string, value: Json): string {
  return createHash('sha256')
    .update(`${field} ${canonical(field, value)}`)
    .digest('hex')
    .slice(0, length);
}

/** A value of an exam as a text that is the same in every notation of it. */
function canonical(field: string, value: Json): string {
  if (value === null) return 'null';
  const type = ruleOf('exam', field)?.type;
  const known = type === 'time' ? instantOf(value) : type === 'boolean' ? booleanIn(value) : undefined;
  if (known !== undefined) return String(known);
  return typeof value === 'object' ? stringifyJson(value) : textOfJson(value).trim();
}
