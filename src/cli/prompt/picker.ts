/** A value chosen from a list, found by typing any part of its line. */
import type { Completes, Offered } from '../../command.ts';
import { CliError, orError } from '../../errors.ts';
import type { Choice } from '../../host/host.ts';
import { visible } from '../../text/characters.ts';
import { folded } from '../../text/fold.ts';
import { hasWords, soughtWords } from '../../text/search.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type Candidate, fromService, fromThisMachine } from '../complete/candidates.ts';
import type { RunContext } from '../run/context.ts';

/** `exam`: whose sessions are meant, if known. */
type Offering = { what: Offered | undefined; exam: string | undefined };

/** Undefined where there is no list to choose from. */
export async function pick(question: Sentence, context: RunContext, offered: Offering): Promise<string | undefined> {
  const find = await finderOf(offered, context);
  return find && (await context.host.questions()).search(question, find());
}

/** One after the other; Enter alone ends the choice. */
export async function pickSeveral(question: Sentence, context: RunContext, offered: Offering): Promise<string[] | undefined> {
  const find = await finderOf(offered, context);
  if (!find) return undefined;
  for (let chosen: string[] = []; ; ) {
    const message = chosen.length === 0 ? question : sentence`Another value, or Enter to finish:`;
    const value = await (await context.host.questions()).search(message, find(chosen));
    if (value === '') return chosen;
    chosen = [...new Set([...chosen, ...(severalIds.test(value) ? value.split(/[\s,]+/) : [value])])];
  }
}

/** Undefined also where the service does not tell them: an ID can be typed without a list. */
async function finderOf({ what, exam }: Offering, context: RunContext) {
  if (what === undefined) return undefined;
  const words = typeof what === 'string' ? undefined : what.map((value) => ({ value, about: '' }));
  const local = words ?? (await fromThisMachine[what as Completes]?.(context, exam));
  const found = local ?? (await orError(Promise.resolve(fromService[what as Completes]?.(context, exam))));
  if (found instanceof CliError) {
    context.warn(sentence`No suggestions are available. ${found.message}`);
    return undefined;
  }
  return found && ((chosen?: readonly string[]) => finder(found, local !== undefined, chosen));
}

const shownAtMost = 20;
const severalIds = /^\d+(?:[\s,]+\d+)+$/;

/**
 * `isWhole`: nothing else can be typed. `chosen` are not offered again; the empty value ends the choice
 * of several.
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
    const fits = ({ value, folded }: (typeof lines)[number]) => value !== typed && hasWords(folded, words);
    const found = severalIds.test(typed) ? named : [...named, ...lines.filter(fits)];
    const offered: (Choice | string)[] = found.slice(0, shownAtMost).map(({ value, text }) => ({ value, label: text }));
    if (typed === '' && chosen.length > 0) offered.unshift({ value: '', label: `Done: only ${visible(chosen.join(', '))}` });
    const more = found.length - shownAtMost;
    if (more > 0) offered.push(`${more} more: type to narrow the list`);
    if (!isWhole && typed !== '' && named.length === 0) {
      const label = `use ${visible(typed)}, which is not in this list`;
      offered.push({ value: typed, label, unknown: candidates.length > 0 });
    } else if (found.length === 0) {
      offered.push(typed === '' ? 'No suggestions: type the value' : 'Nothing fits: type something else');
    }
    return offered;
  };
}
