/** The flags that choose runs, alike in every command that lists them. */
import type { Context, TextFlag } from '../command.ts';
import { parseAge } from '../model/duration.ts';
import { InvalidValue } from '../model/invalid-value.ts';
import { writtenAs } from '../model/time.ts';
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
  exam: {
    type: 'text',
    value: 'id',
    description: 'only runs with a step about this exam',
  },
} as const satisfies Record<string, TextFlag>;

type Given = { since?: string | undefined; user?: string | undefined; exam?: string | undefined };

/** Throws `InvalidValue`. */
export async function runFilterOf(context: Pick<Context, 'host' | 'time'>, { since, user, exam }: Given): Promise<RunFilter> {
  for (const [flag, text] of [
    ['--user', user],
    ['--exam', exam],
  ] as const)
    if (text?.trim() === '') throw new InvalidValue(sentence`${flag} is empty.`, sentence`Give a value, or leave out ${flag}.`);
  return { since: since === undefined ? undefined : await momentOf(since, context), user, exam };
}

const past = 'Write it as YYYY-MM-DDTHH:MM with its offset (+01:00, or Z for UTC), or how long ago it was: 2h, 30d.';

async function momentOf(text: string, { host, time }: Pick<Context, 'host' | 'time'>): Promise<number> {
  const now = host.now();
  const isSpan = /^(\d+ ?([a-z]|$)|$)/i.test(text.trim());
  const moment = isSpan ? now - parseAge(text) : await time(text, { day: 'start' }).catch(inPast);
  if (moment <= now) return moment;
  throw new InvalidValue(sentence`"${text}" is still to come.`, past);
}

/** The same error, without the advice to count from now on. */
function inPast(error: unknown): never {
  throw error instanceof InvalidValue && error.hint === writtenAs ? new InvalidValue(error.message, past) : error;
}
