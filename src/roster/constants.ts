/** Values that `-F` gives to every line: fields of a student in place of a column, and any other field of the body, which goes along as it is. */
import { CliError } from '../errors.ts';
import { ruleOf } from '../model/fields.ts';
import { type JsonObject, stringifyJson } from '../model/json.ts';
import { sentence } from '../text/sentence.ts';

/** The fields of a line that can be the same for all. */
const constantFields = ['name', 'open_time', 'close_time', 'skip_requirements'] as const;

/** `texts` are checked as cells are; `extra`: for every student's request. */
export type Constants = { texts: { [field in (typeof constantFields)[number]]?: string }; extra: JsonObject };

export const noConstants: Constants = { texts: {}, extra: {} };

/** `numberKey`: dialect.sessionNumberKey. Throws `usage` for what identifies a student, `unsupported` for what no request can set. */
export function constantsOf(given: JsonObject, numberKey: string): Constants {
  const constants: Constants = { texts: {}, extra: {} };
  for (const [key, value] of Object.entries(given)) {
    const field = constantFields.find((one) => one === key);
    refuseUnsendable(key);
    const hint = sentence`Leave out: -F ${key}=…`;
    if (key === 'email' || key === numberKey)
      throw new CliError('usage', sentence`${key} identifies a student, and cannot be the same for all.`, { hint });
    if (!field) constants.extra[key] = value;
    else if (typeof value !== 'object') constants.texts[field] = String(value);
    else throw new CliError('invalid_input', sentence`${field} cannot be ${stringifyJson(value)}.`, { hint });
  }
  return constants;
}

/** Refuses a field that no request can set. `open_time` is not one: the import sets it afterwards. */
export function refuseUnsendable(field: string): void {
  if (['id', 'exam_id'].includes(field))
    throw new CliError('usage', sentence`${field} is not sent: the service gives IDs, and --exam or --map exam=HEADER says which exam.`, {
      hint: sentence`Leave out ${field}.`,
    });
  const rule = ruleOf('session', field);
  if (rule && rule.setBy.length === 0)
    throw new CliError('unsupported', sentence`${rule.reason}. Nothing was sent.`, { hint: sentence`${rule.instead}` });
}
