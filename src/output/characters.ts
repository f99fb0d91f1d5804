/**
 * Characters that must not reach a terminal as they are: controls, which command it; marks that
 * turn the direction of writing; separators and spaces that nobody can see.
 * Data keeps them, escaped where its format has escapes; what a person reads shows a sign instead.
 */
import { isAscii } from 'node:buffer';

const hidden = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\u200b\u2060-\u2064\ufeff]/u;
const everyHidden = new RegExp(hidden, 'gu');
const hiddenButLineAndTab = /(?!\n|\t|\r\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029\u200b\u2060-\u2064\ufeff]/gu;
/** Those that JSON and YAML texts may contain unescaped. */
const unescaped = /[\u007f-\u009f\p{Bidi_Control}\u2028\u2029\u200b\u2060-\u2064\ufeff]/gu;

export function hasHidden(text: string): boolean {
  return hidden.test(text);
}

/** Text for one cell or line that a person reads: a sign stands where a hidden character was. */
export function visible(text: string): string {
  return text.replace(everyHidden, sign).toWellFormed();
}

/** Like `visible`, for text whose line breaks and tabs are part of its form. */
export function visibleLines(text: string): string {
  return text.replace(hiddenButLineAndTab, sign).toWellFormed();
}

/** JSON or YAML text in which hidden characters stand as escapes: a parser reads the same value. */
export function escapeHidden(text: string): string {
  if (isPlain(text)) return text;
  return text.replace(unescaped, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
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

/** Signs that a screen reader leaves out or spells, and the words for them. */
const spokenSigns = [
  [/ ?→ ?/g, ' to '],
  [/ · /g, ', '],
  [/…/g, '...'],
  [/✓/g, 'yes'],
  [/✗/g, 'no'],
] as const;

/** Text with words in place of signs, for somebody to whom it is read. */
export function spoken(text: string): string {
  return spokenSigns.reduce((read, [sign, word]) => read.replace(sign, word), text);
}
