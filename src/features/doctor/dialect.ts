/**
 * The dialect: compares the service's answers with the settings. Each check tests
 * one assumption, and its remedy is the setting that would make it true.
 */
import type { Peek } from '../../api/answer.ts';
import { type DialectKey, defaultDialect, listNames, words } from '../../api/dialect.ts';
import { isIdentified } from '../../api/records.ts';
import { fieldAt, isJsonObject, type Json, type JsonObject, stringifyJson, textOfJson } from '../../model/json.ts';
import { missingRestrictions, restrictionKeys } from '../../model/restrictions.ts';
import { shellQuoted, typedCommand } from '../../model/shell-quote.ts';
import { statusOf } from '../../model/status.ts';
import { instantOf, type TimeFormat } from '../../model/time.ts';
import { type Check, type DoctorContext, type Finding, failed, note, ok, skipped, warning } from './check.ts';
import { allLists, exams, isShownId, itemsOf, jsonIn, type List, listIn, sessions } from './lists.ts';

export function setLine(context: DoctorContext, key: DialectKey, value: string): string {
  return `proctor-cli ${typedCommand(`config set dialect.${key}`, [value], context.profileOption())}`;
}

const nothing = (what: string) => skipped(`no ${what} to check`);

/** A check of the dialect; it needs the right to read the list, and lists that can be read. */
export const dialectCheck = (name: string, list: List, find: Check['find']): Check => ({
  name: `dialect: ${name}`,
  network: true,
  after: [`rights: ${list.name}`, ...(name === 'lists' ? [] : ['dialect: lists'])],
  find,
});

/** What the dialect lacks to read a list, in words, and the word to add to a setting. */
type Lack = { what: string; key: 'listForm' | 'listKeys' | 'recordKeys' | 'ignoredKeys'; word: string };

export const dialectLists = dialectCheck('lists', exams, async (context) => {
  const { dialect } = context.settings();
  const forms = new Set<string>();
  const lacks: Lack[] = [];
  for (const list of await allLists(context)) {
    const form = await formOfList(list, context);
    if (typeof form === 'string') forms.add(form);
    else if ('state' in form) return form;
    else lacks.push(form);
  }
  const [first] = lacks;
  if (!first) return ok([...forms].filter((form) => form !== '').join(', '));
  const { what, key } = first;
  const added = [...new Set(lacks.filter((lack) => lack.key === key).map(({ word }) => word))];
  const value = key === 'listForm' ? first.word : [...words(dialect[key]), ...added].join(',');
  return failed('bad_answer', what, `Set it: ${setLine(context, key, value)}`);
});

/** The form of a list in words; or what the dialect lacks to read it, or the finding if no setting can. */
async function formOfList(list: List, context: DoctorContext): Promise<Finding | Lack | string> {
  const { dialect } = context.settings();
  const answer = await context.answer(list);
  if (answer.problem) return list === exams || list === sessions ? '' : `not read: ${list.name} (${answer.status})`;
  if (!answer.whole) return 'too long to be checked as a whole';
  const listed = listIn(answer, list, context);
  const path = list.operation.path.replace(/:(\w+)/g, (_, name: string) => list.params?.[name] ?? '');
  if (!listed) {
    return failed(
      'bad_answer',
      `the answer to GET ${path} contains no list`,
      `Show it: proctor-cli api GET ${shellQuoted(path)}${context.profileOption()}`,
    );
  }
  const { wrapper, known, form, items } = listed;
  const other = otherList(answer, list, context);
  if (other !== undefined) return { what: `beside the ${list.name}, "${other}" is a list, too`, key: 'ignoredKeys', word: other };
  if (form === 'map' && !known && dialect.listForm !== 'map')
    return { what: `the ${list.name} are a map by ID, but dialect.listForm is array`, key: 'listForm', word: 'map' };
  if (wrapper !== undefined && !known)
    return { what: `the list is in the field "${wrapper}", which dialect.listKeys lacks`, key: 'listKeys', word: wrapper };
  const inner = innerFields(items, list);
  if (inner !== undefined)
    return { what: `fields of the ${list.name} are nested in "${inner}", which dialect.recordKeys lacks`, key: 'recordKeys', word: inner };
  return form === 'map' ? 'a map by ID' : wrapper === undefined ? 'bare' : `under "${wrapper}"`;
}

/** Of two lists in an answer, the one whose items have no IDs, or else the second. */
function otherList(answer: Peek, { operation: { resource } }: List, context: DoctorContext): string | undefined {
  const { dialect } = context.settings();
  const value = jsonIn(answer) ?? null;
  if (!isJsonObject(value)) return undefined;
  const found = listNames(resource, dialect).flatMap((name) => {
    const items = fieldAt(value, name);
    return Array.isArray(items) && items.length > 0 ? [{ name, items }] : [];
  });
  if (found.length < 2) return undefined;
  const isNot = (items: readonly Json[]) => !items.every((item) => isJsonObject(item) && isIdentified(item, resource, dialect));
  return (found.find(({ items }) => isNot(items)) ?? found[1])?.name;
}

/** Fields by which a record is recognised. */
const telling: Partial<Record<List['operation']['resource'], readonly string[]>> = {
  exam: ['start_time', 'end_time', ...restrictionKeys],
  session: ['email', 'status', 'open_time', 'close_time'],
};

/** The nested object with fields that the records themselves lack. */
function innerFields(items: readonly JsonObject[], { operation: { resource } }: List): string | undefined {
  const [[only] = [], ...others] = items.map((item) => Object.keys(item));
  const isWrapper = (item: JsonObject) => Object.keys(item).length === 1 && isJsonObject(item[only ?? '']);
  if (only !== undefined && others.every(([key]) => key === only) && items.every(isWrapper)) return only;
  const fields = telling[resource] ?? [];
  for (const item of items) {
    for (const [key, inner] of Object.entries(item)) {
      if (!isJsonObject(inner) || /exam/i.test(key)) continue;
      if (fields.some((field) => Object.hasOwn(inner, field) && !Object.hasOwn(item, field))) return key;
    }
  }
  return undefined;
}

const commonId = /^_?(id|uuid|uid|guid|pk|identifier|key)$/i;
const ownIds = {
  exam: { key: 'examIdKey', sounds: /^exam_?(id|uuid|guid|key)$/i },
  session: { key: 'sessionIdKey', sounds: /^(student_?)?session_?(id|uuid|guid|key)$|^student_?(id|uuid)$/i },
} as const;

export const dialectIds = dialectCheck('IDs', exams, async (context) => {
  const { idKey } = context.settings().dialect;
  const listed = [
    { noun: 'exam', items: await itemsOf(context, exams) },
    { noun: 'session', items: await itemsOf(context, sessions) },
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
    return warning(missing, `Set the field that holds the ID: ${setLine(context, 'idKey', common)}`);
  const { key, sounds } = ownIds[first.noun];
  const own = common ?? named(shown, sounds);
  if (own !== undefined) return warning(missing, `Set the field that identifies each ${first.noun}: ${setLine(context, key, own)}`);
  return warning(missing, `Set the field that holds the ID: ${setLine(context, 'idKey', 'NAME')}`);
});

const timeFields = ['start_time', 'end_time', 'open_time', 'close_time'];

/** The form of a time: in words, as the setting that matches it, and all settings that are equivalent. */
function formOf(time: Json | undefined): { shown: string; format: TimeFormat; fits: readonly string[] } {
  if (typeof time === 'number' || /^\s*\d{10,13}(\.\d+)?\s*$/.test(String(time))) {
    const format = instantOf(time) === Number(time) ? 'epoch-ms' : 'epoch-s';
    return { shown: `as ${format === 'epoch-ms' ? 'milliseconds' : 'seconds'} since 1970`, format, fits: [format] };
  }
  const written = String(time);
  if (/^[a-z]{3},|[a-z]{3} \d{4} /i.test(written))
    return { shown: 'as an HTTP date', format: 'iso-utc', fits: ['iso-utc', 'iso-utc-ms', 'iso-offset'] };
  if (/ /.test(String(time).trim())) return { shown: 'with a space for the T', format: 'iso-space', fits: ['iso-space'] };
  const [shown, format]: [string, TimeFormat] = /\.\d{3}Z$/i.test(written)
    ? ['as ISO 8601 with milliseconds', 'iso-utc-ms']
    : /\d\+00:00$/.test(written)
      ? ['as ISO 8601 with +00:00', 'iso-offset']
      : ['as ISO 8601', 'iso-utc'];
  return { shown, format, fits: ['iso-utc', 'iso-utc-ms', 'iso-offset'] };
}

export const dialectTimes = dialectCheck('times', exams, async (context) => {
  const { timeFormat } = context.settings().dialect;
  const items = await itemsOf(context, exams, sessions);
  const times = items.flatMap((item) => timeFields.map((field) => item[field])).filter((time) => time !== undefined && time !== null);
  if (times.length === 0) return nothing('time');
  const strange = times.find((time) => instantOf(time) === undefined);
  if (strange !== undefined) {
    const why = /^\s*\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(String(strange)) ? 'has no offset from UTC' : 'is in an unknown format';
    return warning(
      `the time ${stringifyJson(strange)} ${why}, and no setting can interpret it; it is shown unchanged and never used in a calculation`,
      `Show it: proctor-cli exams list -o json${context.profileOption()}`,
    );
  }
  const { shown, format, fits } = formOf(times[0]);
  if (format !== timeFormat && fits.includes(timeFormat) && timeFormat === defaultDialect.timeFormat)
    return note(
      `shown ${shown}, sent as ${timeFormat}`,
      `If the service refuses that, send them as they are shown: ${setLine(context, 'timeFormat', format)}`,
    );
  if (fits.includes(timeFormat)) return ok(`shown ${shown}, sent as ${timeFormat}`);
  return warning(
    `the service shows times ${shown}, but they are sent as ${timeFormat}`,
    `Send them as they are shown: ${setLine(context, 'timeFormat', format)}`,
  );
});

/** Fields named by the specification, which no setting renames, with patterns of other names. */
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

export const dialectFields = dialectCheck('fields', exams, async (context) => {
  const others: string[] = [];
  let readItems = 0;
  for (const { list, fields } of fixedFields) {
    const items = await itemsOf(context, list);
    readItems += items.length;
    const keys = new Set(items.flatMap((item) => Object.keys(item)));
    for (const [field, sounds] of Object.entries(fields)) {
      const other = keys.has(field) ? undefined : [...keys].find((key) => sounds.test(key) && !Object.hasOwn(fields, key));
      if (other !== undefined) others.push(`"${other}" instead of "${field}"`);
    }
  }
  if (readItems === 0) return nothing('exam or session');
  if (others.length === 0) return ok('as in the specification');
  return warning(
    `the service shows ${others.join(', ')}; these names come from the specification, and no setting changes them`,
    `Show it: proctor-cli api GET /exams${context.profileOption()}`,
  );
});

export const dialectRestrictions = dialectCheck('restrictions', exams, async (context) => {
  const listed = await itemsOf(context, exams);
  if (listed.length === 0) return nothing('exam');
  const hidden = [...new Set(listed.flatMap(missingRestrictions))];
  if (hidden.length === 0) return ok('all four are shown');
  const flags = restrictionKeys.map((name) => `--${name.replaceAll('_', '-')}`).join(' ');
  return warning(
    `not shown with each exam: ${hidden.join(', ')}; to change one, all four must be given`,
    `Give all four, each with or without "no-": proctor-cli exams update ID ${flags}${context.profileOption()}`,
  );
});

export const dialectExams = dialectCheck('exams', exams, async (context) => {
  const { examNameKey } = context.settings().dialect;
  const listed = await itemsOf(context, exams);
  if (listed.length === 0) return nothing('exam');
  return nameFinding(listed, { noun: 'exam', key: 'examNameKey', set: examNameKey, sounds: /name|title|label|subject/i }, context);
});

type Naming = { noun: string; key: 'examNameKey' | 'sessionNameKey'; set: string; sounds: RegExp };

/** Whether records show the field that --name sets; a service that does not show it may not keep it. */
function nameFinding(items: readonly JsonObject[], { noun, key, set, sounds }: Naming, context: DoctorContext): Finding {
  if (items.some((item) => Object.hasOwn(item, set))) return ok(`named in "${set}"`);
  const names = (pattern: RegExp) =>
    items.flatMap((item) => Object.keys(item).filter((field) => pattern.test(field) && typeof item[field] === 'string'))[0];
  const whole = (field: RegExp) =>
    names(new RegExp(`^(?!.*(first|last|given|family|sur|file|user|middle|institute)_?(name)?)(?=.*(${field.source}))`, 'i'));
  const candidate = whole(sounds);
  if (candidate !== undefined) return warning(`the field is "${candidate}", not "${set}"`, `Set it: ${setLine(context, key, candidate)}`);
  return warning(
    `no ${noun} shows the field "${set}", so the service may not keep what --name sets`,
    `If there is such a field, set it: ${setLine(context, key, 'NAME')}`,
  );
}

export const dialectSessions = dialectCheck('sessions', sessions, async (context) => {
  const { sessionExamKey, sessionNameKey, idKey } = context.settings().dialect;
  const listed = await itemsOf(context, sessions);
  if (listed.length === 0) return nothing('session');
  if (!listed.some((session) => fieldAt(session, sessionExamKey) !== undefined)) {
    const ids = new Set((await itemsOf(context, exams)).map((exam) => textOfJson(exam[idKey] ?? null)));
    const candidate = examPath(listed, ids);
    if (candidate !== undefined)
      return warning(`the field is "${candidate}", not "${sessionExamKey}"`, `Set it: ${setLine(context, 'sessionExamKey', candidate)}`);
  }
  const named = nameFinding(listed, { noun: 'session', key: 'sessionNameKey', set: sessionNameKey, sounds: /name/i }, context);
  if (named.state !== 'ok') return named;
  const strange = listed.map(({ status }) => status).find((status) => statusOf(status) === undefined);
  if (strange === undefined) return ok(`fields as set (${sessionExamKey}, ${sessionNameKey})`);
  return warning(
    `${strange === undefined ? 'a session shows no status' : `the specification does not know the status ${stringifyJson(strange)}; it is shown unchanged`}`,
    `Show the sessions: proctor-cli sessions list${context.profileOption()} --columns id,status`,
  );
});

/** The field, or path of fields, with the exam of each session: chosen by its name and by the IDs of the exams. */
function examPath(listed: readonly JsonObject[], ids: ReadonlySet<string>): string | undefined {
  const paths = scalarPaths(listed[0] ?? {}, 4).filter((path) => /exam|test|assessment/i.test(path));
  const namesExam = (path: string) => listed.every((session) => ids.has(textOfJson(fieldAt(session, path) ?? null)));
  return paths.find(namesExam) ?? paths.find((path) => /^(exam|test|assessment)(_?(id|uuid|key))?$/i.test(path));
}

/** The fields of an object with an ID or a text, as paths; the outer ones first. */
function scalarPaths(item: JsonObject, levels: number): string[] {
  const inner = Object.entries(item).flatMap(([key, value]) =>
    isJsonObject(value) && levels > 1 ? scalarPaths(value, levels - 1).map((path) => `${key}.${path}`) : [],
  );
  return [...Object.keys(item).filter((key) => isShownId(item[key])), ...inner];
}
