/**
 * How much room texts take on a terminal. Of most texts each character takes one column, or two, whatever
 * stands beside it; the tables of Unicode, which take longer to load than a list takes to print, are
 * loaded only where a text needs them.
 */

/** Columns that a text takes on a terminal. */
export type Measure = (text: string) => number;

/** Latin, Greek and Cyrillic letters, dashes and quotation marks. */
const oneColumn = '\\x20-\\x7e\\xa1-\\xac\\xae-\\u02ff\\u0391-\\u03a1\\u03a3-\\u0482\\u048a-\\u052f\\u2010-\\u2027';
/** Kana, ideographs and Hangul syllables. */
const twoColumns = '\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fff\\uac00-\\ud7a3';
const simple = new RegExp(`^[${oneColumn}${twoColumns}]*$`);
const wide = new RegExp(`[${twoColumns}]`, 'g');

/** A measure that is right for these texts and for parts of them. */
export async function measureFor(texts: readonly string[]): Promise<Measure> {
  if (texts.every((text) => simple.test(text))) return (text) => text.length + (text.match(wide)?.length ?? 0);
  return (await import('string-width')).default;
}

/** The text, shortened to a width; what was cut shows as an ellipsis. */
export function clip(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += measure(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** The same, with the ellipsis in the middle, so that the end is seen as well. */
export function clipMiddle(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  let end = '';
  for (const { segment } of [...new Intl.Segmenter().segment(text)].reverse()) {
    if (measure(segment + end) > Math.floor((width - 1) / 2)) break;
    end = segment + end;
  }
  return clip(text, width - measure(end), measure) + end;
}
