/** `exams check`: what an apply of the timetable would do; nothing is written. */
import { operations } from '../../api/operations.ts';
import { planned } from '../../api/request.ts';
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { openRun } from '../../runs-before/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { applyRun, type ComputedPeriod, computePeriod, type PeriodRequest, readPeriod } from './compute-period.ts';
import { isDrift } from './period-plan.ts';
import { periodResult, tellPlan } from './period-result.ts';

/** `strict`: a line of the ids file that is no longer in the timetable counts as a difference. */
export async function checkPeriod(context: Context, request: PeriodRequest & { strict: boolean }): Promise<Result> {
  const timetable = await readPeriod(context, request);
  if (context.globals.dryRun) return planned(await context.client(), [{ operation: operations.listExams }]);
  const open = await openRun(context, applyRun(request.file));
  if (open)
    context.warn(
      sentence`warning: Run ${open.id} of exams apply is unfinished; this plan shows what is still to do. The same exams apply finishes that run first.`,
    );
  const period = await computePeriod(context, request, timetable, async (items) => items);
  await tellPlan(context, period, timetable.name, false);
  const apply = sentence`Apply it with: proctor-cli ${typedCommand('exams apply', [request.file], ...applyOptions(context, request))}`;
  const failure = differencesOf(period, timetable.name, request.strict, apply);
  return periodResult(context, period, { timetable: timetable.name, failure });
}

function differencesOf({ items, orphans }: ComputedPeriod, name: string, strict: boolean, apply: Sentence): CliError | undefined {
  const drift = items.filter(isDrift).length;
  const lost = strict ? orphans.length : 0;
  if (drift > 0)
    return new CliError(
      'differences',
      sentence`${drift} of ${count(items.length, 'line')} of ${name} ${drift === 1 ? 'differs' : 'differ'} from the service.`,
      {
        hint: apply,
      },
    );
  if (lost === 0) return undefined;
  return new CliError('differences', sentence`${count(lost, 'exam')} ${lost === 1 ? 'is' : 'are'} no longer in ${name}.`, {
    hint: 'Delete such an exam, or remove its line from the file beside the timetable.',
  });
}

/** Those of the command that carries out the same plan. */
function applyOptions({ globals }: Context, { reading, institute, adopt, isNew, onConflict, removeMissing }: PeriodRequest): string[] {
  return [
    ...(adopt ? ['--adopt'] : []),
    ...isNew.map((name) => typedOption('--new', name)),
    ...(onConflict === undefined ? [] : [typedOption('--on-conflict', onConflict)]),
    ...(globals.timezone === undefined ? [] : [typedOption('--timezone', globals.timezone)]),
    ...(institute === undefined ? [] : [typedOption('--institute', institute)]),
    ...(removeMissing ? ['--remove-missing'] : []),
    ...(removeMissing?.most === undefined ? [] : [typedOption('--max-removals', String(removeMissing.most))]),
    ...(removeMissing?.started ? ['--remove-started'] : []),
    ...reading.options,
    ...(reading.dates === undefined ? [] : [typedOption('--dates', reading.dates)]),
  ];
}
