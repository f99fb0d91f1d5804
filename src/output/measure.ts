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

/** A text, shortened to a width; what was cut shows as an ellipsis. */
export type Clip = (text: string, width: number) => string;

/** The ways to shorten texts: at the end; in the middle, so that the end is seen as well; or with most of the end. */
export type Clips = { end: Clip; middle: Clip; start: Clip };

/** Each text that is too wide is taken apart once, because a table tries many widths. */
export function clipsBy(measure: Measure): Clips {
  const known = new Map<string, Parts>();
  const shortened =
    (share: number): Clip =>
    (text, width) => {
      let parts = known.get(text);
      if ((parts?.width ?? measure(text)) <= width) return text;
      parts ??= taken(text, measure);
      known.set(text, parts);
      return cut(parts, width, Math.floor((width - 1) * share));
    };
  return { end: shortened(0), middle: shortened(1 / 2), start: shortened(3 / 4) };
}

/** The text, shortened to a width at its end. */
export function clip(text: string, width: number, measure: Measure): string {
  return clipsBy(measure).end(text, width);
}

type Parts = { width: number; segments: readonly string[]; widths: readonly number[] };

function taken(text: string, measure: Measure): Parts {
  const segments = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  return { width: measure(text), segments, widths: segments.map(measure) };
}

/** The parts that fit into a width, at most `forEnd` of it for the end of the text. */
function cut({ segments, widths }: Parts, width: number, forEnd: number): string {
  let last = segments.length;
  let used = 1;
  for (let end = 0; last > 0 && end + (widths[last - 1] ?? 0) <= forEnd; last -= 1) {
    end += widths[last - 1] ?? 0;
    used = end + 1;
  }
  let first = 0;
  while (first < last && used + (widths[first] ?? 0) <= width) {
    used += widths[first] ?? 0;
    first += 1;
  }
  return `${segments.slice(0, first).join('')}…${segments.slice(last).join('')}`;
}
