/**
 * Characters that must not reach a terminal as they are: controls, which command it; marks that turn the
 * direction of writing; what cannot be seen; marks piled up without end. Data has escapes for them, if its format
 * knows any; what a person reads shows a sign.
 */

/** ASCII, and Latin letters. */
const printable = /^[ -~\u00a1-\u00ac\u00ae-\u02ff]*$/;
/** Some writings and pictures need them; Latin, Greek and Cyrillic letters do not. */
const joiners = String.raw`\u200c\u200d\ufe0e\ufe0f\u{e0100}-\u{e01ef}`;
const hiddenCharacters = [
  String.raw`[\p{Cc}\p{Bidi_Control}\u2028\u2029\u2800\ufff9-\ufffb]`,
  String.raw`(?![${joiners}])\p{Default_Ignorable_Code_Point}`,
  String.raw`(?<![^\p{ASCII}\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}])[${joiners}](?!\u20e3)`,
].join('|');
/** More marks on a letter than any writing has: they would cover other lines. */
const runaway = /(\p{M}{5})\p{M}+/gu;

let every: RegExp | undefined;

/** All hidden characters. The pattern takes a sixth of a second to build, and few texts need it. */
function everyHidden(): RegExp {
  every ??= new RegExp(hiddenCharacters, 'gu');
  return every;
}

export function hasHidden(text: string): boolean {
  return !printable.test(text) && text.search(everyHidden()) >= 0;
}

/** A cell or line as a person reads it: hidden characters become signs. */
export function visible(text: string): string {
  return printable.test(text) ? text : text.replace(everyHidden(), picture).replace(runaway, '$1\ufffd').toWellFormed();
}

/** Keeps line breaks and tabs. */
export function visibleLines(text: string): string {
  const parts = text.split(/(\r\n|[\n\t])/);
  return parts.map((part, index) => (index % 2 === 0 ? visible(part) : part)).join('');
}

/** JSON of the same value, without hidden characters. */
export function escapeHidden(text: string): string {
  const unitOf = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const escaped = (character: string) => (character === '\n' ? character : character.split('').map(unitOf).join(''));
  return printable.test(text) ? text : text.replace(everyHidden(), escaped);
}

/** The sign for a hidden character; for a control, its picture (␛). */
function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}

/** Signs that a screen reader skips or spells. */
const spokenSigns: Readonly<Record<string, string>> = { '→': ' to ', '·': ', ', '…': '...', '✓': 'yes', '✗': 'no' };

export function spoken(text: string): string {
  return text.replace(/ ?→ ?| · |[…✓✗]/g, (sign) => spokenSigns[sign.trim()] ?? sign);
}
