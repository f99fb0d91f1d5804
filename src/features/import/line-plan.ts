/**
 * What an import does for one line, decided from the line and from the exam's students that it may mean. Pure: the dry run, the
 * steps and the result use the same decision.
 */

import type { Dialect } from '../../api/dialect.ts';
import { showsValue } from '../../model/as-sent.ts';
import { differenceInWords } from '../../model/difference.ts';
import type { Writing } from '../../model/fields.ts';
import { refusal, ruleOf } from '../../model/fields.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { formatTime } from '../../model/time.ts';
import type { Entry } from '../../roster/map/entries.ts';
import type { ListedSession } from '../../runs-before/index.ts';

export type FieldDifference = { field: string; from: Json; to: Json };

/** In the order of their numbers in a plan. */
export const lineActions = ['create', 'update', 'unchanged', 'different', 'duplicate', 'left_out'] as const;
export type LineAction = (typeof lineActions)[number];

/** `student`: the one whom the line means. `why`: for people. */
export type LinePlan = {
  action: LineAction;
  student?: ListedSession;
  changes?: FieldDifference[];
  why?: string;
};

/** The options that turn a line into the fields of a request. */
export type RequestShape = {
  dialect: Dialect;
  /** Fields that every line has. */
  extra: JsonObject;
};

export type PlanOptions = RequestShape & {
  /** Update existing students that differ. */
  update: boolean;
  /** Create nobody. */
  updateOnly: boolean;
  /** The time zone for messages. */
  zone: string;
};

/** The fields that a line sends in a request of this kind, as the dialect spells them. */
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

/** `students`: those whom the line may mean; more than one is a conflict. `renamed`: the list shows the student of the line under another address. */
export function planLine(entry: Entry, students: readonly ListedSession[], options: PlanOptions, renamed = false): LinePlan {
  const [student, ...more] = students;
  if (!student) return options.updateOnly ? { action: 'left_out', why: 'not in the exam' } : { action: 'create' };
  if (more.length > 0) return { action: 'duplicate', student, why: severalStudents(students) };
  const { email: from = null } = student;
  const moved = renamed && entry.email !== undefined ? [{ field: 'email', from, to: entry.email }] : [];
  const changes = [...moved, ...changesOf(entry, student, options)];
  if (changes.length === 0) return { action: 'unchanged', student };
  const settable = changes.filter(({ field }) => field !== 'email' && !refusal('session', 'update', field));
  // Nobody can tell whether it is the same person: nothing of the line is written to the session.
  if (options.update && !renamed && settable.length > 0 && student.id !== undefined)
    return { action: 'update', student, changes: settable };
  return { action: 'different', student, changes, why: differenceIn(changes, options) };
}

function severalStudents(students: readonly ListedSession[]): string {
  return `the exam has ${students.length} students with this address (sessions ${students.map(({ id = 'without an ID' }) => id).join(', ')})`;
}

export const noLongerThere = 'the student is no longer in the exam';

/** The differences of a student, with the remedy. */
export function differenceIn(changes: readonly FieldDifference[], { update, zone }: Pick<PlanOptions, 'update' | 'zone'>): string {
  const inWords = ({ field, from, to }: FieldDifference) => differenceInWords('session', field, { is: from, wanted: to, zone });
  const address = changes.find(({ field }) => field === 'email');
  if (address) return `${inWords(address)}, so it may be another student, and the line was not applied`;
  const fields = changes.map(inWords).join('; ');
  const fixed = changes.filter(({ field }) => refusal('session', 'update', field)).map(({ field }) => field);
  if (fixed.length === changes.length) return `${fields}; ${fixed.join(' and ')} cannot be changed`;
  return update ? `${fields}; the service did not apply the change` : fields;
}

/** The differences between a student and the line; a field that the service does not show proves nothing. */
export function changesOf(entry: Entry, student: ListedSession, shape: RequestShape): FieldDifference[] {
  const { email: _, ...wanted }: JsonObject = { ...fieldsOf(entry, 'create', shape), ...fieldsOf(entry, 'update', shape) };
  return Object.entries(wanted).flatMap(([field, to]) => {
    const from = student.data[field];
    return from === undefined || same(field, from, to) ? [] : [{ field, from, to }];
  });
}

/** The fields of a line that the listing does not show of its student; an address is told apart from them. */
export function fieldsNotShown(entry: Entry, student: ListedSession, shape: RequestShape): string[] {
  const wanted: JsonObject = { ...fieldsOf(entry, 'create', shape), ...fieldsOf(entry, 'update', shape) };
  return Object.keys(wanted).filter((field) => field !== 'email' && student.data[field] === undefined);
}

/** The address under which a student is stored, where it is another spelling than the line's. */
export function storedAs(email: string | undefined, { email: stored }: ListedSession): string | undefined {
  return email === undefined || stored === undefined || stored === email ? undefined : stored;
}

/** As the proof of a write compares them, except for the case of a text: a file may correct it. */
function same(field: string, from: Json, to: Json): boolean {
  const isText = ruleOf('session', field)?.type !== 'time' && typeof from === 'string' && typeof to === 'string';
  return isText ? from.trim() === to.trim() : showsValue('session', field, to, from);
}

/** How many lines of a plan have each action; lines that are not planned are counted aside. */
export type ActionCounts = Record<LineAction, number>;

export function noActions(): ActionCounts {
  return Object.fromEntries(lineActions.map((action) => [action, 0])) as ActionCounts;
}
