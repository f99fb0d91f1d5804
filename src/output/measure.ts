/**
 * How much room texts take on a terminal, and texts that are fitted into it. Of most texts each character takes one column, or two, whatever
 * stands beside it; the tables of Unicode, which take longer to load than a list takes to print, are loaded only where a text needs them.
 */

import { lineContinuation } from '../model/shell-quote.ts';

/** Columns that a text takes on a terminal. */
export type Measure = (text: string) => number;

/** Latin, Greek and Cyrillic letters, dashes and quotation marks. */
const oneColumn = '\\x20-\\x7e\\xa1-\\xac\\xae-\\u02ff\\u0391-\\u03a1\\u03a3-\\u0482\\u048a-\\u052f\\u2010-\\u2027';
/** Kana, ideographs and Hangul syllables. */
const twoColumns = '\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fff\\uac00-\\ud7a3';
const simple = new RegExp(`^[${oneColumn}${twoColumns}]*$`);
const wide = new RegExp(`[${twoColumns}]`, 'g');
const other = new RegExp(`[^${oneColumn}]`, 'g');

/** A measure that is right for these texts and for parts of them. */
export async function measureFor(texts: readonly string[]): Promise<Measure> {
  if (texts.every((text) => simple.test(text))) return (text) => text.length + (text.match(wide)?.length ?? 0);
  return (await import('string-width')).default;
}

const segmenter = new Intl.Segmenter();

/** The text, shortened to a width; what was cut shows as an ellipsis. */
export function clip(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  let fitting = '';
  let used = 1;
  for (const { segment } of segmenter.segment(text)) {
    used += measure(segment);
    if (used > width) break;
    fitting += segment;
  }
  return `${fitting}…`;
}

/** A command line in a message, up to the end of its sentence; its words: what stands in quotes is one. */
const commands = /(\bproctor-cli (?=[a-z-])(?:'[^']*'|[^';,.)]|[;,.)](?! |$))*[;,.)]? ?)/;
const commandWords = /(?:'[^']*'|[^ '])+ *|'[^ ]* */g;
const words = /[^ ]+ *| +/g;

/** The lines of a message, broken between words where they are too wide. A command that is broken can still be pasted. */
export function wrapped(text: string, width: number): string {
  const lines = text.split('\n');
  return lines.map((line) => (roomFor(line) <= width ? line : broken(line, width))).join('\n');
}

function broken(line: string, width: number): string {
  const lines: string[] = [];
  let last = '';
  const fits = (more: string, end = '') => roomFor((last + more).trimEnd() + end) <= width;
  const begin = (word: string, end = '') => {
    if (last.trim() === '') last += word;
    else {
      lines.push(last.trimEnd() + end);
      last = word;
    }
  };
  for (const [index, part] of line.split(commands).entries()) {
    const isCommand = index % 2 === 1;
    const end = isCommand ? lineContinuation() : '';
    if (isCommand && !fits(part)) begin('');
    for (const word of part.match(isCommand ? commandWords : words) ?? []) {
      if (fits(word, end)) last += word;
      else begin(word, end);
    }
  }
  return [...lines, last.trimEnd()].join('\n');
}

/** At least the columns that a text takes, without the tables of Unicode. */
function roomFor(text: string): number {
  return text.length + (text.match(other)?.length ?? 0);
}
