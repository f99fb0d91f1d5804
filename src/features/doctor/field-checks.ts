/** Checks that the exams and the sessions show the fields that commands use, and shows the fields that came. */
import { type Reply, unwrapItem } from '../../api/answer.ts';
import type { DialectKey } from '../../api/dialect.ts';
import { listIn } from '../../api/list.ts';
import { operations } from '../../api/operations.ts';
import { fieldAt, isJsonObject, type JsonObject, stringifyJson } from '../../model/json.ts';
import { restrictionKeys } from '../../model/restrictions.ts';
import { type DoctorContext, type Finding, ok, skipped, warning } from './doctor-check.ts';

/** `named`: settings that name a field; `fixed`: names of the specification, which no setting changes. */
type Expected = {
  noun: 'exam' | 'session';
  list: typeof operations.listExams | typeof operations.listSessions;
  named: readonly DialectKey[];
  fixed: readonly string[];
};

const ofExams: Expected = {
  noun: 'exam',
  list: operations.listExams,
  named: ['idKey', 'examNameKey'],
  fixed: ['start_time', 'end_time', ...restrictionKeys],
};
const ofSessions: Expected = {
  noun: 'session',
  list: operations.listSessions,
  named: ['idKey', 'sessionExamKey', 'sessionNameKey'],
  fixed: ['email', 'status', 'close_time'],
};

export const examFields = (context: DoctorContext) => fields(context, ofExams);
export const sessionFields = (context: DoctorContext) => fields(context, ofSessions);

async function fields(context: DoctorContext, { noun, list, named, fixed }: Expected): Promise<Finding> {
  const { dialect } = context.settings();
  const records = recordsIn(await context.answer(list), list, context);
  if (!records) return skipped('the list was not found in the answer');
  const [first] = records;
  if (!first) return ok(`there is no ${noun} whose fields could be checked`);
  // The values of a session are a student's.
  const shown = noun === 'exam' ? stringifyJson(first) : Object.keys(first).join(', ');
  const came = context.masked(shown.length <= shownOfRecord ? shown : `${shown.slice(0, shownOfRecord)}…`);
  const lacks = (path: string) => records.every((record) => fieldAt(record, path) === undefined);
  const missing = fixed.filter(lacks);
  const [setting] = named.filter((key) => lacks(dialect[key]));
  if (setting !== undefined) {
    return warning(
      `no ${noun} has the field "${dialect[setting]}" (dialect.${setting}): ${came}`,
      `If another field holds it, set: proctor-cli config set dialect.${setting} NAME${context.profileOption()}`,
    );
  }
  if (missing.length === 0) return ok(noun === 'exam' ? came : `${came}. ${ofCloseTime}`);
  const isRestriction = missing.some((name) => (restrictionKeys as readonly string[]).includes(name));
  const flags = restrictionKeys.map((name) => `--${name.replaceAll('_', '-')}`).join(' ');
  return warning(
    `no ${noun} has ${fieldsInWords(missing)}: ${came}`,
    isRestriction
      ? `To change one restriction, give all four, each with or without "no-": proctor-cli exams update ID ${flags}${context.profileOption()}`
      : `Ask the operator of the service which field holds it; no setting names this field, and commands do without it.`,
  );
}

const ofCloseTime =
  'After its close_time, a student may no longer start; whether that also ends a running exam is not documented: ask the operator of the service';

function fieldsInWords(names: readonly string[]): string {
  return `the ${names.length === 1 ? 'field' : 'fields'} ${names.join(', ')} of the specification`;
}

/** The most that is shown of a record. */
const shownOfRecord = 500;

/** Undefined where the list is not found. */
function recordsIn({ data }: Reply, list: Expected['list'], { settings }: DoctorContext): JsonObject[] | undefined {
  const { dialect } = settings();
  const listed = listIn(data, list, dialect);
  return typeof listed === 'string' ? undefined : listed.items.filter(isJsonObject).map((item) => unwrapItem(item, list, dialect));
}
