/**
 * `sessions extend`: computes each new close_time from the old one; the change does the rest. It asks
 * where the sessions of an exam, or surprisingly long times, are concerned.
 */
import type { Context, Result } from '../../command.ts';
import { sentence } from '../../text/sentence.ts';
import { inQuestion, runChange, sessions } from '../changes/index.ts';
import { choose, type SessionChoice } from './choose.ts';
import { isMuch, parseExtension } from './extension.ts';

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
  const chosen = await choose(await context.client(), choice, extension);
  const { moves, failures, finished, longest } = chosen;
  if (finished > 0)
    context.say(sentence`${sessions(finished)} of exam ${exam} ${finished === 1 ? 'has' : 'have'} finished and will not be changed.`);
  const amount = by.trim().replace(/^\+/, '');
  return runChange(context, {
    folder,
    kind: 'extend',
    what: `extend by ${amount}`,
    command: `sessions extend --by ${amount}`,
    exam,
    moves,
    refused: failures,
    asks: exam !== undefined || isMuch(longest),
    async question(before) {
      const twice = before > 0 ? `, ${before} of them again,` : '';
      return sentence`Extend ${await inQuestion(context, moves, exam)} by ${amount}${twice} ${context.place()}?`;
    },
    again,
  });
}
