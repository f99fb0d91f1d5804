/** `exams check`: what an apply of the timetable would do; nothing is written. */
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { shellQuoted } from '../../model/shell-quote.ts';
import { openRun } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { applyRun, type ComputedPeriod, computePeriod, type PeriodRequest, readPeriod } from './compute-period.ts';
import { isDrift } from './period-plan.ts';
import { periodResult, tellPlan } from './period-result.ts';

/** `strict`: a line of the ids file that is no longer in the timetable counts as a difference. */
export async function checkPeriod(context: Context, request: PeriodRequest & { strict: boolean }): Promise<Result> {
  const timetable = await readPeriod(context, request);
  const open = await openRun(context, applyRun(request.file));
  if (open)
    context.warn(
      sentence`warning: Run ${open.id} of exams apply is unfinished: this is the plan of what it leaves. The same exams apply finishes it first.`,
    );
  const period = await computePeriod(context, request, timetable, async (items) => items);
  await tellPlan(context, period, timetable.name, false);
  const failure = differencesOf(period, request, timetable.name);
  return periodResult(context, period, { timetable: timetable.name, failure });
}

function differencesOf(
  { items, orphans }: ComputedPeriod,
  { file, strict }: { file: string; strict: boolean },
  name: string,
): CliError | undefined {
  const drift = items.filter(isDrift).length;
  const lost = strict ? orphans.length : 0;
  if (drift + lost === 0) return undefined;
  const what =
    drift > 0
      ? sentence`${drift} of ${count(items.length, 'line')} of ${name} ${drift === 1 ? 'is' : 'are'} not so in the service`
      : sentence`${count(lost, 'exam')} ${lost === 1 ? 'is' : 'are'} no longer in ${name}`;
  const hint =
    drift > 0
      ? sentence`Apply it with: proctor-cli exams apply ${shellQuoted(file)}`
      : sentence`Delete such an exam, or remove its line from the file with the IDs.`;
  return new CliError('differences', sentence`${what}.`, { hint });
}
