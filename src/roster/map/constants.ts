/**
 * Values that `-F` gives to every row: fields of a session in place of a column, and any other field
 * of the body, which goes along as it is.
 */
import { CliError } from '../../errors.ts';
import { ruleOf } from '../../model/fields.ts';
import type { JsonObject } from '../../model/json.ts';
import { stringifyJson } from '../../model/json.ts';
import { sentence } from '../../text/sentence.ts';
import { quote } from '../read/quote.ts';

/** The fields of a session that a row can have. */
export const rowFields = ['email', 'name', 'open_time', 'close_time', 'skip_requirements'] as const;
export type RowField = (typeof rowFields)[number];

export type Constants = {
  /** Texts for fields that rows can have, to be validated as cells are. */
  fields: Partial<{ [field in RowField]: string }>;
  /** Fields beyond those, for every student's request. */
  extra: JsonObject;
};

export function constantsOf(given: JsonObject): Constants {
  const constants: Constants = { fields: {}, extra: {} };
  for (const [key, value] of Object.entries(given)) {
    const field = rowFields.find((one) => one === key);
    refuseUnsendable(key);
    if (key === 'email') {
      throw new CliError('usage', 'The e-mail address cannot be the same for every student.', { hint: 'Leave out: -F email=…' });
    }
    if (!field) constants.extra[key] = value;
    else if (typeof value === 'string' || typeof value === 'boolean') constants.fields[field] = String(value);
    else
      throw new CliError('invalid_input', sentence`${field} cannot be ${stringifyJson(value)}.`, {
        hint: sentence`Give it as text: -f ${field}=…`,
      });
  }
  return constants;
}

/** Refuses a field that no request can set. `open_time` is not one: the import sets it afterwards. */
export function refuseUnsendable(field: string): void {
  const name = field.trim().toLowerCase();
  if (name === 'id' || name === 'exam_id') {
    throw new CliError(
      'usage',
      sentence`${field} cannot come from the file: ${name === 'id' ? 'the service gives it' : 'the exam is that of --exam'}.`,
      {
        hint: sentence`Leave out ${quote(field)}.${name === 'id' ? '' : ' In sessions import, --map exam=HEADER names the exam of each line.'}`,
      },
    );
  }
  const rule = ruleOf('session', name);
  if (rule && rule.setBy.length === 0) {
    throw new CliError('unsupported', sentence`${rule.reason}. Nothing was sent.`, {
      hint: sentence`${rule.instead ?? `Leave out ${quote(field)}.`}`,
    });
  }
}
