/**
 * The plan for each row, decided from the row, the exam's present students and the records of an
 * earlier part of the same run. Pure: the preview and the import use the same plan.
 */
import type { Dialect } from '../../api/dialect.ts';
import { addressKey } from '../../model/address-key.ts';
import { booleanIn } from '../../model/boolean.ts';
import { differenceInWords } from '../../model/difference.ts';
import type { Writing } from '../../model/fields.ts';
import { refusal, ruleOf } from '../../model/fields.ts';
import { type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import { noRows, type RowCounts, type RowStateName } from '../../model/row-states.ts';
import { phaseOf } from '../../model/status.ts';
import { formatTime, instantOf, sameInstant } from '../../model/time.ts';
import type { Entry } from '../../roster/map/entries.ts';
import { type RowState, stateOf } from './journal/row-state.ts';
import type { Rows } from './journal/rows.ts';
import { type ExamStudent, type Presence, storedAs } from './presence.ts';

export type FieldDifference = { field: string; from: Json; to: Json };

/** The states in which a row can stay although nothing is sent for it. */
export type StepWithoutRequest = Extract<
  RowStateName,
  'unchanged' | 'different' | 'duplicate' | 'rejected' | 'absent' | 'missing' | 'unknown'
>;

/** One row's part of the plan; `row` names it in the journal. */
export type ImportStep = StepBase &
  (
    | { action: 'create' }
    | { action: 'update'; session: string; changes: FieldDifference[] }
    /** Nothing is sent: the row stays in this state. */
    | { action: StepWithoutRequest; why?: string; changes?: FieldDifference[] }
  );

/** `stored`: the address under which the exam has the student, where it is another spelling. */
type StepBase = { row: number; line: number; email: string | undefined; entry: Entry; stored?: string };

/** The options that turn a row into the fields of a request. */
export type RequestShape = {
  dialect: Dialect;
  /** Fields that every row has. */
  extra: JsonObject;
};

/** `zone`: the time zone for messages. */

export type PlanOptions = RequestShape & {
  /** Update existing students that differ. */
  update: boolean;
  /** Resend the students that a listing has shown to be missing. */
  resendAbsent: boolean;
  zone: string;
};

/** The fields that a row sends in a request of this kind, as the dialect spells them. */
export function fieldsOf(entry: Entry, writing: Writing, { dialect, extra }: RequestShape): JsonObject {
  const format = dialect.timeFormat;
  const time = (value: number | undefined) => (value === undefined ? undefined : formatTime(value, format));
  const all: [string, Json | undefined][] = [
    ['email', writing === 'create' ? entry.email : undefined],
    [dialect.sessionNameKey, entry.name],
    ['open_time', time(entry.open_time)],
    ['close_time', time(entry.close_time)],
    ['skip_requirements', entry.skip_requirements],
    ...Object.entries({ ...extra, ...entry.extra }),
  ];
  const set = all.filter((field): field is [string, Json] => field[1] !== undefined && !refusal('session', writing, field[0]));
  return Object.fromEntries(set);
}

/** The plan for one row. */
export function planRow(entry: Entry, presence: Presence, rows: Rows | undefined, options: PlanOptions): ImportStep {
  const { row, line, email } = entry;
  const before = rows?.get(row);
  const [student, ...more] = presence.match(entry, before?.session);
  const stored = student && storedAs(email, student);
  const at: StepBase = { row, line, email, entry, ...(stored === undefined ? {} : { stored }) };
  const begun = before && planBegun(at, before, more.length === 0 ? student : undefined, options);
  if (begun) return begun;
  if (more.length > 0) return { ...at, action: 'duplicate', why: severalStudents(more.length + 1) };
  if (student) return planPresent(at, student, options);
  if (before && !mayCreate.has(stateOf(before))) return { ...at, action: 'missing', why: noLongerThere };
  return { ...at, action: 'create' };
}

export const severalStudents = (number: number) => `the exam has ${number} students with this address`;
export const noLongerThere = 'the student is no longer in the exam';
const howToResend = '--resend-absent sends the row again';
export const whyAbsent = `possibly sent, not found in the exam; ${howToResend}`;
export const whyMissing = (session: string | undefined) =>
  `the service confirmed session ${session ?? ''}, which no longer exists; ${howToResend}`;

const mayCreate: ReadonlySet<RowStateName> = new Set(['not_sent', 'absent', 'missing']);

/**
 * The plan for a row that the run has already begun, if its record decides; a change that was begun is
 * completed. `shown`: the one student that the row means.
 */
function planBegun(at: StepBase, before: RowState, shown: ExamStudent | undefined, options: PlanOptions): ImportStep | undefined {
  const state = stateOf(before);
  const session = before.session ?? shown?.session;
  if (state === 'partial' || (before.step === 'update' && (state === 'unknown' || state === 'not_sent'))) {
    if (session === undefined) return { ...at, action: 'unknown', why: 'an update was started, but its session is unknown' };
    const changes = Object.entries(fieldsOf(at.entry, 'update', options)).map(([field, to]) => ({ field, from: null, to }));
    return { ...at, action: 'update', session, changes };
  }
  if (state === 'unknown') return { ...at, action: 'unknown', why: 'it may have been created and is not sent again' };
  if (state === 'rejected') return { ...at, action: 'rejected', why: before.reason ?? 'the service rejected it' };
  if (shown || options.resendAbsent) return undefined;
  if (state === 'absent') return { ...at, action: 'absent', why: whyAbsent };
  return state === 'missing' ? { ...at, action: 'missing', why: whyMissing(before.session) } : undefined;
}

function planPresent(at: StepBase, student: ExamStudent, options: PlanOptions): ImportStep {
  const { session } = student;
  const changes = changesOf(at.entry, student, options);
  if (changes.length === 0) return { ...at, action: 'unchanged' };
  const settable = changes.filter(({ field }) => field !== 'email' && !refusal('session', 'update', field));
  if (options.update && settable.length > 0 && session !== undefined) return { ...at, action: 'update', session, changes: settable };
  return { ...at, action: 'different', changes, why: differenceIn(changes, options) };
}

/** The differences of a student, with the remedy. */
export function differenceIn(changes: readonly FieldDifference[], { update, zone }: Pick<PlanOptions, 'update' | 'zone'>): string {
  const fields = changes.map(({ field, from, to }) => differenceInWords('session', field, { is: from, wanted: to, zone })).join('; ');
  const fixed = changes.filter(({ field }) => field === 'email' || refusal('session', 'update', field)).map(({ field }) => field);
  if (fixed.length === changes.length) return `${fields}; ${fixed.join(' and ')} cannot be changed`;
  return update ? `${fields}; the service did not apply the change` : fields;
}

/** The differences between a student and the row; a field that the service does not show proves nothing. */
export function changesOf(entry: Entry, student: ExamStudent, shape: RequestShape): FieldDifference[] {
  const { email, ...wanted }: JsonObject = { ...fieldsOf(entry, 'create', shape), ...fieldsOf(entry, 'update', shape) };
  const other = typeof email === 'string' && student.email !== undefined && addressKey(email) !== addressKey(student.email);
  const moved = other ? [{ field: 'email', from: student.email as Json, to: email }] : [];
  const changes = Object.entries(wanted).flatMap(([field, to]) => {
    const from = student.fields[field];
    if (from === undefined || same(field, from, to)) return [];
    return field === 'close_time' && keepsGranted(entry, student, from, to) ? [] : [{ field, from, to }];
  });
  return [...moved, ...changes];
}

/** The fields of a row that the listing does not show of its student; an address is told apart from them. */
export function fieldsNotShown(entry: Entry, student: ExamStudent, shape: RequestShape): string[] {
  const wanted: JsonObject = { ...fieldsOf(entry, 'create', shape), ...fieldsOf(entry, 'update', shape) };
  return Object.keys(wanted).filter((field) => field !== 'email' && student.fields[field] === undefined);
}

/** Extra time is never taken away, and a finished session not changed. */
function keepsGranted({ granted }: Entry, { status }: ExamStudent, from: Json, to: Json): boolean {
  if (!granted) return false;
  const [closes, target] = [instantOf(from), instantOf(to)];
  return phaseOf(status) === 'finished' || (closes !== undefined && target !== undefined && closes > target);
}

function same(field: string, from: Json, to: Json): boolean {
  if (ruleOf('session', field)?.type === 'time') return sameInstant(from, to);
  if (ruleOf('session', field)?.type === 'boolean' && typeof to === 'boolean') return booleanIn(from) === to;
  // Surrounding space is no part of a text in a table.
  if (typeof from === 'string' && typeof to === 'string') return from.trim() === to.trim();
  return stringifyJson(from) === stringifyJson(to);
}

/** How many rows of a plan have each action; rows that are not planned are counted aside. */
export type Actions = RowCounts & { create: number; update: number };

export function noActions(): Actions {
  return { ...noRows(), create: 0, update: 0 };
}
