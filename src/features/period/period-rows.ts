/** A plan of a period in rows and words: what people read, and what programs get. */
import type { Column, Context, Row } from '../../command.ts';
import { count } from '../../model/count.ts';
import { ruleOf } from '../../model/fields.ts';
import { type IdType, idAs } from '../../model/id.ts';
import { type Json, textOfJson } from '../../model/json.ts';
import { instantOf, showTime } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { ReadLine } from '../ids-file.ts';
import { type PeriodAction, type PlanItem, periodActions } from './period-plan.ts';
import { type RosterStudents, removedBy } from './rosters.ts';

export const periodColumns: readonly Column[] = [
  { key: 'line' },
  { key: 'action' },
  { key: 'exam' },
  { key: 'name' },
  { key: 'start_time', title: 'start', as: 'time' },
  { key: 'result' },
  { key: 'detail' },
];

/** What became of a line. */
export type ItemResult = { result: string; problem?: Sentence | undefined; exam?: string | undefined };

type RowView = { zone: string; nameKey: string; idType: IdType | undefined };

export function rowViewOf(context: Context, idType: IdType | undefined): RowView {
  return { zone: context.zone(), nameKey: context.settings().dialect.examNameKey, idType };
}

export function rowOf(item: PlanItem, view: RowView, became?: ItemResult): Row {
  const { entry, action, exam, changes, roster } = item;
  const id = became?.exam ?? exam?.id;
  const detail = detailOf(item, view, became?.problem);
  return {
    line: entry.line,
    action,
    exam: id === undefined ? null : idAs(id, view.idType),
    reference: entry.key ?? null,
    name: entry.name ?? exam?.name ?? null,
    start_time: entry.wanted.start_time ?? exam?.shown.start_time ?? null,
    ...(became ? { result: became.result } : {}),
    detail: detail === '' ? null : detail,
    changes: changes.map(({ field, from, to }) => ({ field, from, to })),
    ...(roster
      ? {
          roster: {
            ...{ added: roster.added.length, removed: removedBy(item).length },
            ...{ different: roster.different, duplicate: roster.duplicate, missing: roster.missing },
          },
        }
      : {}),
    ...(became?.problem === undefined ? {} : { problem: became.problem }),
  };
}

/** A line of the ids file that is no longer in the timetable. */
export function orphanRow({ exam, key, name, start }: ReadLine, { idType }: RowView): Row {
  return {
    exam: idAs(exam, idType),
    reference: key ?? null,
    name: name ?? null,
    start_time: start === undefined ? null : new Date(start).toISOString().replace('.000Z', 'Z'),
  };
}

/** Counts only: a plan is shown to people who need not know the students. */
function rosterInWords(roster: RosterStudents): string[] {
  const { added, different, duplicate, missing, unclear } = roster;
  const removed = removedBy({ roster }).length;
  const kept = missing - removed;
  const why = unclear ? ', because others are in the exam more than once or under another address' : '';
  return [
    ...(added.length > 0 ? [`${count(added.length, 'student')} of the roster added`] : []),
    ...(different > 0
      ? [different === 1 ? '1 student differs from the roster and is kept' : `${different} students differ from the roster and are kept`]
      : []),
    ...(duplicate > 0 ? [`${count(duplicate, 'student')} in the exam more than once`] : []),
    ...(removed > 0 ? [`${count(removed, 'student')} not in the roster deleted`] : []),
    ...(kept > 0 ? [`${count(kept, 'student')} not in the roster kept${why}`] : []),
  ];
}

/** Changes of a create are its values; what is held back says why. */
function detailOf(
  { action, changes, kept, why, hint, held, students, roster }: PlanItem,
  { zone, nameKey }: RowView,
  problem?: Sentence,
): string {
  const shown = changes.filter(({ field }) => action !== 'create' || (field !== nameKey && field !== 'start_time'));
  const values = shown.map(({ field, from, to }) =>
    action === 'create'
      ? `${field} ${valueInWords(field, to, zone)}`
      : `${field} ${valueInWords(field, from, zone)} → ${valueInWords(field, to, zone)}`,
  );
  const conflict = action === 'conflict' ? 'changed in the service and in the timetable' : undefined;
  const parts = [
    conflict === undefined ? values.join('; ') : `${conflict}: ${values.join('; ')}`,
    why === undefined || held ? undefined : `${why}. ${hint ?? ''}`,
    kept.length > 0 ? `kept as in the service: ${kept.join(', ')}` : undefined,
    students && students.windows > 0 ? `${count(students.windows, 'window')} of students moved along` : undefined,
    ...(roster ? rosterInWords(roster) : []),
    problem ?? held?.message,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join('; ');
}

export function valueInWords(field: string, value: Json, zone: string): string {
  if (value === null) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'nobody' : value.map((each) => textOfJson(each)).join(', ');
  const type = ruleOf('exam', field)?.type;
  if (type === 'time' && instantOf(value) !== undefined) return showTime(value, zone);
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : textOfJson(value);
}

export function countsOf(items: readonly PlanItem[]): Record<PeriodAction, number> {
  const counts = Object.fromEntries(periodActions.map((action) => [action, 0])) as Record<PeriodAction, number>;
  for (const { action } of items) counts[action] += 1;
  return counts;
}

const actionWords: Record<PeriodAction, string> = {
  create: 'to create',
  adopt: 'to adopt',
  update: 'to update',
  unchanged: 'unchanged',
  conflict: 'in conflict',
  perhaps_moved: 'may have moved',
  unclear: 'unclear',
};

/** "3 to create, 1 to update, 196 unchanged". */
export function countsInWords(items: readonly PlanItem[]): string {
  const counts = countsOf(items);
  return periodActions.flatMap((action) => (counts[action] > 0 ? [`${counts[action]} ${actionWords[action]}`] : [])).join(', ');
}

/** A line of the plan for a person. */
export function itemInWords(item: PlanItem, view: RowView): Sentence {
  const { action, exam, name, start_time: start, detail } = rowOf(item, view) as { [key: string]: Json };
  const which = [
    exam === null ? undefined : `exam ${textOfJson(exam ?? null)}`,
    name,
    start === null ? undefined : showTime(start, view.zone),
  ];
  const named = which.flatMap((part) => (part === undefined || part === null ? [] : [textOfJson(part)])).join(', ');
  return sentence`  ${String(action).replace('_', ' ')}: ${named} (${item.entry.at})${detail === null ? '' : `: ${textOfJson(detail ?? '')}`}`;
}
