/** The stderr messages of a change: its exams and sessions, their old and their new times. */
import { examInWords, examShown, sessionsInWords } from '../../api/in-words.ts';
import type { Context } from '../../command.ts';
import { count } from '../../model/count.ts';
import { firstInLine, firstLines, toldAtMost } from '../../model/first-of.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { instantOf, showTime, typedTime } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type ChangeMove, changedFields, newClosing } from './change-move.ts';
import { wordsOf } from './kinds.ts';
import type { TimeValue } from './value.ts';

export function sessions(number: number): string {
  return count(number, 'session');
}

/** The IDs of the moves' resources, each once. */
function idsOf(moves: readonly ChangeMove[], kind: ChangeMove['kind']): string[] {
  return [...new Set(moves.filter((move) => move.kind === kind).map(({ id }) => id))];
}

/** `every`: "sessions", "exams and sessions"; `some`: "one of these sessions", "3 of these exams and sessions". */
export function concerned(moves: readonly ChangeMove[]): { every: string; some: string } {
  const [exams, others] = [idsOf(moves, 'exam'), idsOf(moves, 'session')];
  const every = exams.length === 0 ? 'sessions' : others.length === 0 ? 'exams' : 'exams and sessions';
  const number = exams.length + others.length;
  return { every, some: `${number === 1 ? 'one' : number} of these ${every}` };
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

/** A move whose present times come from an earlier change of the same kind. */
export type Repetition = { move: ChangeMove; change: string; startedAt: number };

/** The earlier changes that did the same, one sentence for each. */
export function repetitions(context: Context, repeated: readonly Repetition[], kind: string): string[] {
  const zone = context.zone();
  const { did } = wordsOf(kind, 'set');
  return [...Map.groupBy(repeated, ({ change }) => change)].map(([change, found]) => {
    const at = showTime((found[0]?.startedAt ?? 0) / 1000, zone);
    const moves = found.map(({ move }) => move);
    const subjects = (['exam', 'session'] as const).flatMap((resource) => {
      const ids = idsOf(moves, resource);
      if (ids.length === 0) return [];
      return `${resource}${ids.length === 1 ? '' : 's'} ${ids.slice(0, toldAtMost).join(', ')}${ids.length > toldAtMost ? ' …' : ''}`;
    });
    return `Already ${did} by change ${change} at ${at}: ${subjects.join('; ')}.`;
  });
}

/** Warns of windows that are over even after the change. */
export function warnIfPast(context: Context, moves: readonly ChangeMove[]) {
  const now = context.host.now();
  const past = moves.filter((move) => {
    const closes = newClosing(move);
    return closes !== undefined && (instantOf(closes) ?? 0) < now;
  });
  if (past.length === 0) return;
  const over = context.settings().dialect.closeTimeMeans === 'end' ? 'their time is over' : 'those students can no longer start';
  context.warn(sentence`warning: the new close time of ${sessions(past.length)} is in the past; ${over}.`);
}

/**
 * Says what a later close time gives to students who are taking the exam, as far as the dialect tells
 * (specification 2.2).
 */
export function tellOfStarted(context: Context, moves: readonly ChangeMove[]) {
  const started = moves.filter((move) => move.started && newClosing(move) !== undefined).length;
  const { closeTimeMeans } = context.settings().dialect;
  if (started === 0 || closeTimeMeans === 'end') return;
  const students = count(started, 'student');
  if (closeTimeMeans === 'start')
    context.warn(
      sentence`warning: on this service, a close time only limits the start (dialect.closeTimeMeans); ${students} who ${started === 1 ? 'has' : 'have'} started will not get more time.`,
    );
  else
    context.say(
      sentence`The specification does not say if a later close time gives more time to students who have started (${started} here). Once you know, set dialect.closeTimeMeans to start or end.`,
    );
}

/**
 * Warns of exams whose end stays the same (specification 2.1: their end is their latest point), and says
 * how to move it.
 */
export function warnOfEnd(context: Context, moves: readonly ChangeMove[]) {
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
