/** What became of the students whom `--remove-missing` deletes. */
import type { Context } from '../../command.ts';
import type { CliError } from '../../errors.ts';
import type { Ended, Outcome } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';

/** How many were deleted, and the error to end with if that is not all. */
export type Removal = { removed: number; failure: CliError | undefined };

/** Names each on stderr. `wrote`: the import did something before. */
export function removalOf(context: Context, ended: Ended, wrote: boolean): Removal {
  const { steps } = ended.book;
  const outcomes = (steps.last ?? []).flatMap((index) => ended.book.outcome(index) ?? []);
  const isUntouched = ({ state }: Outcome) => state === 'planned' || state === 'skipped' || state === 'given_up';
  if (outcomes.every(isUntouched)) {
    if (outcomes.length > 0) context.warn('No student was deleted, because the import is not complete.');
    return { removed: 0, failure: undefined };
  }
  for (const { state, step, id = '', error } of outcomes) {
    const who = `student session ${id}${step.email === undefined ? '' : `, ${step.email}`}`;
    if (state === 'done' || state === 'gone') context.say(sentence`${state === 'done' ? 'Deleted' : 'Already gone'}: ${who}.`);
    else if (error) context.warn(state === 'changed' ? error.message : sentence`Not deleted: ${who}: ${error.message}`);
  }
  const failure = ended.failure({
    ...{ did: 'missing students deleted', idType: undefined, of: outcomes.filter(({ state }) => state !== 'gone'), follows: wrote },
    hint: sentence`Check those that were kept, then run the same command again: it deletes the rest. Imported students are kept.`,
  });
  return { removed: outcomes.filter(({ state }) => state === 'done').length, failure };
}
