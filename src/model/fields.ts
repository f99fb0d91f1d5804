/** The fields of the specification, and which requests can set them (sections 2 and 4.5). */
import { booleanIn, type JsonObject } from './json.ts';

/** POST, or PUT and PATCH. */
export type Writing = 'create' | 'update';
export type WritableResource = 'exam' | 'session';

export type FieldRule = {
  type: 'time' | 'boolean' | 'text' | 'number';
  setBy: readonly Writing[];
  /** Why other requests cannot set it, and what to do instead. */
  reason?: string;
  instead?: string;
};

/** What people read of a session's window: the specification says when a student may start, and no more. */
export const windowTitles = { open_time: 'start from', close_time: 'start by' } as const;

const always: readonly Writing[] = ['create', 'update'];
const time: FieldRule = { type: 'time', setBy: always };
const boolean: FieldRule = { type: 'boolean', setBy: always };

export const fieldRules: Record<WritableResource, Record<string, FieldRule>> = {
  exam: {
    start_time: time,
    end_time: time,
    save_recording: boolean,
    allow_headphones: boolean,
    allow_whiteboard: boolean,
    allow_leave_room: boolean,
    allow_pen_paper: boolean,
  },
  session: {
    email: { type: 'text', setBy: always },
    open_time: {
      type: 'time',
      setBy: ['update'],
      reason: 'open_time cannot be set when a student is added, only in updates',
      instead: 'Add the student first, then set it with: proctor-cli sessions update ID --open-time TIME',
    },
    close_time: time,
    skip_requirements: {
      type: 'boolean',
      setBy: ['create'],
      reason: 'skip_requirements can only be set when a student is added',
      instead: 'To change it, delete the session and add the student again with --skip-requirements.',
    },
    level_of_suspicion: {
      type: 'number',
      setBy: [],
      reason: 'level_of_suspicion is read-only: only the service sets it',
      instead: 'Read it with: proctor-cli sessions get ID',
    },
    status: {
      type: 'text',
      setBy: [],
      reason: 'status is set by the service while the student takes the exam',
      instead: 'Read it with: proctor-cli sessions get ID',
    },
  },
};

export function ruleOf(resource: WritableResource, field: string): FieldRule | undefined {
  return Object.hasOwn(fieldRules[resource], field) ? fieldRules[resource][field] : undefined;
}

export function refusal(resource: WritableResource, writing: Writing, field: string): FieldRule | undefined {
  const rule = ruleOf(resource, field);
  return rule && !rule.setBy.includes(writing) ? rule : undefined;
}

type KeySettings = Record<'examNameKey' | 'sessionNameKey' | 'sessionNumberKey', string>;

/** The fields that the specification or the dialect lets somebody set. */
export function settable(resource: WritableResource, { examNameKey, sessionNameKey, sessionNumberKey }: KeySettings): string[] {
  const ruled = Object.entries(fieldRules[resource]).flatMap(([field, { setBy }]) => (setBy.length > 0 ? field : []));
  const named = resource === 'exam' ? [examNameKey] : [sessionNameKey, sessionNumberKey];
  return [...new Set([...ruled, ...named])].filter((field) => field !== '');
}

/** Version 1.x resets each that is missing from an update which names another (2.1, rule 2). */
export const restrictionKeys = ['allow_headphones', 'allow_whiteboard', 'allow_leave_room', 'allow_pen_paper'] as const;
export type RestrictionKey = (typeof restrictionKeys)[number];
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

/** Whether a body changes times: those of other records may depend on them. */
export function setsTimes(body: JsonObject = {}): boolean {
  return timeFields.some((field) => Object.hasOwn(body, field));
}
