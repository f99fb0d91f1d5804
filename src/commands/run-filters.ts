/** The flags that choose runs, alike in every command that lists them. */
import type { Context, Flags, TextFlag } from '../command.ts';
import { parseAge } from '../model/duration.ts';
import { InvalidValue } from '../model/invalid-value.ts';
import type { RunFilter } from '../runs/index.ts';
import { sentence } from '../text/sentence.ts';

export const runFilters = {
  since: {
    type: 'text',
    value: 'time',
    description: 'only runs of which something was recorded since this time, or in this span until now: 30d, 2h',
  },
  user: {
    type: 'text',
    value: 'who',
    description: 'only runs that USER, USER@MACHINE or the CI job with this address began or took over',
  },
  exam: { type: 'text', value: 'id', complete: 'exams', description: 'only runs with a step about this exam' },
} as const satisfies Record<string, TextFlag> & Flags;

type Given = { since?: string | undefined; user?: string | undefined; exam?: string | undefined };

/** Throws `InvalidValue`. */
export async function runFilterOf({ host, time }: Pick<Context, 'host' | 'time'>, { since, user, exam }: Given): Promise<RunFilter> {
  return { since: since === undefined ? undefined : await momentOf(since, { host, time }), user, exam };
}

async function momentOf(text: string, { host, time }: Pick<Context, 'host' | 'time'>): Promise<number> {
  const now = host.now();
  const isSpan = /^\d+ ?([a-z]|$)/i.test(text.trim());
  const moment = isSpan ? now - parseAge(text) : await time(text, { day: 'start' });
  if (moment <= now) return moment;
  throw new InvalidValue(sentence`"${text}" is still to come.`, 'Give a time that has passed, or how long ago it was: 2h, 30d.');
}
