/**
 * The choices of a picker for the text typed so far: the candidates that contain every typed word, and last
 * the text itself, because the list may not contain the wanted value.
 */
import type { Choice } from '../../host/host.ts';
import { line } from '../../output/canvas.ts';
import { visible } from '../../text/characters.ts';
import { folded, hasWords, soughtWords } from '../../text/fold.ts';
import type { Candidate } from '../complete/candidates.ts';

/** Choices shown at a time; typing narrows the list. */
const shownAtMost = 20;
/** The pointer before each line, and the last column, which makes some terminals begin a new line. */
const margin = 3;

/**
 * The search of a picker. `columns` is the current width of the terminal; undefined if unknown. Values in
 * `chosen` are not offered again; the empty value ends the choice.
 */
export function finder(
  candidates: readonly Candidate[],
  columns: () => number | undefined,
  chosen: readonly string[] = [],
): (term: string) => (Choice | string)[] {
  const lines = candidates.flatMap(({ value, about }) => {
    if (chosen.includes(value)) return [];
    const text = visible(about === '' ? value : `${value}  ${about}`);
    return [{ value, text, folded: folded(text) }];
  });
  return (term) => {
    const typed = term.trim();
    // Also a label that Tab has inserted, which may have been cut.
    const words = soughtWords(typed);
    const cut = (text: string) => line(Math.max((columns() || 80) - margin, 1), text);
    const named = lines.filter(({ value }) => value === typed);
    const found = lines.filter(({ value, folded }) => value !== typed && hasWords(folded, words));
    const fitting = [...named, ...found];
    const shown = fitting.slice(0, shownAtMost).map(({ value, text }): Choice => ({ value, label: cut(text) }));
    const more = fitting.length - shown.length;
    return [
      ...(typed === '' && chosen.length > 0 ? [{ value: '', label: cut(`Done: only ${visible(chosen.join(', '))}`) }] : []),
      ...shown,
      ...(more > 0 ? [cut(`${more} more: type to narrow the list`)] : []),
      ...(typed === '' || named.length > 0
        ? []
        : [{ value: typed, label: cut(`use ${visible(typed)} unchanged`), unknown: candidates.length > 0 }]),
      ...(typed === '' && candidates.length === 0 ? [cut('No suggestions: type the value')] : []),
    ];
  };
}
