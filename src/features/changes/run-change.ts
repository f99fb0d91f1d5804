/**
 * One change, from computed moves to its outcome. It is shown, confirmed, written to a journal before the
 * first request, and made move by move; a printed command resumes or undoes it. Resources that an
 * unfinished change may have changed are refused; those that a finished change of the same kind has
 * changed need a confirmation.
 */
import type { ItemFailure } from '../../api/batch.ts';
import type { Client } from '../../api/client.ts';
import type { Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { journalOrigin } from '../../state/journal/origin.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { applyTasks } from './apply.ts';
import type { ChangeMove } from './change-move.ts';
import { withChangesLock } from './changes-lock.ts';
import { type Earlier, earlierChanges, refuseUnfinished } from './earlier.ts';
import { beginChange, type ChangeTitle, reasonOf } from './journal.ts';
import { type ChangeKind, wordsOf } from './kinds.ts';
import { repetitions, tellMoves, tellOfStarted, tellPassedOver, warnIfPast, warnOfEnd } from './messages.ts';
import { mayStand } from './moves.ts';
import type { PlannedMove } from './records.ts';
import { failureOf, listOf, type RowShape, shapeOf } from './result.ts';
import { verified } from './verify.ts';

export type ChangeRequest = {
  /** The folder of all changes (`changesFolder`). */
  folder: string;
  kind: ChangeKind;
  /**
   * What is requested, in words: `extend by 30m`. Shown in the journal, in `changes list`, and in the
   * questions of resume and undo.
   */
  what: string;
  /** The command, shown to another process that finds the lock held: `sessions extend --by 30m`. */
  command: string;
  /** The exam of all moves, if it is one. */
  exam?: string | undefined;
  /** In the order in which they are made; the moves of one exam by `phase`. */
  moves: readonly ChangeMove[];
  /** Requested sessions that cannot be changed: their rows come last, and they count among all. */
  refused?: readonly ItemFailure[];
  /** Whether to ask for confirmation. A repetition of an earlier change is always asked about. */
  asks: boolean;
  /**
   * The whole question, ending with the place (`context.place()`) and "?". `again`: how many exams and
   * sessions an earlier change of this kind has changed.
   */
  question(again: number): Promise<Sentence>;
  /**
   * The flag `--again`: also changes resources that an unfinished change, or one with a damaged journal,
   * may have changed.
   */
  again: boolean;
  /** How a move is shown; by default one row per time, with exam, session, email, field, from and to. */
  shape?: RowShape;
  /** Reads everything once more at the end, and fails for resources that do not show their new times. */
  verified?: true;
};

/**
 * Makes a change; with `--dry-run`, only shows it and sends nothing. Resolves to a list with one or more
 * rows per move; its failure says how to resume. Throws `already_running` while another process changes
 * the same service, `invalid_input` if an unfinished change touches the same exams or sessions,
 * `needs_confirmation`, `interrupted`, `journal_failed`, `journal_damaged`.
 */
export async function runChange(context: Context, request: ChangeRequest): Promise<Result> {
  const { folder, kind, moves, again, refused = [] } = request;
  const client = await context.client();
  const origin = journalOrigin(context.settings());
  const { verb, did, dry } = wordsOf(kind, 'set');
  const { shape = shapeOf(kind) } = request;
  const rows = refused.flatMap(({ id, error }) => shape.rows({ kind: 'session', id, email: null, fields: {} }, 'failed', error.message));
  if (moves.length === 0) return nothingToChange(context, client, { shape, rows, refused, verb, did });
  const held = <T>(act: () => Promise<T>) => withChangesLock(context, { folder, command: request.command }, act);
  const readEarlier = async () => {
    const found = await earlierChanges(context, folder, { origin, kind, moves, again });
    if (!again) refuseUnfinished(found, kind);
    return found;
  };
  // A change in flight in another process looks unfinished: only the lock tells the difference.
  const earlier = await held(readEarlier);
  tellMoves(context, moves, verb);
  tellPassedOver(
    context,
    refused.map(({ error }) => error.message),
  );
  const repeated = repetitions(context, earlier.repeated, kind);
  for (const repetition of repeated) context.warn(sentence`warning: ${repetition}`);
  warnIfPast(context, moves);
  tellOfStarted(context, moves);
  warnOfEnd(context, moves);

  return context.act({
    steps: moves,
    show: (steps) => listOf(client, shape, [...steps.flatMap((move) => shape.rows(move, dry)), ...rows]),
    async perform(steps) {
      if (request.asks || repeated.length > 0) await confirmed(context, () => request.question(resourcesOf(earlier)), repeated[0]);
      // The lock is not held during the question: an urgent change may go first, and this one then skips
      // what that one has set.
      return held(async () => {
        if (!again) await readEarlier();
        return makeChange(context, { ...request, moves: steps, shape, client, origin, refused: { rows, failures: refused } });
      });
    },
  });
}

type MadeChange = Omit<ChangeRequest, 'refused'> & {
  shape: RowShape;
  client: Client;
  origin: string;
  refused: { rows: readonly Row[]; failures: readonly ItemFailure[] };
};

async function makeChange(context: Context, made: MadeChange): Promise<Result> {
  const { client, moves, refused, shape, kind, folder } = made;
  const journal = await beginChange(folder, { ...titleOf(context, made), plan: moves.map((move) => plannedMove(client, move)) }, context);
  const { change } = journal.header;
  try {
    const tasks = moves.map((move, index) => ({ ...move, number: index + 1 }));
    const applied = await applyTasks(context, journal, 'set', tasks);
    const outcome = made.verified ? await verified(context, applied) : applied;
    const open = journal.moves.state() === 'unfinished';
    const undo = `proctor-cli changes undo ${change}`;
    if (!open && journal.moves.all().some(mayStand)) context.say(sentence`Undo change ${change} with: ${undo}`);
    const hint = open ? sentence`Resume with: proctor-cli changes resume ${change}; undo with: ${undo}` : undefined;
    const rows = outcome.outcomes.flatMap(({ task, result, problem }) => shape.rows(task, result, problem));
    const failure = failureOf(client, outcome, { did: wordsOf(kind, 'set').did, hint, also: refused.failures });
    return listOf(client, shape, [...rows, ...refused.rows], failure);
  } finally {
    await journal.close();
  }
}

type Nothing = { shape: RowShape; rows: readonly Row[]; refused: readonly ItemFailure[]; verb: string; did: string };

function nothingToChange(context: Context, client: Client, { shape, rows, refused, verb, did }: Nothing): Result {
  const [only] = refused;
  if (!only) context.say(sentence`No sessions to ${verb}.`);
  if (only && refused.length === 1) throw only.error;
  const failure = failureOf(client, { outcomes: [], failures: [], stopped: undefined }, { did, hint: undefined, also: refused });
  return listOf(client, shape, rows, failure);
}

/** The header of the change's journal. */
function titleOf(context: Context, { client, origin, what, kind, exam }: MadeChange): ChangeTitle {
  const ids = client.idType('exam');
  return {
    origin,
    what,
    kind,
    ...(exam === undefined ? {} : { exam, ...(ids ? { ids } : {}) }),
    ...reasonOf(context),
  };
}

function plannedMove(client: Client, { kind, id, exam, fields, phase }: ChangeMove): PlannedMove {
  const ids = client.idType(kind);
  return {
    kind,
    id,
    ...(ids ? { ids } : {}),
    ...(exam === undefined ? {} : { exam }),
    fields,
    ...(phase === undefined ? {} : { phase }),
  };
}

/** How many exams and sessions an earlier change has already changed. */
function resourcesOf({ repeated }: Earlier): number {
  return new Set(repeated.map(({ move }) => `${move.kind} ${move.id}`)).size;
}

/** Asks for confirmation; without a terminal, prints the surprises first. */
async function confirmed(context: Context, question: () => Promise<Sentence>, surprise: string | undefined) {
  try {
    await context.confirm(question);
  } catch (error) {
    if (!surprise || !(error instanceof CliError) || error.code !== 'needs_confirmation') throw error;
    throw new CliError(error.code, sentence`${surprise} ${error.message}`, { hint: error.hint });
  }
}
