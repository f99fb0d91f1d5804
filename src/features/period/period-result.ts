/** The result of check and apply: one value with the counts, the digest of the plan, and a row for each line. */
import type { Column, Context, Result, Row } from '../../command.ts';
import type { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { firstInLine, firstLines } from '../../model/first-of.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { sentence } from '../../text/sentence.ts';
import type { ComputedPeriod, PeriodRequest } from './compute-period.ts';
import { entryInWords } from './exam-entry.ts';
import { isDrift, type PlanItem, periodActions } from './period-plan.ts';
import { countsInWords, countsOf, type ItemResult, itemInWords, orphanRow, periodColumns, rowOf, rowViewOf } from './period-rows.ts';
import { type Applying, periodPage } from './plan-page.ts';

const summary: readonly Column[] = ['timetable', 'lines', ...periodActions, 'orphans', 'digest', 'run'].map((key) => ({ key }));

type Ending = {
  timetable: string;
  applying: Applying;
  /** What became of each line, in an apply. */
  became?: ReadonlyMap<PlanItem, ItemResult>;
  run?: string | undefined;
  failure?: CliError | undefined;
};

export async function periodResult(
  context: Context,
  period: ComputedPeriod,
  { timetable, applying, became, run, failure }: Ending,
): Promise<Result> {
  const { items, orphans, digest } = period;
  const view = rowViewOf(context, (await context.client()).idType('exam'));
  const rows = items.map((item) => rowOf(item, view, became?.get(item)));
  const drift = rows.filter((_, at) => items[at] && isDrift(items[at]));
  const row: Row = {
    ...{ timetable, lines: items.length, ...countsOf(items), orphans: orphans.length, digest },
    ...(became ? { run: run ?? null } : {}),
    plan: rows,
    orphaned: orphans.map((orphan) => orphanRow(orphan, view)),
  };
  return {
    kind: 'one',
    row,
    columns: summary.filter(({ key }) => row[key] !== 0 && row[key] !== null && row[key] !== undefined),
    brief: true,
    id: 'digest',
    page: () => periodPage(period, { timetable, applying, rows: drift, zone: context.zone(), secrets: context.secrets }),
    ...(drift.length > 0 ? { sheet: { rows: drift, columns: periodColumns } } : {}),
    ...(failure ? { failure } : {}),
  };
}

/** The plan on stderr: its counts, and with `lines` the first lines that are not as they should be. */
export async function tellPlan(
  context: Context,
  { items, orphans, digest }: ComputedPeriod,
  timetable: string,
  lines: boolean,
): Promise<void> {
  const { say, warn } = context;
  const view = rowViewOf(context, (await context.client()).idType('exam'));
  say(sentence`${timetable}: ${countsInWords(items)}. Digest of the plan: ${digest}.`);
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

/** The file and the options of the command that carries out the same plan. */
export function applyingOf(
  { globals }: Context,
  { file, reading, rosterReading, institute, adopt, isNew, onConflict, removeMissing }: PeriodRequest,
): Applying {
  const layout = rosterReading.declaration.layout?.name;
  const options = [
    ...(adopt ? ['--adopt'] : []),
    ...isNew.map((name) => typedOption('--new', name)),
    ...(onConflict === undefined ? [] : [typedOption('--on-conflict', onConflict)]),
    ...(globals.timezone === undefined ? [] : [typedOption('--timezone', globals.timezone)]),
    ...(institute === undefined ? [] : [typedOption('--institute', institute)]),
    ...(layout === undefined ? [] : [typedOption('--roster-layout', layout)]),
    ...(removeMissing ? ['--remove-missing'] : []),
    ...(removeMissing?.most === undefined ? [] : [typedOption('--max-removals', String(removeMissing.most))]),
    ...(removeMissing?.started ? ['--remove-started'] : []),
    ...reading.options,
    ...(reading.dates === undefined ? [] : [typedOption('--dates', reading.dates)]),
  ];
  return { file, options };
}
