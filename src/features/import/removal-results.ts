/** What became of the students whom `--remove-missing` deletes. */
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import type { Outcome } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';

/** How many were deleted, and the error to end with if that is not all. */
export type Removal = { removed: number; failure?: CliError };

/** Names each on stderr. `wrote`: the import did something before. */
export function removalOf(context: Context, outcomes: readonly Outcome[], wrote: boolean): Removal {
  const untouched = ({ state }: Outcome) => state === 'planned' || state === 'skipped' || state === 'given_up';
  if (outcomes.length > 0 && outcomes.every(untouched)) {
    context.warn('No student was deleted, because the import is not complete.');
    return { removed: 0 };
  }
  const failures: CliError[] = [];
  let removed = 0;
  for (const { state, step, id = '', error } of outcomes) {
    const who = `student session ${id}${step.email === undefined ? '' : `, ${step.email}`}`;
    if (state === 'done') removed += 1;
    if (state === 'done' || state === 'gone') context.say(sentence`${state === 'done' ? 'Deleted' : 'Already gone'}: ${who}.`);
    else if (state !== 'planned' && state !== 'given_up') {
      const failed = error ?? new CliError('not_applied', 'It was not deleted.');
      failures.push(failed);
      context.warn(state === 'changed' ? failed.message : sentence`Not deleted: ${who}: ${failed.message}`);
    } else if (error) failures.push(error);
  }
  const [first] = failures;
  const left = outcomes.filter(({ state }) => state === 'planned').length;
  if (!first && left === 0) return { removed };
  const unknown = outcomes.some(({ state }) => state === 'unknown');
  const code = unknown ? 'outcome_unknown' : wrote || removed > 0 || outcomes.length > 1 ? 'partly_done' : (first?.code ?? 'partly_done');
  const why = failures.length === 1 && first ? `: ${first.message}` : '.';
  return {
    removed,
    failure: new CliError(code, sentence`${removed} of the ${count(outcomes.length, 'student')} missing from the file deleted${why}`, {
      hint: 'Check those that were kept, then run the same command again: it deletes the rest. Imported students are kept.',
    }),
  };
}
