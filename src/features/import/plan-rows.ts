/**
 * The plan of an import line by line, as a dry run prints it: students to create or change, with the values;
 * students that stay as they are, with the reason; lines that are invalid or left out; students to delete.
 */
import type { Dialect } from '../../api/dialect.ts';
import type { Column, Row } from '../../command.ts';
import { ruleOf } from '../../model/fields.ts';
import { type Json, type JsonObject, textOfJson } from '../../model/json.ts';
import { statusText } from '../../model/status.ts';
import { formatTime, showTime } from '../../model/time.ts';
import type { Entry } from '../../roster/map/entries.ts';
import type { ListedSession } from '../../runs-before/index.ts';
import type { AsId } from './exam-rows.ts';
import { type FieldDifference, type LinePlan, storedAs } from './line-plan.ts';
import type { Removals } from './removals.ts';
import type { RosterPlan } from './roster-plan.ts';
import { keptProblems, type Validated } from './validate.ts';

export const planColumns: readonly Column[] = [
  { key: 'line' },
  { key: 'action' },
  { key: 'email' },
  { key: 'name', identifies: true },
  { key: 'open_time', as: 'time' },
  { key: 'close_time', as: 'time' },
  { key: 'detail' },
];
export const planByExamColumns: readonly Column[] = [...planColumns.slice(0, 1), { key: 'exam' }, ...planColumns.slice(1)];

/** A line of the file that is no entry, and why. */
type AsideLine = { line: number; action: 'invalid' | 'left_out'; reason: string };

/** The first of them, in the order of the file. */
export async function asideRows({ problems, leftOut, checked }: Validated): Promise<AsideLine[]> {
  const aside: AsideLine[] = problems.map(({ line, reason }) => ({ line, action: 'invalid', reason }));
  if (leftOut.size > 0) {
    for await (const rows of checked()) {
      for (const { row, leftOut } of rows) {
        if (leftOut !== undefined && aside.length < keptProblems) aside.push({ line: row.line, action: 'left_out', reason: leftOut });
      }
    }
  }
  return aside.sort((one, other) => one.line - other.line);
}

/** Times are written as a request would send them. */
/** `asId`: an exam's ID as the service shows it; undefined where all lines are for the same exam. */
type PlanView = { dialect: Dialect; zone: string; removals: Removals | undefined; asId: AsId | undefined };

export function* planRows(plan: RosterPlan, aside: readonly AsideLine[], view: PlanView): Generator<Row> {
  const inExam = (exam: string | undefined) => (view.asId ? { exam: exam === undefined ? null : view.asId(exam) } : {});
  for (const { line, action, reason } of aside) yield { ...empty, ...inExam(undefined), line, action, detail: reason };
  for (const [entry, line] of plan.lines()) yield { ...rowOf(entry, line, view), ...inExam(plan.exams[entry.exam]?.id) };
  for (const { exam, student } of view.removals?.remove ?? []) yield { ...studentRow(student, 'delete', view), ...inExam(exam) };
  for (const { exam, student, why } of view.removals?.keep ?? []) yield { ...studentRow(student, 'keep', view, why), ...inExam(exam) };
}

const empty = { line: null, email: null, name: null, open_time: null, close_time: null, detail: null };

function rowOf(entry: Entry, { action, student, changes = [], why: because }: LinePlan, { dialect, zone }: PlanView): Row {
  const { line, email = null } = entry;
  const stored = student && storedAs(entry.email, student);
  const why = action === 'update' ? changesInWords(changes, zone) : because;
  const also = action === 'create' ? furtherFields(entry) : {};
  const parts = [stored === undefined ? undefined : `stored as ${stored}`, ...Object.entries(also).map(inWords), why];
  const detail = parts.filter((part) => part !== undefined).join('; ');
  return {
    ...empty,
    ...fieldsOf(entry, dialect),
    line,
    email,
    action,
    detail: detail === '' ? null : detail,
    ...(Object.keys(also).length > 0 ? { fields: also } : {}),
    ...(changes.length > 0 ? { changes } : {}),
  };
}

/** What a line sends beside what has a column of its own. */
function furtherFields({ skip_requirements, extra }: Entry): JsonObject {
  return { ...(skip_requirements === undefined ? {} : { skip_requirements }), ...extra };
}

const inWords = ([field, value]: [string, Json]) => `${field}: ${textOfJson(value)}`;

function fieldsOf({ name, open_time, close_time }: Entry, dialect: Dialect): Row {
  const time = (value: number | undefined) => (value === undefined ? null : formatTime(value, dialect.timeFormat));
  return { name: name ?? null, open_time: time(open_time), close_time: time(close_time) };
}

/** A student missing from the file. */
function studentRow({ id, email, data }: ListedSession, action: string, { dialect }: PlanView, why?: string): Row {
  const name = data[dialect.sessionNameKey];
  const is = `session ${id ?? 'without an ID'}, ${statusText(data.status) ?? 'no status'}`;
  return {
    ...empty,
    email: email ?? null,
    name: typeof name === 'string' ? name : null,
    action,
    detail: why === undefined ? is : `${is}: ${why}`,
  };
}

/** Changes, old and new, times as the clocks of a zone show them. */
export function changesInWords(changes: readonly FieldDifference[], zone: string): string {
  const shown = (field: string, value: FieldDifference['to']) =>
    ruleOf('session', field)?.type === 'time' && value !== null ? showTime(value, zone) : String(value);
  return changes.map(({ field, from, to }) => `${field}: ${shown(field, from)} → ${shown(field, to)}`).join('; ');
}
