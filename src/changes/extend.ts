/**
 * `sessions extend`: computes each new close_time from the old one, shows both, asks where many or
 * surprising ones are concerned, and changes them one by one. What an unfinished change may have
 * extended is refused; what a finished one has extended is asked about.
 */
import { originOf } from '../bulk/target.ts';
import type { Context, Result, Row } from '../command.ts';
import { CliError } from '../errors.ts';
import { applyTasks, failureOf, rowOf } from './apply.ts';
import { type Choice, type Chosen, choose } from './choose.ts';
import { type Earlier, earlierChanges, refuseUnfinished } from './earlier.ts';
import { isMuch, parseExtension } from './extension.ts';
import { beginChange } from './journal.ts';
import { firstRepetition, sessions, taskColumns, tellRepeated, tellTasks, warnIfPast, warnOfEnd } from './tell.ts';

export type ExtendRequest = {
  /** The folder of all changes. */
  folder: string;
  choice: Choice;
  /** As given: `25%`, `+30m`. */
  by: string;
  /** Extends also what an unfinished change may have extended. */
  again: boolean;
};

export async function extendSessions(context: Context, { folder, choice, by, again }: ExtendRequest): Promise<Result> {
  const extension = parseExtension(by);
  const exam = 'exam' in choice ? choice.exam : undefined;
  const client = await context.client();
  const chosen = await choose(client, choice, extension);
  const { tasks, failures, finished, longest } = chosen;
  if (finished > 0) context.say(`${sessions(finished)} of exam ${exam} ${finished === 1 ? 'has' : 'have'} finished: left alone.`);
  const refused = failures.map(({ id, error }) => rowOf({ session: id, email: null, from: null, to: null }, 'failed', error.message));
  if (tasks.length === 0) return nothingToExtend(context, chosen, refused);

  const origin = originOf(context);
  const earlier = await earlierChanges(context, folder, origin, tasks);
  if (!again) refuseUnfinished(earlier);
  tellTasks(context, tasks, 'To extend');
  for (const { error } of failures) context.warn(error.message);
  tellRepeated(context, earlier.repeated);
  warnIfPast(context, tasks);
  warnOfEnd(context, tasks);
  if (context.globals.dryRun) return listOf([...tasks.map((task) => rowOf(task, 'would be extended')), ...refused]);

  const amount = by.trim().replace(/^\+/, '');
  if (exam !== undefined || earlier.repeated.length > 0 || isMuch(longest)) {
    const whose = exam === undefined ? '' : ` of exam ${exam}`;
    const repeated = earlier.repeated.length > 0 ? `, ${earlier.repeated.length} of them again,` : '';
    const question = `Extend ${sessions(tasks.length)}${whose} by ${amount}${repeated}`;
    await confirmed(context, `${question} at ${client.origin} (profile ${context.settings().profile})?`, earlier);
  }
  const plan = tasks.map(({ session, from, to }) => ({ session, old: from, new: to }));
  const journal = await beginChange(
    folder,
    { origin, what: `extend by ${amount}`, ...(exam === undefined ? {} : { exam }), plan },
    context,
  );
  const { change } = journal.header;
  try {
    const applied = await applyTasks(context, journal, 'set', tasks);
    const open = applied.failures.length > 0 || applied.stopped !== undefined;
    const undo = `proctor-cli changes undo ${change}`;
    if (!open) context.say(`This is change ${change}; take it back with: ${undo}`);
    const all = { ...applied, rows: [...applied.rows, ...refused], failures: [...applied.failures, ...failures] };
    const goOn = `Go on with: proctor-cli changes resume ${change}; take back what is done with: ${undo}`;
    return listOf(all.rows, failureOf(all, 'set', open ? goOn : undefined));
  } finally {
    await journal.close();
  }
}

function nothingToExtend(context: Context, { failures }: Chosen, rows: Row[]): Result {
  const [only] = failures;
  if (!only) context.say('There is no session to extend.');
  if (only && failures.length === 1) throw only.error;
  return listOf(rows, failureOf({ rows, failures, stopped: undefined }, 'set', undefined));
}

function listOf(rows: Row[], failure?: CliError): Result {
  return { kind: 'list', rows, columns: taskColumns, id: 'session', ...(failure ? { failure } : {}) };
}

/** Asks; where nobody can answer, says first which sessions are a surprise. */
async function confirmed(context: Context, question: string, { repeated }: Earlier) {
  try {
    await context.confirm(() => question);
  } catch (error) {
    const surprise = firstRepetition(context, repeated);
    if (!surprise || !(error instanceof CliError) || error.code !== 'needs_confirmation') throw error;
    throw new CliError(error.code, `${surprise.replace(/^e/, 'E')} ${error.message}`, { hint: error.hint });
  }
}
