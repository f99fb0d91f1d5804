/**
 * Times that are moved together as one run: computed, shown with old and new, asked about, computed again after the yes, and set phase
 * by phase. What an earlier run has already moved is asked about in any case: a student extended twice by accident has twice the time.
 */
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { firstLines } from '../../model/first-of.ts';
import type { JsonObject } from '../../model/json.ts';
import { carryOut, type Ended, type Plan, type Reading, valuesSetBefore, worldOf } from '../../runs-before/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { sayUndo } from '../writes/outcome-rows-before.ts';
import { stepsOf, type TimeMove } from './time-move.ts';
import { movedOf, type RowShape, resetRestrictions, withTypedIds } from './time-rows.ts';
import { type Repetition, repeatedIn, repetitions, tellMoves, warnIfPast, warnOfEnd } from './time-words.ts';

/** The failure of something that was to be moved and cannot be. */
export type NotMoved = { id: string; error: CliError };

/** What is to be moved, as the service shows it now. */
export type Computed = {
  moves: readonly TimeMove[];
  /** Requested sessions that cannot be changed: their rows come last, and they count among all. */
  refused: readonly NotMoved[];
  readings: ReadonlyMap<string, Reading>;
  /** The exams that are moved, as they are. */
  exams?: ReadonlyMap<string, JsonObject>;
  /** An exam of them runs: to undo it takes something from its students. */
  isRunning: boolean;
};

/** For so long, the same change is more likely a repeated command than a second alarm. Milliseconds. */
const hour = 3_600_000;

export type MoveTimesRequest<C extends Computed> = {
  /** The command, such as `exams delay`. */
  kind: string;
  identity: readonly string[];
  /** See `RunRequest`. */
  exams?: (() => Promise<readonly string[]>) | undefined;
  /** Relative to the times that are there: made twice, it adds up. */
  isRelative: boolean;
  /** The command that sets what this one adds to: in a script, it has to be used for what was moved within the last hour. */
  fixedBy?: Sentence | undefined;
  /** "To delay: exam 5", "delayed". */
  words: { verb: string; did: string };
  shape: RowShape;
  compute(): Promise<C>;
  /** What is said besides the moves. */
  tell(computed: C): void;
  /** Whether it asks; a repetition of an earlier run is always asked about. */
  asks(computed: C): boolean;
  /** The question, without the place. `again`: the number of exams and sessions that an earlier run has moved. */
  question(computed: C, again: number): Promise<Sentence> | Sentence;
  /** Replaces the result where nothing is to be moved. */
  nothing?(computed: C): Promise<Result>;
  /** The rows of the whole result, from those of the moves. */
  allRows?(rows: readonly Record<string, unknown>[], computed: C): Promise<readonly Record<string, unknown>[]>;
};

export async function moveTimes<C extends Computed>(context: Context, request: MoveTimesRequest<C>): Promise<Result> {
  const { kind, identity, isRelative, words } = request;
  let computed: C | undefined;
  let repeated: readonly Repetition[] = [];
  const surprises = () => repetitions(context, repeated, words.did);
  try {
    return await carryOut(context, {
      kind,
      identity,
      exams: request.exams,
      again: isRelative ? 'complete' : 'anew',
      async plan(): Promise<Plan> {
        computed = await request.compute();
        const { moves, refused, readings } = computed;
        const [only] = refused;
        if (only && moves.length === 0 && refused.length === 1 && !request.nothing) throw only.error;
        repeated = isRelative ? repeatedIn(moves, await valuesSetBefore(await worldOf(context), kind, moves)) : [];
        return { steps: stepsOf(moves), readings, refused: alreadyMoved(context, request, repeated, surprises()) };
      },
      tell() {
        if (!computed) return;
        const { moves, refused } = computed;
        request.tell(computed);
        if (moves.length === 0 && refused.length === 0 && !request.nothing) context.say(sentence`No sessions to ${words.verb}.`);
        tellMoves(context, moves, words.verb);
        for (const text of firstLines(refused, ({ error }) => error.message)) context.warn(text);
        for (const surprise of surprises()) context.warn(sentence`warning: ${surprise}`);
        warnIfPast(context, moves);
        warnOfEnd(context, moves);
      },
      question: () => {
        if (!computed || !(request.asks(computed) || repeated.length > 0)) return undefined;
        return request.question(computed, new Set(repeated.map(({ move }) => `${move.kind} ${move.id}`)).size);
      },
      result: (ended) => resultOf(context, request, ended, computed),
    });
  } catch (error) {
    const [surprise] = surprises();
    if (!surprise || !(error instanceof CliError) || error.code !== 'needs_confirmation') throw error;
    throw new CliError(error.code, sentence`${surprise} ${error.message}`, { hint: error.hint });
  }
}

/** Nobody sees the warning of a script that was run again. */
function alreadyMoved<C extends Computed>(
  { host, globals }: Context,
  { fixedBy, words }: MoveTimesRequest<C>,
  repeated: readonly Repetition[],
  [surprise]: readonly Sentence[],
): CliError | undefined {
  if (fixedBy === undefined || surprise === undefined || !(globals.yes || globals.dryRun)) return undefined;
  if (!repeated.some(({ at }) => host.now() - at < hour)) return undefined;
  return new CliError('already_moved', surprise, {
    hint: sentence`Nothing was sent. If they are to be ${words.did} once more, say until when: ${fixedBy}; or leave out --yes on a terminal, and confirm.`,
  });
}

async function resultOf<C extends Computed>(
  context: Context,
  request: MoveTimesRequest<C>,
  ended: Ended,
  computed: C | undefined,
): Promise<Result> {
  const { words, shape, isRelative } = request;
  if (ended.run === undefined && computed && request.nothing) return request.nothing(computed);
  const client = await context.client();
  const outcomes = [...ended.outcomes()];
  const refused = computed?.refused ?? [];
  const moved = [
    ...outcomes.map((outcome) => movedOf(outcome, words.did)),
    ...refused.map(({ id, error }) => ({
      ...{ kind: 'session' as const, id, exam: undefined, email: null, fields: {} },
      ...{ result: 'failed', problem: error.message },
    })),
  ];
  const rows = moved.flatMap((each) => (context.format === 'id' && each.result !== words.did ? [] : shape.rows(each)));
  const isRest = isRelative && ended.book.count('rejected', 'not_applied', 'skipped') > 0;
  const hint = isRest ? sentence`Remove the cause, then run the same command again: it tries only what was not ${words.did}.` : undefined;
  const failure = ended.failure({
    did: words.did,
    idType: client.idType('session'),
    also: [...refused, ...resetRestrictions(outcomes, computed?.exams)],
    hint,
  });
  sayUndo(context, ended, computed?.isRunning);
  const typed = withTypedIds(client, rows);
  const all = computed && request.allRows && context.format !== 'id' ? await request.allRows(typed, computed) : typed;
  return { kind: 'list', rows: all, columns: shape.columns, id: shape.id, ...(failure ? { failure } : {}) };
}
