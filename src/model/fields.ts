/**
 * A field is one record: what requests set it (sections 2 and 4.5 of the specification), what it takes from students, its option and its
 * column. Options, columns, lines of files, copies, the gate and new records of the sandbox derive from it; its headers stand beside those
 * of other fields (roster/aliases.ts, read-timetable.ts). A key `dialect.…` is the setting that names the field.
 */
import { booleanIn, type Json, type JsonObject, textIn } from './json.ts';
import { formatTime, instantOf, type TimeFormat } from './time.ts';

/** POST, or PUT and PATCH. */
export type Writing = 'create' | 'update';
export type WritableResource = 'exam' | 'session';

export type FieldRule = {
  type: 'time' | 'boolean' | 'text' | 'address' | 'number';
  setBy: readonly Writing[];
  /** Why other requests cannot set it, and what to do instead. */
  reason?: string;
  instead?: string;
  /** What a new record of the sandbox has; undefined: nothing. */
  blank: boolean | number | string | null | undefined;
  /** The change that takes it from students whose exam runs; null where none does. */
  taken: { by: 'earlier' | 'later' | 'false'; does: string } | null;
  /** The option that sets it. `value`: of a text, its placeholder; `after`: the option from which it counts. */
  option: { key: string; description: string; value?: string; after?: string; negatable?: true } | null;
  /** Its column in lists; `detail`: only if requested. */
  column: { title?: string; as?: 'status' | 'suspicion'; identifies?: true; detail?: true };
};

/** The headings of a session's window: the specification only says when a student may start. */
export const windowTitles = { open_time: 'start from', close_time: 'start by' } as const;

const always: readonly Writing[] = ['create', 'update'];
const text = { type: 'text', setBy: always, blank: undefined, taken: null } as const;
const time = { type: 'time', setBy: always, blank: null } as const;
const fromService = { setBy: [], taken: null, option: null, instead: 'Read it with: proctor-cli sessions get ID' } as const;

function restriction<const Key extends string>(key: Key, description: string, title: string) {
  const option = { key, negatable: true, description } as const;
  const taken = { by: 'false', does: 'withdraw' } as const;
  return { type: 'boolean', setBy: always, blank: false, taken, option, column: { title } } as const;
}

/** Version 1.x resets each that is missing from an update which names another (2.1, rule 2). */
const restrictions = {
  allow_headphones: restriction('allowHeadphones', 'allow headphones', 'headphones'),
  allow_whiteboard: restriction('allowWhiteboard', 'allow a whiteboard', 'whiteboard'),
  allow_leave_room: restriction('allowLeaveRoom', 'allow leaving the room', 'leave room'),
  allow_pen_paper: restriction('allowPenPaper', 'allow pen and paper', 'paper'),
};

const fieldRules = {
  exam: {
    'dialect.examNameKey': {
      ...text,
      option: { key: 'name', value: 'name', description: 'name of the exam' },
      column: { title: 'name', identifies: true },
    },
    start_time: {
      ...time,
      taken: { by: 'later', does: 'start it later' },
      option: { key: 'start', description: 'start of the exam' },
      column: { title: 'start' },
    },
    end_time: {
      ...time,
      taken: { by: 'earlier', does: 'end it earlier' },
      option: { key: 'end', after: 'start', description: 'end of the exam' },
      column: { title: 'end' },
    },
    ...restrictions,
    save_recording: {
      type: 'boolean',
      setBy: always,
      blank: true,
      taken: null,
      option: { key: 'saveRecording', negatable: true, description: "save the students' video streams (the service's default: yes)" },
      column: { title: 'recording', detail: true },
    },
  },
  session: {
    email: {
      ...text,
      type: 'address',
      blank: null,
      option: { key: 'email', value: 'address', description: "the student's e-mail address" },
      column: {},
    },
    'dialect.sessionNameKey': {
      ...text,
      option: { key: 'name', value: 'name', description: "the student's name" },
      column: { title: 'name', identifies: true },
    },
    'dialect.sessionNumberKey': { ...text, option: null, column: { title: 'number' } },
    status: {
      ...fromService,
      type: 'text',
      reason: 'status is set by the service while the student takes the exam',
      blank: 'registered',
      column: { as: 'status', identifies: true },
    },
    open_time: {
      ...time,
      setBy: ['update'],
      reason: 'open_time cannot be set when a student is added, only in updates',
      instead: 'Add the student first, then set it with: proctor-cli sessions update ID --open-time TIME',
      taken: { by: 'later', does: "open a student's window later" },
      option: { key: 'openTime', description: 'earliest time to start (START FROM)' },
      column: { title: windowTitles.open_time, detail: true },
    },
    close_time: {
      ...time,
      taken: { by: 'earlier', does: "close a student's window earlier" },
      option: { key: 'closeTime', after: 'openTime', description: 'latest time to start (START BY)' },
      column: { title: windowTitles.close_time },
    },
    level_of_suspicion: {
      ...fromService,
      type: 'number',
      reason: 'level_of_suspicion is read-only: only the service sets it',
      blank: 0,
      column: { title: 'suspicion', as: 'suspicion' },
    },
    skip_requirements: {
      type: 'boolean',
      setBy: ['create'],
      reason: 'skip_requirements can only be set when a student is added',
      instead: 'To change it, delete the session and add the student again with --skip-requirements.',
      blank: false,
      taken: null,
      option: { key: 'skipRequirements', description: 'skip the check of the requirements' },
      column: { title: 'skips requirements', detail: true },
    },
  },
} as const satisfies Record<WritableResource, Record<string, FieldRule>>;

type Rules = typeof fieldRules;
/** Fields that the specification names and a request can set. */
export type SettableField<R extends WritableResource> = {
  [F in keyof Rules[R] & string]: F extends `dialect.${string}` ? never : Rules[R][F] extends { setBy: readonly [] } ? never : F;
}[keyof Rules[R] & string];
type FieldOfType<R extends WritableResource, T> = {
  [F in SettableField<R>]: Rules[R][F] extends { type: T } ? F : never;
}[SettableField<R>];

/** The keys of options, as a command has them. */
export type OptionKey<R extends WritableResource> = {
  [F in keyof Rules[R]]: Rules[R][F] extends { option: { key: infer K extends string } } ? K : never;
}[keyof Rules[R]];

const isNamed = (field: string) => field.startsWith('dialect.');

/** The rules of all fields, in the order of columns. */
export function fieldsOf(resource: WritableResource): Readonly<Record<string, FieldRule>> {
  return fieldRules[resource];
}

export function fieldsOfType<R extends WritableResource, T extends FieldRule['type']>(resource: R, type: T): FieldOfType<R, T>[] {
  const found = Object.entries(fieldsOf(resource)).filter(([key, rule]) => !isNamed(key) && rule.type === type && rule.setBy.length > 0);
  return found.map(([field]) => field as FieldOfType<R, T>);
}

export function ruleOf(resource: WritableResource, field: string): FieldRule | undefined {
  return Object.hasOwn(fieldRules[resource], field) ? fieldsOf(resource)[field] : undefined;
}

/** The fields whose changes take something from students of a running exam, and what. */
export function takenFrom(resource: WritableResource) {
  return Object.entries(fieldsOf(resource)).flatMap(([field, { taken }]) => (taken ? { field, ...taken } : []));
}

export function ruleAgainst(resource: WritableResource, writing: Writing, field: string): FieldRule | undefined {
  const rule = ruleOf(resource, field);
  return rule && !rule.setBy.includes(writing) ? rule : undefined;
}

type KeySettings = Record<'examNameKey' | 'sessionNameKey' | 'sessionNumberKey', string>;

/** The fields that the specification or the dialect lets somebody set. */
export function settable(resource: WritableResource, settings: KeySettings): string[] {
  const ruled = Object.entries(fieldsOf(resource)).flatMap(([field, { setBy }]) => (setBy.length > 0 ? field : []));
  const named = ruled.map((field) => (isNamed(field) ? settings[field.slice('dialect.'.length) as keyof KeySettings] : field));
  return [...new Set(named)].filter((field) => field !== '');
}

/** What a request can set of a record, as it is sent. */
export function valuesOf(resource: WritableResource, record: JsonObject, dialect: KeySettings & { timeFormat: TimeFormat }): JsonObject {
  const values = settable(resource, dialect).map((field) => {
    return [field, valueAs(ruleOf(resource, field)?.type, record[field] ?? null, dialect.timeFormat)] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== null));
}

/** Null for nothing, and for what is none of this type. */
function valueAs(type: FieldRule['type'] | undefined, value: Json, timeFormat: TimeFormat): Json {
  if (type === 'boolean') return booleanIn(value) ?? null;
  if (type !== 'time') return textIn(value) === undefined ? null : value;
  const instant = instantOf(value);
  return instant === undefined ? null : formatTime(instant, timeFormat);
}

export type RestrictionKey = keyof typeof restrictions;
export const restrictionKeys = Object.keys(restrictions) as RestrictionKey[];
export type Restrictions = Record<RestrictionKey, boolean>;

export function restrictionsOf(record: Record<string, unknown>): Partial<Restrictions> {
  const known = restrictionKeys.filter((key) => booleanIn(record[key]) !== undefined);
  return Object.fromEntries(known.map((key) => [key, booleanIn(record[key])])) as Partial<Restrictions>;
}

export function missingRestrictions(record: Record<string, unknown>): RestrictionKey[] {
  return restrictionKeys.filter((key) => booleanIn(record[key]) === undefined);
}

export function wouldResetRestrictions(body: Record<string, unknown>): boolean {
  const given = restrictionKeys.filter((key) => Object.hasOwn(body, key)).length;
  return given > 0 && given < restrictionKeys.length;
}

/** Each time of an exam, and the time of a session that moves along with it. */
export const along = { start_time: 'open_time', end_time: 'close_time' } as const;
export type ExamTime = keyof typeof along;
export const examTimes = Object.keys(along) as ExamTime[];
export const timeFields: readonly string[] = [...examTimes, ...Object.values(along)];

/** Milliseconds since 1970, infinite where no time is known. A session without times of its own opens and closes with its exam. */
export function windowInForce(exam: JsonObject, own: JsonObject = {}): { open: number; close: number } {
  const [open = -Infinity, close = Infinity] = examTimes.map((field) => instantOf(own[along[field]] ?? exam[field]));
  return { open, close };
}

/** Whether a body changes times: those of other records may depend on them. */
export function setsTimes(body: JsonObject = {}): boolean {
  return timeFields.some((field) => Object.hasOwn(body, field));
}
