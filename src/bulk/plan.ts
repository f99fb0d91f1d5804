/**
 * What has to be done with each row, decided from the row, the exam's present students and what an
 * earlier part of the same run has done. Pure: the preview and the import use the same plan.
 */
import type { Dialect } from '../api/dialect.ts';
import type { Writing } from '../model/fields.ts';
import { refusal, ruleOf } from '../model/fields.ts';
import { type Json, type JsonObject, stringifyJson } from '../model/json.ts';
import { formatTime, sameInstant } from '../model/time.ts';
import { type RowState, type Standing, standing } from './journal/row-state.ts';
import type { Rows } from './journal/rows.ts';
import type { Entry } from './map/entries.ts';
import type { Presence, Student } from './presence.ts';

export type Change = { field: string; from: Json; to: Json };

/** One row's part of the plan; `row` names it in the journal. */
export type Step = { row: number; line: number; email: string | undefined; entry: Entry } & (
  | { action: 'create' }
  /** The student is there and as the file has it. */
  | { action: 'unchanged'; session: string | undefined }
  /** The student is there and differs, and updating was not asked for, or cannot set the field. */
  | { action: 'different'; session: string | undefined; changes: Change[] }
  | { action: 'update'; session: string; changes: Change[] }
  /** A person has to look. */
  | { action: 'conflict'; why: string }
  /** The run has already come to an end with it. */
  | { action: 'rejected' | 'absent' | 'doubt'; why: string }
);

/** What turns a row into the fields of a request. */
export type Shape = {
  dialect: Dialect;
  /** Fields that every row has. */
  extra: JsonObject;
};

export type PlanOptions = Shape & {
  /** Change students that are there and differ. */
  update: boolean;
  /** Send again what a listing has shown not to be there. */
  resendAbsent: boolean;
};

/** The fields that a row sends in a request of this kind, as the dialect spells them. */
export function fieldsOf(entry: Entry, writing: Writing, { dialect, extra }: Shape): JsonObject {
  const format = dialect.timeFormat as Parameters<typeof formatTime>[1];
  const time = (value: number | undefined) => (value === undefined ? undefined : formatTime(value, format));
  const all: [string, Json | undefined][] = [
    ['email', writing === 'create' ? entry.email : undefined],
    [dialect.sessionNameKey, entry.name],
    ['open_time', time(entry.open_time)],
    ['close_time', time(entry.close_time)],
    ['skip_requirements', entry.skip_requirements],
    ...Object.entries(extra),
  ];
  const set = all.filter((field): field is [string, Json] => field[1] !== undefined && !refusal('session', writing, field[0]));
  return Object.fromEntries(set);
}

/** The plan for one row. */
export function planRow(entry: Entry, presence: Presence, rows: Rows | undefined, options: PlanOptions): Step {
  const { row, line, email } = entry;
  const at = { row, line, email, entry };
  const before = rows?.get(row);
  const [student, ...more] = email === undefined ? [] : presence.withEmail(email);
  const known = before && planBegun(at, before, more.length === 0 ? student : undefined, options);
  if (known) return known;
  if (email === undefined) return { ...at, action: 'create' };
  if (more.length > 0) return { ...at, action: 'conflict', why: `the exam has ${more.length + 1} students with this address` };
  if (student) return planPresent(at, student, options);
  if (before && !mayCreate.has(standing(before))) return { ...at, action: 'conflict', why: 'it was there before and is no longer' };
  const [alike] = presence.almost(email);
  if (alike) return { ...at, action: 'conflict', why: `the exam has ${alike.email}, which differs in case or space only` };
  return { ...at, action: 'create' };
}

/** Of an intent without an outcome nobody knows whether its request left. */
export const mayHaveLeft = 'it may have been sent, and the exam does not show it';

type At = Pick<Step, 'row' | 'line' | 'email' | 'entry'>;

const mayCreate: ReadonlySet<Standing> = new Set(['unsent', 'absent']);

/**
 * The plan for a row that the run has begun with, where that decides; a change that was begun is brought
 * to its end. `shown`: the one student with this address.
 */
function planBegun(at: At, before: RowState, shown: Student | undefined, options: PlanOptions): Step | undefined {
  const stands = standing(before);
  const session = before.session ?? shown?.session;
  const halfWay = before.step === 'update' && (stands === 'doubt' || stands === 'unsent' || (stands === 'rejected' && before.ours));
  if (stands === 'half' || halfWay) {
    if (session === undefined) return { ...at, action: 'doubt', why: 'a change was begun, and which session it was for is not known' };
    const changes = Object.entries(fieldsOf(at.entry, 'update', options)).map(([field, to]) => ({ field, from: null, to }));
    return { ...at, action: 'update', session, changes };
  }
  if (stands === 'doubt') return { ...at, action: 'doubt', why: 'it may have been created; it is not sent again' };
  if (stands === 'rejected') return { ...at, action: 'rejected', why: before.reason ?? 'the service rejected it' };
  if (stands === 'absent' && !options.resendAbsent) {
    return { ...at, action: 'absent', why: `${mayHaveLeft}: --resend-absent sends it` };
  }
  return at.email === undefined && stands !== 'unsent' ? { ...at, action: 'unchanged', session: before.session } : undefined;
}

function planPresent(at: At, student: Student, options: PlanOptions): Step {
  const { session } = student;
  const all = changesOf(at.entry, student, options);
  if (all.length === 0) return { ...at, action: 'unchanged', session };
  const settable = all.filter(({ field }) => !refusal('session', 'update', field));
  if (!options.update || settable.length === 0 || session === undefined) return { ...at, action: 'different', session, changes: all };
  return { ...at, action: 'update', session, changes: settable };
}

/** In what a student differs from the row; a field that the service does not show proves nothing. */
export function changesOf(entry: Entry, student: Student, shape: Shape): Change[] {
  const wanted = { ...fieldsOf(entry, 'create', shape), ...fieldsOf(entry, 'update', shape) };
  return Object.entries(wanted).flatMap(([field, to]) => {
    const from = student.fields[field];
    return from === undefined || same(field, from, to) ? [] : [{ field, from, to }];
  });
}

function same(field: string, from: Json, to: Json): boolean {
  if (ruleOf('session', field)?.type === 'time') return sameInstant(from, to);
  // Surrounding space is no part of a text in a table.
  if (typeof from === 'string' && typeof to === 'string') return from.trim() === to.trim();
  return stringifyJson(from) === stringifyJson(to);
}

export type Actions = Record<Step['action'], number>;

export function noActions(): Actions {
  return { create: 0, unchanged: 0, different: 0, update: 0, conflict: 0, rejected: 0, absent: 0, doubt: 0 };
}
