/** What people are told of a change on stderr: who is concerned, from when to when. */
import type { Column, Context } from '../command.ts';
import { instantOf, showTime } from '../model/time.ts';
import type { Task } from './apply.ts';
import type { Earlier } from './earlier.ts';
import type { Moment } from './records.ts';

/** So many are told one by one. */
const toldAtMost = 20;

export const taskColumns: readonly Column[] = [
  { key: 'session' },
  { key: 'email' },
  { key: 'from', as: 'time' },
  { key: 'to', as: 'time' },
  { key: 'result' },
  { key: 'problem' },
];

export function sessions(count: number): string {
  return count === 1 ? '1 session' : `${count} sessions`;
}

/** Each session with its time before and after; of many, the first. */
export function tellTasks(context: Context, tasks: readonly Task[], verb: string) {
  const zone = context.settings().timeZone ?? context.host.zone();
  const at = (moment: Moment) => (moment === null ? 'no time of its own' : showTime(moment, zone));
  for (const { session, email, from, to, ends } of tasks.slice(0, toldAtMost)) {
    const before = ends === undefined ? at(from) : `the end of the exam (${at(ends)})`;
    context.say(`${verb}: session ${session}${email === null ? '' : ` ${email}`}, ${before} → ${at(to)}`);
  }
  if (tasks.length > toldAtMost) context.say(`… and ${tasks.length - toldAtMost} more.`);
}

/** Which sessions were extended before, and by which changes. */
export function tellRepeated(context: Context, repeated: Earlier['repeated']) {
  for (const [change, { startedAt, sessions }] of byChange(repeated))
    context.warn(`warning: ${repetition(context, change, startedAt, sessions)}`);
}

/** The latest repetition in words. */
export function firstRepetition(context: Context, repeated: Earlier['repeated']): string | undefined {
  for (const [change, { startedAt, sessions }] of byChange(repeated)) return repetition(context, change, startedAt, sessions);
  return undefined;
}

function byChange(repeated: Earlier['repeated']): Map<string, { startedAt: number; sessions: string[] }> {
  const changes = new Map<string, { startedAt: number; sessions: string[] }>();
  for (const { session, change, startedAt } of repeated) {
    const known = changes.get(change) ?? { startedAt, sessions: [] };
    known.sessions.push(session);
    changes.set(change, known);
  }
  return changes;
}

function repetition(context: Context, change: string, startedAt: number, extended: readonly string[]): string {
  const at = showTime(startedAt / 1000, context.settings().timeZone ?? context.host.zone());
  const more = extended.length > toldAtMost ? ' …' : '';
  const named = `${extended.length === 1 ? 'session' : 'sessions'} ${extended.slice(0, toldAtMost).join(', ')}${more}`;
  return `extended already, by change ${change} at ${at}: ${named}.`;
}

/** Warns of windows that are over although they have been extended. */
export function warnIfPast(context: Context, tasks: readonly Task[]) {
  const past = tasks.filter(({ to }) => (instantOf(to) ?? 0) < context.host.now());
  if (past.length > 0)
    context.warn(`warning: the new close time of ${sessions(past.length)} is in the past; those students cannot start any more.`);
}

/** Says that the exam does not end later because of it (specification 2.1: its end is its latest point). */
export function warnOfEnd(context: Context, tasks: readonly Task[]) {
  const beyond = tasks.filter(({ ends }) => ends !== undefined).length;
  if (beyond > 0)
    context.warn(
      `The exam still ends when it did, before the new close time of ${sessions(beyond)}; to move that too: proctor-cli exams update ID --end TIME`,
    );
}
