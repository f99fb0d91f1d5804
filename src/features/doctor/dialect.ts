/**
 * The dialect: compares the service's answers with the settings. Each check tests
 * one assumption, and its remedy is the setting that would make it true.
 */
import { type DialectKey, words } from '../../api/dialect.ts';
import { fieldAt, isJsonObject, type Json, type JsonObject, stringifyJson, textOfJson } from '../../model/json.ts';
import { missingRestrictions, restrictionKeys } from '../../model/restrictions.ts';
import { shellQuoted } from '../../model/shell-quote.ts';
import { statusOf } from '../../model/status.ts';
import { instantOf, type TimeFormat } from '../../model/time.ts';
import { type Check, type DoctorContext, type Finding, failed, ok, skipped, warning } from './check.ts';
import { allLists, exams, isShownId, itemsOf, type List, listIn, sessions } from './lists.ts';

export function setLine(patient: DoctorContext, key: DialectKey, value: string): string {
  return `proctor-cli config set dialect.${key} ${shellQuoted(value)}${patient.profileOption()}`;
}

const nothing = (what: string) => skipped(`there is no ${what} to check`);

/** A check of the dialect: only of what the token may read, and once its lists can be read. */
export const dialectCheck = (name: string, list: List, find: Check['find']): Check => ({
  name: `dialect: ${name}`,
  network: true,
  after: [`rights: ${list.name}`, ...(name === 'lists' ? [] : ['dialect: lists'])],
  find,
});

export const dialectLists = dialectCheck('lists', exams, async (patient) => {
  const forms = new Set<string>();
  for (const list of await allLists(patient)) {
    const form = await formOfList(list, patient);
    if (typeof form !== 'string') return form;
    forms.add(form);
  }
  return ok([...forms].filter((form) => form !== '').join(', '));
});

/** In words, how a list is held; what is to be done where it cannot be read. */
async function formOfList(list: List, patient: DoctorContext): Promise<Finding | string> {
  const { dialect } = patient.settings();
  const answer = await patient.answer(list);
  if (answer.problem) return list === exams || list === sessions ? '' : `not read: ${list.name} (${answer.status})`;
  if (!answer.whole) return 'too long to be checked as a whole';
  const listed = listIn(answer, list, patient);
  const path = list.operation.path.replace(/:(\w+)/g, (_, name: string) => list.params?.[name] ?? '');
  if (!listed) {
    return failed(
      'bad_answer',
      `the answer to GET ${path} contains no list`,
      `Show it: proctor-cli api GET ${shellQuoted(path)}${patient.profileOption()}`,
    );
  }
  const { wrapper, known, form, items } = listed;
  const propose = (what: string, key: DialectKey, value: string) => failed('bad_answer', what, `Set it: ${setLine(patient, key, value)}`);
  const added = (key: 'listKeys' | 'recordKeys', word: string) => [...words(dialect[key]), word].join(',');
  if (form === 'map' && !known) return propose(`the ${list.name} are a map by ID, which is not set`, 'listForm', 'map');
  if (wrapper !== undefined && !known)
    return propose(`the list is in the field "${wrapper}", which is not set`, 'listKeys', added('listKeys', wrapper));
  const inner = innerFields(items, list);
  if (inner !== undefined)
    return propose(`fields of the ${list.name} stand under "${inner}", which is not set`, 'recordKeys', added('recordKeys', inner));
  return form === 'map' ? 'a map by ID' : wrapper === undefined ? 'bare' : `under "${wrapper}"`;
}

/** Fields that tell a record from whatever else may stand in it. */
const telling: Partial<Record<List['operation']['resource'], readonly string[]>> = {
  exam: ['start_time', 'end_time', ...restrictionKeys],
  session: ['email', 'status', 'open_time', 'close_time'],
};

/** The object in the records that has fields which they lack. */
function innerFields(items: readonly JsonObject[], { operation: { resource } }: List): string | undefined {
  const fields = telling[resource] ?? [];
  for (const item of items) {
    for (const [key, inner] of Object.entries(item)) {
      if (!isJsonObject(inner) || /exam/i.test(key)) continue;
      if (fields.some((field) => Object.hasOwn(inner, field) && !Object.hasOwn(item, field))) return key;
    }
  }
  return undefined;
}

const commonId = /^_?(id|uuid|guid|key)$/i;
const ownIds = {
  exam: { key: 'examIdKey', sounds: /^exam_?(id|uuid|guid|key)$/i },
  session: { key: 'sessionIdKey', sounds: /^(student_?)?session_?(id|uuid|guid|key)$|^student_?(id|uuid)$/i },
} as const;

export const dialectIds = dialectCheck('IDs', exams, async (patient) => {
  const { idKey } = patient.settings().dialect;
  const listed = [
    { noun: 'exam', items: await itemsOf(patient, exams) },
    { noun: 'session', items: await itemsOf(patient, sessions) },
  ] as const;
  const some = listed.filter(({ items }) => items.length > 0);
  if (some.length === 0) return nothing('exam or session');
  const lacking = some.filter(({ items }) => items.some((item) => !Object.hasOwn(item, idKey)));
  const [first] = lacking;
  if (!first) return ok(`in the field "${idKey}"`);
  const shown = first.items.find((item) => !Object.hasOwn(item, idKey)) ?? {};
  const missing = `no field "${idKey}" among: ${Object.keys(shown).slice(0, 8).join(', ')}`;
  const named = (item: JsonObject, sounds: RegExp) => Object.keys(item).find((key) => sounds.test(key) && isShownId(item[key]));
  const common = named(shown, commonId);
  if (
    common !== undefined &&
    lacking.length === some.length &&
    lacking.every(({ items }) => items.every((item) => Object.hasOwn(item, common)))
  )
    return warning(missing, `Set the field that holds the ID: ${setLine(patient, 'idKey', common)}`);
  const { key, sounds } = ownIds[first.noun];
  const own = common ?? named(shown, sounds);
  if (own !== undefined) return warning(missing, `Set the field that identifies each ${first.noun}: ${setLine(patient, key, own)}`);
  return warning(missing, `Set the field that holds the ID: ${setLine(patient, 'idKey', 'NAME')}`);
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

export const dialectTimes = dialectCheck('times', exams, async (patient) => {
  const { timeFormat } = patient.settings().dialect;
  const items = await itemsOf(patient, exams, sessions);
  const times = items.flatMap((item) => timeFields.map((field) => item[field])).filter((time) => time !== undefined && time !== null);
  if (times.length === 0) return nothing('point in time');
  const strange = times.find((time) => instantOf(time) === undefined);
  if (strange !== undefined) {
    const why = /^\s*\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(String(strange)) ? 'has no offset from UTC' : 'is in an unknown form';
    return warning(
      `the time ${stringifyJson(strange)} ${why}, and no setting can say what it means; it is shown as it is, and nothing is computed with it`,
      `Show it: proctor-cli exams list -o json${patient.profileOption()}`,
    );
  }
  const { shown, format, fits } = formOf(times[0]);
  if (fits.includes(timeFormat)) return ok(`shown ${shown}, sent as ${timeFormat}`);
  return warning(
    `the service shows times ${shown}, but they are sent as ${timeFormat}`,
    `Send them as they are shown: ${setLine(patient, 'timeFormat', format)}`,
  );
});

/** Names that are no setting, because the specification has them, and what a service may have in their place. */
const fixedFields: { list: List; fields: Record<string, RegExp> }[] = [
  {
    list: exams,
    fields: {
      start_time: /^(starts?|begin(s|ning)?)(_?(at|on|time|date))?$/i,
      end_time: /^(ends?|finish(es)?|until)(_?(at|on|time|date))?$/i,
      allow_headphones: /headphone|headset/i,
      allow_whiteboard: /whiteboard/i,
      allow_leave_room: /leave|room/i,
      allow_pen_paper: /pen|paper/i,
    },
  },
  { list: sessions, fields: { email: /mail/i, status: /stat(us|e)$|^phase$/i } },
];

export const dialectFields = dialectCheck('fields', exams, async (patient) => {
  const others: string[] = [];
  let looked = 0;
  for (const { list, fields } of fixedFields) {
    const items = await itemsOf(patient, list);
    looked += items.length;
    const keys = new Set(items.flatMap((item) => Object.keys(item)));
    for (const [field, sounds] of Object.entries(fields)) {
      const other = keys.has(field) ? undefined : [...keys].find((key) => sounds.test(key) && !Object.hasOwn(fields, key));
      if (other !== undefined) others.push(`"${other}" instead of "${field}"`);
    }
  }
  if (looked === 0) return nothing('exam or session');
  if (others.length === 0) return ok('those of the specification');
  return warning(
    `the service shows ${others.join(', ')}; no setting can rename them, because the specification names these fields`,
    `Show it: proctor-cli api GET /exams${patient.profileOption()}`,
  );
});

export const dialectRestrictions = dialectCheck('restrictions', exams, async (patient) => {
  const listed = await itemsOf(patient, exams);
  if (listed.length === 0) return nothing('exam');
  const hidden = [...new Set(listed.flatMap(missingRestrictions))];
  if (hidden.length === 0) return ok('all four are shown');
  const flags = restrictionKeys.map((name) => `--${name.replaceAll('_', '-')}`).join(' ');
  return warning(
    `not shown with each exam: ${hidden.join(', ')}; to change one, all four must be given`,
    `Give all four, each with or without "no-": proctor-cli exams update ID ${flags}${patient.profileOption()}`,
  );
});

export const dialectExams = dialectCheck('exams', exams, async (patient) => {
  const { examNameKey } = patient.settings().dialect;
  const listed = await itemsOf(patient, exams);
  if (listed.length === 0) return nothing('exam');
  return nameFinding(listed, { noun: 'exam', key: 'examNameKey', set: examNameKey, sounds: /name|title|label|subject/i }, patient);
});

type Naming = { noun: string; key: 'examNameKey' | 'sessionNameKey'; set: string; sounds: RegExp };

/** Whether records show the field that --name sets; a service that does not show it may not keep it. */
function nameFinding(items: readonly JsonObject[], { noun, key, set, sounds }: Naming, patient: DoctorContext): Finding {
  if (items.some((item) => Object.hasOwn(item, set))) return ok(`named in "${set}"`);
  const names = (pattern: RegExp) =>
    items.flatMap((item) => Object.keys(item).filter((field) => pattern.test(field) && typeof item[field] === 'string'))[0];
  const whole = (field: RegExp) =>
    names(new RegExp(`^(?!.*(first|last|given|family|sur|file|user|middle|institute)_?(name)?)(?=.*(${field.source}))`, 'i'));
  const candidate = whole(sounds);
  if (candidate !== undefined) return warning(`the field is "${candidate}", not "${set}"`, `Set it: ${setLine(patient, key, candidate)}`);
  return warning(
    `no ${noun} shows the field "${set}", so the service may not keep what --name sets`,
    `Set its field, if there is one: ${setLine(patient, key, 'NAME')}`,
  );
}

export const dialectSessions = dialectCheck('sessions', sessions, async (patient) => {
  const { sessionExamKey, sessionNameKey, idKey } = patient.settings().dialect;
  const listed = await itemsOf(patient, sessions);
  if (listed.length === 0) return nothing('session');
  if (!listed.some((session) => fieldAt(session, sessionExamKey) !== undefined)) {
    const ids = new Set((await itemsOf(patient, exams)).map((exam) => textOfJson(exam[idKey] ?? null)));
    const candidate = examPath(listed, ids);
    if (candidate !== undefined)
      return warning(`the field is "${candidate}", not "${sessionExamKey}"`, `Set it: ${setLine(patient, 'sessionExamKey', candidate)}`);
  }
  const named = nameFinding(listed, { noun: 'session', key: 'sessionNameKey', set: sessionNameKey, sounds: /name/i }, patient);
  if (named.state !== 'ok') return named;
  const strange = listed.map(({ status }) => status).find((status) => statusOf(status) === undefined);
  if (strange === undefined) return ok(`fields as set (${sessionExamKey}, ${sessionNameKey})`);
  return warning(
    `the specification does not know the status ${strange === undefined ? 'that is missing' : stringifyJson(strange)}; it is shown as it is`,
    `Show the sessions: proctor-cli sessions list${patient.profileOption()} --columns id,status`,
  );
});

/** The field, or the path of fields, in which all sessions name an exam: by its name, and by IDs that exams have. */
function examPath(listed: readonly JsonObject[], ids: ReadonlySet<string>): string | undefined {
  const paths = scalarPaths(listed[0] ?? {}, 4).filter((path) => /exam|test|assessment/i.test(path));
  const namesExam = (path: string) => listed.every((session) => ids.has(textOfJson(fieldAt(session, path) ?? null)));
  return paths.find(namesExam) ?? paths.find((path) => /^(exam|test|assessment)(_?(id|uuid|key))?$/i.test(path));
}

/** The fields of an object that hold an ID or a text, as paths; those nearer to its top come first. */
function scalarPaths(item: JsonObject, levels: number): string[] {
  const inner = Object.entries(item).flatMap(([key, value]) =>
    isJsonObject(value) && levels > 1 ? scalarPaths(value, levels - 1).map((path) => `${key}.${path}`) : [],
  );
  return [...Object.keys(item).filter((key) => isShownId(item[key])), ...inner];
}
