/** The stderr messages of a change: its exams and sessions, their old and their new times. */
import { examInWords, examShown, sessionsInWords } from '../../api/in-words.ts';
import type { Context } from '../../command.ts';
import { count } from '../../model/count.ts';
import { firstInLine, firstLines } from '../../model/first-of.ts';
import { showTime } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type ChangeMove, changedFields } from './change-move.ts';
import type { TimeValue } from './value.ts';

export function sessions(number: number): string {
  return count(number, 'session');
}

/** The IDs of the moves' resources, each once. */
function idsOf(moves: readonly ChangeMove[], kind: ChangeMove['kind']): string[] {
  return [...new Set(moves.filter((move) => move.kind === kind).map(({ id }) => id))];
}

const labels: Record<string, string> = { start_time: 'start', end_time: 'end', open_time: 'opens', close_time: 'closes' };

/** Prints each move with its times before and after; if there are many, only the first. */
export function tellMoves(context: Context, moves: readonly ChangeMove[], verb: string) {
  const zone = context.zone();
  const at = (moment: TimeValue) => (moment === null ? 'no time of its own' : showTime(moment, zone));
  const line = (move: ChangeMove) => {
    const { kind, id, email, follows } = move;
    const changed = changedFields(move);
    const alone = kind === 'session' && changed.length === 1 && changed[0]?.field === 'close_time';
    const times = changed.map(({ field, from, to }) => {
      const before = follows === undefined ? at(from) : `the end of the exam (${at(follows.ends)})`;
      return `${alone ? '' : `${labels[field] ?? field} `}${before} → ${at(to)}`;
    });
    return sentence`To ${verb}: ${kind} ${id}${email === null ? '' : ` ${email}`}, ${times.join(', ')}`;
  };
  for (const text of firstLines(moves, line)) context.say(text);
}

/**
 * The subjects of a question: which exams, how many sessions, which students. `exam`: the exam of all of
 * them, if known.
 */
export async function inQuestion(context: Context, moves: readonly ChangeMove[], exam: string | undefined): Promise<Sentence> {
  const client = await context.client();
  const zone = context.zone();
  const named = [...new Map(moves.filter(({ kind }) => kind === 'session').map((move) => [move.id, move])).values()];
  const exams = idsOf(moves, 'exam');
  if (exams.length === 0) {
    return sessionsInWords(
      client,
      named.map(({ id, email, exam: of }) => ({ session: id, email, exam: exam ?? of })),
      zone,
    );
  }
  const shown = await Promise.all(exams.slice(0, 3).map(async (id) => examInWords(id, await examShown(client, id), client, zone)));
  const which =
    exams.length === 1
      ? (shown[0] ?? '')
      : `${exams.length} exams (${firstInLine(shown, (text) => text, 3)}${exams.length > 3 ? ` and ${exams.length - 3} more` : ''})`;
  return sentence`${which}${named.length > 0 ? ` and ${sessions(named.length)} with times of their own` : ''}`;
}

/** Prints why resources will not be changed; if there are many, only the first. */
export function tellPassedOver(context: Context, reasons: readonly Sentence[]) {
  for (const text of firstLines(reasons, (reason) => reason)) context.warn(text);
}
