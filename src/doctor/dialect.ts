/**
 * The dialect: what the service's answers look like, compared with what is set. Each check looks at
 * one assumption, and its remedy is the setting that would make it true.
 */
import type { Peek } from '../api/answer.ts';
import { type DialectKey, listNames, words } from '../api/dialect.ts';
import { operations } from '../api/operations.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, stringifyJson } from '../model/json.ts';
import { missingRestrictions, restrictionKeys } from '../model/restrictions.ts';
import { shellQuoted } from '../model/shell-quote.ts';
import { statusOf } from '../model/status.ts';
import { instantOf, type TimeFormat } from '../model/time.ts';
import { type Asked, type Check, failed, ok, type Patient, skipped, warning } from './check.ts';

type Listed = {
  items: JsonObject[];
  /** The field under which the list stands; undefined for a bare one. */
  wrapper: string | undefined;
  /** Whether the dialect knows the wrapper. */
  known: boolean;
  siblings: JsonObject | undefined;
};

const resources = { exams: 'exam', sessions: 'session' } as const;

/** The list in an answer; undefined where there is none to be found in what was read of it. */
export function listIn({ text, whole }: Peek, list: Asked, { settings }: Patient): Listed | undefined {
  if (!whole) return undefined;
  let value: Json;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  if (Array.isArray(value)) return { items: value.filter(isJsonObject), wrapper: undefined, known: true, siblings: undefined };
  if (!isJsonObject(value)) return undefined;
  const fields = value;
  const names = listNames(resources[list], settings().dialect);
  const lists = listsIn(fields);
  const wrapper = names.find((name) => lists.has(name)) ?? [...lists.keys()][0];
  if (wrapper === undefined) return undefined;
  return { items: (lists.get(wrapper) ?? []).filter(isJsonObject), wrapper, known: names.includes(wrapper), siblings: fields };
}

/** The lists in an object, by their paths; those at its top come first. */
function listsIn(fields: JsonObject): Map<string, Json[]> {
  const found = new Map<string, Json[]>();
  for (const [key, value] of Object.entries(fields)) if (Array.isArray(value)) found.set(key, value);
  for (const [key, value] of Object.entries(fields)) {
    if (!isJsonObject(value)) continue;
    for (const [inner, list] of Object.entries(value)) if (Array.isArray(list)) found.set(`${key}.${inner}`, list);
  }
  return found;
}

async function itemsOf(patient: Patient, ...lists: Asked[]): Promise<JsonObject[]> {
  const items: JsonObject[] = [];
  for (const list of lists) {
    const answer = await patient.answer(list);
    if (!answer.problem) items.push(...(listIn(answer, list, patient)?.items ?? []));
  }
  return items;
}

export function setLine(patient: Patient, key: DialectKey, value: string): string {
  return `proctor-cli config set dialect.${key} ${shellQuoted(value)}${patient.profileOption()}`;
}

const nothing = (what: string) => skipped(`there is no ${what} to look at`);

/** A check of the dialect: only of what the token may read. */
export const dialectCheck = (name: string, list: Asked, find: Check['find']): Check => ({
  name: `dialect: ${name}`,
  network: true,
  after: [`rights: ${list}`],
  find,
});

export const dialectLists = dialectCheck('lists', 'exams', async (patient) => {
  const { dialect } = patient.settings();
  const forms = new Set<string>();
  for (const list of ['exams', 'sessions'] as const) {
    const answer = await patient.answer(list);
    if (answer.problem) continue;
    if (!answer.whole) {
      forms.add('too long to be looked at as a whole');
      continue;
    }
    const listed = listIn(answer, list, patient);
    const path = operations[list === 'exams' ? 'listExams' : 'listSessions'].path;
    if (!listed)
      return failed(
        'bad_answer',
        `the answer to GET ${path} holds no list`,
        `Look at it: proctor-cli api GET ${shellQuoted(path)}${patient.profileOption()}`,
      );
    const { wrapper, known } = listed;
    if (wrapper !== undefined && !known) {
      const keys = [...words(dialect.listKeys), wrapper].join(',');
      return failed('bad_answer', `the list stands under "${wrapper}", which is not set`, `Set it: ${setLine(patient, 'listKeys', keys)}`);
    }
    forms.add(wrapper === undefined ? 'bare' : `under "${wrapper}"`);
  }
  return ok([...forms].join(', '));
});

export const dialectIds = dialectCheck('IDs', 'exams', async (patient) => {
  const { idKey } = patient.settings().dialect;
  const items = await itemsOf(patient, 'exams', 'sessions');
  const without = items.find((item) => !Object.hasOwn(item, idKey));
  if (items.length === 0) return nothing('exam or session');
  if (!without) return ok(`in the field "${idKey}"`);
  const candidate = Object.keys(without).find((key) => /^_?(id|uuid|guid|key)$|^(exam|student_?session|session)_?id$/i.test(key));
  return warning(
    `there is no field "${idKey}" in: ${Object.keys(without).slice(0, 8).join(', ')}`,
    `Set the one that identifies: ${setLine(patient, 'idKey', candidate ?? 'NAME')}`,
  );
});

const timeFields = ['start_time', 'end_time', 'open_time', 'close_time'];

/** How a time is written: in words, as the format that writes it alike, and the formats that are as good. */
function formOf(time: Json | undefined): { shown: string; format: TimeFormat; fits: readonly string[] } {
  if (typeof time === 'number') {
    const format = instantOf(time) === time ? 'epoch-ms' : 'epoch-s';
    return { shown: `as ${format === 'epoch-ms' ? 'milliseconds' : 'seconds'} since 1970`, format, fits: [format] };
  }
  if (/ /.test(String(time).trim())) return { shown: 'with a space for the T', format: 'iso-space', fits: ['iso-space'] };
  return { shown: 'as ISO 8601', format: 'iso-utc', fits: ['iso-utc', 'iso-utc-ms', 'iso-offset'] };
}

export const dialectTimes = dialectCheck('times', 'exams', async (patient) => {
  const { timeFormat } = patient.settings().dialect;
  const items = await itemsOf(patient, 'exams', 'sessions');
  const times = items.flatMap((item) => timeFields.map((field) => item[field])).filter((time) => time !== undefined && time !== null);
  if (times.length === 0) return nothing('point in time');
  const strange = times.find((time) => instantOf(time) === undefined);
  if (strange !== undefined) {
    return warning(
      `${stringifyJson(strange)} is no instant that could be understood; it is shown as it is`,
      `Look at it: proctor-cli exams list -o json${patient.profileOption()}`,
    );
  }
  const { shown, format, fits } = formOf(times[0]);
  if (fits.includes(timeFormat)) return ok(`shown ${shown}, sent as ${timeFormat}`);
  return warning(
    `the service shows times ${shown}, and they are sent as ${timeFormat}`,
    `Send them as they are shown: ${setLine(patient, 'timeFormat', format)}`,
  );
});

export const dialectRestrictions = dialectCheck('restrictions', 'exams', async (patient) => {
  const exams = await itemsOf(patient, 'exams');
  if (exams.length === 0) return nothing('exam');
  const hidden = [...new Set(exams.flatMap(missingRestrictions))];
  if (hidden.length === 0) return ok('all four are shown');
  const flags = restrictionKeys.map((name) => `--${name.replaceAll('_', '-')}`).join(' ');
  return warning(
    `not shown with each exam: ${hidden.join(', ')}; one can be changed only where all four are given`,
    `Give all four, each with or without "no-": proctor-cli exams update ID ${flags}${patient.profileOption()}`,
  );
});

export const dialectSessions = dialectCheck('sessions', 'sessions', async (patient) => {
  const { sessionExamKey, sessionNameKey } = patient.settings().dialect;
  const sessions = await itemsOf(patient, 'sessions');
  const [first] = sessions;
  if (!first) return nothing('session');
  const keys = Object.keys(first);
  const has = (key: string) => sessions.some((session) => Object.hasOwn(session, key));
  for (const [key, set, sounds] of [
    ['sessionExamKey', sessionExamKey, /exam/i],
    ['sessionNameKey', sessionNameKey, /name/i],
  ] as const) {
    const candidate = has(set) ? undefined : keys.find((name) => sounds.test(name));
    if (candidate !== undefined)
      return warning(`there is "${candidate}" in place of "${set}"`, `Set it: ${setLine(patient, key, candidate)}`);
  }
  const strange = sessions.map(({ status }) => status).find((status) => statusOf(status) === undefined);
  if (strange === undefined) return ok(`in the words that are set (${sessionExamKey}, ${sessionNameKey})`);
  return warning(
    `the specification does not know the status ${strange === undefined ? 'that is missing' : stringifyJson(strange)}; it is shown as it is`,
    `See who has it: proctor-cli sessions list${patient.profileOption()} --columns id,status`,
  );
});
