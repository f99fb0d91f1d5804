/** What is said before times are moved: exams and sessions with their old and new times, and what these mean for students. */
import { examInWords, examShown, sessionsInWords } from '../../api/in-words.ts';
import type { Context } from '../../command.ts';
import { count, students } from '../../model/count.ts';
import { firstInLine, firstLines, toldAtMost } from '../../model/first-of.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { instantOf, showTime, typedTime } from '../../model/time.ts';
import type { EarlierValues } from '../../runs-before/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { changedFields, newClosing, type TimeMove, type TimeValue } from './time-move.ts';

export function sessions(number: number): string {
  return count(number, 'session');
}

/** The IDs of exams or of sessions, each once. */
function idsOf(moves: readonly Pick<TimeMove, 'kind' | 'id'>[], kind: TimeMove['kind']): string[] {
  return [...new Set(moves.filter((move) => move.kind === kind).map(({ id }) => id))];
}

const labels: Record<string, string> = { start_time: 'start', end_time: 'end', open_time: 'opens', close_time: 'closes' };

/** Prints each move with its times before and after; of many, only the first. */
export function tellMoves(context: Context, moves: readonly TimeMove[], verb: string) {
  const zone = context.zone();
  const at = (moment: TimeValue) => (moment === null ? 'no time of its own' : showTime(moment, zone));
  const line = (move: TimeMove) => {
    const { kind, id, email, follows } = move;
    const changed = changedFields(move);
    const alone = kind === 'session' && changed.length === 1 && changed[0]?.field === 'close_time';
    const times = changed.map(({ field, from, to }) => {
      const before = follows === undefined ? at(from) : `the end of the exam (${at(follows.ends)})`;
      return `${alone ? '' : `${labels[field] ?? field} `}${before} → ${at(to)}`;
    });
    return sentence`To ${verb}: ${kind} ${id}${email === undefined ? '' : ` ${email}`}, ${times.join(', ')}`;
  };
  for (const text of firstLines(moves, line)) context.say(text);
}

/** The subjects of a question: which exams, how many sessions, which students. `exam`: the exam of all of them, if it is known. */
export async function inQuestion(context: Context, moves: readonly TimeMove[], exam?: string): Promise<Sentence> {
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

/** A move whose present times were set by an earlier run of the same command. */
export type Repetition = { move: TimeMove; run: string; at: number };

/** The moves of times that an earlier run has moved: to move them again adds to what it did, whatever has changed them since. */
export function repeatedIn(moves: readonly TimeMove[], earlier: readonly EarlierValues[]): Repetition[] {
  const byTarget = Map.groupBy(earlier, ({ resource, id }) => `${resource} ${id}`);
  return moves.flatMap((move) => {
    const before = byTarget
      .get(`${move.kind} ${move.id}`)
      ?.find(({ set }) => changedFields(move).some(({ field }) => Object.hasOwn(set, field)));
    return before ? [{ move, run: before.run, at: before.at }] : [];
  });
}

/** The earlier runs that did the same, one sentence for each. */
export function repetitions(context: Context, repeated: readonly Repetition[], did: string): Sentence[] {
  const zone = context.zone();
  return [...Map.groupBy(repeated, ({ run }) => run)].map(([run, found]) => {
    const moves = found.map(({ move }) => move);
    const subjects = (['exam', 'session'] as const).flatMap((resource) => {
      const ids = idsOf(moves, resource);
      if (ids.length === 0) return [];
      return `${resource}${ids.length === 1 ? '' : 's'} ${ids.slice(0, toldAtMost).join(', ')}${ids.length > toldAtMost ? ' …' : ''}`;
    });
    return sentence`Already ${did} by run ${run} at ${showTime((found[0]?.at ?? 0) / 1000, zone)}: ${subjects.join('; ')}.`;
  });
}

/** Warns of windows that are over even with their new close time. */
export function warnIfPast(context: Context, moves: readonly TimeMove[]) {
  const now = context.host.now();
  const past = moves.filter((move) => {
    const closes = newClosing(move);
    return closes !== undefined && (instantOf(closes) ?? 0) < now;
  });
  if (past.length === 0) return;
  context.warn(sentence`warning: the new close time of ${sessions(past.length)} is in the past; those students can no longer start.`);
}

/** Warns of exams whose end stays the same (specification 2.1: their end is their latest point), and says how to move it. */
export function warnOfEnd(context: Context, moves: readonly TimeMove[]) {
  const zone = context.zone();
  const byExam = Map.groupBy(moves, ({ follows }) => follows?.id);
  byExam.delete(undefined);
  for (const [exam = '', beyond] of byExam) {
    const latest = beyond.reduce((last, move) => Math.max(last, instantOf(newClosing(move)) ?? last), 0);
    context.warn(
      sentence`Exam ${exam} still ends before the new close time of ${sessions(beyond.length)}; to move its end: proctor-cli ${typedCommand('exams update', [exam], `--end ${typedTime(latest, zone)}`)}`,
    );
  }
}

/** Names students who were mailed times that change now. */
export function tellMailed(context: Context, mailed: number, exams: readonly string[]) {
  if (mailed === 0) return;
  const lines = exams.slice(0, 3).map((exam) => `proctor-cli ${typedCommand('exams send-emails', [exam], '--resend')}`);
  context.say(
    sentence`${students(mailed)} ${mailed === 1 ? 'was' : 'were'} mailed the old times. Once they are changed, mail all of them again: ${lines.join('; ')}`,
  );
}
