/** A value chosen from a list that the service or this machine has, found by typing any part of its line. */
import type { Completes } from '../../command.ts';
import { CliError, orError } from '../../errors.ts';
import type { Choice } from '../../host/host.ts';
import { visible } from '../../text/characters.ts';
import { folded } from '../../text/fold.ts';
import { hasWords, soughtWords } from '../../text/search.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type Candidate, fromService, fromThisMachine } from '../complete/candidates.ts';
import type { RunContext } from '../run/context.ts';

type Offered = Completes | readonly string[] | undefined;

/** Undefined where there is no list to choose from. `exam`: whose sessions are meant, where that is known. */
export async function pick(question: Sentence, what: Offered, exam: string | undefined, context: RunContext): Promise<string | undefined> {
  const find = await finderOf(what, exam, context);
  return find && (await context.host.questions()).search(question, find());
}

/** One after the other; Enter alone ends the choice. */
export async function pickSeveral(
  question: Sentence,
  what: Offered,
  exam: string | undefined,
  context: RunContext,
): Promise<string[] | undefined> {
  const find = await finderOf(what, exam, context);
  if (!find) return undefined;
  for (let chosen: string[] = []; ; ) {
    const message = chosen.length === 0 ? question : sentence`Another value, or Enter to finish:`;
    const value = await (await context.host.questions()).search(message, find(chosen));
    if (value === '') return chosen;
    chosen = [...new Set([...chosen, ...(severalIds.test(value) ? value.split(/[\s,]+/) : [value])])];
  }
}

/** The search among the candidates; none where there are none, or the service does not tell them: an ID can be typed without a list. */
async function finderOf(what: Offered, exam: string | undefined, context: RunContext) {
  if (what === undefined) return undefined;
  const local = typeof what === 'string' ? await fromThisMachine[what]?.(context, exam) : what.map((value) => ({ value, about: '' }));
  const found = local ?? (await orError(Promise.resolve(fromService[what as Completes]?.(context, exam))));
  if (!(found instanceof CliError)) return found && ((chosen?: readonly string[]) => finder(found, local !== undefined, chosen));
  context.warn(sentence`No suggestions are available. ${found.message}`);
  return undefined;
}

const shownAtMost = 20;
const severalIds = /^\d+(?:[\s,]+\d+)+$/;

/**
 * `isWhole`: there is nothing else; otherwise an ID that the list lacks can be typed. `chosen` are not offered again; the empty value ends
 * the choice of several.
 */
export function finder(candidates: readonly Candidate[], isWhole: boolean, chosen: readonly string[] = []) {
  const lines = candidates.flatMap(({ value, about }) => {
    if (chosen.includes(value)) return [];
    const text = visible(about === '' ? value : `${value}  ${about}`);
    return [{ value, text, folded: folded(text) }];
  });
  return (term: string): (Choice | string)[] => {
    const typed = term.trim();
    // Also a label that Tab has inserted, which may have been cut.
    const words = soughtWords(typed);
    const named = lines.filter(({ value }) => value === typed);
    const others = lines.filter(({ value, folded }) => !severalIds.test(typed) && value !== typed && hasWords(folded, words));
    const found = [...named, ...others];
    const more = found.length - shownAtMost;
    const mayBeTyped = !isWhole && typed !== '' && named.length === 0;
    const notes = [
      ...(more > 0 ? [`${more} more: type to narrow the list`] : []),
      ...(found.length === 0 && !mayBeTyped ? [typed === '' ? 'No suggestions: type the value' : 'Nothing fits: type something else'] : []),
    ];
    return [
      ...(typed === '' && chosen.length > 0 ? [{ value: '', label: `Done: only ${visible(chosen.join(', '))}` }] : []),
      ...found.slice(0, shownAtMost).map(({ value, text }): Choice => ({ value, label: text })),
      ...notes,
      ...(mayBeTyped ? [{ value: typed, label: `use ${visible(typed)}, which is not in this list`, unknown: candidates.length > 0 }] : []),
    ];
  };
}
