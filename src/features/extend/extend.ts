/**
 * `sessions extend`: computes each new close_time from the old one, shows both, asks where many or
 * surprising ones are concerned, and changes them one by one. What an unfinished change may have
 * extended is refused; what a finished one has extended is asked about.
 */
import type { ItemFailure } from '../../api/batch.ts';
import type { Client } from '../../api/client.ts';
import type { Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { journalOrigin } from '../../state/journal/origin.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { applyTasks } from './apply.ts';
import { withChangesLock } from './changes-lock.ts';
import { type ChosenSessions, choose, type SessionChoice } from './choose.ts';
import { earlierChanges, refuseUnfinished } from './earlier.ts';
import { isMuch, parseExtension } from './extension.ts';
import { beginChange } from './journal.ts';
import { inQuestion, repetitions, sessions, tellOfStarted, tellPassedOver, tellTasks, warnIfPast, warnOfEnd } from './messages.ts';
import { mayStand } from './moves.ts';
import type { ChangeHeader } from './records.ts';
import { type ExtendTask, failureOf, listOf, rowOf } from './result.ts';

export type ExtendRequest = {
  /** The folder of all changes. */
  folder: string;
  choice: SessionChoice;
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
  if (finished > 0)
    context.say(sentence`${sessions(finished)} of exam ${exam} ${finished === 1 ? 'has' : 'have'} finished and will not be changed.`);
  const refused = failures.map(({ id, error }) => rowOf({ session: id, email: null, from: null, to: null }, 'failed', error.message));
  if (tasks.length === 0) return nothingToExtend(context, client, chosen, refused);

  const origin = journalOrigin(context.settings());
  const amount = by.trim().replace(/^\+/, '');
  const held = <T>(act: () => Promise<T>) => withChangesLock(context, { folder, command: `sessions extend --by ${amount}` }, act);
  const readEarlier = async () => {
    const found = await earlierChanges(context, folder, { origin, tasks, again });
    if (!again) refuseUnfinished(found);
    return found;
  };
  // A change that another process is making looks unfinished: its lock tells the difference.
  const earlier = await held(readEarlier);
  tellTasks(context, tasks, 'To extend');
  const reasons = failures.map(({ error }) => error.message);
  tellPassedOver(context, reasons);
  const repeated = repetitions(context, earlier.repeated);
  for (const repetition of repeated) context.warn(sentence`warning: ${repetition}`);
  warnIfPast(context, tasks);
  tellOfStarted(context, tasks);
  warnOfEnd(context, tasks);

  const question = async () => {
    const twice = new Set(earlier.repeated.map(({ session }) => session)).size;
    const again = twice > 0 ? `, ${twice} of them again,` : '';
    return sentence`Extend ${await inQuestion(context, tasks, exam)} by ${amount}${again} ${context.place()}?`;
  };
  return context.act({
    steps: tasks,
    show: (steps) => listOf(client, [...steps.map((task) => rowOf(task, 'would be extended')), ...refused]),
    async perform(steps) {
      if (exam !== undefined || repeated.length > 0 || isMuch(longest)) await confirmed(context, question, repeated[0]);
      // Not held during the question: an extension that cannot wait goes first, and its sessions then stay as it leaves them.
      return held(async () => {
        if (!again) await readEarlier();
        const ids = client.idType('exam');
        const header = { origin, what: `extend by ${amount}`, ...(exam === undefined ? {} : { exam, ...(ids ? { ids } : {}) }) };
        return extendPlanned(context, folder, { client, tasks: steps, failures, refused, header });
      });
    },
  });
}

type PlannedExtension = {
  client: Client;
  tasks: readonly ExtendTask[];
  failures: readonly ItemFailure[];
  refused: readonly Row[];
  header: Pick<ChangeHeader, 'origin' | 'what' | 'exam' | 'ids'>;
};

async function extendPlanned(context: Context, folder: string, planned: PlannedExtension): Promise<Result> {
  const { client, tasks, failures, refused, header } = planned;
  const ids = client.idType('session');
  const plan = tasks.map(({ session, from, to }) => ({ session, ...(ids ? { ids } : {}), old: from, new: to }));
  const journal = await beginChange(folder, { ...header, plan }, context);
  const { change } = journal.header;
  try {
    const applied = await applyTasks(context, journal, 'set', tasks);
    const open = journal.moves.state() === 'unfinished';
    const undo = `proctor-cli changes undo ${change}`;
    if (!open && [...journal.moves.all()].some(mayStand)) context.say(sentence`Undo change ${change} with: ${undo}`);
    const all = { ...applied, rows: [...applied.rows, ...refused], failures: [...applied.failures, ...failures] };
    const goOn = sentence`Resume with: proctor-cli changes resume ${change}; undo with: ${undo}`;
    return listOf(client, all.rows, failureOf(client, all, 'set', open ? goOn : undefined));
  } finally {
    await journal.close();
  }
}

function nothingToExtend(context: Context, client: Client, { failures }: ChosenSessions, rows: Row[]): Result {
  const [only] = failures;
  if (!only) context.say('No sessions to extend.');
  if (only && failures.length === 1) throw only.error;
  return listOf(client, rows, failureOf(client, { rows, failures, stopped: undefined }, 'set', undefined));
}

/** Asks; without a terminal, prints the surprises first. */
async function confirmed(context: Context, question: () => Promise<Sentence>, surprise: string | undefined) {
  try {
    await context.confirm(question);
  } catch (error) {
    if (!surprise || !(error instanceof CliError) || error.code !== 'needs_confirmation') throw error;
    throw new CliError(error.code, sentence`${surprise} ${error.message}`, { hint: error.hint });
  }
}
