/**
 * `sessions move`: students to another exam. Each is created there, or is there already; the new session is proven by a read, and the
 * old one deleted. The same command resumes what it left open, and passes over what it has done.
 */

import type { Context, Result } from '../../command.ts';
import { count } from '../../model/count.ts';
import { examInWords } from '../../model/describe.ts';
import { firstLines } from '../../model/first-of.ts';
import { statusOf } from '../../model/status.ts';
import { carryOut, type Step } from '../../runs-before/index.ts';
import { sentence } from '../../text/sentence.ts';
import { examShown, sessionsInWords } from '../exams-in-words.ts';
import { type Choice, choose } from './choosing.ts';
import { moveResult } from './move-result.ts';
import { goesAlong, type Moving, moveSteps, ownWindow } from './moving.ts';

export type MoveRequest = { ids: readonly string[]; exam: string };

export function moveSessions(context: Context, { ids, exam: to }: MoveRequest): Promise<Result> {
  const wanted = [...new Set(ids)];
  let choice: Choice | undefined;
  return carryOut(context, {
    kind: 'sessions move',
    identity: [to, ...wanted.toSorted()],
    again: 'resume',
    sendsAbsent: context.globals.yes,
    // Somebody may have added the same student there: a reading shows both.
    wholeProof: true,
    async plan() {
      const client = await context.client();
      choice = await choose(context, wanted, to);
      const steps: Step[] = [];
      for (const moving of choice.moving) steps.push(...moveSteps(moving, steps.length, client));
      return { steps, readings: new Map([[to, choice.reading]]) };
    },
    tell() {
      if (!choice) return;
      for (const line of firstLines(choice.refused, ({ error }) => error.message)) context.warn(line);
      tellMoved(context, choice.moving, to);
    },
    async question() {
      const client = await context.client();
      const named = (choice?.moving ?? []).map(({ session, email, exam }) => ({ session, email, exam: exam?.id }));
      const who = await sessionsInWords(client, named, context.zone());
      return sentence`Move ${who} to ${examInWords(to, await examShown(client, to), client, context.zone())}`;
    },
    async result(ended) {
      // A run that was resumed may not have all of the sessions.
      const known = new Set([...ended.outcomes()].map(({ step }) => step.params.id));
      const others = wanted.filter((id) => !known.has(id));
      const rest = choice ?? (others.length > 0 ? await choose(context, others, to) : undefined);
      return moveResult(context, await context.client(), ended, { to, rest });
    },
  });
}

/** Says who is there already, and what does not go with the students. */
function tellMoved(context: Context, all: readonly Moving[], to: string) {
  const lines = firstLines(all, ({ session, email, exam, there }) => {
    const joins = there === undefined ? `created in exam ${to}` : `in exam ${to} already, as session ${there.id}`;
    return sentence`To move: session ${session} ${email}${exam === undefined ? '' : ` of exam ${exam.id}`}, ${joins}, then deleted here`;
  });
  for (const line of lines) context.say(line);
  const left = all.filter((moving) => Object.keys(ownWindow(moving.source)).length > 0 && !goesAlong(moving));
  if (left.length > 0) {
    const ids = left.map(({ session }) => session).join(', ');
    context.warn(
      sentence`warning: the times of ${left.length === 1 ? 'session' : 'sessions'} ${ids} are not carried over, because exam ${to} is at another time; set them there with sessions update or sessions extend.`,
    );
  }
  const mailed = all.filter(({ source }) => statusOf(source.status) === 'mail_sent').length;
  if (mailed > 0)
    context.say(
      sentence`${count(mailed, 'student')} mailed about the present exam will be registered in exam ${to}, without a mail about exam ${to}.`,
    );
}
