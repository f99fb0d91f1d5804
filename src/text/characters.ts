/**
 * Characters that must not reach a terminal as they are: controls, which command it; marks that turn
 * the direction of writing; separators, fillers and joiners that cannot be seen; marks piled up without end.
 * Data keeps them, escaped where its format has escapes; what a person reads shows a sign instead.
 */
import { isAscii } from 'node:buffer';
import { patternOnUse } from './pattern.ts';

/** Controls, marks of direction, separators: what commands a terminal or divides a line. */
const commanding = String.raw`\p{Cc}\p{Bidi_Control}\u2028\u2029\ufff9-\ufffb`;
/** Those of them that JSON texts may contain unescaped. */
const unescapedCommands = String.raw`\u007f-\u009f\p{Bidi_Control}\u2028\u2029\ufff9-\ufffb`;
/** Invisible characters: soft hyphens, fillers, tags, and the like. */
const blank = String.raw`\u00ad\u034f\u115f\u1160\u17b4\u17b5\u200b\u2060-\u206f\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufff8\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}`;
const joining = [
  String.raw`\p{scx=Arabic}\p{scx=Syriac}\p{scx=Mongolian}\p{scx=Devanagari}\p{scx=Bengali}\p{scx=Gurmukhi}\p{scx=Gujarati}`,
  String.raw`\p{scx=Oriya}\p{scx=Tamil}\p{scx=Telugu}\p{scx=Kannada}\p{scx=Malayalam}\p{scx=Sinhala}\p{scx=Khmer}\p{scx=Myanmar}`,
].join('');
/** Joiners where no writing needs them, selectors behind what has no variants. */
const astray = [
  String.raw`(?<![${joining}\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])[\u200c\u200d]`,
  String.raw`(?<!\p{Emoji})[\ufe0e\ufe0f]`,
  String.raw`(?<!\p{scx=Mongolian})[\u180b-\u180f]`,
  String.raw`(?<!\p{scx=Han})[\u{e0100}-\u{e01ef}]`,
].join('|');

const anyHidden = `[${commanding}${blank}]|${astray}`;
const hidden = patternOnUse(anyHidden, 'u');
const everyHidden = patternOnUse(anyHidden, 'gu');
const hiddenButLineAndTab = patternOnUse(String.raw`(?!\n|\t|\r\n)(?:${anyHidden})`, 'gu');
const unescaped = patternOnUse(`[${unescapedCommands}${blank}]|${astray}`, 'gu');
/** More marks on one letter than any writing puts there: they would cover the lines above and below. */
const runaway = patternOnUse(String.raw`(\p{M}{5})\p{M}+`, 'gu');

/** Letters and punctuation of the western and the eastern languages, none of them hidden or a mark: most texts have no others. */
const common = [
  String.raw` -~\u00a1-\u00ac\u00ae-\u02ff\u1e00-\u1fff\u2010-\u2027\u20ac`,
  String.raw`\u0370-\u0482\u048a-\u052f`,
  String.raw`\u3000-\u3029\u3041-\u3096\u309b-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e`,
].join('');
const printable = new RegExp(`^[${common}]*$`);
const printableLines = new RegExp(`^[${common}\n\t]*$`);

export function hasHidden(text: string): boolean {
  return hidden().test(text);
}

/** Text for one cell or line that a person reads: a sign stands where a hidden character was. */
export function visible(text: string): string {
  return printable.test(text) ? text : text.replace(everyHidden(), sign).replace(runaway(), '$1\ufffd').toWellFormed();
}

/** Like `visible`, for text whose line breaks and tabs are part of its form. */
export function visibleLines(text: string): string {
  return printableLines.test(text) ? text : text.replace(hiddenButLineAndTab(), sign).replace(runaway(), '$1\ufffd').toWellFormed();
}

/** JSON text in which hidden characters stand as escapes: a parser reads the same value. */
export function escapeHidden(text: string): string {
  if (isPlain(text) || printableLines.test(text)) return text;
  return text.replace(unescaped(), (character) => [...utf16(character)].map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join(''));
}

function* utf16(text: string): Generator<number> {
  for (let at = 0; at < text.length; at += 1) yield text.charCodeAt(at);
}

const encoder = new TextEncoder();
/** One for all texts: a new one for each would be memory that has to be freed. */
const bytes = Buffer.allocUnsafeSlow(1 << 16);

/** Whether it is known at once, from its bytes, that all of a text is ASCII without DEL, as most texts are. */
function isPlain(text: string): boolean {
  const { read, written } = encoder.encodeInto(text, bytes);
  const all = bytes.subarray(0, written);
  return read === text.length && isAscii(all) && !all.includes(0x7f);
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
  return spokenSigns.reduce((read, [sign, word]) => read.replace(sign, word), text);
}
