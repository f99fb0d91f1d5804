/**
 * `sessions extend`: each new close time is computed from the old one, or from now where that has passed. It asks where the sessions
 * of an exam, or surprisingly long times, are concerned.
 */
import type { Client } from '../../api/client.ts';
import { whoInWords } from '../../api/in-words.ts';
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { firstInLine } from '../../model/first-of.ts';
import { idAs } from '../../model/id.ts';
import { formatTime, instantOf } from '../../model/time.ts';
import { examPhase } from '../../runs-before/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type Computed, closings, inQuestion, moveTimes, sessions, type TimeMove } from '../moved-times/index.ts';
import { type ChosenSession, type ChosenSessions, cannot, choose, type NotExtended, type SessionChoice } from './choose.ts';
import { type Extension, extended, isMuch, NoWindow, parseExtension } from './extension.ts';

export type ExtendRequest = {
  choice: SessionChoice;
  /** As given: `25%`, `+30m`. */
  by: string;
};

/** `over`: sessions whose window has passed; `afterwards`: the exam of one of them is over. `longest`: the longest that one of them is extended by, in milliseconds. */
type Extending = Computed & { finished: number; over: readonly ChosenSession[]; afterwards: boolean; longest: number };

export async function extendSessions(context: Context, { choice, by }: ExtendRequest): Promise<Result> {
  const extension = parseExtension(by);
  const client = await context.client();
  const exam = 'exam' in choice ? choice.exam : undefined;
  const amount = by.trim().replace(/^\+/, '');
  // What has been shown stays what is asked about, as long as none of it has passed meanwhile.
  let from: number | undefined;
  return moveTimes<Extending>(context, {
    kind: 'sessions extend',
    identity: 'ids' in choice ? [...new Set(choice.ids)].toSorted().concat(amount) : [choice.exam, choice.status ?? '', amount],
    isRelative: true,
    words: { verb: 'extend', did: 'extended' },
    shape: closings,
    async compute() {
      const chosen = await choose(context, client, choice);
      const times = { extension, client };
      const now = context.host.now();
      const computed = from === undefined ? undefined : movesOf(chosen, { ...times, now: from });
      if (computed && computed.soonest > now) return { ...computed, ...restOf(context, chosen, now) };
      from = now;
      return { ...movesOf(chosen, { ...times, now }), ...restOf(context, chosen, now) };
    },
    tell({ finished, over }) {
      if (finished > 0)
        context.say(sentence`${sessions(finished)} of exam ${exam} ${finished === 1 ? 'has' : 'have'} finished and will not be changed.`);
      if (over.length > 0) context.say(overInWords(over));
    },
    asks: ({ moves, longest, afterwards }) => moves.length > 0 && (exam !== undefined || afterwards || isMuch(longest)),
    async question({ moves }, before) {
      return sentence`Extend ${await inQuestion(context, moves, exam)} by ${amount}${before > 0 ? `, ${before} of them again,` : ''}`;
    },
  });
}

function overInWords(over: readonly ChosenSession[]): Sentence {
  const who = whoInWords(over.map(({ id: session, email }) => ({ session, email })));
  return sentence`The close time of ${sessions(over.length)} (${who}) has passed: ${over.length === 1 ? 'it is' : 'they are'} extended from now.`;
}

function restOf({ zone }: Context, { exams, readings, finished, sessions: chosen }: ChosenSessions, now: number) {
  const isRunning = [...exams].some(([id, exam]) => {
    const of = chosen.filter((session) => session.exam === id).map(({ shown }) => shown);
    return examPhase(exam, of, now, zone()).running;
  });
  return { readings, finished, isRunning };
}

type Times = { extension: Extension; client: Client; now: number };

/**
 * What is relative is done for all or for none: the same command, run again without those who could not be extended, would extend the
 * others twice.
 */
function refuseSome(refused: readonly NotExtended[], all: number, client: Client): void {
  const [first] = refused;
  if (!first) return;
  if (all === 1) throw first.error;
  const { code, message, status } = first.error;
  throw new CliError(
    code,
    sentence`${refused.length} of ${all} sessions cannot be extended: ${firstInLine(refused, ({ id }) => id, 10)}. ${message}`,
    {
      hint: 'Nothing was sent. Leave them out, and run the command again.',
      items: refused.map(({ id, error }) => ({ id: idAs(id, client.idType('session')), code: error.code, message: error.message })),
      ...(status === undefined ? {} : { status }),
    },
  );
}

function movesOf({ sessions: chosen, exams, refused: before }: ChosenSessions, { extension, client, now }: Times) {
  const moves: TimeMove[] = [];
  const refused = [...before];
  const over: ChosenSession[] = [];
  let [longest, soonest, afterwards] = [0, Number.POSITIVE_INFINITY, false];
  for (const session of chosen) {
    const { id, email, exam, shown } = session;
    const { open_time: opens = null, close_time: closes = null } = shown;
    const of = exam === undefined ? undefined : exams.get(exam);
    const isShare = 'share' in extension;
    try {
      if (!of && (closes === null || (isShare && opens === null)))
        throw new NoWindow(
          `it has no times of its own, and ${exam === undefined ? 'does not show its exam' : `exam ${exam} does not exist`}`,
        );
      const { start_time: starts = null, end_time: ends = null } = of ?? {};
      const { from, end, until, by, isOver } = extended({ opens, closes, starts, ends }, extension, now);
      if (isOver) over.push(session);
      const examEnds = instantOf(ends);
      afterwards ||= examEnds !== undefined && examEnds <= now;
      longest = Math.max(longest, by);
      soonest = Math.min(soonest, until);
      const ofExam = { ...(from === null ? { end_time: ends } : {}), ...(isShare && opens === null ? { start_time: starts } : {}) };
      moves.push({
        ...{ kind: 'session', id, exam, email, unless: ['finished'] },
        fields: { close_time: { old: from, new: formatTime(until, client.dialect.timeFormat) } },
        ...(isShare ? { expects: { open_time: opens } } : {}),
        ...(Object.keys(ofExam).length > 0 ? { expectsExam: ofExam } : {}),
        ...(from === null && exam !== undefined ? { follows: { id: exam, ends: end } } : {}),
      });
    } catch (error) {
      if (!(error instanceof NoWindow)) throw error;
      refused.push({ id, error: cannot(id, error.message) });
    }
  }
  refuseSome(refused, before.length + chosen.length, client);
  return { moves, refused: [], over, afterwards, longest, soonest };
}
