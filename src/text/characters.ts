/**
 * Characters that must not reach a terminal as they are: controls, which command it; marks that turn
 * the direction of writing; separators, fillers and joiners that cannot be seen; marks piled up without end.
 * Data keeps them, escaped where its format has escapes; what a person reads shows a sign instead.
 */

/** What most texts consist of: ASCII, and Latin letters. */
const printable = /^[ -~\u00a1-\u00ac\u00ae-\u02ff]*$/;
/** Joiners and selectors, which some writings and pictures need; Latin, Greek and Cyrillic letters do not. */
const joiners = String.raw`\u200c\u200d\ufe0e\ufe0f\u{e0100}-\u{e01ef}`;
const hidden = [
  String.raw`[\p{Cc}\p{Bidi_Control}\u2028\u2029\u2800\ufff9-\ufffb]`,
  String.raw`(?![${joiners}])\p{Default_Ignorable_Code_Point}`,
  String.raw`(?<![^\p{ASCII}\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}])[${joiners}](?!\u20e3)`,
].join('|');
/** More marks on one letter than any writing puts there: they would cover the lines above and below. */
const runaway = /(\p{M}{5})\p{M}+/gu;

let every: RegExp | undefined;

/** Built at its first use, which most commands never come to. */
function everyHidden(): RegExp {
  every ??= new RegExp(hidden, 'gu');
  return every;
}

export function hasHidden(text: string): boolean {
  return !printable.test(text) && text.search(everyHidden()) >= 0;
}

/** Text for one cell or line that a person reads: a sign stands where a hidden character was. */
export function visible(text: string): string {
  return printable.test(text) ? text : text.replace(everyHidden(), sign).replace(runaway, '$1\ufffd').toWellFormed();
}

/** Like `visible`, for text whose line breaks and tabs are part of its form. */
export function visibleLines(text: string): string {
  return text
    .split(/(\r\n|[\n\t])/)
    .map((part, index) => (index % 2 === 0 ? visible(part) : part))
    .join('');
}

/** JSON text in which hidden characters stand as escapes: a parser reads the same value. */
export function escapeHidden(text: string): string {
  return printable.test(text) ? text : text.replace(everyHidden(), (character) => (character === '\n' ? '\n' : escaped(character)));
}

const longestQuote = 60;

/** How a foreign text stands in a message: in quotes, and never longer than fits on a line. */
export function quote(text: string): string {
  return escapeHidden(JSON.stringify(text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text));
}

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** The picture that Unicode has for a control (␛), and the replacement character for the rest. */
function sign(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}

/** Signs that a screen reader skips or spells, and the words for them. */
const spokenSigns = [
  [/ ?→ ?/g, ' to '],
  [/ · /g, ', '],
  [/…/g, '...'],
  [/✓/g, 'yes'],
  [/✗/g, 'no'],
] as const;

/** Text with words in place of signs, for screen readers. */
export function spoken(text: string): string {
  return spokenSigns.reduce((read, [each, word]) => read.replace(each, word), text);
}
