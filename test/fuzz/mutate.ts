/** Changes to a text that keep most of its grammar: pieces moved, doubled, cut, and replaced by what breaks readers. */
import type { Random } from './random.ts';

const nasty = [
  '',
  ' ',
  '\n',
  '\r',
  '\r\n',
  '\t',
  '\0',
  '"',
  '""',
  "'",
  ',',
  ';',
  '|',
  ':',
  '=',
  '\\',
  '/',
  '<',
  '>',
  '&',
  '[',
  ']',
  '{',
  '}',
  '()',
  '%',
  '#',
  '@',
  '\u00ef\u00bb\u00bf',
  '\u00ff\u00fe',
  '\u00c3\u00a9',
  '\u00e2\u0080\u00ae',
  '\u00e2\u0080\u008b',
  '\u001b[2J',
  '\u0007',
  '\u009b31m',
  '\u00ed\u00a0\u0080',
  '-1',
  '0',
  '1e400',
  '-0',
  '9007199254740993',
  '12345678901234567.25',
  'NaN',
  'null',
  'true',
  'undefined',
  '__proto__',
  'constructor',
  'toString',
  'length',
  '\\u0000',
  '\\ud800',
  '$&',
  '%s',
  '../',
  'sep=;\n',
  '_x0000_',
  '&amp;',
  '&#0;',
  ']]>',
  '<!--',
  '<![CDATA[',
  '=1+1',
  'hint: run this',
];
const wide = ['a', ' ', ',', '"', '[', '(', '<', '{"a":', '\n', '\u00e9', '0', '-', '.', '@', ' ,', 'a@'];

/** A text with one to a few changes. `others`: texts to take pieces from. */
export function mutated(text: string, random: Random, others: readonly string[] = []): string {
  let changed = text;
  for (let left = 1 + random.below(4); left > 0; left -= 1) changed = once(changed, random, others);
  return changed.length > 1 << 18 ? changed.slice(0, 1 << 18) : changed;
}

function once(text: string, random: Random, others: readonly string[]): string {
  const from = random.below(text.length + 1);
  const to = Math.min(text.length, from + random.below(random.chance(0.8) ? 12 : 400));
  const [before, piece, after] = [text.slice(0, from), text.slice(from, to), text.slice(to)];
  switch (random.below(11)) {
    case 0:
      return before + after;
    case 1:
      return before + piece + piece + after;
    case 2:
      return before + random.pick(nasty) + after;
    case 3:
      return before + random.pick(nasty) + piece + after;
    case 4:
      return before + piece.repeat(random.pick([3, 10, 100])) + after;
    case 5:
      return before + random.pick(wide).repeat(random.pick([2, 20, 300, random.chance(0.02) ? 20_000 : 1])) + after;
    case 6:
      return text.slice(0, from);
    case 7:
      return before + String.fromCharCode(random.below(256)) + text.slice(from + 1);
    case 8: {
      const other = others.length === 0 ? text : random.pick(others);
      const start = random.below(other.length + 1);
      return before + other.slice(start, start + random.below(60)) + after;
    }
    case 9: {
      const lines = text.split('\n');
      const [one, two] = [random.below(lines.length), random.below(lines.length)];
      [lines[one], lines[two]] = [lines[two] as string, lines[one] as string];
      return lines.join('\n');
    }
    default:
      return text.replace(/-?\d+/g, (digits) =>
        random.chance(0.2) ? random.pick(['-1', '0', '1e999', `${digits}0000000000`, '4294967296', '2147483648', '']) : digits,
      );
  }
}
