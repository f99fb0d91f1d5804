/** The result of check and apply: one value with the counts, and a row for each line. */
import type { Column, Context, Result, Row } from '../../command.ts';
import type { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { firstInLine, firstLines } from '../../model/first-of.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { sentence } from '../../text/sentence.ts';
import type { ComputedPeriod } from './compute-period.ts';
import { entryInWords } from './exam-entry.ts';
import { isDrift, type PlanItem, periodActions } from './period-plan.ts';
import { countsInWords, countsOf, type ItemResult, itemInWords, orphanRow, periodColumns, rowOf, rowViewOf } from './period-rows.ts';

const summary: readonly Column[] = ['timetable', 'lines', ...periodActions, 'orphans', 'run'].map((key) => ({ key }));

type Ending = {
  timetable: string;
  /** What became of each line, in an apply. */
  became?: ReadonlyMap<PlanItem, ItemResult>;
  run?: string | undefined;
  failure?: CliError | undefined;
};

export async function periodResult(context: Context, period: ComputedPeriod, { timetable, became, run, failure }: Ending): Promise<Result> {
  const { items, orphans } = period;
  const view = rowViewOf(context, (await context.client()).idType('exam'));
  const rows = items.map((item) => rowOf(item, view, became?.get(item)));
  const drift = rows.filter((_, at) => items[at] && isDrift(items[at]));
  const row: Row = {
    ...{ timetable, lines: items.length, ...countsOf(items), orphans: orphans.length },
    ...(became ? { run: run ?? null } : {}),
    plan: rows,
    orphaned: orphans.map((orphan) => orphanRow(orphan, view)),
  };
  return {
    kind: 'one',
    row,
    columns: summary.filter(({ key }) => row[key] !== 0 && row[key] !== null && row[key] !== undefined),
    brief: true,
    id: 'run',
    ...(drift.length > 0 ? { sheet: { rows: drift, columns: periodColumns } } : {}),
    ...(failure ? { failure } : {}),
  };
}

/** The plan on stderr: its counts, and with `lines` the first lines that are not as they should be. */
export async function tellPlan(context: Context, { items, orphans }: ComputedPeriod, timetable: string, lines: boolean): Promise<void> {
  const { say, warn } = context;
  const view = rowViewOf(context, (await context.client()).idType('exam'));
  say(sentence`${timetable}: ${countsInWords(items)}.`);
  if (lines) for (const text of firstLines(items.filter(isDrift), (item) => itemInWords(item, view))) say(text);
  for (const text of firstLines(
    orphans,
    ({ exam, name }) => sentence`warning: exam ${exam}${name === undefined ? '' : ` (${name})`} is no longer in the timetable. It is kept.`,
  ))
    warn(text);
  const now = context.host.now();
  const past = items.filter(({ action, entry: { start } }) => action === 'create' && start !== undefined && start <= now);
  if (past.length > 0) {
    const which = firstInLine(past, ({ entry }) => `${entryInWords(entry)} (${entry.at})`, 3);
    warn(sentence`warning: ${count(past.length, 'new exam')} ${past.length === 1 ? 'starts' : 'start'} in the past: ${which}.`);
  }
  const mailed = items.filter(({ students }) => (students?.mailed ?? 0) > 0);
  for (const text of firstLines(
    mailed,
    ({ exam, students }) =>
      sentence`${count(students?.mailed ?? 0, 'student')} of exam ${exam?.id} ${students?.mailed === 1 ? 'was' : 'were'} mailed the old times. To mail all of them the new ones afterwards: proctor-cli ${typedCommand('exams send-emails', [exam?.id ?? ''], '--resend')}`,
  ))
    say(text);
}
