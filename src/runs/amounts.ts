/**
 * Amounts (`--by`) add up when they are set twice. What a run has set for the same target within the hour, and what is still shown, is more
 * likely a command that was repeated than a second alarm: a person is asked, and a script is refused, unless `--again` says it.
 */
import { CliError } from '../errors.ts';
import { canAsk, inCI } from '../host/host.ts';
import { firstInLine } from '../model/first-of.ts';
import { sameInstant, showTime } from '../model/time.ts';
import type { Run } from '../record/index.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { blockedBy } from './ended.ts';
import { isLeft } from './history.ts';
import type { Question, RunRequest } from './request.ts';
import { itemsOf } from './rows.ts';
import type { More, World } from './running.ts';
import { listedAs, nameOf, oldValues, resourceOf, type Step } from './step.ts';

const hour = 3_600_000;

type Amount = Pick<RunRequest, 'kind' | 'amount' | 'consents'>;

/** What has to be asked before an amount is set once more; undefined where it is not there yet. Throws `already_moved`. */
export async function repeatedAmount(
  world: World,
  { kind, amount, consents = {} }: Amount,
  steps: readonly Step[],
  agreed: ReadonlySet<string>,
): Promise<Question | undefined> {
  const { context, record, host } = world;
  if (amount === undefined || consents.again || steps.length === 0) return undefined;
  const { globals } = context;
  const isAsked = !globals.yes && !globals.dryRun && canAsk(host, globals.noInput);
  if (inCI(host) && (await record.isNew()))
    throw refused(sentence`No run is recorded here, so it is unknown whether an earlier job has done this.`);
  const before = await setBefore(world, kind, amount, steps);
  if (!before || agreed.has(before.key)) return undefined;
  if (before.isPart) throw blockedBy(before.run, 'already_moved', before.what);
  if (isAsked) return { key: before.key, words: sentence`${before.what} Do it once more?` };
  throw refused(before.what);
}

function refused(what: Sentence): CliError {
  return new CliError('already_moved', what, { hint: 'Nothing was sent. To do it all the same, run the same command with --again.' });
}

/** The run that has set the amount for one of the targets. */
async function setBefore(world: World, kind: string, amount: string, steps: readonly Step[]) {
  const { record, origin, host, zone } = world;
  const targets = new Map<string, Step>();
  for (const step of steps) if (!targets.has(targetOf(step))) targets.set(targetOf(step), step);
  for (const run of await record.runs({ since: host.now() - hour })) {
    if (run.kind !== kind || run.origin !== origin || (run.more as More).amount !== amount) continue;
    const items = await itemsOf(record, run.id);
    const set = items.filter(({ step }) => isShown(step, targets.get(targetOf(step))));
    const which = [...new Set(set.map(({ step }) => `${nameOf(resourceOf(step))} ${step.params.id}`))];
    if (which.length === 0) continue;
    const at = showTime(run.at / 1000, zone);
    const what = sentence`Run ${run.id} (${run.command}) has done the same at ${at}: ${firstInLine(which, (each) => each, 5)}.`;
    return { run: run.id, key: `amount ${run.id}`, what, isPart: items.some(isLeft) };
  }
  return undefined;
}

function targetOf(step: Step): string {
  return listedAs(resourceOf(step), step.params.id ?? '');
}

/** Whether the target shows, right before it is changed, what an earlier step has set. */
function isShown({ body = {} }: Step, now: Step | undefined): boolean {
  const shown = oldValues(now);
  return Object.entries(body).some(([field, value]) => sameInstant(value, shown[field]));
}

/** What is left of a run that set an amount more than an hour ago may have been done in another way since. Throws `unfinished`. */
export function refuseOldAmount({ context, host }: World, { amount, consents = {} }: Amount, run: Run): void {
  const { yes, noInput } = context.globals;
  const isAsked = !yes && canAsk(host, noInput);
  if (amount === undefined || consents.again || isAsked || host.now() - run.at <= hour) return;
  const at = showTime(run.at / 1000, context.zone());
  throw blockedBy(run.id, 'unfinished', sentence`Run ${run.id} of the same command is unfinished since ${at}.`);
}
