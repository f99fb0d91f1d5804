/** The stderr messages of a change: its sessions, their old and their new times. */
import { sessionsInWords } from '../../api/in-words.ts';
import type { Context } from '../../command.ts';
import { count } from '../../model/count.ts';
import { firstLines, toldAtMost } from '../../model/first-of.ts';
import { shellQuoted } from '../../model/shell-quote.ts';
import { instantOf, showTime, typedTime } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { CloseTime } from './close-time.ts';
import type { Earlier } from './earlier.ts';
import type { ExtendTask } from './result.ts';

export function sessions(number: number): string {
  return count(number, 'session');
}

/** Each session with its time before and after; of many, the first. */
export function tellTasks(context: Context, tasks: readonly ExtendTask[], verb: string) {
  const zone = context.zone();
  const at = (moment: CloseTime) => (moment === null ? 'no time of its own' : showTime(moment, zone));
  const line = ({ session, email, from, to, exam }: ExtendTask) => {
    const before = exam === undefined ? at(from) : `the end of the exam (${at(exam.ends)})`;
    return sentence`${verb}: session ${session}${email === null ? '' : ` ${email}`}, ${before} → ${at(to)}`;
  };
  for (const text of firstLines(tasks, line)) context.say(text);
}

/** The sessions of a question: how many, which students, which exam. */
export async function inQuestion(context: Context, tasks: readonly ExtendTask[], exam: string | undefined): Promise<Sentence> {
  const named = tasks.map(({ session, email, of }) => ({ session, email, exam: exam ?? of }));
  return sessionsInWords(await context.client(), named, context.zone());
}

/** Why sessions will not be changed; of many, the first. */
export function tellPassedOver(context: Context, reasons: readonly Sentence[]) {
  for (const text of firstLines(reasons, (reason) => reason)) context.warn(text);
}

/** Which sessions were extended before, in a sentence for each change that did it. */
export function repetitions(context: Context, repeated: Earlier['repeated']): string[] {
  const zone = context.zone();
  return [...Map.groupBy(repeated, ({ change }) => change)].map(([change, moves]) => {
    const at = showTime((moves[0]?.startedAt ?? 0) / 1000, zone);
    const ids = moves.slice(0, toldAtMost).map(({ session }) => session);
    const more = moves.length > toldAtMost ? ' …' : '';
    return `Already extended by change ${change} at ${at}: ${moves.length === 1 ? 'session' : 'sessions'} ${ids.join(', ')}${more}.`;
  });
}

/** Warns of windows that are over although they have been extended. */
export function warnIfPast(context: Context, tasks: readonly ExtendTask[]) {
  const past = tasks.filter(({ to }) => (instantOf(to) ?? 0) < context.host.now());
  if (past.length === 0) return;
  const over = context.settings().dialect.closeTimeMeans === 'end' ? 'their time is over' : 'those students can no longer start';
  context.warn(sentence`warning: the new close time of ${sessions(past.length)} is in the past; ${over}.`);
}

/** What a later close time gives to students who are taking the exam, as far as the dialect says (specification 2.2). */
export function tellOfStarted(context: Context, tasks: readonly ExtendTask[]) {
  const started = tasks.filter((task) => task.started).length;
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

/** Says which exams do not end later because of it (specification 2.1: their end is their latest point), and how to move that. */
export function warnOfEnd(context: Context, tasks: readonly ExtendTask[]) {
  const zone = context.zone();
  const byExam = Map.groupBy(tasks, ({ exam }) => exam?.id);
  byExam.delete(undefined);
  for (const [exam = '', beyond] of byExam) {
    const latest = beyond.reduce((last, { to }) => Math.max(last, instantOf(to) ?? last), 0);
    context.warn(
      sentence`Exam ${exam} still ends before the new close time of ${sessions(beyond.length)}; to move its end: proctor-cli exams update ${shellQuoted(exam)} --end ${typedTime(latest, zone)}`,
    );
  }
}
